//! Completion scripts, drawn from the same table as the parser and `--help`.
//!
//! Each script is a fixed walk over the words typed so far, which follows the grammar of
//! `crate::walk`, and tables generated from the rows. Only candidates that change from day to day
//! (models, sessions, settings, tools) are asked of `omp __complete`.

mod bash;
mod fish;
mod sh;
mod zsh;

use crate::table::{COMMANDS, Command, Flag, Takes, ValueKind};
use crate::words::Shell;

/// A self-contained script for the shell.
pub fn completion_script(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash::script(),
        Shell::Zsh => zsh::script(),
        Shell::Fish => fish::script(),
    }
}

/// The commands a user may type.
fn commands() -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter().filter(|command| !command.hidden)
}

/// The commands with flags and arguments of their own. Those that start a session all complete like
/// `launch`, which is also what bare `omp` is.
fn tables() -> impl Iterator<Item = &'static Command> {
    commands().filter(|command| !command.is_launch() || command.name == "launch")
}

/// Whose flags and arguments complete after this command's name.
fn table_of(command: &Command) -> &'static str {
    if command.is_launch() { "launch" } else { command.name }
}

fn names(command: &'static Command) -> impl Iterator<Item = &'static str> {
    std::iter::once(command.name).chain(command.aliases.iter().copied())
}

fn flags(command: &Command) -> impl Iterator<Item = &'static Flag> {
    command.all_flags().into_iter().filter(|flag| !flag.hidden)
}

/// What completes a value, as the scripts call it. Words follow their name after a space.
fn source(kind: ValueKind) -> String {
    let name = match kind {
        ValueKind::OneOf(words) | ValueKind::Suggested(words) => return format!("words {}", words.join(" ")),
        ValueKind::Integer | ValueKind::Duration => "nothing",
        ValueKind::Dir => "dirs",
        ValueKind::Text | ValueKind::File | ValueKind::TextList => "files",
        ValueKind::Model => "models",
        ValueKind::ModelList => "models,",
        ValueKind::Session => "sessions",
        ValueKind::Setting => "settings",
        ValueKind::ToolList => "tools,",
    };
    name.to_owned()
}

/// As [`source`], with `?` in front when the value may be left out.
fn source_of(flag: &Flag) -> Option<String> {
    match flag.takes {
        Takes::Nothing => None,
        Takes::Required(kind) => Some(source(kind)),
        Takes::Optional(kind) => Some(format!("?{}", source(kind))),
    }
}

/// Explanations in menus: short, and honest about what does not work yet.
fn described(help: &str, waits_for: Option<&str>) -> String {
    match waits_for {
        Some(_) => format!("{help} (not available yet)"),
        None => help.to_owned(),
    }
}

/// One line for each position of an argument: the pattern that matches its number, and its source.
fn positions(command: &Command) -> Vec<(String, String)> {
    let pattern = |index: usize, rest: bool| if rest { "*".to_owned() } else { (index + 1).to_string() };
    let numbered = command.args.iter().enumerate();
    numbered.map(|(index, arg)| (pattern(index, arg.takes_the_rest()), source(arg.kind))).collect()
}
