//! Every flag and every command does something, or says which part of the program it waits for; and that part does not
//! exist. Settings: `config::every_setting_is_read_or_waits`.

use std::collections::BTreeSet;

use omp_cli::OutputMode;
use omp_cli::table::{COMMANDS, Command, Flags, LAUNCH};
use omp_sdk::settings::TABLE;

use super::{read, root};

/// The parts that something waits for, and the name of the tool, the crate or the folder that comes with each.
/// A part without a name is one setting or one command: its code is what the other tests look for.
const MISSING: &[(&str, Option<Sign>)] = &[
    ("a balance over accounts", None),
    ("a list of running sessions", None),
    ("acp", Some(Sign::Mode("acp"))),
    ("adjustable tab stops", None),
    ("advisor", Some(Sign::Crate("omp-advisor"))),
    ("an animated title", None),
    ("an updater", None),
    ("append-only context", None),
    ("browser tool", Some(Sign::Tool("browser"))),
    ("code mode", Some(Sign::Tool("eval"))),
    ("debugger tool", Some(Sign::Tool("debug"))),
    ("eval tool", Some(Sign::Tool("eval"))),
    ("github tool", Some(Sign::Tool("github"))),
    ("image tool", Some(Sign::Tool("generate_image"))),
    ("local models", Some(Sign::Crate("omp-local"))),
    ("logging", None),
    ("memory", Some(Sign::Crate("omp-memory"))),
    ("mermaid tool", Some(Sign::Tool("render_mermaid"))),
    ("rpc", Some(Sign::Mode("rpc"))),
    ("shared sessions", Some(Sign::Crate("omp-collab"))),
    ("speech", Some(Sign::Tool("tts"))),
    ("stream rules", Some(Sign::Crate("omp-stream-rules"))),
    ("sub-agents", Some(Sign::Tool("task"))),
    ("system prompt templates", None),
    ("text of several sizes", None),
    ("the auth broker", Some(Sign::Crate("omp-broker"))),
    ("the auth gateway", Some(Sign::Crate("omp-gateway"))),
    ("web search", Some(Sign::Tool("web_search"))),
    ("worktrees", Some(Sign::Crate("omp-worktrees"))),
];

