//! Why the credentials cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use omp_workspace::open::Special;
use rusqlite::ErrorCode;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{} is a directory; stored credentials cannot be used. Move it away.", .0.display())]
    Directory(PathBuf),
    #[error("{} is {}; stored credentials cannot be used. Move it away.", path.display(), kind.name())]
    Special { path: PathBuf, kind: Special },
    #[error("{} cannot be opened: {source}.", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{} is damaged or no database; it was left as it is and stored credentials cannot be used. \
         Move it away and log in again.",
        .0.display()
    )]
    Corrupt(PathBuf),
    #[error(
        "{} keeps credentials in form {version}, which this omp does not know; it was left as it is. \
         Use the newer omp.",
        path.display()
    )]
    Newer { path: PathBuf, version: i64 },
    #[error("{} keeps credentials in a form nobody knows; it was left as it is. Move it away and log in again.", .0.display())]
    UnknownForm(PathBuf),
    #[error("{} was in use by another process for more than {seconds} seconds. Try again.", path.display())]
    Busy { path: PathBuf, seconds: u64 },
    #[error("{}: {source}.", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
}

/// How long one statement waits for other processes.
pub(super) const PATIENCE_SECONDS: u64 = 15;

impl StoreError {
    pub(super) fn database(path: &Path, source: rusqlite::Error) -> Self {
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
