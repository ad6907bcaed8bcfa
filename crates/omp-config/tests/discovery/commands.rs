use omp_config::discovery::{CommandFile, Listing};
use serde_json::json;

use crate::world::{World, one_warning};

fn names(listing: &Listing<CommandFile>) -> Vec<&str> {
    listing.active().map(|finding| finding.item.name.as_str()).collect()
}

fn command<'a>(listing: &'a Listing<CommandFile>, name: &str) -> &'a CommandFile {
    &listing.active().find(|finding| finding.item.name == name).expect(name).item
}

// proves: CLI-158
#[test]
fn native_commands() {
    let world = World::new(&[
        ("repo/.omp/commands/both.md", "project"),
        ("home/.omp/agent/commands/both.md", "user"),
        ("home/.omp/agent/commands/mine.md", "mine"),
        ("repo/.omp/commands/sub/deep.md", "no"),
        ("repo/.omp/commands/.secret.md", "no"),
        ("repo/.omp/commands/note.txt", "no"),
        ("repo/.omp/commands/draft-x.md", "no"),
        ("repo/.omp/commands/local.md", "no"),
        ("repo/.gitignore", "draft-*.md\n"),
        ("repo/.omp/commands/.gitignore", "local.md\n"),
    ]);
    let commands = world.at("repo").commands();
    assert_eq!(names(&commands), ["both", "mine"]);
    assert_eq!(command(&commands, "both").body, "project");
    assert_eq!(world.hidden(&commands), ["home/.omp/agent/commands/both.md < repo/.omp/commands/both.md"]);
}

#[test]
fn a_project_may_ignore_its_whole_folder() {
    let world = World::new(&[("repo/.omp/commands/a.md", "x"), ("repo/.gitignore", ".omp/\n")]);
    assert_eq!(names(&world.at("repo").commands()), ["a"]);
}

// proves: CLI-159
#[test]
fn other_sources_by_priority() {
    let world = World::new(&[]);
    world.package("pkg", &json!({}));
    world.write(
        "home/.claude/plugins/installed_plugins.json",
        json!({"plugins": {
            "tools@market": [{"installPath": world.path("plugin")}],
            "off@market": [{"installPath": world.path("off"), "enabled": false}],
            "other@market": [{"installPath": world.path("other")}],
            "elsewhere@market": [{"installPath": world.path("elsewhere"), "projectPath": world.path("nowhere")}],
        }})
        .to_string(),
    );
    world.write("home/.claude/settings.json", r#"{"enabledPlugins": {"other@market": false}}"#);
    for plugin in ["plugin", "off", "other", "elsewhere"] {
        world.write(&format!("{plugin}/commands/run.md"), "plugin");
    }
    let by_priority = [
        "repo/.omp/commands/x.md",
        "home/.omp/agent/commands/x.md",
        "home/.omp/plugins/node_modules/pkg/commands/x.md",
        "home/.claude/commands/x.md",
        "repo/.claude/commands/x.md",
        "repo/.agent/commands/x.md",
        "repo/.agents/commands/x.md",
        "home/.agents/commands/x.md",
        "home/.codex/commands/x.md",
        "repo/.codex/commands/x.md",
        "home/.config/opencode/commands/x.md",
        "repo/.opencode/commands/x.md",
    ];
    for path in by_priority {
        world.write(path, path);
    }
    for (removed, path) in by_priority.iter().enumerate() {
        let commands = world.at("repo").commands();
        assert_eq!(command(&commands, "x").body, *path);
        assert_eq!(command(&commands, "tools:run").body, "plugin");
        assert_eq!(names(&commands).len(), 2);
        assert_eq!(world.hidden(&commands).len(), by_priority.len() - removed - 1);
        world.remove(path);
    }
}

#[test]
fn claude_commands_in_folders_have_two_names() {
    let world = World::new(&[
        ("repo/.claude/commands/a/b.md", "nested"),
        ("repo/.claude/commands/a/c/d.md", "deep"),
        ("repo/.claude/commands/top.md", "top"),
        ("repo/.claude/commands/.hidden/x.md", "no"),
    ]);
    let commands = world.at("repo").commands();
    assert_eq!(names(&commands), ["top", "b", "a:b", "d", "a:c:d"]);
    assert_eq!(command(&commands, "a:b").path, world.path("repo/.claude/commands/a/b.md"));
}

// proves: CLI-161
#[test]
fn fields_of_commands() {
    let long = "é".repeat(61);
    let world = World::new(&[
        ("repo/.omp/commands/a.md", "---\ndescription: given\nargument-hint: <file>\n---\nBody $1\n"),
        ("repo/.omp/commands/b.md", "---\nargumentHint: '[x]'\n---\n\n  First line  \nsecond"),
        ("repo/.omp/commands/c.md", ""),
        ("repo/.omp/commands/n.md", "---\nname: renamed\n---\nx"),
        ("repo/.codex/commands/d.md", "---\nname: from-codex\n---\nx"),
        ("repo/.opencode/commands/e.md", "---\nname: from-opencode\n---\nx"),
    ]);
    world.write("repo/.omp/commands/c.md", format!("{long}\nmore"));
    let commands = world.at("repo").commands();
    let a = command(&commands, "a");
    assert_eq!(
        (a.description.as_str(), a.argument_hint.as_deref(), a.body.as_str()),
        ("given", Some("<file>"), "Body $1")
    );
    let b = command(&commands, "b");
    assert_eq!((b.description.as_str(), b.argument_hint.as_deref()), ("First line", Some("[x]")));
    assert_eq!(command(&commands, "c").description, format!("{}...", "é".repeat(60)));
    assert_eq!(names(&commands), ["a", "b", "c", "n", "from-codex", "from-opencode"]);
}

#[test]
fn broken_front_matter_is_read_line_by_line() {
    let world = World::new(&[("repo/.omp/commands/a.md", "---\ndescription: Do: this\n---\nBody")]);
    let commands = world.at("repo").commands();
    assert_eq!(command(&commands, "a").description, "Do: this");
    assert!(one_warning(&commands).contains("repo/.omp/commands/a.md: line 2:"));
}

#[test]
fn prompt_templates() {
    let world = World::new(&[
        ("home/.omp/agent/prompts/review.md", "---\ndescription: Look at it\n---\nReview $1"),
        ("repo/.omp/prompts/front/fix.md", "Fix it\nnow"),
        ("repo/.omp/prompts/a/b/deep.md", "Deep"),
        ("repo/.omp/prompts/plain.md", "Plain"),
    ]);
    let prompts = world.at("repo").prompts();
    let found: Vec<_> = prompts
        .active()
        .map(|finding| (finding.item.name.as_str(), finding.item.description.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("plain", "Plain (project)"),
            ("deep", "Deep (project:a:b)"),
            ("fix", "Fix it (project:front)"),
            ("review", "Look at it (user)"),
        ]
    );
    assert_eq!(prompts.all[3].item.body, "Review $1");
}
