//! What a submitted line means. The one place that interprets a leading `/` for every interface.

use omp_extend::resolve::{self, CommandKind};

use crate::builtin::Builtin;
use crate::handler::{Handler, ScreenCommand};
use crate::table::BUILTINS;

/// What a submitted line means.
#[derive(Clone, Copy, Debug)]
pub enum Submission<'a> {
    /// A built-in command.
    Builtin(Call<'a>),
    /// Another `/name`: if there is a skill, a Markdown command or a template of that name, the session expands it.
    Expandable,
    /// A prompt as it is.
    Prompt,
}

/// A line that calls a built-in command.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The command.
    pub command: &'static Builtin,
    /// What follows its name, without the space around it.
    pub arguments: &'a str,
}

impl Call<'_> {
    /// Is it this command of the screen?
    pub fn is(&self, screen: ScreenCommand) -> bool {
        matches!(self.command.handler, Handler::Screen(command) | Handler::Both(_, command) if command == screen)
    }
}

/// The command of that name, whichever of its names it is.
pub fn named(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|command| command.names().any(|known| known == name))
}

/// Every name that a built-in command has, also of one that is not available yet.
pub fn reserved_names() -> Vec<String> {
    BUILTINS.iter().flat_map(Builtin::names).map(str::to_owned).collect()
}

/// What a line means to every interface. A name ends at the first space or colon, so `/model:opus` is `/model opus`. A
/// command that takes nothing is not meant by a line that has more to say.
pub fn interpret(line: &str) -> Submission<'_> {
    let Some(named_call) = resolve::call(line, CommandKind::Builtin) else {
        return if resolve::is_call(line) { Submission::Expandable } else { Submission::Prompt };
    };
    match named(named_call.name) {
        Some(command) if named_call.arguments.is_empty() || command.takes_arguments() => {
            Submission::Builtin(Call { command, arguments: named_call.arguments })
        }
        _ => Submission::Expandable,
    }
}

/// The built-in command that a line calls.
pub fn call(line: &str) -> Option<Call<'_>> {
    match interpret(line) {
        Submission::Builtin(call) => Some(call),
        Submission::Expandable | Submission::Prompt => None,
    }
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
