//! Files that say what is installed: JSON objects that others may write, too. What omp does not know in them stays, and a
//! file that it cannot read is never replaced.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use omp_workspace::open::{OpenedPath, open};
use omp_workspace::write::{Mode, WriteError, private_directory, write};
use serde_json::{Map, Value};
use thiserror::Error;

/// Larger files are none of ours.
const MOST: u64 = 16 * 1024 * 1024;
/// A change takes milliseconds; whoever holds the lock longer is stuck.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// Why a record cannot be read or changed.
#[derive(Debug, Error)]
pub enum RecordError {
    /// It is not a record.
    #[error("cannot use {}: {reason} (repair it, or move it away)", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Somebody else is changing the records.
    #[error("another omp has been changing {} for more than {} s; try again", .0.display(), PATIENCE.as_secs())]
    Locked(PathBuf),
    /// There is no lock to be had.
    #[error("cannot lock {}: {source}", path.display())]
    Lock {
        /// The lock's file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The new content cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The right to change records. There is one for all records of a user, packages and marketplaces alike.
#[derive(Debug)]
pub struct RecordLock {
    _file: File,
}

impl RecordLock {
    /// Waits for it a few seconds. `plugins` is [`omp_config::Directories::plugins`].
    pub fn take(plugins: &Path) -> Result<Self, RecordError> {
        let path = plugins.join(".lock");
        let failed = |source| RecordError::Lock { path: path.clone(), source };
        private_directory(plugins).map_err(failed)?;
        let file = open_lock(&path).map_err(failed)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(RecordError::Locked(plugins.to_owned())),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }
}

fn open_lock(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// The content of a record; empty if there is no file.
pub fn load(path: &Path) -> Result<Map<String, Value>, RecordError> {
    let unreadable = |reason: String| RecordError::Unreadable { path: path.to_owned(), reason };
    let file = match open(path) {
        Ok(OpenedPath::File(file, _)) => file,
        Ok(_) => return Err(unreadable("it is not a file".to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let mut text = String::new();
    file.take(MOST + 1).read_to_string(&mut text).map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > MOST {
        return Err(unreadable(format!("it has more than {MOST} bytes")));
    }
    serde_json::from_str(&text).map_err(|error| unreadable(format!("it is not a JSON object: {error}")))
}

/// Replaces the content of a record. Whoever does that has read it under the same lock.
pub fn save(_: &RecordLock, path: &Path, content: &Map<String, Value>) -> Result<(), RecordError> {
    let mut text = serde_json::to_string_pretty(content).expect("JSON can be written");
    text.push('\n');
    write(path, text.as_bytes(), Mode::Keep)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_never_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("record.json");
        assert_eq!(load(&path).unwrap(), Map::new());
        for text in ["", "[]", "{\"a\":", "\"x\""] {
            std::fs::write(&path, text).unwrap();
            let said = load(&path).unwrap_err().to_string();
            assert!(said.contains("record.json") && said.contains("move it away"), "{said}");
        }
        std::fs::write(&path, "{\"z\": 1, \"a\": {\"deep\": [null]}}").unwrap();
        let lock = RecordLock::take(home.path()).unwrap();
        let mut content = load(&path).unwrap();
        content.insert("new".to_owned(), Value::Bool(true));
        save(&lock, &path, &content).unwrap();
        assert_eq!(load(&path).unwrap(), content);
        assert!(std::fs::read_to_string(&path).unwrap().contains("\"deep\""));
    }
}
