//! Lists of models that servers gave us, kept from one run to the next.
//!
//! The file is a convenience and nothing else: whatever is wrong with it (locked, damaged, written by another
//! version, not writable), the program continues as if it were not there.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_llm::discovery::ListedModel;
use omp_workspace::open::{OpenedPath, open};
use omp_workspace::write::private_directory;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, params};

/// The form of the table's rows; rows of any other form are dropped.
const VERSION: i64 = 5;

/// How long a list needs no second look.
const FRESH_MS: u64 = 2 * 60 * 60 * 1000;
/// How long a server that failed is left alone.
const REST_MS: u64 = 5 * 60 * 1000;

/// A start does not wait for another process.
const READ_PATIENCE: Duration = Duration::from_millis(50);
const WRITE_PATIENCE: Duration = Duration::from_secs(3);

/// No file of ours is larger; one that is holds something else.
const LARGEST: u64 = 256 * 1024 * 1024;

const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS model_cache (
        provider_id TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        authoritative INTEGER NOT NULL,
        static_fingerprint TEXT NOT NULL DEFAULT '',
        origin TEXT NOT NULL,
        models TEXT NOT NULL,
        listed TEXT NOT NULL,
        error TEXT
    ) WITHOUT ROWID";

/// What is kept of one provider.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CachedList {
    /// Milliseconds since 1970.
    pub(super) updated_at: u64,
    /// The server answered when it was asked last.
    pub(super) authoritative: bool,
    /// Which compiled-in models `models` was merged with.
    pub(super) fingerprint: String,
    /// Where the list came from; one from elsewhere is of no use.
    pub(super) origin: String,
    /// What the server said and what is compiled in, together.
    pub(super) models: Vec<ListedModel>,
    /// What the server said.
    pub(super) listed: Vec<ListedModel>,
    /// Why the last try failed.
    pub(super) error: Option<String>,
}

/// Is a kept list to be asked for again?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListAge {
    /// It is good as it is.
    Fresh,
    /// It is used, and asked for when there is time.
    Stale,
    /// The server failed a moment ago.
    Resting,
}

impl CachedList {
    pub(super) fn age(&self, now_ms: u64) -> ListAge {
        // A list from the future was written under a clock that was wrong.
        let Some(age) = now_ms.checked_sub(self.updated_at) else { return ListAge::Stale };
        match self.authoritative {
            true if age < FRESH_MS => ListAge::Fresh,
            false if age < REST_MS => ListAge::Resting,
            _ => ListAge::Stale,
        }
    }

    /// May `models` be used as they are? An empty fingerprint matches nothing.
    pub(super) fn is_settled(&self, now_ms: u64, fingerprint: &str) -> bool {
        let same = !self.fingerprint.is_empty() && self.fingerprint == fingerprint;
        self.age(now_ms) == ListAge::Fresh && same
    }
}

/// The file.
#[derive(Clone, Debug)]
pub(super) struct ListCache {
    path: PathBuf,
}

impl ListCache {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// What is kept, by provider. Nothing is created, and whatever cannot be read is not there.
    pub(super) fn load(&self) -> HashMap<String, CachedList> {
        match open(&self.path) {
            Ok(OpenedPath::File(_, metadata)) if metadata.len() <= LARGEST => {}
            _ => return HashMap::new(),
        }
        self.read().unwrap_or_default()
    }

    fn read(&self) -> rusqlite::Result<HashMap<String, CachedList>> {
        let connection = connect(&self.path, READ_PATIENCE)?;
        let mut statement = connection.prepare(
            "SELECT provider_id, updated_at, authoritative, static_fingerprint, origin, models, listed, error
             FROM model_cache WHERE version = ?1 LIMIT 1000",
        )?;
        let rows = statement.query_map([VERSION], kept)?;
        // A row nobody can read is as good as none; the others continue working.
        Ok(rows.filter_map(|row| row.ok().flatten()).collect())
    }

    /// Keeps these, each in place of the provider's last one. All of them or none.
    pub(super) fn save(&self, lists: &[(String, CachedList)]) {
        if lists.is_empty() {
            return;
        }
        if let Err(error) = self.write(lists)
            && is_ruined(&error)
            && self.remove().is_ok()
        {
            // It held nothing that cannot be asked for again.
            let _kept_next_time = self.write(lists);
        }
    }

