//! What was read, kept in a file that all sessions share.
//!
//! The file is a convenience and nothing else: whatever is wrong with it, GitHub is asked as if it were not there.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

/// Rows beyond this are dropped, the oldest first.
const MOST_ROWS: u32 = 2_000;
const PATIENCE: Duration = Duration::from_secs(2);

const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS github_cache (
        fingerprint TEXT NOT NULL,
        kind TEXT NOT NULL,
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        variant TEXT NOT NULL,
        rendered TEXT NOT NULL,
        payload TEXT NOT NULL,
        fetched_at INTEGER NOT NULL,
        PRIMARY KEY (fingerprint, kind, repository, number, variant)
    ) WITHOUT ROWID";

/// Where, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    pub path: PathBuf,
    /// Seconds after which a row is read again in the background.
    pub soft_ttl: u64,
    /// Seconds after which a row is of no use.
    pub hard_ttl: u64,
}

/// What a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Who asks: nobody sees the rows of somebody else.
    pub(crate) user: String,
    pub(crate) kind: &'static str,
    pub(crate) repository: String,
    pub(crate) number: u64,
    pub(crate) variant: &'static str,
}

/// What GitHub said, and how it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CachedItem {
    pub(crate) rendered: String,
    pub(crate) payload: String,
}

/// How old a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    Fresh,
    Stale,
}

impl CacheOptions {
    /// A row that is not too old. `now` is in seconds since 1970.
    pub(crate) fn get(&self, key: &Key, now: u64) -> Option<(CachedItem, Age)> {
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE).ok()?;
        connection.busy_timeout(PATIENCE).ok()?;
        let found = connection.query_row(
            "SELECT rendered, payload, fetched_at FROM github_cache
             WHERE fingerprint = ?1 AND kind = ?2 AND repository = ?3 AND number = ?4 AND variant = ?5",
            params![key.user, key.kind, key.repository, integer(key.number), key.variant],
            |row| Ok((CachedItem { rendered: row.get(0)?, payload: row.get(1)? }, row.get::<_, i64>(2)?)),
        );
        let (row, fetched_at) = found.optional().ok()??;
        let fetched_at = u64::try_from(fetched_at).unwrap_or_default();
        // A row from the future was written by a clock that was wrong.
        match now.checked_sub(fetched_at) {
            Some(age) if age >= self.hard_ttl => None,
            Some(age) if age < self.soft_ttl => Some((row, Age::Fresh)),
            _ => Some((row, Age::Stale)),
        }
    }

    /// Keeps a row, and drops what is too old.
    pub(crate) fn put(&self, key: &Key, row: &CachedItem, now: u64) -> rusqlite::Result<()> {
        make_file(&self.path).map_err(|_| rusqlite::Error::InvalidPath(self.path.clone()))?;
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(PATIENCE)?;
        connection.execute(TABLE, [])?;
        connection.execute(
            "INSERT OR REPLACE INTO github_cache VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                key.user,
                key.kind,
                key.repository,
                integer(key.number),
                key.variant,
                row.rendered,
                row.payload,
                integer(now)
            ],
        )?;
        connection.execute(
            "DELETE FROM github_cache WHERE fetched_at <= ?1",
            [integer(now.saturating_sub(self.hard_ttl))],
        )?;
        connection.execute(
            "DELETE FROM github_cache WHERE fetched_at < COALESCE(
                 (SELECT fetched_at FROM github_cache ORDER BY fetched_at DESC LIMIT 1 OFFSET ?1), 0)",
            [MOST_ROWS],
        )?;
        Ok(())
    }
}

/// As SQLite has numbers.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Private from its first byte on: it holds what only the user may see.
fn make_file(path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(directory: &tempfile::TempDir) -> CacheOptions {
        let path = directory.path().join("cache/github-cache.db");
        CacheOptions { path, soft_ttl: 300, hard_ttl: 1_000 }
    }

    fn key() -> Key {
        Key { user: "me".into(), kind: "issue", repository: "o/r".into(), number: 7, variant: "comments" }
    }

    #[test]
    fn rows_grow_old() {
        let directory = tempfile::tempdir().unwrap();
        let cache = options(&directory);
        let row = CachedItem { rendered: "text".into(), payload: "{}".into() };
        assert_eq!(cache.get(&key(), 10_000), None);
        cache.put(&key(), &row, 10_000).unwrap();
        assert_eq!(cache.get(&key(), 10_299), Some((row.clone(), Age::Fresh)));
        assert_eq!(cache.get(&key(), 10_300), Some((row.clone(), Age::Stale)));
        assert_eq!(cache.get(&key(), 9_000), Some((row.clone(), Age::Stale)), "from the future");
        assert_eq!(cache.get(&key(), 11_000), None);
        let of_another = Key { user: "somebody".into(), ..key() };
        assert_eq!(cache.get(&of_another, 10_000), None);
        let other = Key { number: 8, ..key() };
        cache.put(&other, &row, 11_001).unwrap();
        assert_eq!(cache.get(&key(), 10_000), None, "what is too old is dropped");
    }

    #[test]
    fn a_damaged_file_is_no_hindrance() {
        let directory = tempfile::tempdir().unwrap();
        let cache = options(&directory);
        std::fs::create_dir_all(cache.path.parent().unwrap()).unwrap();
        std::fs::write(&cache.path, "this is no database, but it is long enough to look like one").unwrap();
        assert_eq!(cache.get(&key(), 1), None);
        assert!(
            cache.put(&key(), &CachedItem { rendered: String::new(), payload: String::new() }, 1).is_err()
        );
    }
}
