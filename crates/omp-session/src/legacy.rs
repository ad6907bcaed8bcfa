//! Directories of projects that were named by an older rule, by their absolute path although they are below home.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::layout::{self, SessionsRoot};
use crate::list::candidates;

/// Sessions roots that this process has looked at.
static SEEN: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

/// Gives old directories below this root their present names, once per process. A directory that cannot be moved
/// stays where it is, and its sessions are found in the list of all projects.
pub(crate) fn adopt(root: &SessionsRoot) {
    let path = root.path();
    if !SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone()) {
        return;
    }
    let prefix = format!("--{}", layout::dashed(root.home().strip_prefix("/").unwrap_or(root.home())));
    for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with("--") {
            adopt_directory(root, &entry.path());
        }
    }
}

fn adopt_directory(root: &SessionsRoot, old: &Path) {
    // The name alone does not say whether a dash was a slash; the sessions say where they belong.
    let sessions = candidates(&[old.to_owned()]);
    let Some(head) = sessions.iter().find_map(|session| session.head().ok().flatten()) else { return };
    let new = root.directory(Path::new(&head.header.cwd));
    let below_home = layout::real(Path::new(&head.header.cwd)).starts_with(root.home());
    if !below_home || new == old {
        return;
    }
    // A file that cannot be read as a session stays where it is, whoever put it there.
    let strangers = sessions.iter().filter(|session| !matches!(session.head(), Ok(Some(_))));
    let strangers: Vec<PathBuf> = strangers.map(|session| session.path.with_extension("")).collect();
    if strangers.is_empty() && std::fs::rename(old, &new).is_ok() {
        return;
    }
    if new.is_dir() || std::fs::create_dir(&new).is_ok() {
        merge(old, &new, &strangers);
    }
}

/// Moves what is not there yet and belongs to no stranger; what is left keeps the old directory alive.
fn merge(old: &Path, new: &Path, strangers: &[PathBuf]) {
    for entry in std::fs::read_dir(old).into_iter().flatten().flatten() {
        let (path, target) = (entry.path(), new.join(entry.file_name()));
        let name = path.as_os_str().as_encoded_bytes();
        let stays =
            strangers.iter().any(|stranger| name.starts_with(stranger.as_os_str().as_encoded_bytes()));
        if !stays && std::fs::symlink_metadata(&target).is_err() {
            let _ = std::fs::rename(path, &target);
        }
    }
    let _ = std::fs::remove_dir(old);
}
