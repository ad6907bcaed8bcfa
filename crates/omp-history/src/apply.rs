//! Bringing one file back.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use omp_workspace::write::{Mode, write};

use crate::plan::Change;
use crate::state::{State, exact_bits, is_executable};

/// Removes a file, and the directories that are empty without it, up to `floor`.
pub(crate) fn remove(path: &Path, floor: &Path) -> io::Result<()> {
    really_there(path)?;
    std::fs::remove_file(path)?;
    let mut above = path.parent();
    while let Some(directory) = above.filter(|directory| *directory != floor && directory.starts_with(floor))
    {
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
        State::File { mode, .. } => {
            make_room(path)?;
            let same = matches!((&change.now, &change.target),
                (State::File { hash: now, .. }, State::File { hash: then, .. }) if now == then);
            if !same {
                make_writable(path);
                write(path, bytes, Mode::Keep).map_err(|error| io::Error::other(error.to_string()))?;
            }
            set_bits(path, *mode)
        }
        State::Link { to } => {
            make_room(path)?;
            if std::fs::symlink_metadata(path).is_ok() {
                std::fs::remove_file(path)?;
            }
            symlink(to, path)
        }
        State::Absent | State::Unkept { .. } => Ok(()),
    }
}

/// A place for the file: directories above it, and nothing there that is no file.
fn make_room(path: &Path) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        let made = std::fs::create_dir_all(directory);
        made.map_err(|error| io::Error::other(format!("its directory cannot be made: {error}")))?;
    }
    really_there(path)?;
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => std::fs::remove_file(path),
        Ok(found) if found.is_dir() => remove_empty(path).map_err(|_| {
            io::Error::other("a directory is in its place, with files that are not ours to remove")
        }),
        _ => Ok(()),
    }
}

/// A link on the way would lead out of where the file was.
fn really_there(path: &Path) -> io::Result<()> {
    let Some(directory) = path.parent() else { return Ok(()) };
    match std::fs::canonicalize(directory)? == directory {
        true => Ok(()),
        false => Err(io::Error::other("a directory above it is a link by now")),
    }
}

/// Removes a directory that has nothing but directories.
fn remove_empty(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty(&entry.path())?;
        } else {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
    }
    std::fs::remove_dir(directory)
}

/// A file that was protected since is not protected from its own past.
fn make_writable(path: &Path) {
    if let Ok(found) = std::fs::symlink_metadata(path) {
        let bits = found.permissions().mode();
        if bits & 0o200 == 0 {
            // Whatever hinders this is said when the file is written.
            let _ = std::fs::set_permissions(path, Permissions::from_mode(bits | 0o200));
        }
    }
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
