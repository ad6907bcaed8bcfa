//! Everything that can be called in a session, for lists.

use omp_sdk::{CommandSource, Level, Session};

use crate::builtin::Builtin;
use crate::parse::named;
use crate::table::BUILTINS;

/// Where the commands of the program come from.
pub(crate) const BUILT_IN: &str = "built-in";

/// A command as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What is typed after the slash.
    pub name: String,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it does, in a few words.
    pub description: String,
    /// What may follow, as ghost text.
    pub hint: String,
    /// The first words that it knows.
    pub subcommands: &'static [&'static str],
    /// Where it comes from: `built-in`, `skill`, `user`, `project`, …
    pub source: String,
}

/// Who is shown a list of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedFor {
    /// A person, at a screen or in lines.
    People,
    /// A program that speaks a protocol: only commands that answer with text.
    Programs,
}

/// What can be called: built-in commands, skills, Markdown commands, templates, prompts of MCP servers. What is not available yet is left out.
/// Reads files.
pub fn listed(session: &Session, listed_for: ListedFor) -> Vec<Listed> {
    let answered = |command: &&Builtin| {
        command.is_available() && (listed_for == ListedFor::People || !command.needs_person())
    };
    let mut all: Vec<Listed> = BUILTINS.iter().filter(answered).map(built_in).collect();
    all.extend(session.input().skill_commands().into_iter().map(|(name, description)| Listed {
        name: format!("skill:{name}"),
        aliases: &[],
        description,
        hint: "[arguments]".to_owned(),
        subcommands: &[],
        source: "skill".to_owned(),
    }));
    let of_extensions = session.extensions().commands();
    let hidden: Vec<String> = of_extensions.iter().map(|command| command.name.clone()).collect();
    all.extend(of_extensions.into_iter().map(|command| Listed {
        name: command.name,
        aliases: &[],
        description: command.description,
        hint: String::new(),
        subcommands: &[],
        source: "extension".to_owned(),
    }));
    let commands = session.input().commands();
    all.extend(commands.list(|name| named(name).is_some() || hidden.iter().any(|known| known == name)).map(
        |row| Listed {
            name: row.name.clone(),
            aliases: &[],
            description: row.description.clone(),
            hint: row.argument_hint.clone().unwrap_or_default(),
            subcommands: &[],
            source: source(&row.source),
        },
    ));
    all.extend(session.mcp().prompts().into_iter().map(|prompt| Listed {
        name: prompt.name,
        aliases: &[],
        description: prompt.description,
        hint: prompt.arguments,
        subcommands: &[],
        source: "MCP".to_owned(),
    }));
    all
}

fn built_in(command: &Builtin) -> Listed {
    Listed {
        name: command.name.to_owned(),
        aliases: command.aliases,
        description: command.description.to_owned(),
        hint: command.hint.to_owned(),
        subcommands: command.subcommands,
        source: BUILT_IN.to_owned(),
    }
}

fn source(source: &CommandSource) -> String {
    let level = |level| match level {
        Level::User => "user",
        Level::Project => "project",
    };
    match source {
        CommandSource::Bundled => "bundled".to_owned(),
        CommandSource::File(origin) if origin.provider == "native" => level(origin.level).to_owned(),
        CommandSource::File(origin) => format!("{}, {}", origin.provider, level(origin.level)),
        CommandSource::Template(origin) => format!("template, {}", level(origin.level)),
    }
}
