//! Opening a session to continue it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::archive::Archive;
use crate::context::Context;
use crate::file::{self, Appender};
use crate::header::{Header, VERSION};
use crate::id::EntryIds;
use crate::index::{Index, IndexError};
use crate::layout;
use crate::load::{self, LoadError, Loaded, load};
use crate::lock::{Attempt, Holder, Lock};
use crate::save::{Access, SavePlace, Store};
use crate::sessions::Sessions;
use crate::slice;
use crate::writer::SessionWriter;

/// What to do when another process has the session open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfHeld {
    /// Open nothing and say who has it.
    #[default]
    Refuse,
    /// Continue beside it: each process grows a branch of its own, nothing is lost.
    Share,
    /// Take the session away: the other process saves nothing more to it, and says so.
    TakeOver,
}

/// A session that is open.
#[derive(Debug)]
pub struct Opened {
    /// What the model is told, and the settings in force.
    pub context: Context,
    /// Appends to it.
    pub writer: SessionWriter,
    /// Looks back into it.
    pub archive: Archive,
    /// Lines that could not be read, because a crash cut them off or something damaged them.
    pub skipped: usize,
}

/// Why a session could not be opened. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is a file, but no getting at it.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// There is a file, but it is something else.
    #[error(
        "{} is not a session and was not changed (rebuild it with: omp session recover <path>)",
        .0.display()
    )]
    NotASession(PathBuf),
    /// There is no session, and none can begin.
    #[error(
        "cannot create a session in {}: {source} (check disk space and permissions)",
        path.display()
    )]
    Create {
        /// The session that was to begin.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has it.
    #[error("the session {} is in use: {holder}; close it there, continue in a copy with --fork, or take \
         it over with --take-over", path.display())]
    Held {
        /// The session.
        path: PathBuf,
        /// Who has it.
        holder: Holder,
    },
}

impl Sessions {
    /// Opens a session to continue it, beside another process if one has it open. The whole file is read into
    /// memory; [`Sessions::resume`] reads what it needs.
    ///
    /// If there is no file, or nothing in it, a new session of `cwd` begins at exactly this path. A file that holds
    /// something else is an error, and stays as it is.
    pub fn open(&self, path: &Path, cwd: &Path) -> Result<(Loaded, SessionWriter), OpenError> {
        let path = behind_links(path);
        let access = access(&path, IfHeld::Share)?;
        let loaded = self.load_or_begin(&path, cwd)?;
        let writer = self.writer(&path, &loaded, access);
        Ok((loaded, writer))
    }

    /// Opens a session to continue it. Of a long one only the end and what the model reads are looked at.
    ///
    /// A file that is missing, empty or no session is treated as by [`Sessions::open`].
    pub fn resume(&self, path: &Path, cwd: &Path, held: IfHeld) -> Result<Opened, OpenError> {
        let path = behind_links(path);
        let access = access(&path, held)?;
        if let Some(head) = long_session(&path, self.index_from)? {
            if head.version < VERSION {
                load::upgrade(&path)?;
            }
            match self.resume_long(&path, Header { version: head.version.max(VERSION), ..head }, access) {
                Ok(opened) => return Ok(opened),
                // Without an index, or with a file that no index describes, the whole is read.
                Err(access) => return self.resume_whole(&path, cwd, access),
            }
        }
        self.resume_whole(&path, cwd, access)
    }

    /// Looks into a session without continuing with it. Of a long one nothing is read before it is asked for. `None` if
    /// there is no file or it is not a session.
    pub fn archive(&self, path: &Path) -> Result<Option<Archive>, LoadError> {
        let path = behind_links(path);
        if long_session(&path, self.index_from)?.is_some_and(|head| head.version >= VERSION) {
            let index = match Index::open(&path) {
                Err(IndexError::Stale) => Index::rebuild(&path),
                other => other,
            };
            if let Ok(index) = index {
                return Ok(Some(Archive::indexed(index, &path, self.blobs())));
            }
        }
        Ok(load(&path)?.map(|loaded| Archive::whole(loaded.with_blobs(&self.blobs()))))
    }

    fn resume_whole(&self, path: &Path, cwd: &Path, access: Access) -> Result<Opened, OpenError> {
        let loaded = self.load_or_begin(path, cwd)?;
        let writer = self.writer(path, &loaded, access);
        Ok(Opened {
            context: loaded.context(),
            writer,
            skipped: loaded.skipped,
            archive: Archive::whole(loaded),
        })
    }

