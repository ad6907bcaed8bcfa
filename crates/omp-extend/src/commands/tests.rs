use std::path::PathBuf;

use super::*;

fn command(name: &str, provider: &'static str, level: Level, body: &str) -> Finding<CommandFile> {
    let path = PathBuf::from(format!("/nowhere/{provider}/{level:?}/{name}.md"));
    let origin = Origin { provider, level, path: path.clone() };
    let item = CommandFile {
        name: name.to_owned(),
        path,
        description: format!("about {name}"),
        argument_hint: Some("<file>".to_owned()),
        body: body.to_owned(),
    };
    Finding { item, origin, shadowed_by: None }
}

fn template(name: &str, body: &str) -> Finding<PromptFile> {
    let path = PathBuf::from(format!("/nowhere/prompts/{name}.md"));
    let origin = Origin { provider: "native", level: Level::User, path: path.clone() };
    let item = PromptFile {
        name: name.to_owned(),
        path,
        description: format!("about {name} (user)"),
        body: body.to_owned(),
    };
    Finding { item, origin, shadowed_by: None }
}

fn with(commands: Vec<Finding<CommandFile>>, prompts: Vec<Finding<PromptFile>>) -> Commands {
    switched(commands, prompts, CommandSwitches::default())
}

fn switched(
    commands: Vec<Finding<CommandFile>>,
    prompts: Vec<Finding<PromptFile>>,
    switches: CommandSwitches,
) -> Commands {
    let commands = Listing { all: commands, warnings: vec!["a command".to_owned()] };
    let prompts = Listing { all: prompts, warnings: vec!["a prompt".to_owned()] };
    Commands::new(commands, prompts, &switches)
}

fn listed(commands: &Commands, builtins: &[&str]) -> Vec<String> {
    commands.list(|name| builtins.contains(&name)).map(|row| row.name.clone()).collect()
}

#[test]
fn a_call_becomes_the_body_with_its_arguments() {
    let commands = with(vec![command("fix", "native", Level::Project, "Fix $1 in {{args.[1]}}")], vec![]);
    let expanded = commands.expand("/fix \"the bug\" main.rs").expect("a command");
    assert_eq!(expanded.text, "Fix the bug in main.rs");
    assert_eq!(expanded.name, "fix");
    assert!(matches!(expanded.source, CommandSource::File(_)));
    for text in ["/unknown x", "fix x", "/fix\tx", "/fix:x", " /fix x", "/", ""] {
        assert_eq!(commands.expand(text), None, "{text:?}");
    }
}

#[test]
fn warnings_name_the_command() {
    let commands = with(vec![command("fix", "native", Level::Project, "{{#if args}}")], vec![]);
    let expanded = commands.expand("/fix x").expect("a command");
    assert!(expanded.warnings[0].starts_with("/fix: the template"), "{:?}", expanded.warnings);
    assert_eq!(commands.warnings(), ["a command", "a prompt"]);
}

#[test]
fn each_switch_is_for_its_source() {
    let all = || {
        vec![
            command("a", "claude", Level::User, "a"),
            command("b", "claude", Level::Project, "b"),
            command("c", "opencode", Level::User, "c"),
            command("d", "opencode", Level::Project, "d"),
            command("e", "claude-plugins", Level::User, "e"),
        ]
    };
    let on = CommandSwitches::default();
    assert_eq!(listed(&switched(all(), vec![], on), &["init"]), ["a", "b", "c", "d", "e"]);
    let off = [
        (CommandSwitches { claude_user: false, ..on }, ["b", "c", "d", "e"]),
        (CommandSwitches { claude_project: false, ..on }, ["a", "c", "d", "e"]),
        (CommandSwitches { opencode_user: false, ..on }, ["a", "b", "d", "e"]),
        (CommandSwitches { opencode_project: false, ..on }, ["a", "b", "c", "e"]),
    ];
    for (switches, left) in off {
        let commands = switched(all(), vec![], switches);
        assert_eq!(listed(&commands, &["init"]), left);
        let gone = ["a", "b", "c", "d"].into_iter().find(|name| !left.contains(name)).expect("one is gone");
        assert_eq!(commands.expand(&format!("/{gone} x")), None);
    }
}

#[test]
fn the_first_of_a_name_is_used_and_the_others_are_marked() {
    let commands = with(
        vec![
            command("fix", "native", Level::Project, "project"),
            command("fix", "native", Level::User, "user"),
            command("fix", "claude", Level::User, "claude"),
        ],
        vec![template("fix", "template"), template("plan", "plan")],
    );
    assert_eq!(commands.expand("/fix").expect("a command").text, "project");
    let winner = commands.get("fix").expect("a command").source.clone();
    let shadowed: Vec<_> = commands.all().iter().filter(|row| row.shadowed_by.is_some()).collect();
    assert_eq!(shadowed.len(), 3);
    assert!(shadowed.iter().all(|row| row.shadowed_by.as_ref() == Some(&winner)));
    assert_eq!(listed(&commands, &[]), ["fix", "init", "plan"]);
}

#[test]
fn a_source_that_is_off_hides_nothing() {
    let mut second = command("fix", "opencode", Level::User, "opencode");
    second.shadowed_by = Some(command("fix", "claude", Level::User, "").origin);
    let all = vec![command("fix", "claude", Level::User, "claude"), second];
    let switches = CommandSwitches { claude_user: false, ..CommandSwitches::default() };
    assert_eq!(switched(all, vec![], switches).expand("/fix").expect("a command").text, "opencode");
}

#[test]
fn names_of_built_ins_are_hidden() {
    let commands = with(
        vec![
            command("model", "native", Level::User, "x"),
            command("model:fast", "claude", Level::User, "x"),
            command("team:model", "claude", Level::User, "x"),
        ],
        vec![template("model", "x"), template("help", "x")],
    );
    assert_eq!(listed(&commands, &["model", "help", "init"]), ["team:model"]);
}

// proves: CLI-168
#[test]
fn init_is_bundled_and_can_be_replaced() {
    let commands = with(vec![], vec![template("init", "template")]);
    let expanded = commands.expand("/init in German").expect("a command");
    assert_eq!(expanded.source, CommandSource::Bundled);
    assert!(expanded.text.contains("AGENTS.md") && expanded.text.contains("at once"));
    assert!(expanded.text.ends_with("\n\nin German"));
    assert_eq!(expanded.warnings, [""; 0]);
    assert_eq!(listed(&commands, &[]), ["init"]);

    let commands = with(vec![command("init", "native", Level::User, "my own")], vec![]);
    assert_eq!(commands.expand("/init").expect("a command").text, "my own");
    assert_eq!(listed(&commands, &[]), ["init"]);
}

#[test]
fn kinds_are_told_apart() {
    let commands = with(vec![command("fix", "native", Level::User, "x")], vec![template("plan", "x")]);
    assert!(commands.knows(CommandKind::Markdown, "fix") && commands.knows(CommandKind::Markdown, "init"));
    assert!(commands.knows(CommandKind::Template, "plan") && !commands.knows(CommandKind::Markdown, "plan"));
    assert!(!commands.knows(CommandKind::Template, "fix") && !commands.knows(CommandKind::Builtin, "fix"));
    assert_eq!(commands.get("fix").expect("a row").argument_hint.as_deref(), Some("<file>"));
}
