//! What the user reads when the command line cannot be followed.

use std::fmt::Write as _;

use crate::similar;
use crate::table::{Command, Flag, launch_flags};
use crate::value::BadValue;

/// Letters of an unknown flag that are shown.
const LONGEST_FLAG: usize = 60;

/// Something on the command line that belongs to a part of the program that is not built yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// As the user would write it: `--resume`, `--mode rpc`, `omp stats`.
    pub what: String,
    /// The part it needs: `sessions`.
    pub part: &'static str,
}

impl Waiting {
    pub(crate) fn flag(flag: &Flag) -> Option<Waiting> {
        flag.waits_for.map(|part| Waiting { what: format!("--{}", flag.long), part })
    }

    pub(crate) fn command(command: &Command) -> Option<Waiting> {
        command.waits_for.map(|part| Waiting { what: format!("omp {}", command.name), part })
    }
}

/// A command line that was not understood. [`UsageError::render`] is the whole text for standard
/// error; `Display` is the sentence without prefix and hints.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    #[error("unknown flag{plural}: {list}", plural = if flags.len() == 1 { "" } else { "s" }, list = flags.join(", "))]
    UnknownFlags {
        /// Dashes included, in the order typed.
        flags: Vec<String>,
        /// Pairs of what was typed and the known flag nearest to it.
        near: Vec<(String, String)>,
    },
    #[error("{0}")]
    BadValue(String),
    #[error("argument {position} is not valid UTF-8: {shown}")]
    NotUtf8 {
        /// Counted from 1, after the program's name.
        position: usize,
        /// With U+FFFD in place of the bytes that are not text.
        shown: String,
    },
    #[error("{flag} requires a {what}")]
    NoName { flag: &'static str, what: &'static str },
    #[error("`{word}` is not a command")]
    NotACommand { word: String },
    #[error("{reason}")]
    Command {
        reason: String,
        /// The usage line of the command, without `Usage: `.
        usage: String,
    },
    #[error("{}", not_yet(waiting))]
    NotYet { waiting: Vec<Waiting> },
}

impl UsageError {
    pub fn exit_code(&self) -> u8 {
        match self {
            UsageError::UnknownFlags { .. } | UsageError::BadValue(_) | UsageError::NotUtf8 { .. } => 2,
            UsageError::NoName { .. }
            | UsageError::NotACommand { .. }
            | UsageError::Command { .. }
            | UsageError::NotYet { .. } => 1,
        }
    }

    /// The text for standard error, hints included, each line ended.
    pub fn render(&self) -> String {
        // Commands have always reported their usage errors in lower case, and scripts look for that.
        let label = if matches!(self, UsageError::Command { .. }) { "error" } else { "Error" };
        error_text(label, &self.to_string(), &self.hints())
    }

    fn hints(&self) -> Vec<String> {
        const HELP: &str = "Run 'omp --help' for the list of flags.";
        match self {
            UsageError::UnknownFlags { flags, near } => {
                let mut hints: Vec<String> = near
                    .iter()
                    .map(|(typed, known)| match flags.len() {
                        1 => format!("Did you mean '{known}'?"),
                        _ => format!("Did you mean '{known}' instead of '{typed}'?"),
                    })
                    .collect();
                hints.push(HELP.into());
                hints
            }
            UsageError::BadValue(_) => vec![HELP.into()],
            UsageError::NotACommand { word } => vec![
                "Run 'omp plugin ...' to manage plugins and extensions.".into(),
                format!("Run 'omp launch {word}' to send it as a prompt."),
            ],
            UsageError::Command { usage, .. } => vec![format!("Usage: {usage}")],
            UsageError::NotUtf8 { .. } | UsageError::NoName { .. } | UsageError::NotYet { .. } => vec![],
        }
    }

    /// Unknown launch flags, each once, with the known ones they resemble.
    pub(crate) fn unknown_flags<'a>(
        typed: impl IntoIterator<Item = &'a str>,
        extensions: &[&str],
    ) -> UsageError {
        let mut flags: Vec<String> = Vec::new();
        for flag in typed {
            let flag = shortened(flag);
            if !flags.contains(&flag) {
                flags.push(flag);
            }
        }
        let near = flags.iter().filter_map(|flag| Some((flag.clone(), nearest(flag, extensions)?))).collect();
        UsageError::UnknownFlags { flags, near }
    }
}

/// How every error of the program looks on standard error: `Error: what failed`, then hints on lines of their own.
pub fn error_text(label: &str, message: &str, hints: &[String]) -> String {
    let mut text = format!("{label}: {message}\n");
    for hint in hints {
        let _ = writeln!(text, "{hint}");
    }
    text
}

impl From<BadValue> for UsageError {
    fn from(bad: BadValue) -> UsageError {
        UsageError::BadValue(bad.to_string())
    }
}

/// The long flag that `typed` was probably meant to be.
fn nearest(typed: &str, extensions: &[&str]) -> Option<String> {
    let known = launch_flags()
        .filter(|flag| !flag.hidden)
        .flat_map(|flag| std::iter::once(flag.long).chain(flag.aliases.iter().copied()))
        .chain(extensions.iter().copied());
    similar::nearest(typed.trim_start_matches('-'), known).map(|known| format!("--{known}"))
}

/// A flag as it is repeated to whoever typed it: nobody types one that is longer.
fn shortened(flag: &str) -> String {
    match flag.char_indices().nth(LONGEST_FLAG) {
        Some((end, _)) => format!("{}...", &flag[..end]),
        None => flag.to_owned(),
    }
}

fn not_yet(waiting: &[Waiting]) -> String {
    let sentence =
        |waiting: &Waiting| format!("{} is not available yet (it needs {})", waiting.what, waiting.part);
    waiting.iter().map(sentence).collect::<Vec<_>>().join("\n")
}
