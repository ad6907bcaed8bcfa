//! Reading a session file.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::context::{self, Context};
use crate::entry::Entry;
use crate::header::{Header, VERSION};
use crate::{file, migrate};

/// Lines longer than this are skipped like lines that are no JSON.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// A session as it is on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    pub header: Header,
    /// Lines that could not be read, because a crash cut them off or something damaged them.
    pub skipped: usize,
    /// Where the old content of the file is, if it was no session and a new one took its place.
    pub set_aside: Option<PathBuf>,
    entries: Vec<Entry>,
    by_id: HashMap<String, usize>,
}

/// The file is there, but there is no getting at it. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{} is not a file. Name a session file, which ends in .jsonl.", .0.display())]
    NotAFile(PathBuf),
    #[error("Cannot read the session {}: {source}. Check that you may read the file.", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "Cannot bring the session {} to the current format: {source}. The file is unchanged; check that you may \
         write to its directory and that the disk has room.",
        path.display()
    )]
    Upgrade { path: PathBuf, source: io::Error },
}

/// Reads a session file, first bringing a file of an earlier version up to date on disk.
///
/// `None` if there is no file or it is not a session, that is, does not begin with a header.
pub fn load(path: &Path) -> Result<Option<Loaded>, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let Some(loaded) = open(path)?.map(read).transpose().map_err(failed)?.flatten() else { return Ok(None) };
    if loaded.header.version >= VERSION {
        return Ok(Some(loaded));
    }
    upgrade(path)?;
    open(path)?.map(read).transpose().map(Option::flatten).map_err(failed)
}

fn open(path: &Path) -> Result<Option<File>, LoadError> {
    // Asked before opening: opening a pipe would wait for a writer.
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(LoadError::NotAFile(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    File::open(path).map(Some).map_err(|source| LoadError::Read { path: path.to_owned(), source })
}

fn upgrade(path: &Path) -> Result<(), LoadError> {
    let written = std::fs::read(path).and_then(|content| match migrate::upgrade(&content) {
        Some(content) => file::replace(path, |writer| io::Write::write_all(writer, &content)),
        None => Ok(()),
    });
    written.map_err(|source| LoadError::Upgrade { path: path.to_owned(), source })
}

fn read(file: File) -> io::Result<Option<Loaded>> {
    let mut header = None;
    let mut entries = Vec::new();
    let mut skipped = 0;
    for_each_line(file, |line| {
        if header.is_none() {
            // The first line that is JSON decides whether this is a session.
            match line.and_then(|line| serde_json::from_slice::<Value>(line).ok()) {
                Some(value) => header = Some(Header::read(value)),
                None => skipped += 1,
            }
        } else {
            match line.and_then(Entry::read) {
                Some(entry) => entries.push(entry),
                None => skipped += 1,
            }
        }
        !matches!(header, Some(None))
    })?;
    Ok(header.flatten().map(|header| Loaded { skipped, ..Loaded::new(header, entries) }))
}

/// Calls `each` with every line that is not blank, until it says no; with `None` for a line that is too long.
fn for_each_line(file: File, mut each: impl FnMut(Option<&[u8]>) -> bool) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let too_long = line.len() as u64 == LONGEST_LINE && line.last() != Some(&b'\n');
        if too_long {
            reader.skip_until(b'\n')?;
        }
        let text = line.trim_ascii();
        if !text.is_empty() && !each((!too_long).then_some(text)) {
            return Ok(());
        }
    }
}

impl Loaded {
    pub(crate) fn new(header: Header, entries: Vec<Entry>) -> Self {
        let by_id = entries.iter().enumerate().map(|(index, entry)| (entry.id.clone(), index)).collect();
        Self { header, skipped: 0, set_aside: None, entries, by_id }
    }

    /// All entries, in the order in which they were appended.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.by_id.get(id).map(|index| &self.entries[*index])
    }

    /// Where the conversation stands: at the last entry of the file.
    pub fn leaf(&self) -> Option<&str> {
        self.entries.last().map(|entry| entry.id.as_str())
    }

    /// The entries from the root to `leaf`; to the last entry if `leaf` is unknown, none for `None`.
    pub fn path(&self, leaf: Option<&str>) -> Vec<&Entry> {
        let Some(leaf) = leaf else { return Vec::new() };
        let mut next = self.entry(leaf).or(self.entries.last());
        let mut path = Vec::new();
        // A damaged file may have entries that are their own ancestors.
        let mut seen = HashSet::new();
        while let Some(entry) = next.filter(|entry| seen.insert(entry.id.as_str())) {
            path.push(entry);
            next = entry.parent_id.as_deref().and_then(|parent| self.entry(parent));
        }
        path.reverse();
        path
    }

    /// The conversation up to the last entry.
    pub fn context(&self) -> Context {
        self.context_at(self.leaf())
    }

    /// The conversation up to `leaf`, which is found as by [`Loaded::path`].
    pub fn context_at(&self, leaf: Option<&str>) -> Context {
        context::build(&self.path(leaf))
    }
}
