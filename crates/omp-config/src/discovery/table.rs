//! Who keeps what where. Of other agents the user's items come before the project's, of omp the project's before
//! the user's, as each of them has it.

use super::engine::Search;
use super::kind::mcp::Dialect;
use super::kind::skill::Description::{Optional, Required};
use super::kind::{
    agent, command, context, hook, instruction, manifest, mcp, module, prompt, rule, settings, skill, sticky,
    tool,
};
use super::places::{NATIVE, Root};
use super::plugins::installed;
use super::provider::{Loaders, NOTHING, Provider};
use crate::settings::Format;

pub(super) static PROVIDERS: &[Provider] = &[
    Provider { id: "native", label: "omp", priority: 100, loaders: OMP },
    // Packages with extensions will bring items of every kind; none can be installed yet.
    Provider { id: "omp-plugins", label: "omp packages", priority: 90, loaders: NOTHING },
    Provider { id: "claude", label: "Claude Code", priority: 80, loaders: CLAUDE },
    Provider { id: "claude-plugins", label: "Claude Code plugins", priority: 70, loaders: CLAUDE_PLUGINS },
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
];

const OMP: Loaders = Loaders {
    context_files: |search| {
        context::user(search, search.discovery.places.agent.join("AGENTS.md"));
        context::nearest_native(search);
    },
    sticky_rules: sticky::native,
    skills: |search| {
        for root in search.discovery.native_everywhere() {
            skill::collect(search, &root.below("skills"), Required);
        }
    },
    rules: |search| {
        each(search, native, |search, root| rule::collect(search, &root.below("rules"), &["md", "mdc"]))
    },
    commands: |search| {
        each(search, native, |search, root| command::collect_unignored(search, &root.below("commands")));
    },
    prompts: |search| each(search, native, |search, root| prompt::collect(search, &root.below("prompts"))),
    instructions: |search| {
        each(search, native, |search, root| instruction::collect(search, &root.below("instructions")));
    },
    hooks: |search| each(search, native, |search, root| hook::collect(search, &root.below("hooks"))),
    tools: |search| each(search, native, |search, root| tool::collect(search, &root.below("tools"))),
    extension_modules: |search| {
        each(search, native, module::collect);
        each(search, native, module::collect_listed);
    },
    extensions: |search| {
        each(search, native, |search, root| manifest::collect(search, &root.below("extensions")))
    },
    mcp_servers: |search| {
        each(search, native, |search, root| {
            mcp::collect(search, &root.below("mcp.json"), Dialect::Common);
            mcp::collect(search, &root.below(".mcp.json"), Dialect::Common);
        });
    },
    agents: agent::native,
    settings: |search| {
        let root = search.discovery.places.cwd_root(NATIVE);
        settings::add(search, Some(root.below("settings.json")), Format::Json);
        settings::add(search, Some(root.below("config.yml")), Format::Yaml);
    },
};

const CLAUDE: Loaders = Loaders {
    context_files: |search| {
        context::user(search, search.discovery.places.home.join(".claude/CLAUDE.md"));
        context::project(search, ".claude/CLAUDE.md");
    },
    skills: |search| {
        each(search, claude, |search, root| skill::collect(search, &root.below("skills"), Optional))
    },
    commands: |search| {
        each(search, claude, |search, root| command::collect_nested(search, &root.below("commands")))
    },
    hooks: |search| each(search, claude, |search, root| hook::collect(search, &root.below("hooks"))),
    tools: |search| each(search, claude, |search, root| tool::collect(search, &root.below("tools"))),
    mcp_servers: |search| {
        mcp::collect(search, &search.discovery.places.home_root(".claude.json"), Dialect::Common);
        each(search, claude, |search, root| mcp::collect(search, &root.below("mcp.json"), Dialect::Common));
    },
    settings: |search| {
        settings::add(search, search.discovery.places.project(".claude/settings.json"), Format::Json)
    },
    ..NOTHING
};

const CLAUDE_PLUGINS: Loaders = Loaders {
    skills: |search| {
        for plugin in installed(search) {
            skill::collect(search, &plugin.root.below("skills"), Optional);
        }
    },
    commands: |search| {
        for plugin in installed(search) {
            command::collect_prefixed(search, &plugin.root.below("commands"), &plugin.name);
        }
    },
    hooks: |search| {
        for plugin in installed(search) {
            hook::collect(search, &plugin.root.below("hooks"));
        }
    },
    tools: |search| {
        for plugin in installed(search) {
            tool::collect(search, &plugin.root.below("tools"));
        }
    },
    mcp_servers: |search| {
        for plugin in installed(search) {
            mcp::collect(search, &plugin.root.below(".mcp.json"), Dialect::Common);
        }
    },
    agents: |search| {
        for plugin in installed(search) {
            agent::collect(search, &plugin.root.below("agents"));
        }
    },
    ..NOTHING
};

