//! One writer at a time.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::SettingsError;

/// A save takes milliseconds; whoever holds the lock longer is stuck.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// Does `work` while no other process does the same for `file`. The lock is a file beside it, which stays: to
/// remove it would let two processes lock two different files of that name.
pub(crate) fn exclusively<T>(
    file: &Path,
    work: impl FnOnce() -> Result<T, SettingsError>,
) -> Result<T, SettingsError> {
    let directory = file.parent().unwrap_or(Path::new("/"));
    let failed = |path: &Path, source| SettingsError::Lock { path: path.to_owned(), source };
    std::fs::create_dir_all(directory).map_err(|source| failed(directory, source))?;
    let mut path = file.as_os_str().to_owned();
    path.push(".lock");
    let path = Path::new(&path);
    let lock = open(path).map_err(|source| failed(path, source))?;
    wait(&lock, path)?;
    // Closing the file at the end gives the lock back, whatever happens.
    work()
}

fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

fn wait(lock: &File, path: &Path) -> Result<(), SettingsError> {
    let begun = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                let seconds = PATIENCE.as_secs();
                return Err(SettingsError::Locked { path: path.to_owned(), seconds });
            }
            Err(TryLockError::Error(source)) => {
                return Err(SettingsError::Lock { path: path.to_owned(), source });
            }
        }
    }
}
