//! An index beside a long session file: where each entry is and what it hangs on.
//!
//! With it a conversation is opened, shown from its end and continued by reading the lines it needs, however long
//! the file is. The index is never trusted over the file: it names the file it was made from, its length, time and
//! the checksums of both ends, each record has a checksum, and every line that is read through it must be the entry
//! it says. Where anything differs, the index is made again; where that cannot be done, the whole file is read.

mod build;
mod parse;
mod record;

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use record::{Freshness, HEADER, Header, NONE, RECORD, Record, RecordKind, key, short_of};

pub(crate) use record::short;

use crate::context::tasks;
use crate::entry::{Entry, EntryKind};
use crate::{file, layout};

/// The extension of index files.
pub(crate) const EXTENSION: &str = "index";
/// Shorter files are read as a whole, unless told otherwise.
pub(crate) const WORTH_AN_INDEX: u64 = 1024 * 1024;
/// Extending an index takes milliseconds; a process that needs longer has stopped.
const LOCK_TRIES: usize = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(4);
/// Records that are read at once.
const BLOCK: u64 = 1024;

/// A session file with its index, open for reading.
#[derive(Debug)]
pub(crate) struct Index {
    session: File,
    index: File,
    header: Header,
    /// The records that were read last, and the number of the first of them.
    block: (u64, Vec<u8>),
}

/// Why a file cannot be read through its index.
#[derive(Debug)]
pub(crate) enum IndexError {
    /// The index or the file cannot be read or written.
    Io,
    /// The index and the file do not agree.
    Stale,
    /// The file has to be read as a whole.
    Irregular,
}

impl From<io::Error> for IndexError {
    fn from(_: io::Error) -> Self {
        Self::Io
    }
}

/// The index file of a session.
pub(crate) fn path(session: &Path) -> PathBuf {
    layout::beside(session, EXTENSION)
}

/// Brings the index of a long session up to date, so that the next start is quick. Without it the next start takes
/// longer, so failing is no error.
pub(crate) fn refresh(session: &Path, from: u64) {
    let long = std::fs::metadata(session).is_ok_and(|metadata| metadata.len() >= from);
    if long {
        let _ = Index::open(session);
    }
}

impl Index {
    /// Opens a session with its index, which is brought up to date or made again.
    pub(crate) fn open(session: &Path) -> Result<Self, IndexError> {
        let file = File::open(session)?;
        let path = path(session);
        let (index, header) = match existing(&path, &file) {
            Some(found) => found,
            None => build(&path, &file)?,
        };
        if header.irregular {
            return Err(IndexError::Irregular);
        }
        let mut index = Self { session: file, index, header, block: (0, Vec::new()) };
        index.check_end()?;
        Ok(index)
    }

    /// The same, not trusting what is there.
    pub(crate) fn rebuild(session: &Path) -> Result<Self, IndexError> {
        let _ = std::fs::remove_file(path(session));
        Self::open(session)
    }

    /// A whole entry without its newline is an entry, which no record describes.
    fn check_end(&mut self) -> Result<(), IndexError> {
        let length = self.session.metadata()?.len();
        let rest = length.saturating_sub(self.header.covered);
        if rest == 0 {
            return Ok(());
        }
        let mut lines = crate::lines::Lines::from(self.session.try_clone()?, self.header.covered)?;
        while let Some(line) = lines.next()? {
            if line.text.and_then(Entry::read).is_some() {
                return Err(IndexError::Irregular);
            }
            self.header.skipped += 1;
        }
        Ok(())
    }

    /// Lines that are no entries.
    pub(crate) fn skipped(&self) -> usize {
        usize::try_from(self.header.skipped).unwrap_or(usize::MAX)
    }

    /// The last entry of the file.
    pub(crate) fn leaf(&self) -> Option<u32> {
        self.header.count.checked_sub(1).and_then(|last| u32::try_from(last).ok())
    }

