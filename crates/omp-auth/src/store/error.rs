//! Why the credentials cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use omp_workspace::open::Special;
use rusqlite::ErrorCode;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{} is a directory; stored credentials are not available (move it away)", .0.display())]
    Directory(PathBuf),
    #[error("{} is {}; stored credentials are not available (move it away)", path.display(), kind.name())]
    Special { path: PathBuf, kind: Special },
    #[error("cannot open {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{} is damaged or not a database; stored credentials are not available (move it away and log in \
         again)",
        .0.display()
    )]
    Corrupt(PathBuf),
    #[error(
        "{} stores credentials in format {version}, which this version of omp does not support (update omp)",
        path.display()
    )]
    Newer { path: PathBuf, version: i64 },
    #[error("{} stores credentials in an unsupported format (move it away and log in again)", .0.display())]
    UnknownForm(PathBuf),
    #[error("{} was in use by another process for more than {seconds} seconds; try again", path.display())]
    Busy { path: PathBuf, seconds: u64 },
    #[error("{}: {source}", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
}

/// How long one statement waits for other processes.
pub(super) const PATIENCE_SECONDS: u64 = 15;

impl StoreError {
    pub(crate) fn database(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Corrupt(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { path, seconds: PATIENCE_SECONDS }
            }
            _ => Self::Database { path, source },
        }
    }
}
