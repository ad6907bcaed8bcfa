//! Reads what is new in the session files.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use omp_types::SideRequest;
use rusqlite::{Connection, OptionalExtension, params};

use crate::line::{self, Request};
use crate::store::{StatsError, Store};

/// Directories inside directories: projects, sessions, and what belongs to one.
const DEEPEST: usize = 6;
/// Longer lines hold pictures, not requests.
const LONGEST_LINE: usize = 32 * 1024 * 1024;
/// Files that are written down together.
const BATCH: usize = 256;
/// The bytes before the place where reading ended, by which a file is recognised.
const TAIL: u64 = 256;

/// What a look at the session files came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Session files that were found.
    pub files: u64,
    /// Those of them that had something new.
    pub read: u64,
    /// Requests that were not known before.
    pub requests: u64,
    /// Files that could not be read.
    pub failed: u64,
}

/// Where reading a file ended.
#[derive(Default)]
struct Mark {
    size: i64,
    modified: i64,
    offset: u64,
    tail: i64,
    session: String,
    project: String,
}

impl Store {
    /// Reads what is new in the session files below a directory. Files are read line by line from where the last look
    /// ended, so that their number and size do not matter; a file that was written again is read from its beginning. A
    /// request that stands in several files, because a session was copied, counts once.
    pub fn sync(&mut self, sessions: &Path) -> Result<Synced, StatsError> {
        let mut sync = Sync { connection: &self.connection, synced: Synced::default(), open: 0 };
        let done = sync.directory(sessions, 0).and_then(|()| sync.commit());
        let synced = sync.synced;
        match done {
            Ok(()) => Ok(synced),
            Err(error) => {
                // Whatever is open goes with the error.
                let _ = self.connection.execute_batch("ROLLBACK");
                Err(self.failed(&error))
            }
        }
    }
}

struct Sync<'a> {
    connection: &'a Connection,
    synced: Synced,
    /// Files since the transaction began.
    open: usize,
}

impl Sync<'_> {
    fn directory(&mut self, directory: &Path, depth: usize) -> rusqlite::Result<()> {
        let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() && depth < DEEPEST {
                self.directory(&path, depth + 1)?;
            } else if kind.is_file() && has_requests(&path) {
                self.file(&path)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> rusqlite::Result<()> {
        self.synced.files += 1;
        let name = path.to_string_lossy();
        let known = self.known(&name)?.unwrap_or_default();
        let Ok(facts) = fs::metadata(path) else { return Ok(()) };
        if known.size == facts.size() as i64 && known.modified == modified(&facts) {
            return Ok(());
        }
        if self.open == 0 {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        self.open += 1;
        match self.read(path, known, &facts) {
            Ok(mark) => {
                self.synced.read += 1;
                self.keep(&name, &mark)?;
            }
            Err(Trouble::File) => self.synced.failed += 1,
            Err(Trouble::Database(error)) => return Err(error),
        }
        if self.open >= BATCH { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> rusqlite::Result<()> {
        match std::mem::take(&mut self.open) {
            0 => Ok(()),
            _ => self.connection.execute_batch("COMMIT"),
        }
    }

    fn known(&self, path: &str) -> rusqlite::Result<Option<Mark>> {
        let sql = "SELECT size, modified, offset, tail, session, project FROM files WHERE path = ?1";
        let mark = |row: &rusqlite::Row<'_>| {
            Ok(Mark {
                size: row.get(0)?,
                modified: row.get(1)?,
                offset: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
                tail: row.get(3)?,
                session: row.get(4)?,
                project: row.get(5)?,
            })
        };
        self.connection.prepare(sql)?.query_row([path], mark).optional()
    }

    fn keep(&self, path: &str, mark: &Mark) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO files (path, size, modified, offset, tail, session, project) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let Mark { size, modified, offset, tail, session, project } = mark;
        let row = params![path, size, modified, *offset as i64, tail, session, project];
        self.connection.prepare(sql)?.execute(row).map(drop)
    }

    fn read(&mut self, path: &Path, known: Mark, facts: &Metadata) -> Result<Mark, Trouble> {
        let mut file = File::open(path)?;
        let goes_on =
            known.offset > 0 && known.offset <= facts.size() && tail(&mut file, known.offset)? == known.tail;
        let mut mark = if goes_on { known } else { Mark::default() };
        (mark.size, mark.modified) = (facts.size() as i64, modified(facts));
        file.seek(SeekFrom::Start(mark.offset))?;
        let mut lines = Lines { reader: BufReader::with_capacity(64 * 1024, file), line: Vec::new() };
        let request = if is_side(path) { line::side_request } else { line::request };
        while let Some(length) = lines.next()? {
            // The header: the first line, but for the name that later releases put before it.
            if mark.session.is_empty()
                && let Some(head) = line::head(&lines.line)
            {
                (mark.session, mark.project) = (head.id, head.cwd);
            }
            mark.offset += length;
            if let Some(request) = request(&lines.line) {
                self.synced.requests += self.add(&request, &mark)?;
            }
        }
        mark.tail = tail(lines.reader.get_mut(), mark.offset)?;
        Ok(mark)
    }

    fn add(&self, request: &Request, mark: &Mark) -> rusqlite::Result<u64> {
        let sql = "INSERT OR IGNORE INTO requests (id, at, session, project, provider, model, stop, input, output, \
                   cache_read, cache_write, cost, duration, side) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
        let Request { id, at, provider, model, stop, usage, duration, side } = request;
        let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        let added = self.connection.prepare(sql)?.execute(params![
            id,
            at,
            mark.session,
            mark.project,
            provider,
            model,
            stop,
            count(usage.input),
            count(usage.output),
            count(usage.cache_read),
            count(usage.cache_write),
            usage.cost.total,
            duration,
            side,
        ])?;
        Ok(added as u64)
    }
}

/// A session, or the requests beside one.
fn has_requests(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl") || is_side(path)
}

fn is_side(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SideRequest::FILE)
}

/// Why a file was not read to its end.
enum Trouble {
    File,
    Database(rusqlite::Error),
}

impl From<io::Error> for Trouble {
    fn from(_: io::Error) -> Self {
        Self::File
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

/// Whole lines of a file, one at a time.
struct Lines {
    reader: BufReader<File>,
    line: Vec<u8>,
}

impl Lines {
    /// Reads the next line; its length in the file. A line without an end is still being written and comes another
    /// time. One that is too long is empty.
    fn next(&mut self) -> io::Result<Option<u64>> {
        self.line.clear();
        let mut length = 0;
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', chunk);
            let taken = end.map_or(chunk.len(), |end| end + 1);
            if self.line.len() + taken <= LONGEST_LINE {
                self.line.extend_from_slice(&chunk[..taken]);
            } else {
                self.line = Vec::new();
            }
            self.reader.consume(taken);
            length += taken as u64;
            if end.is_some() {
                if length > LONGEST_LINE as u64 {
                    self.line.clear();
                }
                return Ok(Some(length));
            }
        }
    }
}

fn modified(facts: &Metadata) -> i64 {
    facts.mtime().wrapping_mul(1_000_000_000).wrapping_add(facts.mtime_nsec())
}

/// A number for the bytes before a place in a file.
fn tail(file: &mut File, offset: u64) -> io::Result<i64> {
    let begin = offset.saturating_sub(TAIL);
    file.seek(SeekFrom::Start(begin))?;
    let mut bytes = Vec::new();
    file.take(offset - begin).read_to_end(&mut bytes)?;
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Ok(hash as i64)
}
