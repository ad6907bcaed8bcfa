//! The database.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

/// How long another process may keep the database busy.
const PATIENCE: Duration = Duration::from_secs(30);
/// The form of the tables.
const VERSION: i64 = 2;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    tail INTEGER NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS requests (
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    stop TEXT NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost REAL NOT NULL,
    duration INTEGER,
    side INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (id, at)
) WITHOUT ROWID;
";

/// The statistics are not available.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the statistics in {}: {reason}; make the file writable, or move it away to rebuild it \
     from the sessions", path.display())]
pub struct StatsError {
    /// The database.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// The database of requests.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the database, or makes it for its user alone.
    pub fn open(path: &Path) -> Result<Self, StatsError> {
        let failed = |reason: String| StatsError { path: path.to_owned(), reason };
        make_file(path).map_err(|error| failed(error.to_string()))?;
        let connection = Connection::open(path).map_err(|error| failed(error.to_string()))?;
        prepare(&connection).map_err(|error| failed(error.to_string()))?;
        let version = connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
        match version.map_err(|error| failed(error.to_string()))? {
            VERSION => Ok(Self { connection, path: path.to_owned() }),
            other => Err(failed(format!("written by a newer version of omp (format {other})"))),
        }
    }

    pub(crate) fn failed(&self, error: &rusqlite::Error) -> StatsError {
        StatsError { path: self.path.clone(), reason: error.to_string() }
    }
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What is lost in a crash is read again.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let version = || connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if version()? >= VERSION {
        return Ok(());
    }
    // Another process may be doing the same.
    connection.execute_batch("BEGIN IMMEDIATE")?;
    match version()? {
        0 => connection.execute_batch(SCHEMA)?,
        // The first form knew nothing of requests beside conversations.
        1 => connection.execute_batch("ALTER TABLE requests ADD COLUMN side INTEGER NOT NULL DEFAULT 0")?,
        _ => return connection.execute_batch("COMMIT"),
    }
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch("COMMIT")
}

fn make_file(path: &Path) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    File::options().create(true).append(true).mode(0o600).open(path).map(drop)
}
