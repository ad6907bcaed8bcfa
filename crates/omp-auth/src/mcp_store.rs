//! What is kept of MCP servers in `agent.db`: logins, and what each server offered when it was last connected.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use crate::lock::{Lock, LockError};
use crate::store::{StoreError, create_database, existing_database};

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS omp_mcp_tokens (
        id TEXT PRIMARY KEY,
        secret TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS omp_mcp_offers (
        definition TEXT PRIMARY KEY,
        updated_at INTEGER NOT NULL,
        offer TEXT NOT NULL
    ) WITHOUT ROWID;
";

/// Offers that are kept: more servers than anybody has.
const MOST_OFFERS: i64 = 500;

/// The tables about MCP servers. Every method waits for the disk.
#[derive(Clone, Debug)]
pub struct McpStore {
    database: PathBuf,
}

/// Held while a login is renewed.
pub struct McpLock {
    _lock: Lock,
}

impl McpStore {
    pub fn new(database: PathBuf) -> Self {
        Self { database }
    }

    /// The login that is kept under `id`.
    pub fn token(&self, id: &str) -> Result<Option<String>, StoreError> {
        self.read("SELECT secret FROM omp_mcp_tokens WHERE id = ?1", id)
    }

    pub fn save_token(&self, id: &str, secret: &str) -> Result<(), StoreError> {
        self.write(|connection| {
            let insert =
                "INSERT INTO omp_mcp_tokens VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET secret = ?2";
            connection.execute(insert, params![id, secret]).map(|_| ())
        })
    }

    pub fn forget_token(&self, id: &str) -> Result<(), StoreError> {
        if self.token(id)?.is_none() {
            return Ok(());
        }
        self.write(|connection| {
            connection.execute("DELETE FROM omp_mcp_tokens WHERE id = ?1", [id]).map(|_| ())
        })
    }

    /// What servers with these definitions offered, if it was not before `since` (milliseconds since 1970).
    pub fn offers(&self, definitions: &[String], since: u64) -> Result<Vec<Option<String>>, StoreError> {
        let nothing = || Ok(vec![None; definitions.len()]);
        let Some(connection) = existing_database(&self.database)? else { return nothing() };
        if !self.has_tables(&connection)? {
            return nothing();
        }
        let since = i64::try_from(since).unwrap_or(i64::MAX);
        let found = connection
            .prepare("SELECT offer FROM omp_mcp_offers WHERE definition = ?1 AND updated_at >= ?2")
            .and_then(|mut statement| {
                let one = |definition: &String| {
                    statement.query_row(params![definition, since], |row| row.get(0)).optional()
                };
                definitions.iter().map(one).collect()
            });
        self.checked(found)
    }

    /// Keeps what a server offers; the oldest ones go.
    pub fn save_offer(&self, definition: &str, offer: &str, now: u64) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.execute(
                "INSERT INTO omp_mcp_offers VALUES (?1, ?2, ?3)
                 ON CONFLICT (definition) DO UPDATE SET updated_at = ?2, offer = ?3",
                params![definition, i64::try_from(now).unwrap_or(i64::MAX), offer],
            )?;
            connection.execute(
                "DELETE FROM omp_mcp_offers WHERE definition NOT IN
                 (SELECT definition FROM omp_mcp_offers ORDER BY updated_at DESC LIMIT ?1)",
                [MOST_OFFERS],
            )?;
            Ok(())
        })
    }

    /// One renewal of a login at a time, across all processes.
    pub async fn lock(&self, id: &str) -> Result<McpLock, LockError> {
        Ok(McpLock { _lock: Lock::named(&self.database, id).await? })
    }

    fn read(&self, query: &str, id: &str) -> Result<Option<String>, StoreError> {
        let Some(connection) = existing_database(&self.database)? else { return Ok(None) };
        if !self.has_tables(&connection)? {
            return Ok(None);
        }
        self.checked(connection.query_row(query, [id], |row| row.get(0)).optional())
    }

    fn has_tables(&self, connection: &Connection) -> Result<bool, StoreError> {
        let query = "SELECT count(*) FROM sqlite_master WHERE name IN ('omp_mcp_tokens', 'omp_mcp_offers')";
        self.checked(connection.query_row(query, [], |row| row.get(0))).map(|count: i64| count == 2)
    }

    fn write(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<()>) -> Result<(), StoreError> {
        let connection = create_database(&self.database)?;
        self.checked(connection.execute_batch(TABLES).and_then(|()| work(&connection)))
    }

    fn checked<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::database(self.path(), source))
    }

    fn path(&self) -> &Path {
        &self.database
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, McpStore) {
        let directory = tempfile::tempdir().unwrap();
        let store = McpStore::new(directory.path().join("agent.db"));
        (directory, store)
    }

    #[test]
    fn nothing_is_created_by_reading() {
        let (directory, store) = store();
        assert_eq!(store.token("https://a").unwrap(), None);
        assert_eq!(store.offers(&["x".to_owned()], 0).unwrap(), [None]);
        store.forget_token("https://a").unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn logins_and_offers_are_kept() {
        let (_directory, store) = store();
        store.save_token("https://a", "one").unwrap();
        store.save_token("https://a", "two").unwrap();
        assert_eq!(store.token("https://a").unwrap().as_deref(), Some("two"));
        assert_eq!(store.token("https://b").unwrap(), None);
        store.forget_token("https://a").unwrap();
        assert_eq!(store.token("https://a").unwrap(), None);
        store.save_offer("d", "{}", 1000).unwrap();
        let asked = ["d".to_owned(), "e".to_owned()];
        assert_eq!(store.offers(&asked, 1000).unwrap(), [Some("{}".to_owned()), None]);
        assert_eq!(store.offers(&asked, 1001).unwrap(), [None, None], "too old");
    }

    #[test]
    fn the_oldest_offers_go() {
        let (_directory, store) = store();
        let asked: Vec<String> = (0..MOST_OFFERS + 2).map(|number| format!("d{number}")).collect();
        for (number, definition) in (0..).zip(&asked) {
            store.save_offer(definition, "{}", number).unwrap();
        }
        let kept = store.offers(&asked, 0).unwrap();
        assert_eq!(kept.iter().flatten().count() as i64, MOST_OFFERS);
        assert_eq!(kept[..2], [None, None]);
    }
}
