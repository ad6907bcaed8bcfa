//! Skills, commands, extensions, plugins and MCP servers.

settings! {
    Extensions;
    EXTENSIONS: List("extensions", &[], "Extension modules to load.").flag("--extension").waits_for("extensions");
    DISABLED_EXTENSIONS: List("disabledExtensions", &[], "Single items to leave out, as `kind:name`, for example `skill:review`.");
    SKILLS_ENABLED: Flag("skills.enabled", true, "Use skills.");
    SKILLS_ENABLE_SKILL_COMMANDS: Flag("skills.enableSkillCommands", true, "Make each skill a command `/skill:<name>`.");
    SKILLS_ENABLE_PI_USER: Flag("skills.enablePiUser", true, "Use skills of omp in the home directory.");
    SKILLS_ENABLE_PI_PROJECT: Flag("skills.enablePiProject", true, "Use skills of omp in the project.");
    SKILLS_ENABLE_CLAUDE_USER: Flag("skills.enableClaudeUser", true, "Use skills of Claude in the home directory.");
    SKILLS_ENABLE_CLAUDE_PROJECT: Flag("skills.enableClaudeProject", true, "Use skills of Claude in the project.");
    SKILLS_ENABLE_CODEX_USER: Flag("skills.enableCodexUser", true, "Use skills of Codex in the home directory.");
    SKILLS_ENABLE_AGENTS_USER: Flag("skills.enableAgentsUser", true, "Use skills of `.agents` in the home directory.");
    SKILLS_ENABLE_AGENTS_PROJECT: Flag("skills.enableAgentsProject", true, "Use skills of `.agents` in the project.");
    SKILLS_CUSTOM_DIRECTORIES: List("skills.customDirectories", &[], "More directories with skills.");
    SKILLS_IGNORED_SKILLS: List("skills.ignoredSkills", &[], "Name patterns of skills to leave out.");
    SKILLS_INCLUDE_SKILLS: List("skills.includeSkills", &[], "Name patterns of the only skills to use; empty means all.").flag("--skills");
    COMMANDS_ENABLE_CLAUDE_USER: Flag("commands.enableClaudeUser", true, "Use commands of Claude in the home directory.");
    COMMANDS_ENABLE_CLAUDE_PROJECT: Flag("commands.enableClaudeProject", true, "Use commands of Claude in the project.");
    COMMANDS_ENABLE_OPENCODE_USER: Flag("commands.enableOpencodeUser", true, "Use commands of OpenCode in the home directory.");
    COMMANDS_ENABLE_OPENCODE_PROJECT: Flag("commands.enableOpencodeProject", true, "Use commands of OpenCode in the project.");
    // Default: ours.
    MCP_ENABLE_PROJECT_CONFIG: Flag("mcp.enableProjectConfig", true, "Use MCP servers that the project configures.").waits_for("MCP");
    MCP_NOTIFICATIONS: Flag("mcp.notifications", false, "Tell the model when a resource of an MCP server changes.").waits_for("MCP");
    MCP_NOTIFICATION_DEBOUNCE_MS: Number("mcp.notificationDebounceMs", 500.0, "Milliseconds in which such changes are collected.").waits_for("MCP");
    MARKETPLACE_AUTO_UPDATE: Choice("marketplace.autoUpdate", &["notify", "off", "auto"], "What to do about updates of plugins.").waits_for("plugins");
}
