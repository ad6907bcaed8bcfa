//! Takes turns at changing a file: who reads it, thinks and replaces it would undo what another did in between.
//!
//! A turn is an advisory lock on the file itself, so it ends with its owner, also when that is killed, and leaves nothing
//! behind. It binds only those who ask for it: several agents in one program, or in several. Since a file is replaced by
//! another of the same name, whoever got the lock looks whether the name still means the file that was locked.

use std::fs::{File, Metadata, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::open::{OpenedPath, open};

/// Who has not got a turn by then continues without: another program may keep the file locked for reasons of its own, and
/// two that wait for each other must not wait for ever.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// The right to change a file until this is dropped.
#[derive(Debug)]
pub struct Turn {
    _locked: File,
}

impl Turn {
    /// Waits for the turn at a file. None if there is not a file, if it cannot be locked, or if the wait took too long.
    pub fn wait(path: &Path) -> Option<Self> {
        let end = Instant::now() + PATIENCE;
        loop {
            let Ok(OpenedPath::File(file, metadata)) = open(path) else { return None };
            match file.try_lock() {
                Ok(()) if is(&metadata, path) => return Some(Self { _locked: file }),
                // It was replaced while we waited.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(_)) => return None,
            }
            if Instant::now() > end {
                return None;
            }
        }
    }
}

/// Does the path still mean this file?
fn is(file: &Metadata, path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == (file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::{Mode, write};

    /// Each adds a line to what it read. None is lost.
    #[test]
    fn nobody_undoes_what_another_did() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, "").unwrap();
        let add = |who: usize| {
            for number in 0..20 {
                let turn = Turn::wait(&path);
                assert!(turn.is_some(), "{who} {number}");
                let text = std::fs::read_to_string(&path).unwrap();
                write(&path, format!("{text}{who} {number}\n").as_bytes(), Mode::Keep).unwrap();
            }
        };
        std::thread::scope(|scope| {
            for who in 0..3 {
                scope.spawn(move || add(who));
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 60);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_cannot_be_had_is_not_waited_for_for_ever() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        assert!(Turn::wait(&path).is_none(), "there is no file");
        assert!(Turn::wait(directory.path()).is_none(), "a directory");
        std::fs::write(&path, "").unwrap();
        let turn = Turn::wait(&path).unwrap();
        assert!(Turn::wait(&path).is_none(), "somebody else has it");
        drop(turn);
        assert!(Turn::wait(&path).is_some());
    }
}
