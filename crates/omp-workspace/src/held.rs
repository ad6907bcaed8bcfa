//! Directories that stay the ones they were when they were looked at.
//!
//! Between the judgement about a path and its use somebody may put a link into its place. A [`Held`] directory is opened
//! component by component without following any link; what is done below [`Held::path`] happens in that very directory,
//! whatever its name means by then. Where a directory can only be reached by name, [`Held::is_in_place`] tells that it has moved.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};

use crate::sys;

/// What becomes of directories that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Make,
    Refuse,
}

/// An open directory.
#[derive(Debug)]
pub struct Held {
    directory: OwnedFd,
    name: PathBuf,
}

impl Held {
    /// Opens `directory`: an absolute path without links and `..`, as [`crate::path::real_path`] gives it. A link on the
    /// way is an error.
    pub fn open(directory: &Path, missing: Missing) -> io::Result<Self> {
        Ok(Self { directory: walk(directory, missing)?, name: directory.to_owned() })
    }

    /// A path that leads to this directory while it is held.
    pub fn path(&self) -> PathBuf {
        sys::path_to(&self.directory, &self.name)
    }

    /// Does [`Self::path`] still lead there? Where a path can only be a name, that name may have got another meaning.
    pub fn is_in_place(&self) -> bool {
        sys::is_in_place(&self.directory, &self.name)
    }
}

fn walk(directory: &Path, missing: Missing) -> io::Result<OwnedFd> {
    let flags = sys::STEP | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mut held = nix::fcntl::open("/", flags, Mode::empty())?;
    let step = |held: &OwnedFd, name: &OsStr| openat(held.as_fd(), name, flags, Mode::empty());
    let mut walked = PathBuf::from("/");
    for component in directory.components() {
        let name = match component {
            Component::RootDir | Component::CurDir => continue,
            Component::Normal(name) => name,
            Component::ParentDir | Component::Prefix(_) => return Err(io::ErrorKind::InvalidInput.into()),
        };
        walked.push(name);
        held = match step(&held, name) {
            Err(Errno::ENOENT) if missing == Missing::Make => {
                match mkdirat(held.as_fd(), name, Mode::from_bits_truncate(0o777)) {
                    Ok(()) | Err(Errno::EEXIST) => step(&held, name),
                    Err(error) => Err(error),
                }
            }
            found => found,
        }
        .map_err(|error| if is_link(&held, name) { replaced(&walked) } else { error.into() })?;
    }
    Ok(held)
}

fn is_link(held: &OwnedFd, name: &OsStr) -> bool {
    nix::fcntl::readlinkat(held.as_fd(), name).is_ok()
}

fn replaced(directory: &Path) -> io::Error {
    io::Error::other(format!("{} has become a symbolic link", directory.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_stays_when_its_name_moves_on() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let held = Held::open(&root.join("a/b"), Missing::Make).unwrap();
        std::fs::rename(root.join("a"), root.join("old")).unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        if cfg!(not(all(target_os = "linux", not(omp_portable)))) {
            assert!(!held.is_in_place(), "the least is that it is noticed");
            return;
        }
        assert!(held.is_in_place());
        std::fs::write(held.path().join("f"), "x").unwrap();
        assert!(root.join("old/b/f").exists() && !root.join("a/b/f").exists());
    }

    #[test]
    fn links_on_the_way_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/below")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        for path in ["link", "link/below", "link/new"] {
            let refused = Held::open(&root.join(path), Missing::Make).unwrap_err().to_string();
            assert!(refused.ends_with("link has become a symbolic link"), "{refused}");
        }
        assert!(!root.join("real/new").exists());
        let absent = Held::open(&root.join("none"), Missing::Refuse).unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
    }
}
