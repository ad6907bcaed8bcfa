//! Why an edit was refused. The sentences are for the model: each says what to write instead.

use thiserror::Error;

/// The patch itself cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatchError {
    #[error(
        "The patch must begin with `*** Begin Patch` and name its files with `*** Add File: PATH`, `*** Update File: \
         PATH` or `*** Delete File: PATH`; got: {}",
        quoted(.0)
    )]
    NoEnvelope(String),
    #[error("The patch names no file. Write `*** Update File: PATH` and the hunks below it.")]
    NoFiles,
    #[error("line {at}: the path is missing. Write it behind the colon.")]
    NoPath { at: usize },
    #[error(
        "line {at}: `*** Move to:` stands directly below `*** Update File:`, before the first hunk, and nowhere else."
    )]
    StrayMove { at: usize },
    #[error("line {at}: in a new file every line begins with `+`. Got {}.", quoted(.text))]
    NotAdded { at: usize, text: String },
    #[error("line {at}: `*** Delete File:` takes no lines below it. Got {}.", quoted(.text))]
    DeleteWithBody { at: usize, text: String },
    #[error(
        "line {at}: lines of a hunk begin with a space (kept), `-` (removed) or `+` (added). Got {}.",
        quoted(.text)
    )]
    BadRow { at: usize, text: String },
    #[error("line {at}: the hunk has no lines. Write what is removed with `-` and what is added with `+`.")]
    EmptyHunk { at: usize },
    #[error(
        "line {at}: the hunk only repeats lines of the file. Mark what is removed with `-` and what is added with `+`."
    )]
    NoChange { at: usize },
    #[error("There is no hunk. Write `@@`, then lines that begin with a space, `-` or `+`.")]
    NoHunks,
}

/// An edit that was understood does not fit its text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatchError {
    #[error("The text to replace is empty. Give the text as it stands in the file.")]
    EmptyOld,
    #[error("{what} is not in the file.{nearest}")]
    NotFound {
        /// What was looked for, as a subject of a sentence.
        what: String,
        /// The place that comes closest, if there is any.
        nearest: String,
    },
    #[error(
        "{what} is in the file {} times, at lines {}. Add lines before or after it until it is there once{hint}.",
        lines.len(),
        listed(lines)
    )]
    Ambiguous { what: String, lines: Vec<usize>, hint: &'static str },
    #[error(
        "The hunk at line {second} of the diff changes lines that the hunk at line {first} changes too. Make them one."
    )]
    Overlap { first: usize, second: usize },
}

const LISTED: usize = 12;

fn listed(lines: &[usize]) -> String {
    let mut numbers: Vec<String> = lines.iter().take(LISTED).map(usize::to_string).collect();
    if lines.len() > LISTED {
        numbers.push("…".to_owned());
    }
    numbers.join(", ")
}

/// A piece of text in quotes, cut where it gets long.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 120;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}
