//! Bringing one file back.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use omp_workspace::write::{Mode, write};

use crate::file_state::{FileState, exact_bits, is_executable};
use crate::plan::Change;

/// Directories that stay, also when nothing is left in them.
pub(crate) struct Floor {
    /// Nothing is removed outside of this directory.
    pub(crate) root: PathBuf,
    /// Where the session works.
    pub(crate) cwd: PathBuf,
}

impl Floor {
    fn may_go(&self, directory: &Path) -> bool {
        directory != self.root && directory.starts_with(&self.root) && !self.cwd.starts_with(directory)
    }
}

/// Removes a file, and the directories that are empty without it.
pub(crate) fn remove(path: &Path, floor: &Floor) -> io::Result<()> {
    really_there(path)?;
    std::fs::remove_file(path)?;
    let mut above = path.parent();
    while let Some(directory) = above.filter(|directory| floor.may_go(directory)) {
        if std::fs::remove_dir(directory).is_err() {
            break;
        }
        above = directory.parent();
    }
    Ok(())
}

/// Gives a file what it had.
pub(crate) fn give_back(change: &Change, bytes: &[u8]) -> io::Result<()> {
    let path = change.path.as_path();
    match &change.target {
        FileState::File { mode, .. } => {
            make_room(path)?;
            let same = matches!((&change.now, &change.target),
                (FileState::File { hash: now, .. }, FileState::File { hash: then, .. }) if now == then);
            if !same {
                replace(change, bytes, *mode)?;
            }
            set_bits(path, *mode)
        }
        FileState::Link { to } => {
            make_room(path)?;
            put_link(path, to)
        }
        FileState::Absent | FileState::Unkept { .. } => Ok(()),
    }
}

/// Puts bytes in the place of a file or a link. If that fails, what was there is there again.
fn replace(change: &Change, bytes: &[u8], mode: u32) -> io::Result<()> {
    let path = change.path.as_path();
    let protected = make_writable(path)?;
    if let FileState::Link { .. } = &change.now {
        remove_if_there(path)?;
    }
    // Bits that are known are set afterwards; until then a new file is for its owner only.
    let private = if exact_bits(mode).is_some() { Mode::Private } else { Mode::Keep };
    let written = write(path, bytes, private).map_err(|error| io::Error::other(error.to_string()));
    if written.is_err() {
        // The reason for the failure says more than a failure to clean up.
        let _ = match (&change.now, protected) {
            (FileState::Link { to }, _) => symlink(to, path),
            (_, Some(bits)) => std::fs::set_permissions(path, bits),
            _ => Ok(()),
        };
    }
    written.map(drop)
}

/// Makes a link, in one step with the end of what was there.
fn put_link(path: &Path, to: &str) -> io::Result<()> {
    let name = format!(".omp-{}-{:08x}.tmp", std::process::id(), fastrand::u32(..));
    let temporary = path.with_file_name(name);
    symlink(to, &temporary)?;
    let renamed = std::fs::rename(&temporary, path);
    if renamed.is_err() {
        // What could not be used is not left behind.
        let _ = std::fs::remove_file(&temporary);
    }
    renamed
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A place for the file: directories above it, and no directory where it will be.
fn make_room(path: &Path) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        let there = directory.ancestors().find(|above| std::fs::symlink_metadata(above).is_ok());
        if there.is_some_and(|there| std::fs::canonicalize(there).is_ok_and(|real| real != there)) {
            return Err(behind_a_link());
        }
        let made = std::fs::create_dir_all(directory);
        made.map_err(|error| io::Error::other(format!("cannot create its directory: {error}")))?;
    }
    really_there(path)?;
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {
            let bare = has_only_directories(path).unwrap_or(false);
            let reason = "a directory with other files is in its place";
            if bare { remove_empty(path) } else { Err(io::Error::other(reason)) }
        }
        _ => Ok(()),
    }
}

/// A link on the way would lead out of where the file was.
fn really_there(path: &Path) -> io::Result<()> {
    let Some(directory) = path.parent() else { return Ok(()) };
    match std::fs::canonicalize(directory)? == directory {
        true => Ok(()),
        false => Err(behind_a_link()),
    }
}

fn behind_a_link() -> io::Error {
    io::Error::other("a parent directory is now a link; remove the link and try again")
}

fn has_only_directories(directory: &Path) -> io::Result<bool> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() || !has_only_directories(&entry.path())? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn remove_empty(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        remove_empty(&entry?.path())?;
    }
    std::fs::remove_dir(directory)
}

/// A file that was protected since is not protected from its own past. The bits that it had, if they were changed.
fn make_writable(path: &Path) -> io::Result<Option<Permissions>> {
    let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(None) };
    let bits = found.permissions().mode();
    if !found.is_file() || bits & 0o200 != 0 {
        return Ok(None);
    }
    std::fs::set_permissions(path, Permissions::from_mode(bits | 0o200))?;
    Ok(Some(found.permissions()))
}

fn set_bits(path: &Path, wanted: u32) -> io::Result<()> {
    let bits = std::fs::symlink_metadata(path)?.permissions().mode() & 0o7777;
    let bits = match exact_bits(wanted) {
        Some(bits) => bits,
        None if is_executable(wanted) => bits | ((bits & 0o444) >> 2),
        None => bits & !0o111,
    };
    std::fs::set_permissions(path, Permissions::from_mode(bits))
}