    /// The entry of this number, from the file.
    pub(crate) fn entry(&mut self, number: u32) -> Result<Entry, IndexError> {
        let record = self.record(number)?;
        let mut line = vec![0; record.length as usize];
        self.session.read_exact_at(&mut line, record.offset)?;
        let entry = Entry::read(line.trim_ascii()).ok_or(IndexError::Stale)?;
        if key(&entry.id) == record.key { Ok(entry) } else { Err(IndexError::Stale) }
    }

    /// The number of the entry above.
    pub(crate) fn parent(&mut self, number: u32) -> Result<Option<u32>, IndexError> {
        let parent = self.record(number)?.parent;
        // Numbers fall on the way to the root, or the way would not end.
        match parent {
            NONE => Ok(None),
            parent if parent < number => Ok(Some(parent)),
            _ => Err(IndexError::Stale),
        }
    }

    /// The number of the entry with this id.
    pub(crate) fn find(&mut self, id: &str) -> Result<Option<u32>, IndexError> {
        let wanted = key(id);
        let Some(mut number) = self.leaf() else { return Ok(None) };
        loop {
            if self.record(number)?.key == wanted && self.entry(number)?.id == id {
                return Ok(Some(number));
            }
            match number.checked_sub(1) {
                Some(before) => number = before,
                None => return Ok(None),
            }
        }
    }

    /// All ids in use that could be drawn again, in order.
    pub(crate) fn short_ids(&self) -> io::Result<Vec<u32>> {
        let mut ids = Vec::with_capacity(usize::try_from(self.header.count).unwrap_or(0));
        for_each_record(&self.index, self.header.count, |_, record| ids.extend(short_of(record.key)))?;
        ids.sort_unstable();
        Ok(ids)
    }

    /// The entries that decide the context at an entry, in order: those the model reads, and the settings, the list of
    /// tasks and the plan before.
    pub(crate) fn context(&mut self, leaf: u32) -> Result<Vec<Entry>, IndexError> {
        let mut numbers = self.settings(leaf)?;
        let record = self.record(leaf)?;
        numbers.extend(record.nearest(RecordKind::Answer));
        numbers.extend(record.nearest(RecordKind::Plan));
        numbers.extend(self.tasks(leaf)?);
        let stop = match record.nearest(RecordKind::Compaction) {
            Some(compaction) => self.first_kept(compaction)?,
            None => 0,
        };
        let mut next = Some(leaf);
        while let Some(number) = next.filter(|number| *number >= stop) {
            numbers.push(number);
            next = self.parent(number)?;
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|number| self.entry(number)).collect()
    }

    /// The newest entry that leaves a list of tasks behind.
    fn tasks(&mut self, leaf: u32) -> Result<Option<u32>, IndexError> {
        let mut next = Some(leaf);
        while let Some(number) = next {
            let Some(found) = self.nearest(number, RecordKind::Tasks)? else { break };
            if tasks(&self.entry(found)?).is_some() {
                return Ok(Some(found));
            }
            next = self.parent(found)?;
        }
        Ok(None)
    }

    /// The nearest entry of a kind, from this one on towards the root.
    fn nearest(&mut self, number: u32, kind: RecordKind) -> Result<Option<u32>, IndexError> {
        match self.record(number)?.nearest(kind) {
            Some(found) if found > number => Err(IndexError::Stale),
            found => Ok(found),
        }
    }

    /// How many entries are above this one.
    pub(crate) fn depth(&mut self, number: u32) -> Result<usize, IndexError> {
        let (mut depth, mut next) = (0, self.parent(number)?);
        while let Some(number) = next {
            depth += 1;
            next = self.parent(number)?;
        }
        Ok(depth)
    }

    /// Where the part begins that a compaction keeps; the compaction itself if it keeps nothing.
    fn first_kept(&mut self, compaction: u32) -> Result<u32, IndexError> {
        let entry = match self.entry(compaction)?.kind {
            EntryKind::Compaction(entry) => entry,
            EntryKind::ResetBoundary(_) => return Ok(compaction),
            _ => return Err(IndexError::Stale),
        };
        let Some(first) = entry.first_kept_entry_id else { return Ok(compaction) };
        let Some(first) = self.find(&first)? else { return Ok(compaction) };
        let mut next = Some(compaction);
        while let Some(number) = next.filter(|number| *number > first) {
            next = self.parent(number)?;
        }
        Ok(if next == Some(first) { first } else { compaction })
    }

