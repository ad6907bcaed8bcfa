//! Looking back into a saved conversation, page by page.

use std::path::{Path, PathBuf};

use crate::blobs::BlobStore;
use crate::context::{self, Context};
use crate::entry::Entry;
use crate::index::{Index, IndexError};
use crate::load::{LoadError, Loaded, load};

/// A conversation as it was when it was opened. Of a long one nothing is kept in memory.
#[derive(Debug)]
pub struct Archive(Inner);

#[derive(Debug)]
enum Inner {
    Whole(Box<Loaded>),
    Indexed { index: Box<Index>, path: PathBuf, blobs: BlobStore },
}

/// The end of a conversation, up to one of its entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// The oldest first.
    pub entries: Vec<Entry>,
    /// How many are before them.
    pub before: usize,
}

/// The entries that decide what the model is told: those it reads, and the settings, the list of tasks and the plan
/// before.
#[derive(Clone, Debug)]
pub struct Recent {
    entries: Vec<Entry>,
    blobs: Option<BlobStore>,
}

impl Recent {
    pub(crate) fn new(entries: Vec<Entry>, blobs: Option<BlobStore>) -> Self {
        Self { entries, blobs }
    }

    /// The entries, the oldest first.
    pub fn path(&self) -> Vec<&Entry> {
        self.entries.iter().collect()
    }

    /// What the model is told, and the settings in force.
    pub fn context(&self) -> Context {
        context::build(&self.path()).with_images(self.blobs.as_ref())
    }
}

impl Archive {
    pub(crate) fn whole(loaded: Loaded) -> Self {
        Self(Inner::Whole(Box::new(loaded)))
    }

    pub(crate) fn indexed(index: Index, path: &Path, blobs: BlobStore) -> Self {
        Self(Inner::Indexed { index: Box::new(index), path: path.to_owned(), blobs })
    }

    /// The last entries of the conversation, at most `count`, the oldest first.
    pub fn tail(&mut self, count: usize) -> Result<Vec<Entry>, LoadError> {
        self.page(None, count)
    }

    /// The entries before the one with this id, at most `count`, the oldest first; none if there is no such entry.
    pub fn before(&mut self, id: &str, count: usize) -> Result<Vec<Entry>, LoadError> {
        self.page(Some(id), count)
    }

    /// The conversation up to an entry; up to the last one if there is no such entry.
    pub fn context_at(&mut self, id: &str) -> Result<Context, LoadError> {
        let through = |index: &mut Index| {
            let Some(leaf) = index.find(id)?.or(index.leaf()) else { return Ok(Context::default()) };
            Self::context_through(index, leaf)
        };
        let (blobs, built) = match &mut self.0 {
            Inner::Whole(loaded) => return Ok(loaded.context_at(Some(id))),
            Inner::Indexed { index, blobs, .. } => (blobs.clone(), through(index)),
        };
        match built {
            Ok(context) => Ok(context.with_images(Some(&blobs))),
            Err(_) => Ok(self.read_whole()?.context_at(Some(id))),
        }
    }

    /// What decides the context at an entry; at the last one if there is no such entry, nothing for `None`.
    pub fn recent(&mut self, leaf: Option<&str>) -> Result<Recent, LoadError> {
        let (found, blobs) = match &mut self.0 {
            Inner::Whole(loaded) => return Ok(loaded.recent(leaf)),
            Inner::Indexed { index, blobs, .. } => (recent_through(index, leaf), blobs.clone()),
        };
        match found {
            Ok(entries) => Ok(Recent::new(entries, Some(blobs))),
            Err(_) => Ok(self.read_whole()?.recent(leaf)),
        }
    }

    /// The last entries on the way to an entry, at most `count`; to the last one if there is no such entry, none for
    /// `None`.
    pub fn way(&mut self, leaf: Option<&str>, count: usize) -> Result<Way, LoadError> {
        let found = match &mut self.0 {
            Inner::Whole(loaded) => return Ok(way_of(loaded, leaf, count)),
            Inner::Indexed { index, .. } => way_through(index, leaf, count),
        };
        match found {
            Ok(way) => Ok(way),
            Err(_) => Ok(way_of(self.read_whole()?, leaf, count)),
        }
    }

