//! Getting entries to the disk: when, how safely, and what happens when the disk refuses.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::blobs::BlobStore;
use crate::entry::Entry;
use crate::file::{self, Appender};
use crate::header::Header;
use crate::lock::{Attempt, Holder, Lock};
use crate::{index, persist};

/// Where a session is saved.
#[derive(Debug)]
pub(crate) enum SavePlace {
    Memory,
    /// To be created with the first answer.
    Planned(PathBuf),
    File(PathBuf),
}

/// How we stand to the file.
#[derive(Debug)]
pub(crate) enum Access {
    /// Nobody else is known to write. Without a lock where none can be made.
    Ours(Option<Lock>),
    /// Another process has the session open; both append, each to a branch of its own.
    Beside(Holder),
    /// Written by a later version, whose rules we do not know.
    Later(u32),
}

/// When an appended entry is forced to the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncPolicy {
    /// By [`crate::SessionWriter::flush`]: a killed program loses nothing, a loss of power the entries since then.
    #[default]
    OnFlush,
    /// Before its append returns: nothing is lost at all, and every append waits for the disk.
    EveryEntry,
}

/// Why the conversation is not saved at the moment.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot save the session to {}: {source} ({}); the conversation continues and is saved as soon as \
     possible",
    path.display(),
    remedy(source)
)]
pub struct SaveError {
    /// The session's file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free disk space"
        }
        io::ErrorKind::NotFound => "restore the file, which was moved or deleted",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "make the file and its directory writable"
        }
        io::ErrorKind::Unsupported => "update omp, or continue in a copy with --fork",
        io::ErrorKind::ResourceBusy => "close it there, or continue in a copy with --fork",
        _ => "check the disk",
    }
}

/// The half of a writer that knows the disk.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) place: SavePlace,
    pub(crate) access: Access,
    pub(crate) sync: SyncPolicy,
    pub(crate) blobs: Option<BlobStore>,
    /// Files of this length get an index.
    pub(crate) index_from: u64,
    /// Entries that are not on disk yet.
    waiting: VecDeque<Entry>,
    problem: Option<Problem>,
}

#[derive(Debug)]
struct Problem {
    error: SaveError,
    reported: bool,
}

impl Store {
    /// Entries that are not on disk yet, in order.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Entry> {
        self.waiting.iter()
    }

    pub(crate) fn new(place: SavePlace, access: Access, blobs: Option<BlobStore>) -> Self {
        Self {
            place,
            access,
            sync: SyncPolicy::default(),
            blobs,
            index_from: index::WORTH_AN_INDEX,
            waiting: VecDeque::new(),
            problem: None,
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.place {
            SavePlace::Memory => None,
            SavePlace::Planned(path) | SavePlace::File(path) => Some(path),
        }
    }

    pub(crate) fn is_saved(&self) -> bool {
        matches!(self.place, SavePlace::File(_))
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.waiting.push_back(entry);
    }

    pub(crate) fn problem(&self) -> Option<&SaveError> {
        self.problem.as_ref().map(|problem| &problem.error)
    }

    pub(crate) fn take_report(&mut self) -> Option<String> {
        let problem = self.problem.as_mut().filter(|problem| !problem.reported)?;
        problem.reported = true;
        Some(problem.error.to_string())
    }

    /// Saves everything that waits. Was the file created by this?
    pub(crate) fn save(&mut self, header: &Header) -> bool {
        let planned = matches!(self.place, SavePlace::Planned(_));
        let saved = self.check().and_then(|()| match &self.place {
            SavePlace::Memory => Ok(()),
            SavePlace::Planned(path) => self.create(path, header),
            SavePlace::File(_) => self.append_all(header),
        });
        let created = planned && saved.is_ok();
        if created && let SavePlace::Planned(path) = &self.place {
            self.waiting.clear();
            self.access = match Lock::acquire(path) {
                Attempt::Ours(lock) => Access::Ours(Some(lock)),
                Attempt::Held(_) | Attempt::Impossible => Access::Ours(None),
            };
            self.place = SavePlace::File(path.clone());
        }
        self.note(saved);
        created
    }

    /// Forces the file to the disk, and keeps the index of a long one up to date.
    pub(crate) fn flush(&mut self) {
        let (SavePlace::File(path), None) = (&self.place, &self.problem) else { return };
        if matches!(self.access, Access::Later(_)) {
            return;
        }
        let synced = File::open(path).and_then(|file| file.sync_all());
        if synced.is_ok() {
            index::refresh(path, self.index_from);
        }
        self.note(synced);
    }

    /// May we write at all?
    pub(crate) fn check(&self) -> io::Result<()> {
        match &self.access {
            Access::Later(version) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("it was written by a newer version of omp (format {version}) and is read-only"),
            )),
            Access::Ours(Some(lock)) => match lock.lost_to() {
                None => Ok(()),
                Some(holder) => {
                    Err(io::Error::new(io::ErrorKind::ResourceBusy, format!("it was taken over; {holder}")))
                }
            },
            Access::Ours(None) | Access::Beside(_) => Ok(()),
        }
    }

    pub(crate) fn note(&mut self, result: io::Result<()>) {
        let Err(source) = result else {
            self.problem = None;
            return;
        };
        if self.problem.is_none() {
            let path = self.path().unwrap_or(Path::new("")).to_owned();
            self.problem = Some(Problem { error: SaveError { path, source }, reported: false });
        }
    }

    fn create(&self, path: &Path, header: &Header) -> io::Result<()> {
        file::replace(path, |writer| {
            writer.write_all(&header.line())?;
            self.waiting.iter().try_for_each(|entry| writer.write_all(&self.line(entry)))
        })
    }

    /// Each entry leaves the queue when it is on disk, so that a later attempt neither loses nor repeats one.
    fn append_all(&mut self, header: &Header) -> io::Result<()> {
        let SavePlace::File(path) = &self.place else { return Ok(()) };
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut appender = Appender::open(path)?;
        if appender.is_empty() {
            appender.append(&header.line())?;
        }
        while let Some(entry) = self.waiting.front() {
            appender.append(&self.line(entry))?;
            self.waiting.pop_front();
        }
        if self.sync == SyncPolicy::EveryEntry { appender.sync() } else { Ok(()) }
    }

    /// The entry as it is stored; its blobs are on disk before it.
    fn line(&self, entry: &Entry) -> Vec<u8> {
        let stored = persist::store(entry, self.blobs.as_ref());
        if stored.refers
            && let (Some(blobs), Some(directory)) = (&self.blobs, self.path().and_then(Path::parent))
        {
            blobs.remember(directory);
        }
        stored.line
    }
}
