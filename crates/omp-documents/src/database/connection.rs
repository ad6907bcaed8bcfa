//! Connections that wait a little, can be stopped, and reach nothing but their file.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::DatabaseError;
use crate::stop::Stop;

/// How long another program may hold the database.
const PATIENCE: Duration = Duration::from_millis(3000);
/// How often it is tried meanwhile.
const TRY: Duration = Duration::from_millis(50);
/// How long a statement may take.
const MAX_SECONDS: u64 = 30;
/// Instructions of SQLite between two looks at the clock.
const STEPS: i32 = 10_000;
/// No value is longer.
const MAX_VALUE: i32 = 256 << 20;

/// An open database.
pub(super) struct Database {
    pub(super) connection: Connection,
    started: Instant,
    /// Milliseconds after the start at which the running statement is ended.
    deadline: Arc<AtomicU64>,
    stop: Stop,
}

impl Database {
    /// Opens a file that cannot be changed through this connection.
    pub(super) fn read_only(path: &Path, stop: &Stop) -> Result<Self, DatabaseError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match rests(path) {
            true => Connection::open_with_flags(immutable(path), flags | OpenFlags::SQLITE_OPEN_URI)?,
            false => Connection::open_with_flags(path, flags)?,
        };
        connection.pragma_update(None, "query_only", true)?;
        Self::new(connection, stop)
    }

    /// Opens an existing file, by a path without links: one that took the place of a name meanwhile is refused.
    pub(super) fn writable(path: &Path, stop: &Stop) -> Result<Self, DatabaseError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        Self::new(Connection::open_with_flags(path, flags)?, stop)
    }

    fn new(mut connection: Connection, stop: &Stop) -> Result<Self, DatabaseError> {
        connection.busy_timeout(TRY)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        let started = Instant::now();
        let deadline = Arc::new(AtomicU64::new(MAX_SECONDS * 1000));
        let (asked, limit) = (stop.clone(), Arc::clone(&deadline));
        let ends = move || {
            asked.is_asked() || started.elapsed().as_millis() > u128::from(limit.load(Ordering::Relaxed))
        };
        connection.progress_handler(STEPS, Some(ends))?;
        Ok(Self { connection, started, deadline, stop: stop.clone() })
    }

    /// Runs `work`, again and again while another program holds the database.
    pub(super) fn patiently<T>(
        &self,
        mut work: impl FnMut(&Connection) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let begun = Instant::now();
        loop {
            self.allow(Duration::from_secs(MAX_SECONDS));
            let error = match work(&self.connection) {
                Err(DatabaseError::Sqlite(error)) => error,
                result => return result,
            };
            if self.stop.is_asked() {
                return Err(DatabaseError::Stopped);
            }
            match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) if begun.elapsed() < PATIENCE => {}
                Some(ErrorCode::OperationInterrupted) => return Err(DatabaseError::TooLong(MAX_SECONDS)),
                _ => return Err(DatabaseError::Sqlite(error)),
            }
        }
    }

    /// What runs now may take this long from now on.
    pub(super) fn allow(&self, time: Duration) {
        let until = self.started.elapsed() + time;
        self.deadline.store(u64::try_from(until.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// Is it a database with a log beside it, but without the log: one that nobody uses? Opening it in the usual way would
/// leave two files beside it, or fail where no file can be made.
fn rests(path: &Path) -> bool {
    use std::io::Read;
    const WITH_LOG: u8 = 2;
    let mut head = [0; 20];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    read.is_ok() && head[18] == WITH_LOG && std::fs::metadata(log).map_or(0, |log| log.len()) == 0
}

/// The URL for a file that does not change while it is open.
fn immutable(path: &Path) -> String {
    let mut url = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => url.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => url.push(char::from(*byte)),
            byte => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url + "?immutable=1"
}
