//! The arguments of commands that start no session.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::error::UsageError;
use crate::help::{Topic, usage_line};
use crate::table::{Arity, Command, Positional, find_command};
use crate::value::{Value, Values, read};
use crate::walk::{Item, Table, Walk};
use crate::words::{CompletionSource, ModelsAction};

/// A command with its flags and arguments, each read as its row in the table says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandCall {
    pub command: &'static Command,
    pub values: Values,
    pub args: Positionals,
}

/// The arguments of a command by name, in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Positionals {
    given: Vec<(&'static str, Value)>,
}

impl Positionals {
    fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Value> {
        self.given.iter().filter(move |(known, _)| *known == name).map(|(_, value)| value)
    }

    fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.all(name).find_map(|value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    pub fn texts(&self, name: &str) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.all(name).filter_map(text).collect()
    }

    pub fn path(&self, name: &str) -> Option<&Path> {
        self.all(name).find_map(|value| match value {
            Value::Path(path) => Some(path.as_path()),
            _ => None,
        })
    }

    pub fn paths(&self, name: &str) -> Vec<PathBuf> {
        let path = |value: &Value| match value {
            Value::Path(path) => Some(path.clone()),
            _ => None,
        };
        self.all(name).filter_map(path).collect()
    }
}

/// Reads the arguments after a command's name. With `--help` among them nothing else is checked, and
/// only that flag is in the result.
pub fn parse_command(command: &'static Command, args: &[OsString]) -> Result<CommandCall, UsageError> {
    let mut call = CommandCall { command, values: Values::default(), args: Positionals::default() };
    let items = || Walk::new(args, Table(|spelled: &str| command.find_flag(spelled))).map(|(_, item)| item);
    let help = items().find_map(|item| match item {
        Item::Flag { spec, spelled, .. } if spec.long == "help" => Some((spec, spelled)),
        _ => None,
    });
    if let Some((flag, spelled)) = help {
        call.values.add(flag, spelled, None).map_err(|bad| call.error(&bad))?;
        return Ok(call);
    }
    for item in items() {
        match item {
            Item::Flag { spec, spelled, value } => {
                call.values.add(spec, spelled, value).map_err(|bad| call.error(&bad))?;
            }
            // `omp config set temperature -1`: no flag is a number.
            Item::Unknown(spelled) if is_negative_number(&spelled) => call.add_word(OsStr::new(&spelled))?,
            Item::Unknown(spelled) => return Err(call.error(&format_args!("Unknown flag: {spelled}"))),
            Item::Word(word) | Item::Literal(word) => call.add_word(word)?,
        }
    }
    call.require_args()?;
    Ok(call)
}

fn is_negative_number(word: &str) -> bool {
    // `-inf` and `-nan` parse as well.
    let digits = word
        .strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(['.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']));
    digits && word.parse::<f64>().is_ok()
}

impl CommandCall {
    pub(crate) fn error(&self, reason: &dyn Display) -> UsageError {
        UsageError::Command { reason: reason.to_string(), usage: usage_line(self.command) }
    }

    fn add_word(&mut self, word: &OsStr) -> Result<(), UsageError> {
        let open = |arg: &&Positional| arg.takes_the_rest() || !self.args.has(arg.name);
        let Some(arg) = self.command.args.iter().find(open) else {
            return Err(self.error(&format_args!("Unexpected argument: {}", word.to_string_lossy())));
        };
        let value = read(arg.kind, arg.name, word).map_err(|bad| self.error(&bad))?;
        self.args.given.push((arg.name, value));
        Ok(())
    }

    fn require_args(&self) -> Result<(), UsageError> {
        let missing = |arg: &&Positional| {
            matches!(arg.arity, Arity::One | Arity::OneOrMore) && !self.args.has(arg.name)
        };
        match self.command.args.iter().find(missing) {
            Some(arg) => Err(self.error(&format_args!("Missing required argument: {}", arg.name))),
            None => Ok(()),
        }
    }

    /// What `omp help [command]` is to explain.
    pub(crate) fn help_topic(&self) -> Result<Topic, UsageError> {
        match self.args.text("command") {
            None => Ok(Topic::Program),
            Some(word) => match find_command(word) {
                Some(command) => Ok(Topic::Command(command.name)),
                None => Err(self.error(&format_args!("Unknown command: {word}"))),
            },
        }
    }
}

/// `omp models`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelsCall {
    pub action: ModelsAction,
    pub pattern: Option<String>,
    pub json: bool,
}

impl ModelsCall {
    /// A first word that is no action is a pattern, so that `omp models anthropic` lists that provider.
    pub(crate) fn from_call(call: &CommandCall) -> ModelsCall {
        let (first, second) = (call.args.text("action"), call.args.text("pattern"));
        let action = first.and_then(ModelsAction::from_word);
        let words = if action.is_some() { [second, None] } else { [first, second] };
        let pattern = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        ModelsCall {
            action: action.unwrap_or(ModelsAction::List),
            pattern: (!pattern.is_empty()).then_some(pattern),
            json: call.values.has("json"),
        }
    }
}

/// `omp __complete <source> -- <prefix>`. A shell calls it at every key press, so it never fails: a
/// question that makes no sense has no source and gets no candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteQuery {
    pub source: Option<CompletionSource>,
    pub prefix: String,
}

impl CompleteQuery {
    pub(crate) fn from_args(args: &[OsString]) -> CompleteQuery {
        let source = args.first().and_then(|word| word.to_str()).and_then(CompletionSource::from_word);
        let prefix = args.iter().skip(1).skip_while(|word| *word != "--").nth(1);
        let prefix = prefix.map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        CompleteQuery { source, prefix }
    }
}
