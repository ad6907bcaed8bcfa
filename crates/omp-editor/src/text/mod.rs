//! The text being edited: lines, what stands folded in them, and how they break into rows.
//!
//! A folded paste, a picture and the like are *atoms*: one private character each in a line, with their meaning in the
//! [`Atoms`] table. Every edit is then an edit of plain lines, and its cost does not depend on what is folded.

mod atom;
mod buffer;
mod cluster;
mod row;
mod word;

pub(crate) use atom::{Atom, Atoms, is_atom};
pub(crate) use buffer::{Buffer, end_of};
pub(crate) use cluster::{clusters, glyph, next, previous};
pub(crate) use row::TextRow;
pub(crate) use word::{Class, class_at, next_word_end, previous_word_start};

/// A place in the text: before the byte `byte` of the line `line`, always between two clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, counted from 0.
    pub line: usize,
    /// The byte in the line.
    pub byte: usize,
}

impl Position {
    /// The beginning of the text.
    pub const START: Self = Self { line: 0, byte: 0 };

    pub(crate) fn new(line: usize, byte: usize) -> Self {
        Self { line, byte }
    }
}
