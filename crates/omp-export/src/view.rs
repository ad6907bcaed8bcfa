//! The conversation to show.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use omp_session::{Entry, Header, LoadError, VERSION};
use serde_json::{Map, Value};

use crate::line;

/// Lines longer than this are skipped, as they are when a session is loaded.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// A conversation: a session file, or entries in memory.
#[derive(Debug)]
pub struct SessionView<'a> {
    pub(crate) header: Map<String, Value>,
    /// Where the conversation stands; the last entry when `None`.
    pub(crate) leaf: Option<String>,
    origin: Origin<'a>,
}

#[derive(Debug)]
enum Origin<'a> {
    File {
        path: PathBuf,
        file: File,
        /// How much is read: what is appended meanwhile belongs to the next export.
        length: u64,
    },
    Memory(&'a [Entry]),
}

/// Where an entry is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryPlace {
    offset: u64,
    length: usize,
}

/// The conversation could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// There is no such file, or it does not begin with a header.
    #[error(
        "{} is not a session; specify a session file (.jsonl)",
        .0.display()
    )]
    NotASession(PathBuf),
    /// The file could not be opened, or not be brought up to date.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The file was opened but reading it failed.
    #[error("cannot read the session {}: {source} (check its permissions)", path.display())]
    Read {
        /// The session file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SessionView<'static> {
    /// Opens a session file; a file of an earlier version is first brought up to date on disk.
    pub fn open(path: &Path) -> Result<Self, ViewError> {
        let opened = Self::open_as_is(path)?;
        let version = opened.header.get("version").map_or(Some(1), Value::as_u64);
        if version.is_some_and(|version| version < u64::from(VERSION)) {
            omp_session::load(path)?;
            return Self::open_as_is(path);
        }
        Ok(opened)
    }

    fn open_as_is(path: &Path) -> Result<Self, ViewError> {
        let failed = |source| ViewError::Read { path: path.to_owned(), source };
        // Asked before opening: opening a pipe would wait for a writer.
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => metadata,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => return Err(ViewError::NotASession(path.to_owned())),
        };
        let file = File::open(path).map_err(failed)?;
        let origin = Origin::File { path: path.to_owned(), file, length: metadata.len() };
        let mut view = Self { header: Map::new(), leaf: None, origin };
        let mut header = None;
        view.lines(|_, value| {
            header = value.filter(|value| !is_name(value));
            if header.is_some() { Flow::Stop } else { Flow::On }
        })?;
        view.header =
            header.and_then(header_fields).ok_or_else(|| ViewError::NotASession(path.to_owned()))?;
        if let Ok(Some(named)) = omp_session::header_of(path) {
            view.header.insert("title".to_owned(), named.title.into());
        }
        Ok(view)
    }
}

/// Is it the line with the session's name, which later releases write before the header?
fn is_name(value: &Value) -> bool {
    value["type"] == "title" && value.get("id").is_none()
}

/// A header is an object of type `session` with a text as id.
fn header_fields(value: Value) -> Option<Map<String, Value>> {
    let Value::Object(fields) = value else { return None };
    let is_header = fields.get("type").and_then(Value::as_str) == Some("session");
    (is_header && fields.get("id").is_some_and(Value::is_string)).then_some(fields)
}

/// Does reading continue?
pub(crate) enum Flow {
    On,
    Stop,
}

impl<'a> SessionView<'a> {
    /// A conversation that has no file.
    pub fn in_memory(header: &Header, entries: &'a [Entry]) -> Self {
        let header = match serde_json::to_value(header) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        Self { header, leaf: None, origin: Origin::Memory(entries) }
    }

    /// The same conversation as of `leaf`; as of its last entry if there is no such entry.
    #[must_use]
    pub fn at(mut self, leaf: &str) -> Self {
        self.leaf = Some(leaf.to_owned());
        self
    }

