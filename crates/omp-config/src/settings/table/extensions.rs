//! Skills, commands, extensions, plugins and MCP servers.

settings! {
    Extensions;
    EXTENSIONS: List("extensions", &[], "Extension modules to load.").flag("--extension");
    DISABLED_EXTENSIONS: List("disabledExtensions", &[], "Disabled items, as `kind:name`, for example `skill:review`.");
    SKILLS_ENABLED: Flag("skills.enabled", true, "Enable skills.");
    SKILLS_ENABLE_SKILL_COMMANDS: Flag("skills.enableSkillCommands", true, "Offer each skill as a command `/skill:<name>`.");
    SKILLS_ENABLE_PI_USER: Flag("skills.enablePiUser", true, "Use omp skills from the home directory.");
    SKILLS_ENABLE_PI_PROJECT: Flag("skills.enablePiProject", true, "Use omp skills from the project.");
    SKILLS_ENABLE_CLAUDE_USER: Flag("skills.enableClaudeUser", true, "Use Claude skills from the home directory.");
    SKILLS_ENABLE_CLAUDE_PROJECT: Flag("skills.enableClaudeProject", true, "Use Claude skills from the project.");
    SKILLS_ENABLE_CODEX_USER: Flag("skills.enableCodexUser", true, "Use Codex skills from the home directory.");
    SKILLS_ENABLE_AGENTS_USER: Flag("skills.enableAgentsUser", true, "Use `.agents` skills from the home directory.");
    SKILLS_ENABLE_AGENTS_PROJECT: Flag("skills.enableAgentsProject", true, "Use `.agents` skills from the project.");
    SKILLS_CUSTOM_DIRECTORIES: List("skills.customDirectories", &[], "Additional skill directories.");
    SKILLS_IGNORED_SKILLS: List("skills.ignoredSkills", &[], "Name patterns of skills to exclude.");
    SKILLS_INCLUDE_SKILLS: List("skills.includeSkills", &[], "Name patterns of skills to include; empty means all.").flag("--skills");
    COMMANDS_ENABLE_CLAUDE_USER: Flag("commands.enableClaudeUser", true, "Use Claude commands from the home directory.");
    COMMANDS_ENABLE_CLAUDE_PROJECT: Flag("commands.enableClaudeProject", true, "Use Claude commands from the project.");
    COMMANDS_ENABLE_OPENCODE_USER: Flag("commands.enableOpencodeUser", true, "Use OpenCode commands from the home directory.");
    COMMANDS_ENABLE_OPENCODE_PROJECT: Flag("commands.enableOpencodeProject", true, "Use OpenCode commands from the project.");
    // The original has no such setting.
    HOOKS_ENABLED: Flag("hooks.enabled", true, "Run command hooks of omp, Claude Code and plugins.");
    // Default: ours.
    MCP_ENABLE_PROJECT_CONFIG: Flag("mcp.enableProjectConfig", true, "Use MCP servers configured by the project.");
    MCP_NOTIFICATIONS: Flag("mcp.notifications", false, "Notify the model when an MCP resource changes.");
    MCP_NOTIFICATION_DEBOUNCE_MS: Number("mcp.notificationDebounceMs", 500.0, "Milliseconds during which MCP resource changes are collected.");
    MARKETPLACE_AUTO_UPDATE: Choice("marketplace.autoUpdate", &["notify", "off", "auto"], "Updates of marketplace plugins at start: tell, ignore or install.");
}
