//! The command-line grammar of `omp`: argv in, a typed value, help text or a completion script out.
//!
//! One table ([`table`]) declares every command and flag. The parser, `--help` and the completion
//! scripts are all readings of it, so a new row appears in the three at once.
//!
//! This crate knows nothing of terminals, models, files or the environment. It never looks whether a
//! path exists, and it never prints: [`UsageError::render`] and [`render_help`] give the text, the
//! binary decides where it goes.
//!
//! The way of an argv: [`parse`] cuts out `--profile`/`--alias`, finds the command and, for a session,
//! makes the first pass ([`parse_first`]). Once extensions are loaded, [`parse_second`] reads the same
//! words again with the flags they registered; only then is an unknown flag an error and `@path` a file.

mod command;
mod complete;
mod error;
mod help;
mod launch;
mod man;
mod parse;
mod passes;
mod profile;
mod similar;
pub mod table;
mod value;
mod walk;
mod words;

pub use command::{CommandCall, CompleteQuery, ModelsCall, Positionals, parse_command};
pub use complete::completion_script;
pub use error::{UsageError, Waiting, error_text};
pub use help::{Topic, render_help};
pub use launch::{
    ApprovalArgs, ExtendArgs, ExtensionArg, Launch, ModelArgs, PlaceArgs, PromptArgs, Resume, RoleArgs,
    SessionArgs, ToolArgs, WorkArgs,
};
pub use man::man_page;
pub use parse::{Invocation, Parsed, VersionForm, parse};
pub use passes::{ExtensionFlag, ExtensionFlagKind, FirstPass, UnknownFlag, parse_first, parse_second};
pub use profile::{Profile, extract_profile};
pub use table::ExitStatus;
pub use value::{Value, Values};
pub use words::{
    ApprovalMode, CompletionSource, LogLevel, ModelsAction, OutputMode, ServiceTier, Shell, ThinkingArg,
};
