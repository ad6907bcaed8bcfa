//! Edits that name the text they change: a replacement of one string by another, hunks of a diff, and whole patches in
//! the `*** Begin Patch` envelope.
//!
//! Everything here is a pure function on text. [`parse_hunks`] and [`parse_envelope`] read what a model wrote;
//! [`apply`] and [`replace`] find the lines that are meant and give [`Edited`], the lines to change. There is one
//! [`Matcher`]: it takes text that is in the file, then text that differs in blanks and typographic signs, then text
//! that is nearly that of the file. Whatever fits two places is refused, never guessed.

mod adapt;
mod apply;
mod distance;
mod envelope;
mod error;
mod hunk;
mod lines;
mod matcher;
mod nearest;
mod occurrences;
mod replace;

pub use apply::apply;
pub use envelope::{FileChange, parse_envelope, parse_envelope_start};
pub use error::{MatchError, PatchError};
pub use hunk::{Hunk, HunkLine, Started, parse_hunks, parse_hunks_start};
pub use lines::{Change, Edited, FinalEnd};
pub use matcher::{Fuzzy, Matcher};
pub use replace::{Occurrences, replace};
