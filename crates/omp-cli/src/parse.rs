//! From argv to what is to be done: profile, command, and the command's own reading.

use std::ffi::OsString;

use crate::command::{CommandCall, CompleteQuery, ModelsCall, parse_command};
use crate::error::{UsageError, Waiting};
use crate::help::Topic;
use crate::passes::{FirstPass, first_pass};
use crate::profile::{Profile, extract_profile};
use crate::table::{Command, MANAGEMENT_WORDS, find_command, find_launch_flag};
use crate::walk::{Item, Table, Walk};
use crate::words::{OutputMode, Shell};

/// A whole command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    pub profile: Profile,
    pub parsed: Parsed,
}

/// What a command line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    Help(Topic),
    Version(VersionForm),
    /// A session; finish it with [`crate::parse_second`].
    Launch(Box<FirstPass>),
    Models(ModelsCall),
    Completions(Shell),
    Complete(CompleteQuery),
    Update,
    /// Any other command.
    Command(CommandCall),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionForm {
    /// `omp/1.2.3`.
    Named,
    /// `1.2.3`, after an explicit `launch`.
    Bare,
}

impl Invocation {
    /// Fails if the command needs a part of the program that is not built yet. What a session asks for
    /// is only known after the second pass: see [`crate::Launch::require_available`].
    pub fn require_available(&self) -> Result<(), UsageError> {
        let waiting = match &self.parsed {
            Parsed::Command(call) => Waiting::command(call.command),
            _ => None,
        };
        match waiting {
            None => Ok(()),
            Some(waiting) => Err(UsageError::NotYet { waiting: vec![waiting] }),
        }
    }
}

/// Reads a command line. `argv` is without the program's name.
pub fn parse(argv: Vec<OsString>) -> Result<Invocation, UsageError> {
    let (profile, mut argv) = extract_profile(argv)?;
    let parsed = match find_route(&argv) {
        Some((at, command)) => {
            let args = argv.split_off(at + 1);
            argv.truncate(at);
            routed(command, argv, args)?
        }
        None => unrouted(argv)?,
    };
    Ok(Invocation { profile, parsed })
}

/// The command and its position. Launch flags may stand before it; after a flag that is not known, a
/// word may be that flag's value, so none is taken for a command. Who writes `-p` asks a question: what
/// follows is never a command, even if it is the single word `commit`.
fn find_route(argv: &[OsString]) -> Option<(usize, &'static Command)> {
    for (tokens, item) in Walk::new(argv, Table(find_launch_flag)) {
        match item {
            Item::Flag { spec, .. } if spec.long == "print" => return None,
            Item::Flag { .. } => {}
            Item::Word(word) => return Some((tokens.start, find_command(word.to_str()?)?)),
            Item::Unknown(_) | Item::Literal(_) => return None,
        }
    }
    None
}

/// Bare `omp` with flags and messages.
fn unrouted(argv: Vec<OsString>) -> Result<Parsed, UsageError> {
    if let [word] = argv.as_slice()
        && let Some(word) = MANAGEMENT_WORDS.iter().find(|known| word == **known)
    {
        return Err(UsageError::NotACommand { word: (*word).to_owned() });
    }
    Ok(session(argv, None, Topic::Program, VersionForm::Named))
}

fn routed(
    command: &'static Command,
    mut before: Vec<OsString>,
    args: Vec<OsString>,
) -> Result<Parsed, UsageError> {
    if command.is_launch() {
        before.extend(args);
        let mode = (command.name == "acp").then_some(OutputMode::Acp);
        return Ok(session(before, mode, Topic::Command(command.name), VersionForm::Bare));
    }
    let leading = first_pass(before, None);
    if leading.provisional().help {
        return Ok(Parsed::Help(Topic::Command(command.name)));
    }
    if leading.provisional().version {
        return Ok(Parsed::Version(VersionForm::Named));
    }
    run(command, &args)
}

fn session(argv: Vec<OsString>, mode: Option<OutputMode>, topic: Topic, version: VersionForm) -> Parsed {
    let first = first_pass(argv, mode);
    if first.provisional().help {
        Parsed::Help(topic)
    } else if first.provisional().version {
        Parsed::Version(version)
    } else {
        Parsed::Launch(Box::new(first))
    }
}

fn run(command: &'static Command, args: &[OsString]) -> Result<Parsed, UsageError> {
    if command.name == "__complete" {
        return Ok(Parsed::Complete(CompleteQuery::from_args(args)));
    }
    let call = parse_command(command, args)?;
    if call.values.has("help") {
        return Ok(Parsed::Help(Topic::Command(command.name)));
    }
    Ok(match command.name {
        "help" => Parsed::Help(call.help_topic()?),
        "completions" => match call.args.text("shell").and_then(Shell::from_word) {
            Some(shell) => Parsed::Completions(shell),
            None => return Err(call.error(&"Missing required argument: shell")),
        },
        "models" => Parsed::Models(ModelsCall::from_call(&call)),
        "update" => Parsed::Update,
        _ => Parsed::Command(call),
    })
}
