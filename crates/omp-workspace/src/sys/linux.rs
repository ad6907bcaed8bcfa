//! Paths through descriptors (`/proc/self/fd`), files without a name, room taken in advance.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, FallocateFlags, OFlag, fallocate};

/// How directories are opened on the way: nothing is read in them.
pub(crate) const STEP: OFlag = OFlag::O_PATH;

/// The path of an open file, which no swap can change.
pub fn path_of(file: &File) -> Option<PathBuf> {
    std::fs::read_link(by_descriptor(file)).ok().filter(|path| path.is_absolute())
}

/// A path that leads to the directory itself, wherever it is by now.
pub(crate) fn path_to(directory: &OwnedFd, _name: &Path) -> PathBuf {
    by_descriptor(directory)
}

/// Does the path still lead to the directory? [`path_to`] always does.
pub(crate) fn is_in_place(_directory: &OwnedFd, _name: &Path) -> bool {
    true
}

fn by_descriptor(file: &impl AsFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd()))
}

/// A file in `directory` without a name. Not every file system has such files, and without `/proc` they cannot get
/// a name later.
pub(crate) fn nameless(directory: &Path, bits: u32) -> io::Result<File> {
    let file = OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).mode(bits).open(directory)?;
    std::fs::symlink_metadata(by_descriptor(&file))?;
    Ok(file)
}

/// Gives a name to a file that has none.
pub(crate) fn give_name(file: &File, path: &Path) -> io::Result<()> {
    Ok(nix::unistd::linkat(AT_FDCWD, &by_descriptor(file), AT_FDCWD, path, AtFlags::AT_SYMLINK_FOLLOW)?)
}

/// Takes the room that a content will need, without a change that could be seen. Where the file system cannot, writing tells.
pub(crate) fn make_room(file: &File, length: u64) -> io::Result<()> {
    let (Ok(length), Ok(now)) = (i64::try_from(length), i64::try_from(file.metadata()?.len())) else {
        return Err(io::ErrorKind::FileTooLarge.into());
    };
    if length <= now {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::FALLOC_FL_KEEP_SIZE, 0, length) {
        Err(Errno::EOPNOTSUPP | Errno::ENOSYS) => Ok(()),
        room => Ok(room?),
    }
}

/// May a program set this extended attribute? Others belong to the system.
pub(crate) fn is_own_attribute(name: &str) -> bool {
    name.starts_with("user.") || name == "system.posix_acl_access"
}
