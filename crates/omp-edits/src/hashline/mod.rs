//! The patch language of the `edit` tool: line-anchored hunks against a file whose content is named by a tag.
//!
//! Everything here is a pure function on text. [`parse`] reads a patch, [`Patcher`] turns one section of it into
//! [`Change`]s on the file as it is now, and [`Snapshots`] remembers what the model was shown, so that an edit made
//! against an older text lands where it was meant or is refused. Reading and writing files is the caller's work.

mod apply;
mod balance;
mod echo;
mod error;
mod header;
mod lexer;
mod lines;
mod mismatch;
mod noop;
mod parser;
mod patch;
mod patcher;
mod preview;
mod recover;
mod repair;
mod seen;
mod snapshots;
mod syntax;
mod tag;
mod trace;

pub use apply::Change;
pub use error::{EditError, ParseError};
pub use lines::Lines;
pub use noop::NoopGuard;
pub use parser::{parse, parse_partial};
pub use patch::{Hunk, Operation, Patch, Section};
pub use patcher::{BlockSpan, File, Patcher, Planned};
pub use preview::preview;
pub use snapshots::Snapshots;
pub use syntax::{NoSyntax, Syntax};
pub use tag::Tag;
