//! Opening and creating the database. Other programs keep their tables in it too; only ours are touched.

use std::fs::{DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use omp_workspace::open::{OpenedPath, open};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior};

use super::error::{PATIENCE_SECONDS, StoreError};

/// The form of our tables.
const VERSION: i64 = 1;

const TABLES: &str = "
    CREATE TABLE omp_auth_schema (version INTEGER NOT NULL);
    CREATE TABLE omp_credentials (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        provider TEXT NOT NULL,
        login TEXT NOT NULL,
        kind TEXT NOT NULL,
        identity TEXT NOT NULL,
        data TEXT NOT NULL,
        blocked_from INTEGER,
        blocked_until INTEGER,
        disabled_cause TEXT,
        revision INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        UNIQUE (provider, kind, identity)
    );
";

/// Whether our tables are there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tables {
    Present,
    Missing,
}

/// The database if there is one. Nothing is created.
pub(super) fn existing(path: &Path) -> Result<Option<Connection>, StoreError> {
    if !look(path)? {
        return Ok(None);
    }
    let connection = connect(path)?;
    match tables(&connection, path)? {
        Tables::Present => Ok(Some(connection)),
        Tables::Missing => Ok(None),
    }
}

/// The database if there is one, whether credentials are in it or not. Nothing is created.
pub(crate) fn existing_or_foreign(path: &Path) -> Result<Option<Connection>, StoreError> {
    if !look(path)? { Ok(None) } else { connect(path).map(Some) }
}

/// The database with our tables, made if need be.
pub(crate) fn create(path: &Path) -> Result<Connection, StoreError> {
    if !look(path)? {
        make_file(path).map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
    }
    let mut connection = connect(path)?;
    use_wal(&connection).map_err(|source| StoreError::database(path, source))?;
    if tables(&connection, path)? == Tables::Missing {
        make_tables(&mut connection, path)?;
    }
    Ok(connection)
}

/// Is there a file? Nothing that could block or act is opened.
fn look(path: &Path) -> Result<bool, StoreError> {
    let failed = |source| StoreError::Io { path: path.to_owned(), source };
    match open(path) {
        Ok(OpenedPath::File(..)) => keep_private(path).map(|()| true).map_err(failed),
        Ok(OpenedPath::Directory) => Err(StoreError::Directory(path.to_owned())),
        Ok(OpenedPath::Special(kind)) => Err(StoreError::Special { path: path.to_owned(), kind }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(failed(source)),
    }
}

/// Others may have had a look at it so far; from now on they do not. What SQLite keeps beside it holds the same.
fn keep_private(path: &Path) -> io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        let mode = match std::fs::metadata(&file) {
            Ok(metadata) => metadata.permissions().mode(),
            // Side files come and go.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if mode & 0o077 != 0 {
            std::fs::set_permissions(&file, Permissions::from_mode(mode & 0o700))?;
        }
    }
    Ok(())
}

/// Private from its first byte on; SQLite gives its side files the same mode. Two processes may do this at once, so
/// nothing is replaced.
fn make_file(path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    Ok(())
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags);
    let ready = connection.and_then(|connection| {
        connection.busy_timeout(Duration::from_secs(PATIENCE_SECONDS))?;
        Ok(connection)
    });
    ready.map_err(|source| StoreError::database(path, source))
}

/// Readers and a writer do not wait for each other then. The switch itself does not honour the busy timeout.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    const TRIES: u32 = 200;
    const PAUSE: Duration = Duration::from_millis(20);
    let mut tries = 0;
    loop {
        let switched = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match switched {
            Err(error) if is_busy(&error) && tries < TRIES => {
                tries += 1;
                std::thread::sleep(PAUSE);
            }
            other => return other,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn tables(connection: &Connection, path: &Path) -> Result<Tables, StoreError> {
    let failed = |source| StoreError::database(path, source);
    // One look at both: between two looks another process may have made them.
    let query = "SELECT count(*) FILTER (WHERE name = 'omp_auth_schema'),
                        count(*) FILTER (WHERE name = 'omp_credentials')
                 FROM sqlite_master WHERE type = 'table'";
    let present = connection.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
    match present {
        (0i64, 0i64) => return Ok(Tables::Missing),
        (0, _) => return Err(StoreError::UnknownForm(path.to_owned())),
        _ => {}
    }
    let query = "SELECT version FROM omp_auth_schema";
    let version: Option<i64> =
        connection.query_row(query, [], |row| row.get(0)).optional().map_err(failed)?;
    match version {
        Some(VERSION) => Ok(Tables::Present),
        Some(version) if version > VERSION => Err(StoreError::Newer { path: path.to_owned(), version }),
        _ => Err(StoreError::UnknownForm(path.to_owned())),
    }
}

fn make_tables(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::database(path, source);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have been faster.
    if tables(&transaction, path)? == Tables::Missing {
        transaction.execute_batch(TABLES).map_err(failed)?;
        transaction.execute("INSERT INTO omp_auth_schema VALUES (?1)", [VERSION]).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}
