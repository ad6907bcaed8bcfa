//! Writing a session file again: the header changes, and the lines that must; every other line is copied as it is.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::{Value, json};

use crate::envelope::Envelope;
use crate::header::{Header, TitleSource};
use crate::lines::Lines;
use crate::migrate::Migration;
use crate::raw::RawObject;
use crate::title_slot::{self, Opening};
use crate::{file, time};

/// A session file that is about to be copied. Only its header has been read.
pub(crate) struct Source {
    pub(crate) header: Header,
    path: PathBuf,
    /// The header as it was written, with the fields of other versions.
    raw: RawObject,
    /// Where the line with the name is, in files that have one.
    name: Option<Range<u64>>,
    /// What that line is replaced by.
    new_name: Option<Vec<u8>>,
    /// Where the header begins: after the name and lines that are no JSON, which are kept.
    head: u64,
    /// Where the line after the header begins.
    body: u64,
}

/// Why a session could not be written. The old file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The file has no header.
    #[error("{} is not a session", .0.display())]
    NotASession(PathBuf),
    /// No line of the file is an entry, so a new session would be empty.
    #[error("cannot recover {}: it contains no valid session entry (the file is unchanged)", .0.display())]
    NothingToRecover(PathBuf),
    /// Nothing could be read.
    #[error("cannot read the session {}: {source} (check its permissions)", path.display())]
    Read {
        /// The session that was to be read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing was written.
    #[error(
        "cannot write the session {}: {source} (check disk space and permissions)",
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
        "cannot change {}: {reason}; close the session there first, or continue in a copy with --fork",
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
        let mut name = None;
        // The first line that is JSON, but for the name, decides.
        while let Some(line) = lines.next()? {
            let (offset, Some(text)) = (line.offset, line.text) else { continue };
            let Ok(value) = serde_json::from_slice::<Value>(text) else { continue };
            match (Opening::read(value), RawObject::read(text)) {
                (Opening::Name(_), _) => name = Some(offset..lines.offset()),
                (Opening::Header(header), Some(raw)) => {
                    let (path, body) = (path.to_owned(), lines.offset());
                    return Ok(Some(Self { header, path, raw, name, new_name: None, head: offset, body }));
                }
                _ => return Ok(None),
            }
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

    /// Names the session, where the program that wrote the file looks for the name.
    pub(crate) fn set_title(&mut self, title: &str, source: &TitleSource) -> Result<(), CopyError> {
        self.set("title", Some(json!(title)));
        self.set("titleSource", Some(json!(source)));
        let failed = |source| CopyError::Read { path: self.path.clone(), source };
        if self.name.is_some() || self.was_renamed().map_err(failed)? {
            self.new_name = Some(title_slot::line(title, source, &time::now()));
        }
        Ok(())
    }

    /// Is there an entry that gives the session a name? It would stand over the header.
    fn was_renamed(&self) -> io::Result<bool> {
        let mut lines = Lines::from(File::open(&self.path)?, self.body)?;
        while let Some(line) = lines.next()? {
            let text = line.text.filter(|text| memmem::find(text, b"title_change").is_some());
            if text.and_then(Envelope::read).is_some_and(|envelope| envelope.name == "title_change") {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What stands before the header.
    fn copy_opening(&self, writer: &mut impl Write) -> io::Result<()> {
        let mut file = File::open(&self.path)?;
        let Some(new) = &self.new_name else { return copy_range(&mut file, 0, self.head, writer) };
        let old = self.name.clone().unwrap_or(0..0);
        copy_range(&mut file, 0, old.start, writer)?;
        writer.write_all(new)?;
        copy_range(&mut file, old.end, self.head, writer)
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
            self.copy_opening(writer)?;
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
