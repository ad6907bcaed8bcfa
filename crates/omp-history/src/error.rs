//! Why something could not be kept or brought back.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why something could not be kept or brought back.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The store could not be read or written.
    #[error("{}: {source}", path.display())]
    Store {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A copy is gone, or is no longer what its name says.
    #[error("the saved copy is missing or damaged")]
    Lost,
    /// What is there could not be saved before it is overwritten.
    #[error("cannot save the current file first; it is unchanged")]
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
    #[error("git {command}: timed out after {patience:?}")]
    Silent {
        /// Its first word.
        command: String,
        /// How long it was waited for.
        patience: Duration,
    },
    /// The repository would have git run something, and the user has not agreed to that.
    #[error(
        "{risk} of the repository can run a program and the project is not trusted (to trust it: /trust \
         add)"
    )]
    Risky {
        /// What would run it.
        risk: String,
    },
    /// Git said more than was wanted.
    #[error("git {command}: the output is too long")]
    TooLong {
        /// Its first word.
        command: String,
    },
    /// The session is somebody else's.
    #[error("the session is read-only: {0}")]
    NotOurs(String),
    /// Another process wrote to the journal in the middle of something.
    #[error("another process is writing the checkpoints of this session")]
    Elsewhere,
    /// More files differ than one restore should touch.
    #[error(
        "more than {0} files differ from the checkpoint; if you switched branches, restore the files with \
         git"
    )]
    TooMany(usize),
    /// Nothing is kept of that prompt.
    #[error("no checkpoint for this prompt")]
    NoCheckpoint,
    /// No restore could be undone.
    #[error("nothing to redo")]
    NothingToRedo,
    /// The work was given up, because the program ends.
    #[error("omp is exiting; nothing was changed")]
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
