//! The vocabulary of the command line, as data: what a flag, an argument and a command are.
//!
//! The rows themselves are in `launch`, `commands`, `sessions`, `exit_status` and `program`. Everything else in this crate
//! reads them.

mod commands;
mod exit_status;
mod launch;
mod mcp;
mod program;
mod sessions;

pub use commands::COMMANDS;
pub use exit_status::{ExitStatus, exit_codes_table};
pub use launch::LAUNCH;
pub use program::{ENVIRONMENT, EXAMPLES, MANAGEMENT_WORDS, TAGLINE};

/// What the text of a value means: how it is read, how help names it, what completes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    Text,
    Integer,
    Duration,
    Dir,
    File,
    /// A model selector, completed by `omp __complete models`.
    Model,
    /// Comma-separated model selectors.
    ModelList,
    /// A session id or path, completed by `omp __complete sessions`.
    Session,
    /// The name of a setting, completed by `omp __complete settings`.
    Setting,
    /// Comma-separated tool names, which are case-insensitive; completed by `omp __complete tools`.
    ToolList,
    /// Comma-separated text.
    TextList,
    /// One of these words, in any case.
    OneOf(&'static [&'static str]),
    /// These words are known and offered, but another one is not a usage error.
    Suggested(&'static [&'static str]),
}

impl ValueKind {
    /// How help writes the value when the row names nothing better.
    const fn metavar(self) -> &'static str {
        match self {
            ValueKind::Text => "text",
            ValueKind::OneOf(_) | ValueKind::Suggested(_) => "word",
            ValueKind::Integer => "n",
            ValueKind::Duration => "time",
            ValueKind::Dir => "dir",
            ValueKind::File => "file",
            ValueKind::Model => "model",
            ValueKind::ModelList => "models",
            ValueKind::Session => "session",
            ValueKind::Setting => "key",
            ValueKind::ToolList => "tools",
            ValueKind::TextList => "list",
        }
    }

    /// The fixed words of this kind, if it has any.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            ValueKind::OneOf(words) | ValueKind::Suggested(words) => words,
            _ => &[],
        }
    }
}

/// Whether a flag has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// The next token is the value, whatever it looks like.
    Required(ValueKind),
    /// The next token is the value unless it starts with `-`.
    Optional(ValueKind),
}

impl Takes {
    pub const fn kind(self) -> Option<ValueKind> {
        match self {
            Takes::Nothing => None,
            Takes::Required(kind) | Takes::Optional(kind) => Some(kind),
        }
    }
}

/// What a flag given twice means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    LastWins,
    Collect,
}

/// One flag. Built with the `const` functions below so that a row reads as one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    /// Without the dashes.
    pub long: &'static str,
    pub short: Option<char>,
    /// Other long names, without the dashes.
    pub aliases: &'static [&'static str],
    pub takes: Takes,
    pub repeat: Repeat,
    pub metavar: &'static str,
    pub help: &'static str,
    /// Accepted, but neither in help nor in completions.
    pub hidden: bool,
    /// The part of the program this flag needs, if that part is not built yet.
    pub waits_for: Option<&'static str>,
}

impl Flag {
    pub(crate) const fn switch(long: &'static str, help: &'static str) -> Flag {
        Flag {
            long,
            short: None,
            aliases: &[],
            takes: Takes::Nothing,
            repeat: Repeat::LastWins,
            metavar: "",
            help,
            hidden: false,
            waits_for: None,
        }
    }

    pub(crate) const fn value(long: &'static str, kind: ValueKind, help: &'static str) -> Flag {
        let flag = Flag::switch(long, help);
        Flag { takes: Takes::Required(kind), metavar: kind.metavar(), ..flag }
    }

    pub(crate) const fn optional(long: &'static str, kind: ValueKind, help: &'static str) -> Flag {
        let flag = Flag::switch(long, help);
        Flag { takes: Takes::Optional(kind), metavar: kind.metavar(), ..flag }
    }

    pub(crate) const fn short(self, short: char) -> Flag {
        Flag { short: Some(short), ..self }
    }

    pub(crate) const fn alias(self, aliases: &'static [&'static str]) -> Flag {
        Flag { aliases, ..self }
    }

    pub(crate) const fn metavar(self, metavar: &'static str) -> Flag {
        Flag { metavar, ..self }
    }

    pub(crate) const fn many(self) -> Flag {
        Flag { repeat: Repeat::Collect, ..self }
    }

    pub(crate) const fn waits_for(self, part: &'static str) -> Flag {
        Flag { waits_for: Some(part), ..self }
    }

    /// Every way to write this flag, dashes included: long, aliases, short.
    pub fn spellings(&self) -> impl Iterator<Item = String> + '_ {
        let long = std::iter::once(self.long).chain(self.aliases.iter().copied());
        long.map(|name| format!("--{name}")).chain(self.short.map(|short| format!("-{short}")))
    }

    /// Whether `spelled`, dashes included, is this flag.
    pub(crate) fn is_spelled(&self, spelled: &str) -> bool {
        match spelled.strip_prefix("--") {
            Some(name) => self.long == name || self.aliases.contains(&name),
            None => spelled.strip_prefix('-').is_some_and(|rest| {
                let mut letters = rest.chars();
                self.short.is_some() && letters.next() == self.short && letters.next().is_none()
            }),
        }
    }
}

/// The launch flags that belong together, under one heading of `--help`.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The heading.
    pub title: &'static str,
    pub flags: &'static [Flag],
}

