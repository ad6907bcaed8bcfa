//! Why a conversation could not be imported.

use std::io;
use std::path::{Path, PathBuf};

/// The file of the other program is unchanged in every case, and no session was made.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("cannot read {}: {source} (check that the file exists and is readable)", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{} is not a Claude Code, Codex or pi conversation; specify one of their .jsonl files",
        .0.display()
    )]
    Unknown(PathBuf),
    #[error("{} is compressed; unpack it with `zstd -d` and import the .jsonl file", .0.display())]
    Compressed(PathBuf),
    #[error("{} contains no messages to import", .0.display())]
    Empty(PathBuf),
    #[error("cannot write the imported session: {0} (check disk space and permissions)")]
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
