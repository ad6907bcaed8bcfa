//! Who keeps what where. Of other agents the user's items come before the project's, of omp the project's before
//! the user's, as each of them has it.

use super::engine::Search;
use super::item::{McpServer, Rule, SettingsFile, Skill};
use super::kind::mcp::Dialect;
use super::kind::skill::Description;
use super::kind::{
    agent, command, context, hook, hook_settings, instruction, manifest, mcp, module, prompt, rule, settings,
    skill, ssh, sticky, tool,
};
use super::packages::OMP_PACKAGES;
use super::places::{NATIVE, Root};
use super::plugins::MARKETPLACE_PLUGINS;
use super::provider::{Loaders, NOTHING, Provider};
use crate::settings::Format;

pub(super) static PROVIDERS: &[Provider] = &[
    Provider { id: "native", label: "omp", priority: 100, loaders: OMP },
    Provider { id: "omp-plugins", label: "omp packages", priority: 90, loaders: OMP_PACKAGES },
    Provider { id: "claude", label: "Claude Code", priority: 80, loaders: CLAUDE },
    Provider {
        id: "claude-plugins",
        label: "marketplace plugins",
        priority: 70,
        loaders: MARKETPLACE_PLUGINS,
    },
    Provider { id: "agents", label: "folders named .agent and .agents", priority: 70, loaders: AGENTS },
    Provider { id: "codex", label: "Codex", priority: 70, loaders: CODEX },
    Provider { id: "gemini", label: "Gemini CLI", priority: 60, loaders: GEMINI },
    Provider { id: "opencode", label: "OpenCode", priority: 55, loaders: OPENCODE },
    Provider { id: "cursor", label: "Cursor", priority: 50, loaders: CURSOR },
    Provider { id: "windsurf", label: "Windsurf", priority: 50, loaders: WINDSURF },
    Provider { id: "cline", label: "Cline", priority: 40, loaders: CLINE },
    Provider { id: "github", label: "GitHub Copilot", priority: 30, loaders: GITHUB },
    Provider { id: "vscode", label: "Visual Studio Code", priority: 20, loaders: VSCODE },
    Provider { id: "agents-md", label: "AGENTS.md", priority: 10, loaders: AGENTS_MD },
    Provider { id: "mcp-json", label: "mcp.json of the project", priority: 5, loaders: MCP_JSON },
    Provider { id: "ssh-json", label: "ssh.json files", priority: 5, loaders: SSH_JSON },
];

const OMP: Loaders = Loaders {
    context_files: |search| {
        context::user(search, search.discovery.places.agent.join("AGENTS.md"));
        context::nearest_native(search);
    },
    sticky_rules: sticky::native,
    skills: |search| {
        for root in search.discovery.native_everywhere() {
            described(search, &root.below("skills"));
        }
    },
    rules: |search| each(search, native, "rules", markdown_rules),
    commands: |search| each(search, native, "commands", command::collect_unignored),
    prompts: |search| each(search, native, "prompts", prompt::collect),
    instructions: |search| each(search, native, "instructions", instruction::collect),
    hooks: |search| each(search, native, "hooks", hook::collect),
    hook_settings: |search| each(search, native, "hooks.json", hook_settings::collect),
    tools: |search| each(search, native, "tools", tool::collect),
    extension_modules: |search| {
        each(search, native, "extensions", module::collect);
        each(search, native, "settings.json", module::collect_listed);
    },
    extensions: |search| each(search, native, "extensions", manifest::collect),
    mcp_servers: |search| {
        for root in native(search) {
            servers(search, &root.below("mcp.json"));
            servers(search, &root.below(".mcp.json"));
        }
    },
    agents: agent::native,
    ssh_hosts: |_| {},
    settings: |search| {
        let root = search.discovery.places.cwd_root(NATIVE);
        settings::add(search, root.below("settings.json"), Format::Json);
        settings::add(search, root.below("config.yml"), Format::Yaml);
    },
};

const CLAUDE: Loaders = Loaders {
    context_files: |search| {
        context::user(search, search.discovery.places.home.join(".claude/CLAUDE.md"));
        context::project(search, ".claude/CLAUDE.md");
    },
    skills: |search| each(search, claude, "skills", undescribed),
    commands: |search| each(search, claude, "commands", command::collect_nested),
    hooks: |search| each(search, claude, "hooks", hook::collect),
    hook_settings: |search| {
        let files = claude_settings(search);
        if !hook_settings::are_disabled(search, &files) {
            files.iter().for_each(|file| hook_settings::collect(search, file));
        }
    },
    tools: |search| each(search, claude, "tools", tool::collect),
    mcp_servers: |search| {
        let file = search.discovery.places.home_root(".claude.json");
        mcp::collect_for_directory(search, &file);
        servers(search, &file);
        each(search, claude, "mcp.json", servers);
    },
    settings: |search| project_settings(search, ".claude/settings.json", Format::Json),
    ..NOTHING
};

const AGENTS: Loaders = Loaders {
    context_files: context::agents,
    skills: |search| each(search, agents, "skills", undescribed),
    commands: |search| each(search, agents, "commands", command::collect),
    ..NOTHING
};

