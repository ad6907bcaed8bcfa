//! Lines that call a built-in command.

use crate::table::BUILTINS;

/// One built-in command.
#[derive(Debug)]
pub struct Builtin {
    /// What is typed after the slash.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it does, in a few words.
    pub description: &'static str,
    /// What may follow, as ghost text; empty if nothing may.
    pub hint: &'static str,
    /// The first words that it knows, for completion.
    pub subcommands: &'static [&'static str],
    /// Where it is answered.
    pub place: Place,
    /// The part of the program that it needs and that does not exist yet.
    pub waits_for: Option<&'static str>,
}

/// Where a command is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Also without a screen: its answer is a text.
    Everywhere,
    /// It needs a screen and a person in front of it.
    Terminal,
}

/// A line that calls a built-in command.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The command.
    pub command: &'static Builtin,
    /// What follows its name, without the space around it.
    pub arguments: &'a str,
}

impl Builtin {
    /// May something follow the name?
    pub fn takes_arguments(&self) -> bool {
        !self.hint.is_empty()
    }

    /// Its name and the others.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// The command of that name, whichever of its names it is.
pub fn named(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|command| command.names().any(|known| known == name))
}

/// The built-in command that a line calls. A name ends at the first space or colon, so `/model:opus` is `/model opus`. A
/// command that takes nothing is not meant by a line that has more to say.
pub fn call(line: &str) -> Option<Call<'_>> {
    let line = line.strip_prefix('/')?;
    let end = line.find(|letter: char| letter.is_whitespace() || letter == ':').unwrap_or(line.len());
    let command = named(&line[..end])?;
    let rest = &line[end..];
    let arguments = rest.strip_prefix(':').unwrap_or(rest).trim();
    (arguments.is_empty() || command.takes_arguments()).then_some(Call { command, arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<(&'static str, &str)> {
        call(line).map(|call| (call.command.name, call.arguments))
    }

    /// proves: CLI-150, CLI-151
    #[test]
    fn names_end_at_space_or_colon() {
        assert_eq!(parsed("/model opus"), Some(("model", "opus")));
        assert_eq!(parsed("/model:opus"), Some(("model", "opus")));
        assert_eq!(parsed("/models\topus:high "), Some(("model", "opus:high")));
        assert_eq!(parsed("/quit"), Some(("exit", "")));
        assert_eq!(parsed("/hotkeys"), Some(("hotkeys", "")));
        assert_eq!(parsed("/hotkeys foo"), None, "it takes nothing, so this is something else");
        assert_eq!(parsed("/unknown"), None);
        assert_eq!(parsed("model"), None);
        assert_eq!(parsed("/"), None);
        assert_eq!(parsed("/plugin:cmd"), None);
    }

    #[test]
    fn names_are_unique_and_told_apart() {
        let mut names: Vec<&str> = BUILTINS.iter().flat_map(Builtin::names).collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
        for command in BUILTINS {
            assert!(
                !command.description.is_empty() && !command.description.ends_with('.'),
                "{}",
                command.name
            );
            assert!(command.subcommands.is_empty() || command.takes_arguments(), "{}", command.name);
        }
    }
}