    fn write(&self, lists: &[(String, CachedList)]) -> rusqlite::Result<()> {
        let unwritable = |_| rusqlite::Error::InvalidPath(self.path.clone());
        make_file(&self.path).map_err(unwritable)?;
        let mut connection = connect(&self.path, WRITE_PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        transaction.execute(TABLE, [])?;
        transaction.execute("DELETE FROM model_cache WHERE version <> ?1", [VERSION])?;
        for (provider, kept) in lists {
            insert(&transaction, provider, kept)?;
        }
        transaction.commit()
    }

    fn remove(&self) -> io::Result<()> {
        for ending in ["-wal", "-shm", ""] {
            let mut file = self.path.as_os_str().to_owned();
            file.push(ending);
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Is the file no database, or one whose table has another form?
fn is_ruined(error: &rusqlite::Error) -> bool {
    let wrong = [ErrorCode::NotADatabase, ErrorCode::DatabaseCorrupt, ErrorCode::Unknown];
    let unreadable = error.sqlite_error_code().is_some_and(|code| wrong.contains(&code));
    unreadable || matches!(error, rusqlite::Error::SqlInputError { .. })
}

fn insert(connection: &Connection, provider: &str, kept: &CachedList) -> rusqlite::Result<()> {
    let text = |models: &[ListedModel]| {
        serde_json::to_string(models).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    };
    // Where nothing is compiled in, both are the same.
    let listed = if kept.listed == kept.models { String::new() } else { text(&kept.listed)? };
    let updated_at = i64::try_from(kept.updated_at).unwrap_or(i64::MAX);
    connection.execute(
        "INSERT OR REPLACE INTO model_cache (provider_id, version, updated_at, authoritative,
             static_fingerprint, origin, models, listed, error)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            provider,
            VERSION,
            updated_at,
            kept.authoritative,
            kept.fingerprint,
            kept.origin,
            text(&kept.models)?,
            listed,
            kept.error
        ],
    )?;
    Ok(())
}

fn kept(row: &Row<'_>) -> rusqlite::Result<Option<(String, CachedList)>> {
    let (models, listed): (String, String) = (row.get(5)?, row.get(6)?);
    let Ok(models) = serde_json::from_str::<Vec<ListedModel>>(&models) else { return Ok(None) };
    let listed = if listed.is_empty() { Ok(models.clone()) } else { serde_json::from_str(&listed) };
    let Ok(listed) = listed else { return Ok(None) };
    let updated_at: i64 = row.get(1)?;
    let kept = CachedList {
        updated_at: u64::try_from(updated_at).unwrap_or(0),
        authoritative: row.get(2)?,
        fingerprint: row.get(3)?,
        origin: row.get(4)?,
        models,
        listed,
        error: row.get(7)?,
    };
    Ok(Some((row.get(0)?, kept)))
}

fn connect(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    Ok(connection)
}

/// Private from its first byte on: which models somebody uses is nobody's business.
fn make_file(path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    private_directory(directory)?;
    File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn list(ids: &[&str]) -> Vec<ListedModel> {
        ids.iter().map(|id| ListedModel { id: (*id).to_owned(), ..ListedModel::default() }).collect()
    }

    fn kept(ids: &[&str]) -> CachedList {
        CachedList {
            updated_at: 1_000_000_000,
            authoritative: true,
            fingerprint: "f".to_owned(),
            origin: "here".to_owned(),
            models: list(ids),
            listed: list(ids),
            error: None,
        }
    }

    fn cache(directory: &tempfile::TempDir) -> ListCache {
        ListCache::new(directory.path().join("below/models.db"))
    }

    fn save(cache: &ListCache, provider: &str, kept: CachedList) {
        cache.save(&[(provider.to_owned(), kept)]);
    }

    /// Two hours after an answer, five minutes after a failure; never with a clock that was set back.
    ///
    /// proves: MOD-069
    #[test]
    fn lists_age() {
        let answered = kept(&["a"]);
        let start = answered.updated_at;
        assert_eq!(answered.age(start + 7_199_999), ListAge::Fresh);
        assert_eq!(answered.age(start + 7_200_000), ListAge::Stale);
        assert_eq!(answered.age(start - 1), ListAge::Stale);
        let failed = CachedList { authoritative: false, ..answered.clone() };
        assert_eq!(failed.age(start + 299_999), ListAge::Resting);
        assert_eq!(failed.age(start + 300_000), ListAge::Stale, "sooner than after an answer");
        assert!(answered.is_settled(start, "f") && !answered.is_settled(start, "g"));
        assert!(!failed.is_settled(start, "f") && !answered.is_settled(start + 7_200_000, "f"));
        let empty = CachedList { fingerprint: String::new(), ..answered };
        assert!(!empty.is_settled(start, ""), "nothing is not a fingerprint");
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(&directory);
        assert!(cache.load().is_empty());
        assert!(!cache.path.exists(), "a look creates nothing");
        let differs = CachedList { listed: list(&["b"]), error: Some("x".to_owned()), ..kept(&["a", "b"]) };
        cache.save(&[("one".to_owned(), kept(&["a"])), ("two".to_owned(), differs.clone())]);
        assert_eq!(
            cache.load(),
            HashMap::from([("one".to_owned(), kept(&["a"])), ("two".to_owned(), differs)])
        );
        save(&cache, "one", kept(&["c"]));
        assert_eq!(cache.load()["one"], kept(&["c"]));
        assert_eq!(cache.load().len(), 2);
        assert_eq!(std::fs::metadata(&cache.path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    /// Damaged, foreign, locked and impossible files are as good as none, and the next save mends what it can.
    #[test]
    fn odd_files_are_no_errors() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(&directory);
        std::fs::create_dir_all(cache.path.parent().unwrap()).unwrap();
        std::fs::write(
            &cache.path,
            "this is not a database, and it is longer than a header of one".repeat(40),
        )
        .unwrap();
        assert!(cache.load().is_empty());
        save(&cache, "one", kept(&["a"]));
        assert_eq!(cache.load().len(), 1, "a damaged file is made anew");
        std::fs::remove_file(&cache.path).unwrap();
        let foreign = Connection::open(&cache.path).unwrap();
        foreign.execute_batch("CREATE TABLE model_cache (provider_id TEXT, other BLOB)").unwrap();
        drop(foreign);
        assert!(cache.load().is_empty());
        save(&cache, "one", kept(&["a"]));
        assert_eq!(cache.load().len(), 1, "so is a table of another form");
        let other = Connection::open(&cache.path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE; UPDATE model_cache SET models = '{'").unwrap();
        assert_eq!(cache.load()["one"], kept(&["a"]), "a writer does not hinder readers");
        other.execute_batch("COMMIT").unwrap();
        assert!(cache.load().is_empty(), "a row that cannot be read is none");
        let nowhere = ListCache::new(PathBuf::from("/proc/no/such/models.db"));
        save(&nowhere, "one", kept(&["a"]));
        assert!(nowhere.load().is_empty());
        let folder = ListCache::new(directory.path().to_owned());
        save(&folder, "one", kept(&["a"]));
        assert!(folder.load().is_empty());
    }
}
