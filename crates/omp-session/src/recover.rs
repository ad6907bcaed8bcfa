//! A whole session from a damaged one. The damaged file is only read.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::{Value, json};

use crate::envelope::Envelope;
use crate::file;
use crate::fork::copy_artifacts;
use crate::header::{Header, VERSION};
use crate::id::EntryIds;
use crate::layout::{self, checksum};
use crate::lines::Lines;
use crate::raw::RawObject;
use crate::rewrite::CopyError;
use crate::sessions::Sessions;
use crate::title_slot::{self, Opening};

/// What could be saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// The new session.
    pub path: PathBuf,
    /// Entries in it.
    pub entries: usize,
    /// Lines of which nothing could be read.
    pub lost: usize,
    /// Entries whose parent is gone, which now follow the entry before them in the file.
    pub relinked: usize,
    /// Entries that got another id, because theirs was taken or missing.
    pub renamed: usize,
    /// Was there no header? Then the session belongs to the directory that was given.
    pub new_header: bool,
}

impl Sessions {
    /// Writes what can be read of a damaged session, or of a file that was set aside, to a new session beside it.
    /// `cwd` is where it belongs if the file does not say.
    pub fn recover(&self, damaged: &Path, cwd: &Path) -> Result<Recovery, CopyError> {
        let unreadable = |source| CopyError::Read { path: damaged.to_owned(), source };
        if !damaged.is_file() {
            return Err(CopyError::NotASession(damaged.to_owned()));
        }
        let found = find_header(damaged).map_err(unreadable)?;
        let new = Header::new(cwd);
        let (raw, old) = found.unzip();
        let raw = raw.or_else(|| RawObject::read(&new.line()));
        let mut header = raw.ok_or_else(|| CopyError::NotASession(damaged.to_owned()))?;
        if let Some(old) = &old {
            header.set(2, "parentSession", &json!(old.id));
        }
        for (name, value) in
            [("version", json!(VERSION)), ("id", json!(new.id)), ("timestamp", json!(new.timestamp))]
        {
            header.set(1, name, &value);
        }
        let directory = damaged.parent().map_or_else(|| self.dir_for(cwd), Path::to_owned);
        let path = directory.join(layout::file_name(&new.timestamp, &new.id));
        let mut rescue =
            Rescue { version: old.as_ref().map_or(VERSION, |old| old.version), ..Rescue::default() };
        let mut nothing = false;
        let written = file::replace(&path, |writer| {
            writer.write_all(&header.line())?;
            rescue.run(damaged, writer)?;
            nothing = rescue.report.entries == 0;
            // An empty session beside the damaged one would help nobody.
            if nothing { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
        });
        if nothing {
            return Err(CopyError::NothingToRecover(damaged.to_owned()));
        }
        written.map_err(|source| CopyError::Write { path: path.clone(), source })?;
        // A convenience: without them the conversation is whole all the same.
        let _ = copy_artifacts(damaged, &path);
        Ok(Recovery { path, new_header: old.is_none(), ..rescue.report })
    }
}

/// The first header among the first lines, as it was written, with the name that stands before it.
fn find_header(path: &Path) -> io::Result<Option<(RawObject, Header)>> {
    let mut lines = Lines::new(File::open(path)?)?;
    let mut name = None;
    while let Some(line) = lines.next()? {
        let Some(text) = line.text else { continue };
        match serde_json::from_slice::<Value>(text).ok().map(Opening::read) {
            Some(Opening::Name(found)) => name = Some(found),
            Some(Opening::Header(mut header)) => {
                let Some(mut raw) = RawObject::read(text) else { continue };
                if name.is_some() {
                    title_slot::name(&mut header, name.take());
                    raw.set(usize::MAX, "title", &json!(header.title));
                    raw.set(usize::MAX, "titleSource", &json!(header.title_source));
                }
                return Ok(Some((raw, header)));
            }
            _ => {}
        }
    }
    Ok(None)
}

#[derive(Default)]
struct Rescue {
    report: Recovery,
    version: u32,
    ids: EntryIds,
    /// The names of the entries in the new file by those in the old one, and checksums of their lines.
    names: HashMap<String, (String, u64)>,
    last: Option<String>,
}

impl Rescue {
    fn run(&mut self, damaged: &Path, writer: &mut impl Write) -> io::Result<()> {
        let mut lines = Lines::new(File::open(damaged)?)?;
        while let Some(line) = lines.next()? {
            match line.text.and_then(readable) {
                Some((text, Some(envelope))) if envelope.name == "session" && is_opening(text) => {}
                Some((text, None)) if is_opening(text) => {}
                Some((text, envelope)) => match RawObject::read(text) {
                    Some(object) => self.keep(object, text, envelope.as_ref(), writer)?,
                    None => self.report.lost += 1,
                },
                None => self.report.lost += 1,
            }
        }
        Ok(())
    }

    /// Writes the entry with an id of its own and a parent that exists, unless it is there already.
    fn keep(
        &mut self,
        mut object: RawObject,
        text: &[u8],
        envelope: Option<&Envelope>,
        writer: &mut impl Write,
    ) -> io::Result<()> {
        let sum = checksum(text);
        let old_id = envelope.map(|envelope| envelope.id.clone());
        let known = old_id.as_ref().and_then(|id| self.names.get(id));
        if known.is_some_and(|(_, same)| *same == sum) {
            return Ok(());
        }
        let free = old_id.clone().filter(|id| known.is_none() && !self.ids.contains(id));
        let id = match free {
            Some(id) => id,
            None => {
                let id = self.ids.fresh();
                object.set(1, "id", &json!(id));
                self.report.renamed += 1;
                id
            }
        };
        self.ids.keep(&id);
        // From the line: an entry without an id has no envelope.
        let old_parent = object.get("parentId").and_then(|parent| parent.as_str().map(str::to_owned));
        let parent = self.parent(old_parent.as_deref());
        if parent != old_parent || self.version < 2 {
            object.set(2, "parentId", &json!(parent));
        }
        self.names.insert(old_id.unwrap_or_else(|| id.clone()), (id.clone(), sum));
        self.last = Some(id);
        self.report.entries += 1;
        writer.write_all(&object.line())
    }

    fn parent(&mut self, old: Option<&str>) -> Option<String> {
        let found = old.and_then(|old| self.names.get(old)).map(|(name, _)| name.clone());
        match (old, found) {
            (_, Some(found)) => Some(found),
            (None, None) if self.version >= 2 => None,
            (_, None) => {
                self.report.relinked += usize::from(self.last.is_some());
                self.last.clone()
            }
        }
    }
}

/// Is it a header, or the name before one?
fn is_opening(text: &[u8]) -> bool {
    let value = serde_json::from_slice::<Value>(text).ok();
    value.is_some_and(|value| !matches!(Opening::read(value), Opening::Other))
}

/// The part of a line that can be read: all of it, or what follows a line that was cut off without a newline.
fn readable(line: &[u8]) -> Option<(&[u8], Option<Envelope>)> {
    let starts = memmem::find_iter(line, br#"{"type":"#);
    let starts = std::iter::once(0).chain(starts.filter(|start| *start > 0));
    for start in starts {
        let text = &line[start..];
        if let Some(envelope) = Envelope::read(text) {
            return Some((text, Some(envelope)));
        }
    }
    // An entry of the first version has no id.
    let has_type = serde_json::from_slice::<Value>(line).is_ok_and(|value| value["type"].is_string());
    has_type.then_some((line, None))
}
