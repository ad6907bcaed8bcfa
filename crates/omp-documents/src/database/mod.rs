//! SQLite files: what is in them as text, and changes of single rows.
//!
//! Reading opens the file read-only, and nothing else can be reached from there: no other database, no file, no code.
//! Every statement can be stopped and ends after a time of its own.

mod change;
mod connection;
mod filter;
mod query;
mod render;
mod selector;
mod tables;

use std::io::Read;
use std::path::Path;

use omp_workspace::open::{OpenedPath, open};
use omp_workspace::sniff::{self, FileKind};

pub use change::{Change, write};
pub use query::{Answer, read};
pub use selector::{Rows, Selector, Target, splits};

/// Why a database did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// What SQLite says.
    #[error("{0}")]
    Sqlite(rusqlite::Error),
    /// What was asked for makes no sense.
    #[error("{0}")]
    Refused(String),
    #[error("the statement timed out after {0} seconds; narrow it, e.g. with where or limit")]
    TooLong(u64),
    #[error("stopped on request")]
    Stopped,
}

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn refused(sentence: impl Into<String>) -> DatabaseError {
    DatabaseError::Refused(sentence.into())
}

/// Is it a regular file that begins as SQLite files do?
pub fn is_database(path: &Path) -> bool {
    let Ok(OpenedPath::File(file, _)) = open(path) else { return false };
    let mut head = Vec::new();
    file.take(100).read_to_end(&mut head).is_ok() && sniff::kind(&head) == FileKind::Sqlite
}
