//! Writing a session file anew: the header changes, and the lines that must; every other line is copied as it is.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::file;
use crate::header::Header;
use crate::lines::Lines;
use crate::migrate::Migration;
use crate::raw::RawObject;

/// A session file that is about to be copied. Only its header has been read.
pub(crate) struct Source {
    pub(crate) header: Header,
    path: PathBuf,
    /// The header as it was written, with the fields of other versions.
    raw: RawObject,
    /// Where the header begins: after lines that are no JSON, which are kept.
    head: u64,
    /// Where the line after the header begins.
    body: u64,
}

/// Why a session could not be written. The old file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The file has no header.
    #[error("{} is not a session.", .0.display())]
    NotASession(PathBuf),
    /// Nothing could be read.
    #[error("Cannot read the session {}: {source}. Check that you may read the file.", path.display())]
    Read {
        /// The session that was to be read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing was written.
    #[error(
        "Cannot write the session {}: {source}. Check that you may write there and that the disk has room.",
        path.display()
    )]
    Write {
        /// The session that was to be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A rewrite could lose what the other process appends at the same time.
    #[error(
        "Cannot change {}: {reason}. Close the session there first, or go on in a copy with --fork.",
        path.display()
    )]
    NotOurs {
        /// The session that was to be changed.
        path: PathBuf,
        /// Who has it, or why it is only read.
        reason: String,
    },
}

impl Source {
    /// Reads the header of a file of any version.
    pub(crate) fn open(path: &Path) -> Result<Self, CopyError> {
        if !path.is_file() {
            return Err(CopyError::NotASession(path.to_owned()));
        }
        let found = Self::find(path).map_err(|source| CopyError::Read { path: path.to_owned(), source })?;
        found.ok_or_else(|| CopyError::NotASession(path.to_owned()))
    }

    fn find(path: &Path) -> io::Result<Option<Self>> {
        let mut lines = Lines::new(File::open(path)?)?;
        // The first line that is JSON decides.
        while let Some(line) = lines.next()? {
            let Some(text) = line.text else { continue };
            let Ok(value) = serde_json::from_slice::<Value>(text) else { continue };
            let (Some(header), Some(raw)) = (Header::read(value), RawObject::read(text)) else {
                return Ok(None);
            };
            let head = line.offset;
            return Ok(Some(Self { header, path: path.to_owned(), raw, head, body: lines.offset() }));
        }
        Ok(None)
    }

    /// Changes a field of the header; `None` takes it away.
    pub(crate) fn set(&mut self, name: &str, value: Option<Value>) {
        match value {
            Some(value) => self.raw.set(usize::MAX, name, &value),
            None => {
                self.raw.remove(name);
            }
        }
    }

    /// Writes the session to `target` in one step, in the current version. A torn last line stays torn, and is
    /// closed by the next append.
    pub(crate) fn write(&mut self, target: &Path) -> Result<(), CopyError> {
        self.write_with(target, |_| None)
    }

    /// The same, with some lines replaced: `replace` is given a line without its newline and returns another line
    /// with one, or `None` to copy it as it is.
    pub(crate) fn write_with(
        &mut self,
        target: &Path,
        mut replace: impl FnMut(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<(), CopyError> {
        let mut migration = Migration::from(self.header.version);
        migration.header(&mut self.raw);
        let header = self.raw.line();
        let written = file::replace(target, |writer| {
            copy_range(&mut File::open(&self.path)?, 0, self.head, writer)?;
            writer.write_all(&header)?;
            self.copy_lines(writer, |line| migration.line(line).or_else(|| replace(line)))
        });
        written.map_err(|source| CopyError::Write { path: target.to_owned(), source })
    }

    fn copy_lines(
        &self,
        writer: &mut impl Write,
        mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>,
    ) -> io::Result<()> {
        let mut lines = Lines::from(File::open(&self.path)?, self.body)?;
        let mut copy = File::open(&self.path)?;
        // Runs of unchanged lines are copied at once.
        let mut copied = self.body;
        while let Some(line) = lines.next()? {
            let Some(changed) = line.text.and_then(&mut change) else { continue };
            let offset = line.offset;
            copy_range(&mut copy, copied, offset, writer)?;
            writer.write_all(&changed)?;
            copied = lines.offset();
        }
        let end = lines.offset();
        copy_range(&mut copy, copied, end, writer)?;
        // What another program appended in the meantime.
        copy.seek(SeekFrom::Start(end))?;
        io::copy(&mut copy, writer)?;
        Ok(())
    }
}

fn copy_range(file: &mut File, from: u64, to: u64, writer: &mut impl Write) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    io::copy(&mut io::Read::take(file, to - from), writer).map(|_| ())
}
