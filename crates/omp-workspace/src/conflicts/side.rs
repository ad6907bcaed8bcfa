//! The sides of a conflict.

/// Whose text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictSide {
    Ours,
    Theirs,
    /// What both were before, where Git was asked to show it.
    Base,
    /// Ours, then theirs.
    Both,
}

impl ConflictSide {
    /// The side that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "ours" => Some(Self::Ours),
            "theirs" => Some(Self::Theirs),
            "base" => Some(Self::Base),
            "both" => Some(Self::Both),
            _ => None,
        }
    }

    /// The side that a line of content stands for: `@ours` and nothing else.
    pub fn from_line(line: &str) -> Option<Self> {
        line.strip_prefix('@').and_then(Self::from_word)
    }
}