/// What shows that a part exists.
enum Sign {
    Tool(&'static str),
    Crate(&'static str),
    Mode(&'static str),
}

impl Sign {
    fn exists(&self) -> bool {
        match self {
            Self::Tool(name) => omp_types::BUILTIN_TOOLS.iter().any(|tool| tool.name == *name),
            Self::Crate(name) => root().join("crates").join(name).is_dir(),
            Self::Mode(word) => OutputMode::from_word(word).is_some_and(|mode| mode.waits_for().is_none()),
        }
    }
}

fn own_flags(command: &Command) -> &'static [omp_cli::table::Flag] {
    match command.flags {
        Flags::Own(flags) => flags,
        _ => &[],
    }
}

#[test]
fn nothing_waits_for_a_part_that_exists() {
    let mut waits: BTreeSet<&str> = BTreeSet::new();
    waits.extend(TABLE.iter().filter_map(|row| row.waits_for));
    waits.extend(LAUNCH.iter().flat_map(|group| group.flags).filter_map(|flag| flag.waits_for));
    waits.extend(COMMANDS.iter().filter_map(|command| command.waits_for));
    waits.extend(COMMANDS.iter().flat_map(own_flags).filter_map(|flag| flag.waits_for));
    waits.extend(OutputMode::WORDS.iter().filter_map(|word| OutputMode::from_word(word)?.waits_for()));
    let known: BTreeSet<&str> = MISSING.iter().map(|(part, _)| *part).collect();
    let unknown: Vec<_> = waits.difference(&known).collect();
    assert!(unknown.is_empty(), "{unknown:?}: say in MISSING how to tell that these do not exist");
    let unused: Vec<_> = known.difference(&waits).collect();
    assert!(unused.is_empty(), "nothing waits for {unused:?} any more");
    for (part, sign) in MISSING {
        assert!(!sign.as_ref().is_some_and(Sign::exists), "{part} exists: nothing may wait for it");
    }
}

/// A flag of a session becomes a field of `Launch`, and the binary reads that field.
#[test]
fn every_launch_flag_is_read() {
    let parsed = read(&root().join("crates/omp-cli/src/launch.rs"));
    let parsed = parsed.split("#[cfg(test)]").next().unwrap();
    let mut code = String::new();
    for name in ["options", "launch", "attended", "interactive", "plain", "unattended", "main", "resume"] {
        code += &read(&root().join(format!("crates/omp/src/{name}.rs")));
    }
    for name in ["export_command", "models_command", "resume_list"] {
        code += &read(&root().join(format!("crates/omp/src/{name}.rs")));
    }
    for flag in LAUNCH.iter().flat_map(|group| group.flags) {
        // Of the command line itself, which is answered before there is a session.
        if flag.waits_for.is_some() || ["help", "version", "profile", "alias"].contains(&flag.long) {
            continue;
        }
        let quoted = format!("(\"{}\")", flag.long);
        let line = parsed.lines().find(|line| line.contains(&quoted) && line.trim_start().contains(": "));
        let field = match (flag.long, line) {
            ("demo", _) => "selector",
            ("thinking", _) => "thinking",
            (_, Some(line)) => line.trim_start().split(':').next().unwrap(),
            (name, None) => panic!("--{name} is in the table, but launch.rs does not read it"),
        };
        // Extensions do not exist, so none are discovered.
        if field == "no_extensions" {
            continue;
        }
        let used = code.match_indices(field).any(|(at, _)| {
            let next = code[at + field.len()..].chars().next().unwrap_or(' ');
            let before = code[..at].chars().next_back().unwrap_or(' ');
            !(next.is_alphanumeric() || next == '_') && (before == '.' || ": }".contains(next))
        });
        assert!(used, "--{} becomes `{field}`, which nothing reads", flag.long);
    }
}

/// The files of the binary whose modules a text names.
fn modules(text: &str) -> String {
    let words: BTreeSet<&str> = text.split(|next: char| !(next.is_alphanumeric() || next == '_')).collect();
    let files = |word: &&str| {
        let folder = root().join(format!("crates/omp/src/{word}"));
        let inside = std::fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        inside.chain([folder.with_extension("rs")]).collect::<Vec<_>>()
    };
    words
        .iter()
        .filter(|word| word.ends_with("_command"))
        .flat_map(files)
        .filter(|path| path.is_file())
        .map(|path| read(&path))
        .collect()
}

/// A command has its arm in `main.rs`, and the file of that arm reads each of its flags.
#[test]
fn every_command_and_its_flags_are_read() {
    let main = read(&root().join("crates/omp/src/main.rs"));
    for command in COMMANDS.iter().filter(|command| command.waits_for.is_none()) {
        let flags = own_flags(command);
        // These are read by the parser itself and reach the program as a case of `Parsed`.
        let code = match command.name {
            "models" | "update" | "completions" | "__complete" | "help" => {
                read(&root().join("crates/omp-cli/src/command.rs"))
                    + &read(&root().join("crates/omp-cli/src/parse.rs"))
            }
            name => {
                let arm = main.split(&format!("        \"{name}\" => ")).nth(1);
                let Some(arm) = arm else {
                    assert!(command.is_launch(), "omp {name} has no arm in main.rs");
                    continue;
                };
                let arm = arm.split("\n        \"").next().unwrap();
                // The file of the arm, and the files that it uses.
                let first = modules(arm);
                first.clone() + &modules(&first)
            }
        };
        for flag in flags.iter().filter(|flag| flag.waits_for.is_none() && flag.long != "help") {
            assert!(
                code.contains(&format!("\"{}\"", flag.long)),
                "omp {} --{}: nothing reads it",
                command.name,
                flag.long
            );
        }
    }
}
