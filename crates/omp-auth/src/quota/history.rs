//! What accounts had left before, as far as somebody asked.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_config::Directories;
use rusqlite::{Connection, params};
use serde::Serialize;

use super::QuotaReport;

/// How long another process may keep the database busy.
const PATIENCE: Duration = Duration::from_secs(5);
/// Older rows are of no use to anybody.
const KEPT_MS: i64 = 366 * 24 * 3600 * 1000;
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS quotas (
    at INTEGER NOT NULL, provider TEXT NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL, used REAL NOT NULL
)";

/// The history is not available.
#[derive(Debug, thiserror::Error)]
#[error("The history of quotas {} cannot be used: {reason}. Make it readable and writable, or move it away.", path.display())]
pub struct QuotaHistoryError {
    /// The database.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// What an account had used of a window at some time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PastQuota {
    /// Milliseconds since 1970.
    pub at: i64,
    pub provider: String,
    pub account: String,
    pub window: String,
    pub used_percent: f64,
}

/// Adds what was reported now. Waits for the disk.
pub(super) fn keep(
    directories: &Directories,
    reports: &[QuotaReport],
    now_ms: i64,
) -> Result<(), QuotaHistoryError> {
    let path = file(directories);
    work(&path, |connection| {
        let transaction = connection.unchecked_transaction()?;
        for report in reports {
            for window in &report.windows {
                transaction.execute(
                    "INSERT INTO quotas VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![now_ms, report.provider, report.account, window.name, window.used_percent],
                )?;
            }
        }
        transaction.execute("DELETE FROM quotas WHERE at < ?1", [now_ms - KEPT_MS])?;
        transaction.commit()
    })
}

/// What was reported since a moment, the oldest first. Waits for the disk.
pub(super) fn since(
    directories: &Directories,
    from_ms: i64,
    provider: Option<&str>,
) -> Result<Vec<PastQuota>, QuotaHistoryError> {
    let path = file(directories);
    if !path.exists() {
        return Ok(Vec::new());
    }
    work(&path, |connection| {
        let mut statement = connection.prepare(
            "SELECT at, provider, account, name, used FROM quotas
             WHERE at >= ?1 AND (?2 IS NULL OR provider = ?2) ORDER BY at, provider, account, rowid",
        )?;
        let rows = statement.query_map(params![from_ms, provider], |row| {
            Ok(PastQuota {
                at: row.get(0)?,
                provider: row.get(1)?,
                account: row.get(2)?,
                window: row.get(3)?,
                used_percent: row.get(4)?,
            })
        })?;
        rows.collect()
    })
}

fn file(directories: &Directories) -> PathBuf {
    directories.data().join("quotas.db")
}

fn work<T>(
    path: &Path,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T, QuotaHistoryError> {
    let failed = |reason: String| QuotaHistoryError { path: path.to_owned(), reason };
    if let Some(directory) = path.parent() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|error| failed(error.to_string()))?;
    }
    let made = File::options().create(true).append(true).mode(0o600).open(path);
    made.map_err(|error| failed(error.to_string()))?;
    let done = Connection::open(path).and_then(|connection| {
        connection.busy_timeout(PATIENCE)?;
        connection.execute_batch(SCHEMA)?;
        work(&connection)
    });
    done.map_err(|error| failed(error.to_string()))
}
