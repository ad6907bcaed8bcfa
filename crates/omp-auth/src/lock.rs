//! One process at a time, wherever it runs on this machine.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Longer than a token endpoint may take.
const PATIENCE: Duration = Duration::from_secs(45);
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("cannot lock {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("another process has been refreshing this login for more than 45 seconds; try again")]
    Busy,
}

/// Held until dropped. The system gives it back when the process ends, however it ends.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// The lock for renewing one credential: a file beside the database, which stays. To remove it would let two
    /// processes lock two different files of that name.
    pub(crate) async fn for_credential(database: &Path, id: i64) -> Result<Self, LockError> {
        Self::beside(database, &id.to_string()).await
    }

    /// The same for something that has a name instead of a number. Two names may share a lock.
    pub(crate) async fn named(database: &Path, name: &str) -> Result<Self, LockError> {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        Self::beside(database, &format!("mcp-{hash:016x}")).await
    }

    async fn beside(database: &Path, id: &str) -> Result<Self, LockError> {
        let mut path = database.as_os_str().to_owned();
        path.push(format!(".refresh-{id}.lock"));
        let path = PathBuf::from(path);
        let failed = |source| LockError::Io { path: path.clone(), source };
        let options = File::options().write(true).create(true).truncate(false).mode(0o600).clone();
        let file = options.open(&path).map_err(failed)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(PAUSE).await,
                Err(TryLockError::WouldBlock) => return Err(LockError::Busy),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }
}
