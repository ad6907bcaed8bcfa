//! Opens regular files. Anything else is named, not opened: a FIFO would wait for a writer, a device may act.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

pub use crate::sys::path_of;

/// Not blocking: some files of /proc and /sys look regular and wait for events, and a file may have become a pipe since it
/// was looked at.
const FLAGS: i32 = libc::O_NONBLOCK | libc::O_NOCTTY;

/// What was found at a path.
#[derive(Debug)]
pub enum OpenedPath {
    File(File, Metadata),
    Directory,
    Special(Special),
}

/// Things in a file system that hold no bytes of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    Fifo,
    Socket,
    CharacterDevice,
    BlockDevice,
    Unknown,
}

impl Special {
    pub fn of(kind: FileType) -> Self {
        if kind.is_fifo() {
            Self::Fifo
        } else if kind.is_socket() {
            Self::Socket
        } else if kind.is_char_device() {
            Self::CharacterDevice
        } else if kind.is_block_device() {
            Self::BlockDevice
        } else {
            Self::Unknown
        }
    }

    /// With its article, for sentences.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::CharacterDevice => "a character device",
            Self::BlockDevice => "a block device",
            Self::Unknown => "neither a file nor a directory",
        }
    }
}

/// The first bytes of a file; none of one that cannot be read.
pub fn content(path: &Path, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(OpenedPath::File(file, _)) = open(path) {
        let _ = file.take(most).read_to_end(&mut bytes);
    }
    bytes
}

/// Opens `path` for reading if it is a regular file; symbolic links are followed. Never blocks.
pub fn open(path: &Path) -> io::Result<OpenedPath> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Ok(OpenedPath::Directory);
    }
    if !metadata.is_file() {
        return Ok(OpenedPath::Special(Special::of(metadata.file_type())));
    }
    let file = OpenOptions::new().read(true).custom_flags(FLAGS).open(path)?;
    // The path may have changed its meaning since the first look.
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok(OpenedPath::File(file, metadata))
    } else {
        Ok(OpenedPath::Special(Special::of(metadata.file_type())))
    }
}

/// Opens a file that a walk has come to, with one look less at what it is. A link that took its place is refused.
pub fn open_entry(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(FLAGS | libc::O_NOFOLLOW).open(path)
}
