//! Errors of the interpreter in the words of bash, which people and models know.

use std::io;

use brush_core::arithmetic::EvalError;
use brush_core::extensions::{ErrorFormatter, ShellExtensions, ShellExtensionsImpl};
use brush_core::{Error, ErrorKind, Shell};

/// The interpreter with our messages.
pub(crate) type Extensions = ShellExtensionsImpl<Messages>;

#[derive(Clone, Default)]
pub(crate) struct Messages;

impl ErrorFormatter for Messages {
    fn format_error(&self, error: &Error, shell: &Shell<impl ShellExtensions>) -> String {
        format!("{}: {}\n", place(shell), message(error.kind()))
    }
}

/// How messages begin.
pub(crate) fn place(shell: &Shell<impl ShellExtensions>) -> String {
    let line = shell.call_stack().iter().find_map(|frame| frame.current_line()).unwrap_or(1);
    format!("bash: line {line}")
}

fn message(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::CommandNotFound(name) if name.contains('/') => {
            format!("{name}: No such file or directory")
        }
        ErrorKind::CommandNotFound(name) => format!("{name}: command not found"),
        ErrorKind::FailedToExecuteCommand(name, error) => format!("{name}: {}", reason(error)),
        ErrorKind::FailedSourcingFile(path, error) => format!("{}: {}", path.display(), reason(error)),
        ErrorKind::RedirectionFailure(path, error) => format!("{path}: {}", without_number(error)),
        ErrorKind::BadFileDescriptor(fd) => format!("{fd}: Bad file descriptor"),
        ErrorKind::ExpandingUnsetVariable(name) => format!("{name}: unbound variable"),
        ErrorKind::CheckedExpansionError(message) => message.clone(),
        ErrorKind::BadSubstitution(text) => format!("{text}: bad substitution"),
        ErrorKind::InvalidRedirection => "ambiguous redirect".to_owned(),
        ErrorKind::IoError(error) => reason(error),
        ErrorKind::EvalError(EvalError::DivideByZero) => "division by 0".to_owned(),
        other => without_number(&other.to_string()).to_owned(),
    }
}

fn reason(error: &io::Error) -> String {
    without_number(&error.to_string()).to_owned()
}

/// `No such file or directory (os error 2)` without what is in parentheses.
fn without_number(text: &str) -> &str {
    text.split_once(" (os error ").map_or(text, |(reason, _)| reason)
}
