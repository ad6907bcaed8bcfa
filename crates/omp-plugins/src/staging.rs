//! Temporary directories for what is not complete yet, beside the place that it will have, so that it gets there by a
//! rename. They are removed with their owner; what a killed program left is removed by the next one.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Below the directory that is written to.
const NAME: &str = ".staging";
/// Held for as long as its owner lives.
const LOCK: &str = "lock";
/// A directory has its lock a moment after it was created.
const LEFT_OVER: Duration = Duration::from_secs(60);

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A directory that is removed when this is dropped.
#[derive(Debug)]
pub struct Staging {
    top: PathBuf,
    _lock: File,
}

impl Staging {
    /// A new, empty directory below `parent`, on the same file system.
    pub fn new(parent: &Path) -> io::Result<Self> {
        let all = parent.join(NAME);
        omp_workspace::write::private_directory(&all)?;
        sweep(&all);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let top = all.join(format!("{}-{number}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&top) {
                Ok(()) => {
                    let lock = lock_file(&top)?;
                    lock.try_lock().map_err(io::Error::from)?;
                    std::fs::create_dir(top.join("content"))?;
                    return Ok(Self { top, _lock: lock });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The directory.
    pub fn path(&self) -> PathBuf {
        self.top.join("content")
    }

    /// A name beside it, for what takes part in a replacement and is to be removed.
    pub fn removed(&self) -> PathBuf {
        self.top.join("removed")
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.top);
    }
}

fn lock_file(top: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(top.join(LOCK))
}

/// Removes what programs left that were killed.
fn sweep(all: &Path) {
    let Ok(entries) = std::fs::read_dir(all) else { return };
    for top in entries.flatten().map(|entry| entry.path()) {
        if is_left_over(&top) {
            let _ = std::fs::remove_dir_all(&top);
        }
    }
}

fn is_left_over(top: &Path) -> bool {
    match File::open(top.join(LOCK)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => {
            let created = top.metadata().and_then(|facts| facts.modified());
            let age = created.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
            age.is_some_and(|age| age > LEFT_OVER)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_go_with_their_owners() {
        let parent = tempfile::tempdir().unwrap();
        let first = Staging::new(parent.path()).unwrap();
        std::fs::write(first.path().join("file"), "x").unwrap();
        let killed = parent.path().join(NAME).join("1-0");
        std::fs::create_dir_all(killed.join("content")).unwrap();
        std::fs::write(killed.join(LOCK), "").unwrap();
        let second = Staging::new(parent.path()).unwrap();
        assert!(!killed.exists(), "nobody holds it");
        assert!(first.path().join("file").exists() && second.path() != first.path());
        drop((first, second));
        assert_eq!(std::fs::read_dir(parent.path().join(NAME)).unwrap().count(), 0);
    }
}