    /// The session file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File { path, .. } => Some(path),
            Origin::Memory(_) => None,
        }
    }

    /// A text of the header.
    pub(crate) fn header_text(&self, name: &str) -> Option<&str> {
        self.header.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Calls `each` with every entry, in the order of the file; gives the number of lines that are none.
    pub(crate) fn entries(&self, mut each: impl FnMut(EntryPlace, &Entry)) -> Result<usize, ViewError> {
        if let Origin::Memory(entries) = &self.origin {
            for (index, entry) in entries.iter().enumerate() {
                each(EntryPlace { offset: index as u64, length: 0 }, entry);
            }
            return Ok(0);
        }
        let (mut is_header, mut skipped) = (true, 0);
        self.lines(|place, value| {
            // The first line that is JSON, but for the name, is the header.
            if value.as_ref().is_some_and(|value| is_header && is_name(value))
                || value.is_some() && std::mem::take(&mut is_header)
            {
                return Flow::On;
            }
            match value.and_then(line::entry) {
                Some(entry) => each(place, &entry),
                None => skipped += 1,
            }
            Flow::On
        })?;
        Ok(skipped)
    }

    /// Calls `each` with every entry as it is in the file, until it says stop.
    pub(crate) fn values(&self, mut each: impl FnMut(Value) -> Flow) -> Result<(), ViewError> {
        if let Origin::Memory(entries) = &self.origin {
            for entry in *entries {
                if let Flow::Stop = each(serde_json::to_value(entry).unwrap_or_default()) {
                    break;
                }
            }
            return Ok(());
        }
        let mut is_header = true;
        self.lines(|_, value| {
            let Some(value) = value else { return Flow::On };
            let is_entry = value["type"].is_string() && value["id"].is_string();
            if is_header && is_name(&value) || std::mem::take(&mut is_header) || !is_entry {
                return Flow::On;
            }
            each(value)
        })
    }

    /// Reads one entry again.
    pub(crate) fn entry(&self, place: EntryPlace) -> Result<Option<Cow<'a, Entry>>, ViewError> {
        match &self.origin {
            Origin::Memory(entries) => {
                let entry = usize::try_from(place.offset).ok().and_then(|index| entries.get(index));
                Ok(entry.map(Cow::Borrowed))
            }
            Origin::File { path, file, .. } => {
                let mut bytes = vec![0; place.length];
                file.read_exact_at(&mut bytes, place.offset)
                    .map_err(|source| ViewError::Read { path: path.clone(), source })?;
                Ok(line::value(&bytes).and_then(line::entry).map(Cow::Owned))
            }
        }
    }

    /// Calls `each` with every line of the file that is not blank; with `None` for one that is no JSON or too long.
    fn lines(&self, mut each: impl FnMut(EntryPlace, Option<Value>) -> Flow) -> Result<(), ViewError> {
        let Origin::File { path, file, length } = &self.origin else { return Ok(()) };
        let failed = |source| ViewError::Read { path: path.clone(), source };
        let from_start = FromStart { file, at: 0, end: *length };
        let mut reader = BufReader::with_capacity(256 * 1024, from_start);
        let (mut offset, mut line) = (0, Vec::new());
        loop {
            line.clear();
            let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(failed)?;
            if read == 0 {
                return Ok(());
            }
            let mut skipped = 0;
            if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
                line.clear();
                skipped = reader.skip_until(b'\n').map_err(failed)?;
            }
            let place = EntryPlace { offset, length: line.len() };
            offset += (read + skipped) as u64;
            let blank = skipped == 0 && line.trim_ascii().is_empty();
            if !blank && let Flow::Stop = each(place, line::value(&line)) {
                return Ok(());
            }
        }
    }
}

/// Reads a file from its beginning without moving its position, which all readers of a view share.
struct FromStart<'f> {
    file: &'f File,
    at: u64,
    end: u64,
}

impl Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.file.read_at(&mut buffer[..left], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
