//! The prompts that were typed, in every session, with full-text search: `history.db`.
//!
//! Noting a prompt costs a turn nothing: it goes to a thread of its own, which writes what has come together every
//! tenth of a second.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::statvfs::statvfs;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::sessions::Sessions;

/// Prompts that come within this time are written together.
const BATCH: Duration = Duration::from_millis(100);
/// How long another process may keep the database busy.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long many of them may, all together: a prompt is not given up because others are typing too.
const PERSISTENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);
/// A disk with less room is full: the index that the database keeps beside itself while it is used needs 32 KiB.
const ROOM: u64 = 64 * 1024;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    prompt TEXT NOT NULL,
    created_at INTEGER NOT NULL DEFAULT (unixepoch()),
    cwd TEXT,
    session_id TEXT
);
CREATE INDEX IF NOT EXISTS history_created_at ON history(created_at);
CREATE VIRTUAL TABLE IF NOT EXISTS history_fts USING fts5(prompt, content='history', content_rowid='id');
CREATE TRIGGER IF NOT EXISTS history_ai AFTER INSERT ON history BEGIN
    INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
END;
CREATE TRIGGER IF NOT EXISTS history_ad AFTER DELETE ON history BEGIN
    INSERT INTO history_fts(history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt);
END;
CREATE TRIGGER IF NOT EXISTS history_au AFTER UPDATE ON history BEGIN
    INSERT INTO history_fts(history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt);
    INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
END;
";

/// A prompt as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub prompt: String,
    /// Seconds since 1970.
    pub created_at: i64,
    /// Where it was typed.
    pub cwd: Option<String>,
    /// In which session.
    pub session_id: Option<String>,
}

/// The history is not available; everything else continues without it.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the prompt history {}: {reason}{}", path.display(), remedy.sentence())]
pub struct HistoryError {
    /// The database.
    pub path: PathBuf,
    /// What the database said.
    pub reason: String,
    /// What helps.
    pub remedy: HistoryRemedy,
}

/// What helps where the history cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryRemedy {
    /// The file is no such database, or a damaged one.
    AnotherFile,
    /// There is no room for it.
    Room,
    /// What was said says it.
    Nothing,
}

impl HistoryRemedy {
    fn sentence(self) -> &'static str {
        match self {
            Self::AnotherFile => " (move the file away to start a new one)",
            Self::Room => " (free disk space; prompts of this session are not kept until then)",
            Self::Nothing => "",
        }
    }
}

impl HistoryError {
    fn of_system(path: &Path, error: &io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => HistoryRemedy::Room,
            _ => HistoryRemedy::Nothing,
        };
        Self { path: path.to_owned(), reason: error.to_string(), remedy }
    }

    /// On a full disk the database may just not be able to make the files beside it.
    fn of_database(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{CannotOpen, DatabaseCorrupt, DiskFull, NotADatabase, SystemIoFailure};
        let remedy = match error.sqlite_error_code() {
            Some(DiskFull) => HistoryRemedy::Room,
            Some(CannotOpen | SystemIoFailure) if !has_room(path) => HistoryRemedy::Room,
            Some(DatabaseCorrupt | NotADatabase) => HistoryRemedy::AnotherFile,
            _ => HistoryRemedy::Nothing,
        };
        Self { path: path.to_owned(), reason: error.to_string(), remedy }
    }
}

/// The database of prompts.
#[derive(Debug)]
pub struct PromptHistory {
    path: PathBuf,
    reader: Connection,
    /// `None` when it is being closed.
    queue: Option<Sender<Message>>,
    worker: Option<JoinHandle<()>>,
    last: Option<String>,
}

enum Message {
    Add(Prompt),
    /// Answers when everything before it is written.
    Flush(Sender<()>),
}

impl PromptHistory {
    /// Opens the database, or makes it.
    pub fn open(path: &Path) -> Result<Self, HistoryError> {
        let in_system = |error: io::Error| HistoryError::of_system(path, &error);
        let in_database = |error: rusqlite::Error| HistoryError::of_database(path, &error);
        make_file(path).map_err(in_system)?;
        let connect = || connect(path).map_err(in_database);
        let (reader, writer) = (connect()?, connect()?);
        let last = newest(&reader).map_err(in_database)?;
        let (queue, waiting) = channel();
        let worker = std::thread::Builder::new().name("prompt-history".to_owned());
        let worker = worker.spawn(move || work(writer, &waiting)).map_err(in_system)?;
        Ok(Self { path: path.to_owned(), reader, queue: Some(queue), worker: Some(worker), last })
    }

    /// Notes a prompt. One that is the same as the last is not noted again, nor one without text.
    pub fn add(&mut self, prompt: &str, cwd: &Path, session_id: &str) {
        let text = prompt.trim();
        if text.is_empty() || self.last.as_deref() == Some(text) {
            return;
        }
        self.last = Some(text.to_owned());
        let noted = Prompt {
            prompt: text.to_owned(),
            created_at: jiff::Timestamp::now().as_second(),
            cwd: Some(cwd.to_string_lossy().into_owned()),
            session_id: Some(session_id.to_owned()),
        };
        if let Some(queue) = &self.queue {
            // The thread ends only with us.
            let _ = queue.send(Message::Add(noted));
        }
    }

    /// Waits until everything is written.
    pub fn flush(&self) {
        let (done, wait) = channel();
        if self.queue.as_ref().is_some_and(|queue| queue.send(Message::Flush(done)).is_ok()) {
            let _ = wait.recv();
        }
    }

