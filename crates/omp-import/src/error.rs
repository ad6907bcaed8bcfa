//! Why a conversation could not be imported.

use std::io;
use std::path::{Path, PathBuf};

/// The file of the other program is unchanged in every case, and no session was made.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("Cannot read {}: {source}. Check that the file is there and that you may read it.", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{} is not a conversation of Claude Code, Codex or pi. Name a .jsonl file that one of them wrote.",
        .0.display()
    )]
    Unknown(PathBuf),
    #[error("{} is compressed. Unpack it with `zstd -d` and import the .jsonl file.", .0.display())]
    Compressed(PathBuf),
    #[error("{} holds no messages, so there is nothing to import.", .0.display())]
    Empty(PathBuf),
    #[error(
        "Cannot write the imported session: {0}. Check that you may write there and that the disk has room."
    )]
    Write(io::Error),
}

/// Which side of an import failed.
#[derive(Debug)]
pub(crate) enum Trouble {
    Reading(io::Error),
    Writing(io::Error),
}

impl Trouble {
    pub(crate) fn of(self, path: &Path) -> ImportError {
        match self {
            Self::Reading(source) => ImportError::Read { path: path.to_owned(), source },
            Self::Writing(source) => ImportError::Write(source),
        }
    }
}