    /// Puts the images of messages of this session back in their places.
    pub fn fill_images(&self, messages: &mut [std::sync::Arc<omp_types::Message>]) {
        match &self.0 {
            Inner::Whole(loaded) => loaded.fill_images(messages),
            Inner::Indexed { blobs, .. } => {
                crate::rehydrate::fill(messages, blobs);
            }
        }
    }

    /// One entry.
    pub fn entry(&mut self, id: &str) -> Result<Option<Entry>, LoadError> {
        let found = match &mut self.0 {
            Inner::Whole(loaded) => return Ok(loaded.entry(id).cloned()),
            Inner::Indexed { index, .. } => {
                index.find(id).and_then(|number| number.map(|number| index.entry(number)).transpose())
            }
        };
        match found {
            Ok(entry) => Ok(entry),
            Err(_) => Ok(self.read_whole()?.entry(id).cloned()),
        }
    }

    pub(crate) fn context_through(index: &mut Index, leaf: u32) -> Result<Context, IndexError> {
        let entries = index.context(leaf)?;
        Ok(context::build(&entries.iter().collect::<Vec<_>>()))
    }

    fn page(&mut self, before: Option<&str>, count: usize) -> Result<Vec<Entry>, LoadError> {
        let found = match &mut self.0 {
            Inner::Whole(loaded) => return Ok(page_of(loaded, before, count)),
            Inner::Indexed { index, .. } => page_through(index, before, count),
        };
        match found {
            Ok(entries) => Ok(entries),
            Err(_) => Ok(page_of(self.read_whole()?, before, count)),
        }
    }

    /// When the index and the file no longer agree, the file is right.
    fn read_whole(&mut self) -> Result<&Loaded, LoadError> {
        if let Inner::Indexed { path, blobs, .. } = &self.0 {
            let gone = || LoadError::NotAFile(path.clone());
            let loaded = load(path)?.ok_or_else(gone)?.with_blobs(blobs);
            self.0 = Inner::Whole(Box::new(loaded));
        }
        match &self.0 {
            Inner::Whole(loaded) => Ok(loaded),
            Inner::Indexed { path, .. } => Err(LoadError::NotAFile(path.clone())),
        }
    }
}

fn page_of(loaded: &Loaded, before: Option<&str>, count: usize) -> Vec<Entry> {
    let path = match before {
        Some(id) if loaded.entry(id).is_none() => return Vec::new(),
        Some(id) => loaded.path(Some(id)),
        None => loaded.path(loaded.leaf()),
    };
    let end = if before.is_some() { path.len().saturating_sub(1) } else { path.len() };
    path[end.saturating_sub(count)..end].iter().map(|entry| (*entry).clone()).collect()
}

fn recent_through(index: &mut Index, leaf: Option<&str>) -> Result<Vec<Entry>, IndexError> {
    match place_of(index, leaf)? {
        Some(leaf) => index.context(leaf),
        None => Ok(Vec::new()),
    }
}

/// The number of an entry; of the last one if there is no such entry.
fn place_of(index: &mut Index, leaf: Option<&str>) -> Result<Option<u32>, IndexError> {
    let Some(id) = leaf else { return Ok(None) };
    Ok(index.find(id)?.or(index.leaf()))
}

fn way_of(loaded: &Loaded, leaf: Option<&str>, count: usize) -> Way {
    let path = loaded.path(leaf);
    let before = path.len().saturating_sub(count);
    Way { entries: path[before..].iter().map(|entry| (*entry).clone()).collect(), before }
}

fn way_through(index: &mut Index, leaf: Option<&str>, count: usize) -> Result<Way, IndexError> {
    let mut next = place_of(index, leaf)?;
    let mut entries = Vec::new();
    while let Some(number) = next.filter(|_| entries.len() < count) {
        entries.push(index.entry(number)?);
        next = index.parent(number)?;
    }
    let before = match next {
        Some(number) => index.depth(number)? + 1,
        None => 0,
    };
    entries.reverse();
    Ok(Way { entries, before })
}

fn page_through(index: &mut Index, before: Option<&str>, count: usize) -> Result<Vec<Entry>, IndexError> {
    let mut next = match before {
        Some(id) => match index.find(id)? {
            Some(number) => index.parent(number)?,
            None => None,
        },
        None => index.leaf(),
    };
    let mut page = Vec::new();
    while let Some(number) = next.filter(|_| page.len() < count) {
        page.push(index.entry(number)?);
        next = index.parent(number)?;
    }
    page.reverse();
    Ok(page)
}