    /// The newest prompts first; those typed in `cwd` only, if one is given.
    pub fn recent(&self, cwd: Option<&Path>, limit: usize) -> Result<Vec<Prompt>, HistoryError> {
        let cwd = cwd.map(|cwd| cwd.to_string_lossy().into_owned());
        let query = "SELECT prompt, created_at, cwd, session_id FROM history
                     WHERE ?1 IS NULL OR cwd = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2";
        self.select(query, params![cwd, bounded(limit)])
    }

    /// Prompts that have words beginning with all words of the query, the best matches first.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<Prompt>, HistoryError> {
        let Some(words) = fts_query(query) else { return Ok(Vec::new()) };
        let query = "SELECT h.prompt, h.created_at, h.cwd, h.session_id FROM history_fts f
                     JOIN history h ON h.id = f.rowid
                     WHERE history_fts MATCH ?1 ORDER BY rank, h.created_at DESC, h.id DESC LIMIT ?2";
        self.select(query, params![words, bounded(limit)])
    }

    /// The sessions in which such prompts were typed, each once, the best match first.
    pub fn matching_sessions(&self, query: &str, limit: usize) -> Result<Vec<String>, HistoryError> {
        let mut ids: Vec<String> = Vec::new();
        for id in self.search(query, limit)?.into_iter().filter_map(|prompt| prompt.session_id) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    fn select(&self, query: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<Prompt>, HistoryError> {
        let read = |connection: &Connection| -> rusqlite::Result<Vec<Prompt>> {
            let mut statement = connection.prepare(query)?;
            let rows = statement.query_map(values, |row| {
                Ok(Prompt {
                    prompt: row.get(0)?,
                    created_at: row.get(1)?,
                    cwd: row.get(2)?,
                    session_id: row.get(3)?,
                })
            })?;
            rows.collect()
        };
        read(&self.reader).map_err(|error| HistoryError::of_database(&self.path, &error))
    }
}

impl Sessions {
    /// Whether any prompt was kept: opening the history makes it.
    pub fn has_prompt_history(&self) -> bool {
        self.root.agent().join("history.db").is_file()
    }

    /// The history of prompts, with the agent's files.
    pub fn prompt_history(&self) -> Result<PromptHistory, HistoryError> {
        PromptHistory::open(&self.root.agent().join("history.db"))
    }
}

impl Drop for PromptHistory {
    /// What waits is written.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// A limit as SQLite counts.
fn bounded(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Prompts may hold what people would not show to others.
fn make_file(path: &Path) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    File::options().write(true).create(true).truncate(false).mode(0o600).open(path).map(|_| ())
}

/// Whether the disk has room for the database and the files beside it; where nobody knows, it does.
#[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
fn has_room(path: &Path) -> bool {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let free = statvfs(directory).map(|disk| disk.blocks_available() as u64 * disk.fragment_size() as u64);
    !free.is_ok_and(|free| free < ROOM)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    persist(|| try_connect(path))
}

/// Does it again while others keep the database busy.
fn persist<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && begun.elapsed() < PERSISTENCE => std::thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}

fn try_connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    // Readers and a writer do not wait for each other then. A database that cannot switch works without.
    let _ = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    let is_made: bool = connection.query_row(
        "SELECT count(*) > 0 FROM sqlite_master WHERE name = 'history_au'",
        [],
        |row| row.get(0),
    )?;
    if !is_made {
        // One step, or two processes that make the database at the same time stand in each other's way.
        let making = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        making.execute_batch(SCHEMA)?;
        making.commit()?;
    }
    let has_session: bool = connection.query_row(
        "SELECT count(*) > 0 FROM pragma_table_info('history') WHERE name = 'session_id'",
        [],
        |row| row.get(0),
    )?;
    if !has_session {
        // Files of early versions. Another process may have been faster.
        let _ = connection.execute_batch("ALTER TABLE history ADD COLUMN session_id TEXT");
    }
    Ok(connection)
}

fn newest(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let query = "SELECT prompt FROM history ORDER BY id DESC LIMIT 1";
    connection.query_row(query, [], |row| row.get(0)).optional()
}

/// Writes what comes in batches, until the other end is gone.
fn work(mut connection: Connection, waiting: &Receiver<Message>) {
    while let Ok(first) = waiting.recv() {
        let mut batch = Vec::new();
        let mut flushed = Vec::new();
        let until = Instant::now() + BATCH;
        let mut next = Some(first);
        while let Some(message) = next {
            match message {
                Message::Add(prompt) => batch.push(prompt),
                Message::Flush(done) => flushed.push(done),
            }
            let left = if flushed.is_empty() {
                until.saturating_duration_since(Instant::now())
            } else {
                Duration::ZERO
            };
            next = waiting.recv_timeout(left).ok();
        }
        // A prompt that cannot be noted is lost from the history, not from its session.
        let _ = persist(|| write(&mut connection, &batch));
        drop(flushed);
    }
}

fn write(connection: &mut Connection, batch: &[Prompt]) -> rusqlite::Result<()> {
    // A transaction that begins by reading and then wants to write is refused when somebody wrote in between.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let insert = "INSERT INTO history (prompt, created_at, cwd, session_id) VALUES (?1, ?2, ?3, ?4)";
        let mut statement = transaction.prepare(insert)?;
        for prompt in batch {
            statement.execute(params![prompt.prompt, prompt.created_at, prompt.cwd, prompt.session_id])?;
        }
    }
    transaction.commit()
}

/// Every word as a quoted prefix, so that nothing a person types is an operator; `None` without words.
fn fts_query(query: &str) -> Option<String> {
    let words: Vec<String> = query
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!("\"{word}\"*"))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}