    fn settings(&mut self, leaf: u32) -> Result<Vec<u32>, IndexError> {
        let mut found = Vec::new();
        let mut next = Some(leaf);
        while let Some(number) = next {
            let Some(state) = self.nearest(number, RecordKind::State)? else { break };
            found.push(state);
            next = self.parent(state)?;
        }
        Ok(found)
    }

    fn record(&mut self, number: u32) -> Result<Record, IndexError> {
        let number = u64::from(number);
        if number >= self.header.count {
            return Err(IndexError::Stale);
        }
        let first = number - number % BLOCK;
        if self.block.0 != first || self.block.1.is_empty() {
            let count = BLOCK.min(self.header.count - first) as usize;
            self.block = (first, vec![0; count * RECORD]);
            let read = self.index.read_exact_at(&mut self.block.1, place(first));
            if read.is_err() {
                self.block.1.clear();
                return Err(IndexError::Stale);
            }
        }
        let at = (number - first) as usize * RECORD;
        let bytes = self.block.1.get(at..at + RECORD);
        bytes.and_then(Record::decode).ok_or(IndexError::Stale)
    }
}

fn place(number: u64) -> u64 {
    HEADER as u64 + number * RECORD as u64
}

/// The index that is there, if it can be used, after adding what it lacks.
fn existing(path: &Path, session: &File) -> Option<(File, Header)> {
    let index = OpenOptions::new().read(true).write(true).open(path).or_else(|_| File::open(path)).ok()?;
    // Two processes must not extend it at the same time. One that has stopped in the middle is not waited for.
    if !locked_soon(&index) {
        return None;
    }
    let mut bytes = [0; HEADER];
    index.read_exact_at(&mut bytes, 0).ok()?;
    let header = Header::decode(&bytes)?;
    let header = match header.freshness(session).ok()? {
        Freshness::Current => header,
        Freshness::Behind => {
            let last = last_record(&index, header.count)?;
            build::extend(&index, header, last, session).ok()?
        }
        Freshness::Stale => return None,
    };
    index.unlock().ok()?;
    Some((index, header))
}

fn locked_soon(index: &File) -> bool {
    for _ in 0..LOCK_TRIES {
        if index.try_lock().is_ok() {
            return true;
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    false
}

/// `None` if it is damaged.
fn last_record(index: &File, count: u64) -> Option<Option<Record>> {
    let Some(last) = count.checked_sub(1) else { return Some(None) };
    let mut bytes = [0; RECORD];
    index.read_exact_at(&mut bytes, place(last)).ok()?;
    Record::decode(&bytes).map(Some)
}

fn build(path: &Path, session: &File) -> io::Result<(File, Header)> {
    let mut made = Header::default();
    file::replace_unsynced(path, |writer| {
        writer.write_all(&[0; HEADER])?;
        made = build::Builder::new().run(session, writer)?;
        writer.seek(SeekFrom::Start(0))?;
        writer.write_all(&made.encode())
    })?;
    Ok((OpenOptions::new().read(true).write(true).open(path)?, made))
}

/// Calls `each` with every record, in order; damaged ones end it early.
fn for_each_record(index: &File, count: u64, mut each: impl FnMut(u32, &Record)) -> io::Result<()> {
    let mut bytes = vec![0; BLOCK as usize * RECORD];
    for first in (0..count).step_by(BLOCK as usize) {
        let length = (BLOCK.min(count - first)) as usize * RECORD;
        index.read_exact_at(&mut bytes[..length], place(first))?;
        for (record, number) in bytes[..length].chunks_exact(RECORD).zip(first..) {
            let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a record of the index is damaged");
            each(u32::try_from(number).unwrap_or(NONE), &Record::decode(record).ok_or_else(damaged)?);
        }
    }
    Ok(())
}
