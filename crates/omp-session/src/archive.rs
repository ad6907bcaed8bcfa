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
