//! Moving a session to another project, for directories that were renamed.

use std::io;
use std::path::{Path, PathBuf};

use crate::artifacts::artifacts_directory as artifacts;
use crate::index;
use crate::lock::{Attempt, Holder, Lock};
use crate::rewrite::{CopyError, Source};
use crate::sessions::Sessions;

/// Why a session could not be moved. Everything is where it was.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error("cannot move the session to {}: the file already exists (rename one of them)", .0.display())]
    Taken(PathBuf),
    #[error("cannot move {}: {source} (check the permissions of its directory)", path.display())]
    Rename { path: PathBuf, source: io::Error },
    #[error("cannot move {}: it is in use ({holder}); close it there first", path.display())]
    Held { path: PathBuf, holder: Holder },
}

impl Sessions {
    /// Moves a session and its artifacts to the project at `cwd` and returns its new path.
    pub fn move_to(&self, source: &Path, cwd: &Path) -> Result<PathBuf, MoveError> {
        // Held until the move is done: whoever has the session open would continue writing to a file that is gone.
        let _lock = match Lock::acquire(source) {
            Attempt::Held(holder) => return Err(MoveError::Held { path: source.to_owned(), holder }),
            attempt => attempt,
        };
        let mut content = Source::open(source)?;
        content.set("cwd", Some(cwd.to_string_lossy().into()));
        let name = source.file_name().ok_or_else(|| CopyError::NotASession(source.to_owned()))?;
        let target = self.dir_for(cwd).join(name);
        if crate::layout::real(source) == crate::layout::real(&target) {
            content.write(source)?;
            return Ok(source.to_owned());
        }
        if target.exists() || artifacts(&target).exists() {
            return Err(MoveError::Taken(target));
        }
        content.write(&target)?;
        let moved = move_rest(source, &target);
        if moved.is_ok() {
            let _ = std::fs::remove_file(index::path(source));
        }
        if moved.is_err() {
            let _ = std::fs::remove_file(&target);
        }
        moved.map(|()| target)
    }
}

/// Lets the artifacts follow and removes the old file; both or none.
fn move_rest(source: &Path, target: &Path) -> Result<(), MoveError> {
    let (from, to) = (artifacts(source), artifacts(target));
    // Beside a file that a user named may be a directory of the user's.
    let has_artifacts = from.is_dir() && crate::layout::is_session_name(source);
    if has_artifacts {
        rename(&from, &to)?;
    }
    std::fs::remove_file(source).map_err(|error| {
        if has_artifacts {
            let _ = std::fs::rename(&to, &from);
        }
        MoveError::Rename { path: source.to_owned(), source: error }
    })
}

fn rename(from: &Path, to: &Path) -> Result<(), MoveError> {
    std::fs::rename(from, to).map_err(|source| MoveError::Rename { path: from.to_owned(), source })
}
