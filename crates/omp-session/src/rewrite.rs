//! A session file as its header and the lines after it, which are copied as they are.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::header::Header;
use crate::{file, migrate};

/// The content of a session file, in the current version.
pub(crate) struct Content {
    pub(crate) header: Header,
    lines: Vec<u8>,
}

/// Why a session could not be written to another place. The old file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("{} is not a session.", .0.display())]
    NotASession(PathBuf),
    #[error("Cannot read the session {}: {source}. Check that you may read the file.", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "Cannot write the session {}: {source}. Check that you may write there and that the disk has room.",
        path.display()
    )]
    Write { path: PathBuf, source: io::Error },
}

impl Content {
    /// Reads a file of any version without changing it.
    pub(crate) fn read(path: &Path) -> Result<Self, CopyError> {
        if !path.is_file() {
            return Err(CopyError::NotASession(path.to_owned()));
        }
        let bytes =
            std::fs::read(path).map_err(|source| CopyError::Read { path: path.to_owned(), source })?;
        let bytes = migrate::upgrade(&bytes).unwrap_or(bytes);
        Self::split(&bytes).ok_or_else(|| CopyError::NotASession(path.to_owned()))
    }

    fn split(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |newline| newline + 1);
            let line = &rest[..end];
            rest = &rest[end..];
            if let Ok(value) = serde_json::from_slice::<Value>(line) {
                return Header::read(value).map(|header| Self { header, lines: rest.to_owned() });
            }
        }
        None
    }

    /// Writes the session in one step. A torn last line stays torn, and is closed by the next append.
    pub(crate) fn write(&self, path: &Path) -> Result<(), CopyError> {
        let written = file::replace(path, |writer| {
            writer.write_all(&self.header.line())?;
            writer.write_all(&self.lines)
        });
        written.map_err(|source| CopyError::Write { path: path.to_owned(), source })
    }
}
