//! Why a command did not run.

use std::io;
use std::path::PathBuf;

use omp_shell::CommandError;

/// Why a command did not run. The sentences are for the model.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    #[error("ssh binary not found on PATH")]
    Missing,
    #[error("SSH key not found: {}", .0.display())]
    KeyMissing(PathBuf),
    #[error("SSH key is not a file: {}", .0.display())]
    KeyNoFile(PathBuf),
    #[error("SSH key permissions must be 600 or stricter: {}", path.display())]
    KeyOpen { path: PathBuf },
    #[error("SSH key cannot be used: {}: {source}", path.display())]
    KeyUnreadable { path: PathBuf, source: io::Error },
    #[error("Failed to start SSH master for {target}: {reason}")]
    Master { target: String, reason: String },
    #[error("cannot create a directory for connections in {}: {source}", path.display())]
    Runtime { path: PathBuf, source: io::Error },
    /// The time was over before the command could start.
    #[error("no connection to {target} within {seconds} seconds")]
    TimedOut { target: String, seconds: f64 },
    /// The call was stopped before the command could start.
    #[error("stopped before the command started")]
    Cancelled,
    #[error(transparent)]
    Run(CommandError),
}