/// How often an argument of a command may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    One,
    Optional,
    OneOrMore,
    Any,
}

/// One argument of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Positional {
    pub name: &'static str,
    pub arity: Arity,
    pub kind: ValueKind,
    pub help: &'static str,
}

impl Positional {
    pub(crate) const fn one(name: &'static str, kind: ValueKind, help: &'static str) -> Positional {
        Positional { name, arity: Arity::One, kind, help }
    }

    pub(crate) const fn optional(name: &'static str, kind: ValueKind, help: &'static str) -> Positional {
        Positional { name, arity: Arity::Optional, kind, help }
    }

    pub(crate) const fn some(name: &'static str, kind: ValueKind, help: &'static str) -> Positional {
        Positional { name, arity: Arity::OneOrMore, kind, help }
    }

    pub(crate) const fn any(name: &'static str, kind: ValueKind, help: &'static str) -> Positional {
        Positional { name, arity: Arity::Any, kind, help }
    }

    pub fn takes_the_rest(&self) -> bool {
        matches!(self.arity, Arity::OneOrMore | Arity::Any)
    }
}

/// Which flags a command knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flags {
    /// The launch table: the command starts a session.
    Launch,
    Own(&'static [Flag]),
}

/// One command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub summary: &'static str,
    /// More sentences for the command's own help page; may be empty.
    pub details: &'static str,
    pub args: &'static [Positional],
    pub flags: Flags,
    /// Full command lines.
    pub examples: &'static [&'static str],
    pub hidden: bool,
    /// The part of the program this command needs, if that part is not built yet.
    pub waits_for: Option<&'static str>,
}

impl Command {
    pub(crate) const fn new(name: &'static str, summary: &'static str) -> Command {
        Command {
            name,
            aliases: &[],
            summary,
            details: "",
            args: &[],
            flags: Flags::Own(&[]),
            examples: &[],
            hidden: false,
            waits_for: None,
        }
    }

    pub(crate) const fn alias(self, aliases: &'static [&'static str]) -> Command {
        Command { aliases, ..self }
    }

    pub(crate) const fn details(self, details: &'static str) -> Command {
        Command { details, ..self }
    }

    pub(crate) const fn args(self, args: &'static [Positional]) -> Command {
        Command { args, ..self }
    }

    pub(crate) const fn flags(self, flags: &'static [Flag]) -> Command {
        Command { flags: Flags::Own(flags), ..self }
    }

    pub(crate) const fn launch_flags(self) -> Command {
        Command { flags: Flags::Launch, ..self }
    }

    pub(crate) const fn examples(self, examples: &'static [&'static str]) -> Command {
        Command { examples, ..self }
    }

    pub(crate) const fn hidden(self) -> Command {
        Command { hidden: true, ..self }
    }

    pub(crate) const fn waits_for(self, part: &'static str) -> Command {
        Command { waits_for: Some(part), ..self }
    }

    /// Whether this command starts a session and so shares the grammar of bare `omp`.
    pub fn is_launch(&self) -> bool {
        matches!(self.flags, Flags::Launch)
    }

    /// Every flag the command accepts. `--help` comes last for commands with flags of their own; the
    /// launch table has it in its place.
    pub fn all_flags(&self) -> Vec<&'static Flag> {
        match self.flags {
            Flags::Launch => launch_flags().collect(),
            Flags::Own(flags) => flags.iter().chain(std::iter::once(&HELP)).collect(),
        }
    }

    pub(crate) fn find_flag(&self, spelled: &str) -> Option<&'static Flag> {
        self.all_flags().into_iter().find(|flag| flag.is_spelled(spelled))
    }

    pub fn is_named(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }
}

/// `--help`, which every command understands.
pub const HELP: Flag = Flag::switch("help", "Show this help and exit").short('h');

/// The launch flags in the order of the table.
pub fn launch_flags() -> impl Iterator<Item = &'static Flag> {
    LAUNCH.iter().flat_map(|group| group.flags)
}

pub(crate) fn find_launch_flag(spelled: &str) -> Option<&'static Flag> {
    launch_flags().find(|flag| flag.is_spelled(spelled))
}

/// The command of that name or alias.
pub fn find_command(word: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.is_named(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_flags_of_a_command_share_a_spelling() {
        for command in COMMANDS {
            let mut seen = HashSet::new();
            for spelling in command.all_flags().into_iter().flat_map(Flag::spellings) {
                assert!(seen.insert(spelling.clone()), "{} has {spelling} twice", command.name);
            }
        }
    }

    #[test]
    fn no_two_commands_share_a_name() {
        let mut seen = HashSet::new();
        for name in COMMANDS.iter().flat_map(|command| std::iter::once(&command.name).chain(command.aliases))
        {
            assert!(seen.insert(name), "{name} is there twice");
        }
    }

    #[test]
    fn only_the_last_argument_takes_the_rest() {
        for command in COMMANDS {
            let (_, before) =
                command.args.split_last().unwrap_or((&Positional::one("", ValueKind::Text, ""), &[]));
            assert!(before.iter().all(|arg| !arg.takes_the_rest()), "{}", command.name);
        }
    }

    #[test]
    fn a_spelling_is_matched_whole() {
        let flag = Flag::switch("print", "").short('p').alias(&["say"]);
        assert!(flag.is_spelled("--print") && flag.is_spelled("--say") && flag.is_spelled("-p"));
        for other in ["-pp", "--p", "-print", "print", "p", "-", "--", ""] {
            assert!(!flag.is_spelled(other), "{other}");
        }
    }
}