    fn resume_long(&self, path: &Path, header: Header, access: Access) -> Result<Opened, Access> {
        let Ok((index, context, leaf)) = self.through_index(path) else { return Err(access) };
        // Another handle for the writer: each has a place of its own in the file.
        let Ok(for_ids) = Index::open(path) else { return Err(access) };
        let access = understood(header.version, access);
        let store = self.store(path, access);
        Ok(Opened {
            context,
            writer: SessionWriter::resumed(header, store, EntryIds::of(for_ids), leaf),
            skipped: index.skipped(),
            archive: Archive::indexed(index, path, self.blobs()),
        })
    }

    fn store(&self, path: &Path, access: Access) -> Store {
        let mut store = Store::new(SavePlace::File(path.to_owned()), access, Some(self.blobs()));
        store.index_from = self.index_from;
        store
    }

    fn through_index(&self, path: &Path) -> Result<(Index, Context, Option<String>), IndexError> {
        let read = |mut index: Index| {
            let Some(leaf) = index.leaf() else { return Ok((index, Context::default(), None)) };
            let context = Archive::context_through(&mut index, leaf)?.with_images(Some(&self.blobs()));
            let id = index.entry(leaf)?.id;
            Ok((index, context, Some(id)))
        };
        match Index::open(path).and_then(read) {
            Err(IndexError::Stale) => Index::rebuild(path).and_then(read),
            other => other,
        }
    }

    fn load_or_begin(&self, path: &Path, cwd: &Path) -> Result<Loaded, OpenError> {
        let loaded = match load(path)? {
            Some(loaded) => loaded,
            None => begin_at(path, cwd)?,
        };
        Ok(loaded.with_blobs(&self.blobs()))
    }

    fn writer(&self, path: &Path, loaded: &Loaded, access: Access) -> SessionWriter {
        let header = loaded.header.clone();
        // A session that began just now had no directory to put a lock into.
        let access = match access {
            Access::Ours(None) => self::access(path, IfHeld::Share).unwrap_or(Access::Ours(None)),
            other => other,
        };
        let access = understood(header.version, access);
        let store = self.store(path, access);
        let ids = loaded.entries().iter().map(|entry| entry.id.as_str()).collect();
        SessionWriter::resumed(header, store, ids, loaded.leaf().map(str::to_owned))
    }
}

/// A rewrite would replace a link instead of the file.
fn behind_links(path: &Path) -> PathBuf {
    layout::real(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

fn access(path: &Path, held: IfHeld) -> Result<Access, OpenError> {
    match (Lock::acquire(path), held) {
        (Attempt::Ours(lock), _) => Ok(Access::Ours(Some(lock))),
        (Attempt::Impossible, _) => Ok(Access::Ours(None)),
        (Attempt::Held(holder), IfHeld::Refuse) => Err(OpenError::Held { path: path.to_owned(), holder }),
        (Attempt::Held(holder), IfHeld::Share) => Ok(Access::Beside(holder)),
        (Attempt::Held(_), IfHeld::TakeOver) => Lock::take_over(path)
            .map(|lock| Access::Ours(Some(lock)))
            .map_err(|source| OpenError::Create { path: path.to_owned(), source }),
    }
}

/// What a later version wrote is only read: we do not know what its entries mean.
fn understood(version: u32, access: Access) -> Access {
    if version > VERSION { Access::Later(version) } else { access }
}

/// The header of a session that is worth an index.
fn long_session(path: &Path, from: u64) -> Result<Option<Header>, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let Some(file) = load::open(path)? else { return Ok(None) };
    if file.metadata().map_err(failed)?.len() < from {
        return Ok(None);
    }
    slice::header(&file).map_err(failed)
}

/// Begins a session in a file that does not exist or holds nothing.
fn begin_at(path: &Path, cwd: &Path) -> Result<Loaded, OpenError> {
    let failed = |source| OpenError::Create { path: path.to_owned(), source };
    let header = Header::new(cwd);
    match std::fs::metadata(path) {
        Ok(found) if found.len() > 0 => return Err(OpenError::NotASession(path.to_owned())),
        // Somebody made the file, perhaps with a link to it or with rights of its own: it is filled, not replaced.
        Ok(_) => Appender::open(path).and_then(|mut file| file.append(&header.line())).map_err(failed)?,
        Err(_) => file::replace(path, |writer| writer.write_all(&header.line())).map_err(failed)?,
    }
    Ok(Loaded::new(header, Vec::new()))
}