const CODEX: Loaders = Loaders {
    context_files: |search| context::user(search, search.discovery.places.home.join(".codex/AGENTS.md")),
    skills: |search| each(search, codex, "skills", undescribed),
    commands: |search| each(search, codex, "commands", command::collect_renamed),
    hooks: |search| each(search, codex, "hooks", hook::collect),
    tools: |search| each(search, codex, "tools", tool::collect),
    mcp_servers: |search| {
        each(search, codex, "config.toml", |search, file| mcp::collect(search, file, Dialect::Codex));
    },
    settings: |search| project_settings(search, ".codex/config.toml", Format::Toml),
    ..NOTHING
};

const GEMINI: Loaders = Loaders {
    context_files: |search| {
        context::user(search, search.discovery.places.home.join(".gemini/GEMINI.md"));
        context::project(search, ".gemini/GEMINI.md");
    },
    extensions: |search| each(search, gemini, "extensions", manifest::collect),
    mcp_servers: |search| each(search, gemini, "settings.json", servers),
    settings: |search| project_settings(search, ".gemini/settings.json", Format::Json),
    ..NOTHING
};

const OPENCODE: Loaders = Loaders {
    context_files: |search| {
        context::user(search, search.discovery.places.home.join(".config/opencode/AGENTS.md"));
    },
    skills: |search| each(search, opencode, "skills", undescribed),
    commands: |search| each(search, opencode, "commands", command::collect_renamed),
    mcp_servers: |search| {
        let places = &search.discovery.places;
        for file in places.user_and_project(".config/opencode/opencode.json", "opencode.json") {
            mcp::collect(search, &file, Dialect::OpenCode);
        }
    },
    settings: |search| project_settings(search, "opencode.json", Format::Json),
    ..NOTHING
};

const CURSOR: Loaders = Loaders {
    rules: |search| each(search, cursor, "rules", markdown_rules),
    mcp_servers: |search| each(search, cursor, "mcp.json", servers),
    settings: |search| project_settings(search, ".cursor/settings.json", Format::Json),
    ..NOTHING
};

const WINDSURF: Loaders = Loaders {
    rules: |search| {
        let global = search.discovery.places.home_root(".codeium/windsurf/memories/global_rules.md");
        rule::add(search, global.level, "global_rules", &global.path);
        if let Some(rules) = search.discovery.places.project(".windsurf/rules") {
            rule::collect(search, &rules, &["md"]);
        }
    },
    mcp_servers: |search| {
        servers(search, &search.discovery.places.home_root(".codeium/windsurf/mcp_config.json"));
    },
    ..NOTHING
};

const CLINE: Loaders = Loaders { rules: rule::nearest_cline, ..NOTHING };

const GITHUB: Loaders = Loaders {
    context_files: |search| context::project(search, ".github/copilot-instructions.md"),
    skills: |search| {
        if let Some(skills) = search.discovery.places.project(".github/skills") {
            described(search, &skills);
        }
    },
    ..NOTHING
};

const VSCODE: Loaders = Loaders {
    mcp_servers: |search| {
        if let Some(file) = search.discovery.places.project(".vscode/mcp.json") {
            mcp::collect(search, &file, Dialect::VsCode);
        }
    },
    ..NOTHING
};

const AGENTS_MD: Loaders = Loaders { context_files: context::standalone, ..NOTHING };

const MCP_JSON: Loaders = Loaders {
    mcp_servers: |search| {
        servers(search, &search.discovery.places.cwd_root("mcp.json"));
        servers(search, &search.discovery.places.cwd_root(".mcp.json"));
    },
    ..NOTHING
};

const SSH_JSON: Loaders = Loaders { ssh_hosts: ssh::everywhere, ..NOTHING };

/// Runs `load` for the file or folder `name` in each of a provider's folders.
fn each<T>(
    search: &mut Search<'_, T>,
    roots: fn(&mut Search<'_, T>) -> Vec<Root>,
    name: &str,
    load: impl Fn(&mut Search<'_, T>, &Root),
) {
    for root in roots(search) {
        load(search, &root.below(name));
    }
}

fn described(search: &mut Search<'_, Skill>, skills: &Root) {
    skill::collect(search, skills, Description::Required);
}

fn undescribed(search: &mut Search<'_, Skill>, skills: &Root) {
    skill::collect(search, skills, Description::Optional);
}

fn markdown_rules(search: &mut Search<'_, Rule>, rules: &Root) {
    rule::collect(search, rules, &["md", "mdc"]);
}

fn servers(search: &mut Search<'_, McpServer>, file: &Root) {
    mcp::collect(search, file, Dialect::Common);
}

fn project_settings(search: &mut Search<'_, SettingsFile>, path: &str, format: Format) {
    if let Some(file) = search.discovery.places.project(path) {
        settings::add(search, file, format);
    }
}

fn native<T>(search: &mut Search<'_, T>) -> Vec<Root> {
    search.discovery.places.native(&search.discovery.disk)
}

fn agents<T>(search: &mut Search<'_, T>) -> Vec<Root> {
    search.discovery.agents_everywhere()
}

fn claude<T>(search: &mut Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".claude", ".claude")
}

/// Where Claude Code has its settings, the user's first.
pub(super) fn claude_settings<T>(search: &mut Search<'_, T>) -> Vec<Root> {
    let files = |root: Root| [root.below("settings.json"), root.below("settings.local.json")];
    claude(search).into_iter().flat_map(files).collect()
}

fn codex<T>(search: &mut Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".codex", ".codex")
}

fn gemini<T>(search: &mut Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".gemini", ".gemini")
}

fn opencode<T>(search: &mut Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".config/opencode", ".opencode")
}

fn cursor<T>(search: &mut Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".cursor", ".cursor")
}
