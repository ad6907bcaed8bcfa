//! The same by names.
//!
//! # What is lost
//!
//! - **A directory is used by its name.** That it is still the one that was opened is checked when it is opened and right before
//!   a new content takes its place; between that check and the rename somebody may still swap it.
//! - **New content has a name from the beginning**, `.omp-….tmp`: a program killed in the middle leaves it behind, and the next
//!   write of the same file removes it when it is old.
//! - **Room is not taken in advance** where a file cannot be replaced: a full disk is noticed while the content is written.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

/// How directories are opened on the way.
pub(crate) const STEP: OFlag = OFlag::O_RDONLY;

/// The path of an open file: only some systems tell.
pub fn path_of(file: &File) -> Option<PathBuf> {
    #[cfg(target_vendor = "apple")]
    {
        let mut path = PathBuf::new();
        nix::fcntl::fcntl(file, nix::fcntl::FcntlArg::F_GETPATH(&mut path)).ok()?;
        return Some(path);
    }
    #[cfg(not(target_vendor = "apple"))]
    {
        let _ = file;
        None
    }
}

/// The name of the directory.
pub(crate) fn path_to(_directory: &OwnedFd, name: &Path) -> PathBuf {
    name.to_owned()
}

/// Does the name still lead to the directory?
pub(crate) fn is_in_place(directory: &OwnedFd, name: &Path) -> bool {
    let held = directory.try_clone().and_then(|directory| File::from(directory).metadata());
    let named = std::fs::symlink_metadata(name);
    match (held, named) {
        (Ok(held), Ok(named)) => (held.dev(), held.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// There are no files without a name.
pub(crate) fn nameless(_directory: &Path, _bits: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Nothing can be without one.
pub(crate) fn give_name(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writing tells.
pub(crate) fn make_room(_file: &File, _length: u64) -> io::Result<()> {
    Ok(())
}

/// May a program set this extended attribute? Trying tells.
pub(crate) fn is_own_attribute(_name: &str) -> bool {
    true
}
