//! Reading a session file as a whole.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::archive::Recent;
use crate::blobs::BlobStore;
use crate::context::{self, Context};
use crate::entry::Entry;
use crate::header::{Header, VERSION};
use crate::lines::Lines;
use crate::rewrite::{CopyError, Source};
use crate::title_slot::{self, NamedAt, Opening};

/// A session as it is on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Who, when, where.
    pub header: Header,
    /// Lines that could not be read, because a crash cut them off or something damaged them.
    pub skipped: usize,
    /// What went wrong on the way and does not keep the conversation from continuing.
    pub warnings: Vec<String>,
    entries: Vec<Entry>,
    by_id: HashMap<String, usize>,
    /// Where the images of the conversation are.
    blobs: Option<BlobStore>,
}

/// The file is there, but there is no getting at it. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{} is not a file; specify a session file (.jsonl)", .0.display())]
    NotAFile(PathBuf),
    #[error("cannot read the session {}: {source} (check its permissions)", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "cannot migrate the session {} to the current format: {source}; the file is unchanged (check disk \
         space and the permissions of its directory)",
        path.display()
    )]
    Upgrade { path: PathBuf, source: io::Error },
}

/// The entries of a session file, as they stand in it.
pub fn read_entries(path: &Path) -> Result<Vec<Entry>, LoadError> {
    Ok(load(path)?.map(|loaded| loaded.entries).unwrap_or_default())
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

pub(crate) fn open(path: &Path) -> Result<Option<File>, LoadError> {
    // Asked before opening: opening a pipe would wait for a writer.
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(LoadError::NotAFile(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    File::open(path).map(Some).map_err(|source| LoadError::Read { path: path.to_owned(), source })
}

/// Brings a file of an earlier version up to date on disk.
pub(crate) fn upgrade(path: &Path) -> Result<(), LoadError> {
    let written = Source::open(path).and_then(|mut source| source.write(path));
    written.map_err(|error| {
        let source = match error {
            CopyError::Read { source, .. } | CopyError::Write { source, .. } => source,
            other => io::Error::other(other),
        };
        LoadError::Upgrade { path: path.to_owned(), source }
    })
}

fn read(file: File) -> io::Result<Option<Loaded>> {
    let mut header = None;
    let mut names = Vec::new();
    let mut entries = Vec::new();
    let mut skipped = 0;
    let mut lines = Lines::new(file)?;
    while let Some(line) = lines.next()? {
        if header.is_some() {
            match line.text.and_then(Entry::read) {
                Some(entry) => entries.push(entry),
                None => skipped += 1,
            }
            continue;
        }
        // The first line that is JSON, but for the name, decides whether this is a session.
        match line.text.and_then(|text| serde_json::from_slice(text).ok()).map(Opening::read) {
            Some(Opening::Name(name)) => names.push(name),
            Some(Opening::Header(found)) => header = Some(found),
            Some(Opening::Other) => return Ok(None),
            None => skipped += 1,
        }
    }
    let Some(mut header) = header else { return Ok(None) };
    names.extend(entries.iter().filter_map(NamedAt::of));
    title_slot::name(&mut header, names);
    Ok(Some(Loaded { skipped, ..Loaded::new(header, entries) }))
}

impl Loaded {
    pub(crate) fn new(header: Header, entries: Vec<Entry>) -> Self {
        let by_id = entries.iter().enumerate().map(|(index, entry)| (entry.id.clone(), index)).collect();
        Self { header, skipped: 0, warnings: Vec::new(), entries, by_id, blobs: None }
    }

    /// Adds entries behind the last one.
    pub(crate) fn extend(&mut self, entries: impl Iterator<Item = Entry>) {
        for entry in entries {
            self.by_id.insert(entry.id.clone(), self.entries.len());
            self.entries.push(entry);
        }
    }

    pub(crate) fn with_blobs(mut self, blobs: &BlobStore) -> Self {
        self.blobs = Some(blobs.clone());
        self
    }

    /// All entries, in the order in which they were appended.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with this id; the last one if several claim it.
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

    /// Everything on the way to `leaf`, for people: also what a compaction took out of the model's sight, with each
    /// compaction where it happened. Which entries are drawn says [`Entry::is_drawn`].
    pub fn transcript(&self, leaf: Option<&str>) -> Vec<&Entry> {
        self.path(leaf)
    }

    /// Puts the images of messages of this session back in their places.
    pub fn fill_images(&self, messages: &mut [std::sync::Arc<omp_types::Message>]) {
        if let Some(blobs) = &self.blobs {
            crate::rehydrate::fill(messages, blobs);
        }
    }

    /// What decides the context at `leaf`, which is found as by [`Loaded::path`].
    pub fn recent(&self, leaf: Option<&str>) -> Recent {
        let entries = self.path(leaf).into_iter().cloned().collect();
        Recent::new(entries, self.blobs.clone())
    }

    /// The conversation up to the last entry.
    pub fn context(&self) -> Context {
        self.context_at(self.leaf())
    }

    /// The conversation up to `leaf`, which is found as by [`Loaded::path`].
    pub fn context_at(&self, leaf: Option<&str>) -> Context {
        context::build(&self.path(leaf)).with_images(self.blobs.as_ref())
    }
}
