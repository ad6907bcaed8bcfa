//! Who works on a session: a lock file beside it, held as long as the process lives.
//!
//! The lock is advice. A second process is told who has the session and chooses: continue beside it (each grows a
//! branch of its own, nothing is lost), copy the session, or take it over. A process that was killed holds nothing.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::sessions::Sessions;
use crate::{layout, time};

/// The extension of lock files.
pub(crate) const EXTENSION: &str = "lock";
/// A lock file holds one short line.
const LARGEST: u64 = 4096;
/// The file may be removed between opening and locking it, by a process that ends.
const TRIES: usize = 20;

/// The process that has a session open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// The machine it runs on.
    pub host: String,
    /// Since when, ISO 8601.
    pub since: String,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "open in process {} on {} since {}", self.pid, self.host, self.since)
    }
}

impl Holder {
    fn us() -> Self {
        let host = nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned());
        Self { pid: std::process::id(), host: host.unwrap_or_default(), since: time::now() }
    }

    fn unknown() -> Self {
        Self { pid: 0, host: "an unknown machine".to_owned(), since: "an unknown time".to_owned() }
    }

    fn read(mut file: &File) -> Self {
        let mut text = String::new();
        let read = file.rewind().and_then(|()| file.take(LARGEST).read_to_string(&mut text));
        read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_else(Self::unknown)
    }
}

/// A session that is ours.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

/// What came of trying.
pub(crate) enum Attempt {
    Ours(Lock),
    Held(Holder),
    /// Where nothing can be written, nothing can be locked, and nobody else writes either.
    Impossible,
}

/// The lock file of a session.
pub(crate) fn path(session: &Path) -> PathBuf {
    layout::beside(session, EXTENSION)
}

impl Lock {
    pub(crate) fn acquire(session: &Path) -> Attempt {
        let path = path(session);
        for _ in 0..TRIES {
            let opened = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(&path);
            let Ok(file) = opened else { return Attempt::Impossible };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Attempt::Held(Holder::read(&file)),
                Err(TryLockError::Error(_)) => return Attempt::Impossible,
            }
            let lock = Self { file, path: path.clone() };
            if lock.standing() == Standing::Ours {
                return if lock.sign().is_ok() { Attempt::Ours(lock) } else { Attempt::Impossible };
            }
            // Another one took the name in between; dropping ours leaves that file alone.
        }
        Attempt::Impossible
    }

    /// Puts a lock of our own in the place of another process's, which notices before its next append.
    pub(crate) fn take_over(session: &Path) -> io::Result<Self> {
        let path = path(session);
        let mut name = path.clone().into_os_string();
        name.push(format!(".{:08x}", fastrand::u32(..)));
        let temporary = PathBuf::from(name);
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&temporary)?;
        let lock = Self { file, path };
        let placed = lock
            .file
            .try_lock()
            .map_err(io::Error::from)
            .and_then(|()| lock.sign())
            .and_then(|()| std::fs::rename(&temporary, &lock.path));
        if placed.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        placed.map(|()| lock)
    }

    fn sign(&self) -> io::Result<()> {
        let text = serde_json::to_string(&Holder::us())?;
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(text.as_bytes())
    }

    /// The process that took the session over, if one did.
    pub(crate) fn lost_to(&self) -> Option<Holder> {
        match self.standing() {
            Standing::Another => {
                Some(File::open(&self.path).map_or_else(|_| Holder::unknown(), |file| Holder::read(&file)))
            }
            Standing::Ours | Standing::Gone => None,
        }
    }

    fn standing(&self) -> Standing {
        let Ok(now) = std::fs::metadata(&self.path) else { return Standing::Gone };
        let ours = self.file.metadata().is_ok_and(|ours| (ours.dev(), ours.ino()) == (now.dev(), now.ino()));
        if ours { Standing::Ours } else { Standing::Another }
    }
}

impl Sessions {
    /// Who has a session open, if anybody has.
    pub fn holder(&self, session: &Path) -> Option<Holder> {
        match Lock::acquire(session) {
            Attempt::Held(holder) => Some(holder),
            Attempt::Ours(_) | Attempt::Impossible => None,
        }
    }
}

/// Which file has the lock's name.
#[derive(PartialEq, Eq)]
enum Standing {
    Ours,
    Another,
    Gone,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.standing() == Standing::Ours {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
