//! Deleting a session.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::artifacts::{FILE_HISTORY, artifacts_directory};
use crate::lock::{Attempt, Lock};
use crate::sessions::Sessions;
use crate::{index, layout, slice};

/// How the journal of a history of files begins.
const HISTORY_BEGINS: &[u8; 8] = b"{\"line\":";

impl Sessions {
    /// Deletes a session with its artifacts, unless another process has it open or it is no session. Beside a file that a user named, the
    /// artifacts stay: the directory may be the user's own. The history of files goes in any case.
    pub fn delete(&self, session: &Path) -> io::Result<()> {
        // Held while deleting: nobody else begins with it.
        let _lock = match Lock::acquire(session) {
            Attempt::Held(holder) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, format!("not deleted: {holder}")));
            }
            Attempt::Ours(lock) => Some(lock),
            Attempt::Impossible => None,
        };
        if slice::header_of(session)?.is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a session"));
        }
        std::fs::remove_file(session)?;
        let _ = std::fs::remove_file(index::path(session));
        let artifacts = artifacts_directory(session);
        let gone = match layout::is_session_name(session) {
            true => artifacts,
            false => match artifacts.join(FILE_HISTORY) {
                history if is_ours(&history) => history,
                _ => return Ok(()),
            },
        };
        match std::fs::remove_dir_all(gone) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Is it a history of files that this program keeps?
fn is_ours(history: &Path) -> bool {
    let mut start = [0; HISTORY_BEGINS.len()];
    let read = File::open(history.join("journal")).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *HISTORY_BEGINS
}
