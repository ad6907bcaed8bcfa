//! Why something could not be kept or brought back.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

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
    /// Git refused.
    #[error("git {command}: {reason}")]
    Git {
        /// Its first word.
        command: String,
        /// What it said, or why it was not heard.
        reason: String,
    },
    /// Git took too long, now or before. It is not asked again.
    #[error("git {command}: no answer after {patience:?}")]
    Silent {
        /// Its first word.
        command: String,
        /// How long it was waited for.
        patience: Duration,
    },
    /// The repository would have git run something, and the user has not agreed to that.
    #[error(
        "{risk} of the repository can run a program, and the project is not trusted; /trust add trusts it"
    )]
    Risky {
        /// What would run it.
        risk: String,
    },
    /// Git said more than was wanted.
    #[error("git {command}: the answer is too long")]
    TooLong {
        /// Its first word.
        command: String,
    },
    /// The session is somebody else's.
    #[error("The session is not ours to write: {0}.")]
    NotOurs(String),
    /// Another process wrote to the journal in the middle of something.
    #[error("Another process writes the history of files of this session.")]
    Elsewhere,
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

    /// Is it git that was of no help?
    pub(crate) fn is_of_git(&self) -> bool {
        matches!(self, Self::Git { .. } | Self::Silent { .. } | Self::TooLong { .. })
    }

    /// Is the disk full?
    pub(crate) fn is_full(&self) -> bool {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        matches!(self, Self::Store { source, .. } if full.contains(&source.kind()))
    }
}