const AGENTS: Loaders = Loaders {
    context_files: context::agents,
    skills: |search| {
        each(search, agents, |search, root| skill::collect(search, &root.below("skills"), Optional))
    },
    commands: |search| each(search, agents, |search, root| command::collect(search, &root.below("commands"))),
    ..NOTHING
};

const CODEX: Loaders = Loaders {
    context_files: |search| context::user(search, search.discovery.places.home.join(".codex/AGENTS.md")),
    skills: |search| {
        each(search, codex, |search, root| skill::collect(search, &root.below("skills"), Optional))
    },
    commands: |search| {
        each(search, codex, |search, root| command::collect_renamed(search, &root.below("commands")))
    },
    hooks: |search| each(search, codex, |search, root| hook::collect(search, &root.below("hooks"))),
    tools: |search| each(search, codex, |search, root| tool::collect(search, &root.below("tools"))),
    mcp_servers: |search| {
        each(search, codex, |search, root| mcp::collect(search, &root.below("config.toml"), Dialect::Codex));
    },
    settings: |search| {
        settings::add(search, search.discovery.places.project(".codex/config.toml"), Format::Toml)
    },
    ..NOTHING
};

const GEMINI: Loaders = Loaders {
    context_files: |search| {
        context::user(search, search.discovery.places.home.join(".gemini/GEMINI.md"));
        context::project(search, ".gemini/GEMINI.md");
    },
    extensions: |search| {
        each(search, gemini, |search, root| manifest::collect(search, &root.below("extensions")))
    },
    mcp_servers: |search| {
        each(search, gemini, |search, root| {
            mcp::collect(search, &root.below("settings.json"), Dialect::Common)
        });
    },
    settings: |search| {
        settings::add(search, search.discovery.places.project(".gemini/settings.json"), Format::Json)
    },
    ..NOTHING
};

const OPENCODE: Loaders = Loaders {
    context_files: |search| {
        context::user(search, search.discovery.places.home.join(".config/opencode/AGENTS.md"));
    },
    skills: |search| {
        each(search, opencode, |search, root| skill::collect(search, &root.below("skills"), Optional))
    },
    commands: |search| {
        each(search, opencode, |search, root| command::collect_renamed(search, &root.below("commands")));
    },
    mcp_servers: |search| {
        let places = &search.discovery.places;
        for file in places.user_and_project(".config/opencode/opencode.json", "opencode.json") {
            mcp::collect(search, &file, Dialect::OpenCode);
        }
    },
    settings: |search| settings::add(search, search.discovery.places.project("opencode.json"), Format::Json),
    ..NOTHING
};

const CURSOR: Loaders = Loaders {
    rules: |search| {
        each(search, cursor, |search, root| rule::collect(search, &root.below("rules"), &["mdc", "md"]))
    },
    mcp_servers: |search| {
        each(search, cursor, |search, root| mcp::collect(search, &root.below("mcp.json"), Dialect::Common));
    },
    settings: |search| {
        settings::add(search, search.discovery.places.project(".cursor/settings.json"), Format::Json)
    },
    ..NOTHING
};

const WINDSURF: Loaders = Loaders {
    rules: |search| {
        let global = search.discovery.places.home_root(".codeium/windsurf/memories/global_rules.md");
        rule::add(search, global.level, "global_rules", &global.path);
        if let Some(root) = search.discovery.places.project(".windsurf/rules") {
            rule::collect(search, &root, &["md"]);
        }
    },
    ..NOTHING
};

const CLINE: Loaders = Loaders { rules: rule::nearest_cline, ..NOTHING };

const GITHUB: Loaders = Loaders {
    context_files: |search| context::project(search, ".github/copilot-instructions.md"),
    skills: |search| {
        if let Some(root) = search.discovery.places.project(".github/skills") {
            skill::collect(search, &root, Required);
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
        for name in ["mcp.json", ".mcp.json"] {
            mcp::collect(search, &search.discovery.places.cwd_root(name), Dialect::Common);
        }
    },
    ..NOTHING
};

/// Runs `load` for each of a provider's folders.
fn each<T>(
    search: &mut Search<'_, T>,
    roots: fn(&Search<'_, T>) -> Vec<Root>,
    load: impl Fn(&mut Search<'_, T>, &Root),
) {
    for root in roots(search) {
        load(search, &root);
    }
}

fn native<T>(search: &Search<'_, T>) -> Vec<Root> {
    search.discovery.places.native(&search.discovery.disk)
}

fn agents<T>(search: &Search<'_, T>) -> Vec<Root> {
    search.discovery.agents_everywhere()
}

fn claude<T>(search: &Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".claude", ".claude")
}

fn codex<T>(search: &Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".codex", ".codex")
}

fn gemini<T>(search: &Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".gemini", ".gemini")
}

fn opencode<T>(search: &Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".config/opencode", ".opencode")
}

fn cursor<T>(search: &Search<'_, T>) -> Vec<Root> {
    search.discovery.places.user_and_project(".cursor", ".cursor")
}
