//! The file with the user's agreements, `trust.json` in the agent directory.

use std::io::Read;
use std::path::{Path, PathBuf};

use omp_guard::trust::TrustBook;
use omp_workspace::open::{OpenedPath, open};
use omp_workspace::path::real_path;
use omp_workspace::write::{Mode, write};

use crate::Directories;
use crate::discovery::Places;
use crate::settings::{SettingsError, exclusively};

/// In the agent directory.
pub(crate) const FILE: &str = "trust.json";
/// Larger files are none of ours.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("cannot read {}: {reason} (move it away to start with an empty list)", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(transparent)]
    Lock(#[from] SettingsError),
    #[error("cannot save the trust decision: {0}")]
    Write(String),
}

pub fn trust_file(directories: &Directories) -> PathBuf {
    directories.agent.join(FILE)
}

/// The root under which agreements for a working directory are kept: its repository, or the directory itself.
pub fn project_root(directories: &Directories, cwd: &Path) -> PathBuf {
    let places = Places::find(directories, cwd);
    real_path(places.repository.as_deref().unwrap_or(cwd))
}

/// What was agreed to. Without a file that is nothing.
pub fn load_trust(directories: &Directories) -> Result<TrustBook, TrustError> {
    load_book(&trust_file(directories))
}

/// The same from a file.
pub(crate) fn load_book(path: &Path) -> Result<TrustBook, TrustError> {
    let unreadable = |reason: String| TrustError::Unreadable { path: path.to_owned(), reason };
    let file = match open(path) {
        Ok(OpenedPath::File(file, _)) => file,
        Ok(_) => return Err(unreadable("it is not a file".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(TrustBook::default()),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| unreadable(error.to_string()))?;
    TrustBook::parse(&text).map_err(unreadable)
}

/// Changes the list, one process at a time.
pub fn change_trust<T>(
    directories: &Directories,
    change: impl FnOnce(&mut TrustBook) -> T,
) -> Result<T, TrustError> {
    let path = trust_file(directories);
    let mut outcome = Err(TrustError::Write("nothing was changed".to_owned()));
    exclusively(&path, || {
        outcome = load_trust(directories).and_then(|mut book| {
            let answer = change(&mut book);
            let written = write(&path, book.to_text().as_bytes(), Mode::Private);
            written.map(|_| answer).map_err(|error| TrustError::Write(error.to_string()))
        });
        Ok(())
    })?;
    outcome
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use omp_guard::trust::{Want, WantKind};

    use super::*;

    #[test]
    fn agreements_are_kept_for_the_user_alone() {
        let home = tempfile::tempdir().unwrap();
        let env = |name: &str| (name == "HOME").then(|| home.path().display().to_string());
        let directories = Directories::resolve(env).unwrap();
        assert_eq!(load_trust(&directories).unwrap(), TrustBook::default());
        let want = Want { kind: WantKind::Outside, what: "/x".to_owned(), hash: "h".to_owned() };
        change_trust(&directories, |book| book.agree("/p", want.clone(), 3)).unwrap();
        assert_eq!(load_trust(&directories).unwrap().agreed("/p", &want), Some(3));
        let mode = trust_file(&directories).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::write(trust_file(&directories), "{").unwrap();
        assert!(matches!(load_trust(&directories), Err(TrustError::Unreadable { .. })));
        assert!(change_trust(&directories, |_| ()).is_err(), "what cannot be read is not replaced");
        assert_eq!(std::fs::read_to_string(trust_file(&directories)).unwrap(), "{");
    }
}
