//! What can go wrong, as sentences.

use std::io;
use std::path::PathBuf;

use omp_workspace::write::WriteError;

use super::index::suggestion;

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("--config {} {reason}; fix the file or omit the flag", path.display())]
    Overlay { path: PathBuf, reason: String },
    #[error("Unknown setting: {path}")]
    Unknown { path: String, suggestion: Option<&'static str> },
    #[error("{path}: {reason}")]
    Value { path: String, reason: String },
    #[error(
        "{} {reason}; nothing was saved (fix the file or move it away, then try again)",
        path.display()
    )]
    Broken { path: PathBuf, reason: String },
    #[error("cannot save settings to {}: {source}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("another process has locked {} for {seconds} s; try again later", path.display())]
    Locked { path: PathBuf, seconds: u64 },
    #[error("cannot save settings: {0}")]
    Write(#[from] WriteError),
}

impl SettingsError {
    pub(super) fn unknown(path: &str) -> Self {
        Self::Unknown { path: path.to_owned(), suggestion: suggestion(path) }
    }
}
