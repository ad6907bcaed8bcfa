//! Making an index from a session file, or extending one by what was appended since.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use super::parse::{self, Parsed, ParsedEntry};
use super::record::{HEADER, Header, LINKS, Links, NONE, RECORD, Record};
use crate::lines::{Block, Lines};
use crate::title_slot::Opening;

/// So much of a file is read at once.
const BLOCK: usize = 4 * 1024 * 1024;

/// Reads lines and makes records of them.
pub(super) struct Builder<'a> {
    header: Header,
    /// The record before the next one, which is nearly always its parent.
    last: Option<Record>,
    tree: Tree<'a>,
}

/// What is needed for entries that do not follow the one before.
enum Tree<'a> {
    /// In this index file, to be read when it is needed: conversations are mostly lines, not trees. What was added
    /// since is not in the file yet.
    OnDisk(&'a File, Vec<Record>),
    InMemory(Known),
}

#[derive(Default)]
struct Known {
    by_key: HashMap<u64, u32>,
    /// The links of each record.
    links: Vec<Links>,
    /// Parents that were not there when their child came.
    missing: Vec<u64>,
}

impl Builder<'static> {
    pub(super) fn new() -> Self {
        Self { header: Header::default(), last: None, tree: Tree::InMemory(Known::default()) }
    }
}

impl<'a> Builder<'a> {
    /// Continues after the last record of an index.
    pub(super) fn after(header: Header, last: Option<Record>, index: &'a File) -> Self {
        Self { header, last, tree: Tree::OnDisk(index, Vec::new()) }
    }

    /// Reads the file from where the header says to its last whole line. The header describes the result.
    pub(super) fn run(mut self, session: &File, out: &mut impl Write) -> io::Result<Header> {
        let mut lines = Lines::from(session.try_clone()?, self.header.covered)?;
        if self.header.covered == 0 {
            self.pass_header(&mut lines)?;
        }
        while let Some(block) = lines.block(BLOCK)? {
            match block {
                Block::Lines { offset, bytes } => {
                    for found in parse::block(bytes, offset) {
                        match found.entry {
                            Some(entry) => self.add(&entry, &found, out)?,
                            None => self.header.skipped += 1,
                        }
                    }
                }
                Block::TooLong => self.header.skipped += 1,
            }
            self.header.covered = lines.offset();
            if self.header.irregular {
                break;
            }
        }
        self.finish();
        self.header.seal(session)?;
        Ok(self.header)
    }

    /// As in a whole file: the first line that is JSON, but for the name, is the header; what else is before it is
    /// skipped.
    fn pass_header(&mut self, lines: &mut Lines) -> io::Result<()> {
        while let Some(line) = lines.next()? {
            if !line.ended {
                break;
            }
            let found = line.text.and_then(|text| serde_json::from_slice(text).ok()).map(Opening::read);
            self.header.covered = lines.offset();
            match found {
                Some(Opening::Name(_)) => {}
                Some(_) => break,
                None => self.header.skipped += 1,
            }
        }
        Ok(())
    }

    fn add(&mut self, entry: &ParsedEntry, found: &Parsed, out: &mut impl Write) -> io::Result<()> {
        let number = u32::try_from(self.header.count).unwrap_or(NONE);
        let ParsedEntry { key, parent, kind } = *entry;
        let follows = parent.is_some() && parent == self.last.as_ref().map(|last| last.key);
        let (parent, links) = match &self.last {
            Some(last) if follows => (number - 1, last.links),
            _ => self.look_up(parent)?,
        };
        let record = Record {
            offset: found.offset,
            length: found.length,
            key,
            parent,
            links: kind.link(number, links),
            kind,
        };
        match &mut self.tree {
            Tree::InMemory(known) => self.header.irregular |= !known.add(&record),
            Tree::OnDisk(_, added) => added.push(record),
        }
        out.write_all(&record.encode())?;
        self.header.count += 1;
        self.header.irregular |= number >= NONE - 1;
        self.last = Some(record);
        Ok(())
    }

    /// The parent's number and what is nearest above it.
    fn look_up(&mut self, parent: Option<u64>) -> io::Result<(u32, Links)> {
        let nothing = (NONE, [NONE; LINKS]);
        let Some(parent) = parent else { return Ok(nothing) };
        if let Tree::OnDisk(index, added) = &self.tree {
            let mut known = Known::default();
            let mut regular = true;
            super::for_each_record(index, self.header.count - added.len() as u64, |_, record| {
                regular &= known.add(record);
            })?;
            regular &= added.iter().all(|record| known.add(record));
            self.header.irregular |= !regular;
            self.tree = Tree::InMemory(known);
        }
        let Tree::InMemory(known) = &mut self.tree else { return Ok(nothing) };
        match known.by_key.get(&parent) {
            Some(number) => {
                Ok((*number, known.links.get(*number as usize).copied().unwrap_or([NONE; LINKS])))
            }
            None => {
                known.missing.push(parent);
                Ok(nothing)
            }
        }
    }

    /// A parent that came after its child makes the order of the file useless.
    fn finish(&mut self) {
        if let Tree::InMemory(known) = &self.tree {
            self.header.irregular |= known.missing.iter().any(|parent| known.by_key.contains_key(parent));
        }
    }
}

impl Known {
    /// Is the record the first of its id?
    fn add(&mut self, record: &Record) -> bool {
        let number = u32::try_from(self.links.len()).unwrap_or(NONE);
        self.links.push(record.links);
        self.by_key.insert(record.key, number).is_none()
    }
}

/// Writes records and the header of an index file that is extended in place. The header comes last: what it does
/// not count does not exist.
pub(super) fn extend(
    index: &File,
    header: Header,
    last: Option<Record>,
    session: &File,
) -> io::Result<Header> {
    let mut records = Vec::new();
    let new = Builder::after(header, last, index).run(session, &mut records)?;
    index.write_all_at(&records, HEADER as u64 + header.count * RECORD as u64)?;
    index.write_all_at(&new.encode(), 0)?;
    Ok(new)
}
