use std::collections::BTreeMap;

use omp_config::discovery::{Discovery, settings_files};
use omp_config::settings::{self, Format, Settings};
use serde_json::{Map, json};

use crate::world::World;

/// Something of every kind that each provider has, none of it hidden by another.
const EVERYTHING: [(&str, &str, &str); 32] = [
    ("claude", "home/.claude/CLAUDE.md", "claude"),
    ("claude", "repo/.claude/skills/claude-skill/SKILL.md", "x"),
    ("claude", "repo/.claude/commands/claude-command.md", "x"),
    ("claude", "repo/.claude/hooks/pre/claude.sh", ""),
    ("claude", "repo/.claude/tools/claude.ts", ""),
    ("claude", "repo/.claude/mcp.json", r#"{"mcpServers": {"claude": {}}}"#),
    ("claude", "repo/.claude/settings.json", "{}"),
    ("claude", "repo/.claude/SYSTEM.md", "x"),
    ("native", "repo/a/.omp/AGENTS.md", "native"),
    ("native", "repo/.omp/RULES.md", "x"),
    ("native", "repo/.omp/skills/native-skill/SKILL.md", "---\ndescription: d\n---\n"),
    ("native", "repo/a/.omp/rules/native.md", "x"),
    ("native", "repo/a/.omp/commands/native-command.md", "x"),
    ("native", "repo/a/.omp/prompts/native.md", "x"),
    ("native", "repo/a/.omp/tools/native.ts", ""),
    ("native", "repo/a/.omp/mcp.json", r#"{"mcpServers": {"native": {}}}"#),
    ("native", "repo/a/.omp/extensions/native.ts", ""),
    ("native", "repo/.omp/agents/native.md", "---\nname: n\ndescription: d\n---\nx"),
    ("agents", "repo/.agents/AGENTS.md", "agents"),
    ("agents", "repo/.agents/skills/agents-skill/SKILL.md", "x"),
    ("codex", "home/.codex/skills/codex-skill/SKILL.md", "x"),
    ("codex", "home/.codex/config.toml", "[mcp_servers.codex]\ncommand = 'c'\n"),
    ("gemini", "home/.gemini/extensions/g/gemini-extension.json", "{}"),
    ("opencode", "home/.config/opencode/commands/opencode-command.md", "x"),
    ("cursor", "home/.cursor/rules/cursor.mdc", "x"),
    ("windsurf", "home/.codeium/windsurf/memories/global_rules.md", "x"),
    ("cline", "repo/.clinerules", "x"),
    ("github", "repo/a/.github/skills/github-skill/SKILL.md", "---\ndescription: d\n---\n"),
    ("vscode", "repo/a/.vscode/mcp.json", r#"{"servers": {"vscode": {}}}"#),
    ("mcp-json", "repo/a/.mcp.json", r#"{"mcpServers": {"fallback": {}}}"#),
    ("ssh-json", "repo/.ssh.json", r#"{"hosts": {"build": {"host": "h"}}}"#),
    ("ssh-json", "repo/a/.omp/ssh.json", r#"{"hosts": {"build": {"host": "h"}}}"#),
];

fn world() -> World {
    let world = World::new(&[("repo/AGENTS.md", "standalone")]);
    for (_, path, text) in EVERYTHING {
        // The foreign project folders belong to the working directory.
        world.write(&path.replace("repo/.claude", "repo/a/.claude"), text);
    }
    world
}

/// How many items each provider contributes, hidden ones included.
fn counts(discovery: &Discovery) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for row in discovery.sources().rows {
        *counts.entry(row.provider).or_default() += 1;
    }
    counts
}

// proves: CFG-044
#[test]
fn a_disabled_provider_contributes_nothing() {
    let world = world();
    let all = counts(&world.at("repo/a"));
    for (provider, ..) in EVERYTHING {
        let wanted = EVERYTHING.iter().filter(|(other, ..)| *other == provider).count();
        assert_eq!(all[provider], wanted, "{provider}");
        let mut others = all.clone();
        others.remove(provider);
        assert_eq!(counts(&world.without("repo/a", &[provider])), others, "without {provider}");
    }
    assert_eq!(all["agents-md"], 1);
    for id in ["anthropic", "google", "Claude", "claud", ""] {
        assert_eq!(counts(&world.without("repo/a", &[id])), all, "ids are exact: {id}");
    }
}

#[test]
fn settings_files_of_other_agents_in_the_project() {
    let world = World::new(&[]);
    for path in [
        ".claude/settings.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".cursor/settings.json",
        "opencode.json",
        ".omp/config.yml",
    ] {
        world.write(&format!("repo/a/{path}"), "");
        world.write(&format!("repo/{path}"), "");
        world.write(&format!("home/{path}"), "");
    }
    let found = settings_files(&world.path("repo/a"), &[]);
    let shown: Vec<_> =
        found.iter().map(|file| (file.provider, world.short(&file.path), file.format)).collect();
    assert_eq!(
        shown,
        [
            ("cursor", "repo/a/.cursor/settings.json".to_owned(), Format::Json),
            ("opencode", "repo/a/opencode.json".to_owned(), Format::Json),
            ("gemini", "repo/a/.gemini/settings.json".to_owned(), Format::Json),
            ("codex", "repo/a/.codex/config.toml".to_owned(), Format::Toml),
            ("claude", "repo/a/.claude/settings.json".to_owned(), Format::Json),
        ],
        "the least important first, and of the directory alone"
    );
    let without = settings_files(&world.path("repo/a"), &["claude".to_owned(), "cursor".to_owned()]);
    assert!(without.iter().all(|file| !["claude", "cursor"].contains(&file.provider)) && without.len() == 3);
}

// proves: CFG-012
#[test]
fn a_profile_sees_its_own_files_and_those_of_others() {
    let world = World::new(&[
        ("home/.omp/agent/rules/default.md", "x"),
        ("home/.omp/agent/skills/default/SKILL.md", "---\ndescription: d\n---\n"),
        ("home/.omp/profiles/job/agent/rules/work.md", "x"),
        ("home/.cursor/rules/cursor.md", "x"),
        ("home/.claude/skills/claude/SKILL.md", "x"),
        ("repo/.omp/rules/project.md", "x"),
    ]);
    let discovery = Discovery::new(world.places_with("repo", &[("OMP_PROFILE", "job")]), &[]);
    assert_eq!(
        world.used(&discovery.rules()),
        [
            "repo/.omp/rules/project.md",
            "home/.omp/profiles/job/agent/rules/work.md",
            "home/.cursor/rules/cursor.md"
        ]
    );
    assert_eq!(world.used(&discovery.skills()), ["home/.claude/skills/claude/SKILL.md"]);
}

// proves: CFG-006
#[test]
fn settings_of_other_agents_are_merged_in_order() {
    let world = World::new(&[
        ("home/.claude/settings.json", r#"{"compaction": {"enabled": false}}"#),
        ("repo/.claude/settings.json", r#"{"retry": {"maxRetries": 1}}"#),
        ("repo/.gemini/settings.json", r#"{"retry": {"maxRetries": 2, "baseDelayMs": 3}}"#),
    ]);
    let load = |disabled: &str| {
        world.write("home/.omp/agent/config.yml", format!("disabledProviders: [{disabled}]\n"));
        let cwd = world.path("repo");
        let sources = settings::Sources {
            directories: &world.directories(&[]),
            cwd: &cwd,
            overlays: &[],
            overrides: Map::new(),
            env: &|_| None,
            project_files: &|disabled| settings_files(&cwd, disabled),
        };
        let settings = Settings::load(&sources).unwrap();
        let value = |path: &str| settings.value(settings::find(path).unwrap());
        json!([value("retry.maxRetries"), value("retry.baseDelayMs"), value("compaction.enabled")])
    };
    assert_eq!(load(""), json!([1, 3, true]), "Claude over Gemini, and nothing of the user's folders");
    assert_eq!(load("claude"), json!([2, 3, true]));
    assert_eq!(load("claude, gemini"), json!([10, 500, true]));
}
