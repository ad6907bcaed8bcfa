//! What it takes to bring files back.

use std::fmt;
use std::path::PathBuf;

use crate::file_state::{FileState, Reason};

/// What a restore would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Files that changed while the model worked, and by nobody else.
    pub changes: Vec<Change>,
    /// Files that somebody else changed, too; left alone unless asked for.
    pub outside: Vec<Change>,
    /// Files that differ and cannot be brought back.
    pub unprotected: Vec<Unprotected>,
}

/// One file that would change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What would happen to it.
    pub action: Action,
    pub(crate) now: FileState,
    pub(crate) target: FileState,
    /// The commit that has the content, if it is not kept here.
    pub(crate) commit: Option<String>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It gets back what it had.
    Revert,
    /// It is there again.
    Create,
    /// It was not there.
    Remove,
}

/// A file that cannot be brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprotected {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub why: Why,
}

/// Why a file cannot be brought back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Git ignores it.
    Ignored,
    /// It is, or was, too large to be kept.
    TooLarge,
    /// No file, no link.
    Special,
    /// It could not be read.
    Unreadable,
    /// Too many files differed from the last commit.
    TooMany,
    /// Git knows what it was, and did not say.
    NoGit,
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Revert => "revert",
            Self::Create => "restore",
            Self::Remove => "remove",
        })
    }
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Ignored => "ignored by git",
            Self::TooLarge => "too large for a checkpoint",
            Self::Special => "not a file or link",
            Self::Unreadable => "unreadable",
            Self::TooMany => "too many files differed from the last commit",
            Self::NoGit => "git did not return its content",
        })
    }
}

impl Plan {
    /// How many files would change, or could.
    pub fn files(&self) -> usize {
        self.changes.len() + self.outside.len()
    }

    /// Would nothing happen?
    pub fn is_empty(&self) -> bool {
        self.files() == 0
    }
}

impl Reason {
    pub(crate) fn public(self) -> Why {
        match self {
            Self::TooLarge => Why::TooLarge,
            Self::Special => Why::Special,
            Self::Unreadable => Why::Unreadable,
            Self::TooMany => Why::TooMany,
            Self::Ignored => Why::Ignored,
            Self::NoGit => Why::NoGit,
        }
    }
}
