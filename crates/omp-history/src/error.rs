//! Why something could not be kept or brought back.

use std::io;
use std::path::PathBuf;

/// Why something could not be kept or brought back.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The store could not be read or written.
    #[error("{}: {source}.", path.display())]
    Store {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A copy is gone, or is no longer what its name says.
    #[error("the kept copy is missing or damaged")]
    Lost,
    /// What is there could not be saved before it is overwritten.
    #[error("what is there now could not be saved first; it is unchanged")]
    Unsaved,
    /// Git gave no answer.
    #[error("git {command}: {reason}")]
    Git {
        /// Its first word.
        command: String,
        /// What it said, or why it was not heard.
        reason: String,
    },
    /// More files differ than one restore should touch.
    #[error(
        "More than {0} files differ from that moment. Was another branch checked out? Bring the files back with git."
    )]
    TooMany(usize),
    /// Nothing is kept of that prompt.
    #[error("No checkpoint of that prompt is kept.")]
    NoCheckpoint,
    /// No restore could be undone.
    #[error("There is nothing to redo.")]
    NothingToRedo,
    /// The work was given up, because the program ends.
    #[error("The program ends; nothing was changed.")]
    Interrupted,
}

impl HistoryError {
    pub(crate) fn store(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Store { path: path.into(), source }
    }

    /// Is the disk full?
    pub(crate) fn is_full(&self) -> bool {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        matches!(self, Self::Store { source, .. } if full.contains(&source.kind()))
    }
}
