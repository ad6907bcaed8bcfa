//! The credentials on disk: tables of ours in `agent.db`.

mod error;
mod open;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};

use crate::credential::{Credential, NewCredential};
pub use error::StoreError;
pub(crate) use open::{create as create_database, existing_or_foreign as existing_database};

/// One stored credential.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) id: i64,
    pub(crate) provider: String,
    /// Which login gave it; that one knows how to renew it.
    pub(crate) login: String,
    pub(crate) identity: String,
    pub(crate) credential: Credential,
    pub(crate) block: Option<Block>,
    pub(crate) disabled: Option<String>,
    /// Grows with every change of the secret.
    pub(crate) revision: i64,
}

/// A time in which a credential rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) from_ms: u64,
    pub(crate) until_ms: u64,
}

impl Block {
    /// A clock that was set back to before the block began makes it void: nobody knows how long it would last.
    pub(crate) fn rest_ms(&self, now_ms: u64) -> Option<u64> {
        const TOLERANCE_MS: u64 = 60_000;
        let begun = self.from_ms <= now_ms.saturating_add(TOLERANCE_MS);
        (begun && now_ms < self.until_ms).then(|| self.until_ms - now_ms)
    }
}

/// An open database. Every method is one transaction.
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
}

const COLUMNS: &str =
    "id, provider, login, kind, identity, data, blocked_from, blocked_until, disabled_cause, revision";

impl Store {
    /// `None` when nothing was ever stored.
    pub(crate) fn existing(path: &Path) -> Result<Option<Self>, StoreError> {
        let connection = open::existing(path)?;
        Ok(connection.map(|connection| Self { connection, path: path.to_owned() }))
    }

    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: open::create(path)?, path: path.to_owned() })
    }

    /// The credentials of a provider: keys first, then accounts, each in the order in which they came.
    pub(crate) fn of_provider(&self, provider: &str) -> Result<Vec<Stored>, StoreError> {
        let query = format!(
            "SELECT {COLUMNS} FROM omp_credentials WHERE provider = ?1 ORDER BY kind = 'oauth', id LIMIT 1000"
        );
        let rows = self.connection.prepare(&query).and_then(|mut statement| {
            let rows = statement.query_map([provider], read)?;
            rows.collect::<rusqlite::Result<Vec<Option<Stored>>>>()
        });
        // A row nobody can read is as good as none; the others keep working.
        Ok(self.checked(rows)?.into_iter().flatten().collect())
    }

    pub(crate) fn by_id(&self, id: i64) -> Result<Option<Stored>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM omp_credentials WHERE id = ?1");
        let row = self.connection.query_row(&query, [id], read).optional();
        Ok(self.checked(row)?.flatten())
    }

    /// Providers that have anything stored, in the order of their first credential.
    pub(crate) fn providers(&self) -> Result<Vec<String>, StoreError> {
        let query = "SELECT provider FROM omp_credentials GROUP BY provider ORDER BY min(id)";
        let names = self.connection.prepare(query).and_then(|mut statement| {
            let names = statement.query_map([], |row| row.get(0))?;
            names.collect::<rusqlite::Result<Vec<String>>>()
        });
        self.checked(names)
    }

    /// Adds a credential or replaces the one of the same identity, which then works again.
    pub(crate) fn save(
        &self,
        provider: &str,
        login: &str,
        new: &NewCredential,
        now_ms: u64,
    ) -> Result<(), StoreError> {
        let (kind, data) = (new.credential.kind(), new.credential.to_json());
        let saved = self.connection.execute(
            "INSERT INTO omp_credentials (provider, login, kind, identity, data, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
             ON CONFLICT (provider, kind, identity) DO UPDATE SET login = ?2, data = ?5, updated_at = ?6,
                 blocked_from = NULL, blocked_until = NULL, disabled_cause = NULL, revision = revision + 1",
            params![provider, login, kind, new.identity, data, signed(now_ms)],
        );
        self.checked(saved).map(|_| ())
    }

    /// Replaces the secret unless it changed since `revision`. `false` when it did.
    pub(crate) fn renew(
        &self,
        id: i64,
        revision: i64,
        credential: &Credential,
        now_ms: u64,
    ) -> Result<bool, StoreError> {
        let renewed = self.connection.execute(
            "UPDATE omp_credentials SET data = ?3, updated_at = ?4, revision = revision + 1
             WHERE id = ?1 AND revision = ?2",
            params![id, revision, credential.to_json(), signed(now_ms)],
        );
        self.checked(renewed).map(|rows| rows > 0)
    }

    /// Takes a credential out of use unless it changed since `revision`.
    pub(crate) fn disable(&self, id: i64, revision: i64, cause: &str) -> Result<bool, StoreError> {
        let disabled = self.connection.execute(
            "UPDATE omp_credentials SET disabled_cause = ?3 WHERE id = ?1 AND revision = ?2",
            params![id, revision, cause],
        );
        self.checked(disabled).map(|rows| rows > 0)
    }

    pub(crate) fn block(&self, id: i64, block: Block) -> Result<(), StoreError> {
        let blocked = self.connection.execute(
            "UPDATE omp_credentials SET blocked_from = ?2, blocked_until = ?3 WHERE id = ?1",
            params![id, signed(block.from_ms), signed(block.until_ms)],
        );
        self.checked(blocked).map(|_| ())
    }

    /// How many there were.
    pub(crate) fn remove(&self, provider: &str) -> Result<usize, StoreError> {
        self.checked(self.connection.execute("DELETE FROM omp_credentials WHERE provider = ?1", [provider]))
    }

    fn checked<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::database(&self.path, source))
    }
}

/// SQLite has no unsigned numbers.
fn signed(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds).unwrap_or(i64::MAX)
}

fn read(row: &SqlRow<'_>) -> rusqlite::Result<Option<Stored>> {
    let (kind, data): (String, String) = (row.get(3)?, row.get(5)?);
    let (from, until): (Option<i64>, Option<i64>) = (row.get(6)?, row.get(7)?);
    let time = |value: i64| u64::try_from(value).unwrap_or(0);
    let Some(credential) = Credential::from_json(&kind, &data) else { return Ok(None) };
    Ok(Some(Stored {
        id: row.get(0)?,
        provider: row.get(1)?,
        login: row.get(2)?,
        identity: row.get(4)?,
        credential,
        block: from.zip(until).map(|(from, until)| Block { from_ms: time(from), until_ms: time(until) }),
        disabled: row.get(8)?,
        revision: row.get(9)?,
    }))
}
