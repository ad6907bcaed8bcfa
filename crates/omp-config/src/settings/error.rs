//! What can go wrong, as sentences.

use std::io;
use std::path::PathBuf;

use omp_workspace::write::WriteError;

use super::index::suggestion;

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("The file of --config {} {reason}. Fix it, or leave the flag out.", path.display())]
    Overlay { path: PathBuf, reason: String },
    #[error("Unknown setting: {path}")]
    Unknown { path: String, suggestion: Option<&'static str> },
    #[error("{path}: {reason}")]
    Value { path: String, reason: String },
    #[error(
        "{} {reason}. Nothing was saved, so that nothing in it is lost: repair the file or move it away, then try again.",
        path.display()
    )]
    Broken { path: PathBuf, reason: String },
    #[error("Cannot save settings in {}: {source}.", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("Another process has kept {} locked for {seconds} s. Try again when it is done.", path.display())]
    Locked { path: PathBuf, seconds: u64 },
    #[error("Settings were not saved. {0}")]
    Write(#[from] WriteError),
}

impl SettingsError {
    pub(super) fn unknown(path: &str) -> Self {
        Self::Unknown { path: path.to_owned(), suggestion: suggestion(path) }
    }
}
