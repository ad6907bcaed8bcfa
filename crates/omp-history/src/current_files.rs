//! Looking at files as they are now.

use std::collections::HashMap;
use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::blobs::{Blobs, hash_of};
use crate::error::HistoryError;
use crate::file_state::{FileState, Reason};

/// A file that was changed more recently than this may change again without its times showing it.
const SETTLED: Duration = Duration::from_millis(50);

/// Looks at files, and remembers what they were as long as they look the same.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    known: HashMap<PathBuf, (Stamp, String)>,
}

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    fn is_settled(&self) -> bool {
        let (seconds, nanos) = self.changed;
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) else { return false };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
        changed.elapsed().is_ok_and(|ago| ago > SETTLED)
    }

    fn mark(&self) -> String {
        let Self { inode, size, modified: (seconds, nanos), .. } = self;
        format!("{inode}-{size}-{seconds}.{nanos}")
    }
}

impl Looks {
    /// What a file is now; its content is kept where `keep` says so.
    pub(crate) fn look(
        &mut self,
        path: &Path,
        largest: u64,
        keep: Option<&mut Blobs>,
    ) -> Result<FileState, HistoryError> {
        let found = match std::fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if is_absence(&error) => return Ok(FileState::Absent),
            Err(_) => return Ok(unkept(Reason::Unreadable, String::new())),
        };
        if found.is_dir() || is_behind_a_link(path) {
            return Ok(FileState::Absent);
        }
        if found.is_symlink() {
            return Ok(match std::fs::read_link(path).map(PathBuf::into_os_string) {
                Ok(to) => match to.into_string() {
                    Ok(to) => FileState::Link { to },
                    Err(_) => unkept(Reason::Unreadable, Stamp::of(&found).mark()),
                },
                Err(_) => unkept(Reason::Unreadable, Stamp::of(&found).mark()),
            });
        }
        if !found.is_file() {
            return Ok(unkept(Reason::Special, Stamp::of(&found).mark()));
        }
        self.file(path, &found, largest, keep)
    }

    /// Is the file the same as it was then, in milliseconds since 1970, as far as its times tell?
    pub(crate) fn unchanged_since(path: &Path, then: u64) -> bool {
        let Ok(found) = std::fs::symlink_metadata(path) else { return false };
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(found.ctime()), u64::try_from(found.ctime_nsec()))
        else {
            return false;
        };
        let changed = Duration::from_secs(seconds) + Duration::from_nanos(nanos);
        changed + SETTLED < Duration::from_millis(then)
    }

    fn file(
        &mut self,
        path: &Path,
        found: &Metadata,
        largest: u64,
        keep: Option<&mut Blobs>,
    ) -> Result<FileState, HistoryError> {
        let stamp = Stamp::of(found);
        if found.len() > largest {
            return Ok(unkept(Reason::TooLarge, stamp.mark()));
        }
        let kept = |hash: &str| keep.as_ref().is_none_or(|blobs| blobs.has(hash));
        if let Some((known, hash)) = self.known.get(path)
            && *known == stamp
            && kept(hash)
        {
            return Ok(FileState::File {
                hash: hash.clone(),
                mode: found.mode() & 0o7777,
                size: found.len(),
            });
        }
        let Some(bytes) = content(path, largest) else {
            return Ok(unkept(Reason::Unreadable, stamp.mark()));
        };
        let hash = hash_of(&bytes);
        if let Some(blobs) = keep {
            blobs.put(&hash, &bytes)?;
        }
        if stamp.is_settled() {
            self.known.insert(path.to_owned(), (stamp, hash.clone()));
        } else {
            self.known.remove(path);
        }
        Ok(FileState::File { hash, mode: found.mode() & 0o7777, size: bytes.len() as u64 })
    }
}

/// The bytes of a file, unless it grew too large meanwhile, became something else or cannot be read.
pub(crate) fn content(path: &Path, largest: u64) -> Option<Vec<u8>> {
    let options = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).to_owned();
    let file = options.open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(largest.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= largest).then_some(bytes)
}

/// Did a directory on the way become a link? Then the file is somewhere else.
pub(crate) fn is_behind_a_link(path: &Path) -> bool {
    let Some(directory) = path.parent() else { return false };
    std::fs::canonicalize(directory).is_ok_and(|real| real != directory)
}

fn unkept(why: Reason, mark: String) -> FileState {
    FileState::Unkept { why, mark }
}

/// Is nothing there? A part of the way may be a file by now.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody waits for a pipe, follows a link or takes a directory for a file.
    #[test]
    fn what_becomes_something_else_between_looking_and_reading_cannot_be_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        std::fs::write(place.path().join("other"), "other").unwrap();
        let become_something: [fn(&Path); 4] = [
            |path| nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap(),
            |path| std::fs::create_dir(path).unwrap(),
            |path| std::os::unix::fs::symlink("other", path).unwrap(),
            |_| {},
        ];
        for become_something in become_something {
            std::fs::write(&path, "text").unwrap();
            let found = std::fs::symlink_metadata(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            become_something(&path);
            let mut blobs = Blobs::new(place.path().join("contents"), 100);
            let state = Looks::default().file(&path, &found, 100, Some(&mut blobs)).unwrap();
            assert!(matches!(state, FileState::Unkept { why: Reason::Unreadable, .. }), "{state:?}");
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
        }
        assert!(!place.path().join("contents").exists());
    }
}
