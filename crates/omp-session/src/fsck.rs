//! Checking a session file without changing it.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::Value;

use crate::blobs::{self, BlobHash, BlobStore};
use crate::envelope::Envelope;
use crate::header::VERSION;
use crate::lines::Lines;
use crate::load::{self, LoadError};
use crate::title_slot::Opening;

/// More findings than this are counted, not kept.
const MOST_FINDINGS: usize = 1000;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkup {
    /// The session file.
    pub path: PathBuf,
    /// Its length in bytes.
    pub length: u64,
    /// Entries that can be read.
    pub entries: usize,
    /// What is wrong, in the order of the file.
    pub findings: Vec<Finding>,
    /// How much more is wrong.
    pub further: usize,
}

/// Something that is wrong with a session file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Counted from 1, without blank lines; 0 for what concerns the whole file.
    pub line: usize,
    /// Where the line begins.
    pub offset: u64,
    /// What is wrong.
    pub damage: Damage,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The first line that is JSON is no header.
    #[error("the file does not start with a session header")]
    NoHeader,
    /// It is opened for reading only.
    #[error("the session has format {0}, which this version can only read")]
    LaterVersion(u32),
    /// The last line was cut off; the next append closes it.
    #[error("the last line is truncated")]
    TornEnd,
    /// Not JSON, or not text, or too long.
    #[error("unreadable line")]
    Unreadable,
    /// JSON, but without a type or an id.
    #[error("not a valid session entry")]
    NotAnEntry,
    /// Two entries claim an id.
    #[error("duplicate id {0}")]
    DuplicateId(String),
    /// The conversation before the entry is not found.
    #[error("entry {id} has a missing parent {parent}")]
    MissingParent {
        /// The entry.
        id: String,
        /// What it names.
        parent: String,
    },
    /// The way to the root does not end.
    #[error("entry {0} is its own ancestor")]
    Circle(String),
    /// An image is gone.
    #[error("image {} is missing", .0.as_str())]
    MissingBlob(BlobHash),
}

impl Checkup {
    /// Is nothing wrong?
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    fn add(&mut self, line: usize, offset: u64, damage: Damage) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(Finding { line, offset, damage });
        } else {
            self.further += 1;
        }
    }
}

/// Reads a session file line by line and says what is wrong with it. Images are looked for in `blobs`.
pub fn fsck(path: &Path, blobs: Option<&BlobStore>) -> Result<Checkup, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let missing = || failed(io::Error::from(io::ErrorKind::NotFound));
    let file = load::open(path)?.ok_or_else(missing)?;
    check(path, file, blobs).map_err(failed)
}

/// An entry and what it follows.
struct Seen {
    line: usize,
    offset: u64,
    parent: Option<String>,
}

fn check(path: &Path, file: File, blobs: Option<&BlobStore>) -> io::Result<Checkup> {
    let length = file.metadata()?.len();
    let mut checkup = Checkup { path: path.to_owned(), length, entries: 0, findings: Vec::new(), further: 0 };
    let mut seen: HashMap<String, Seen> = HashMap::new();
    let mut lines = Lines::new(file)?;
    let (mut number, mut has_header) = (0, false);
    while let Some(line) = lines.next()? {
        number += 1;
        let (offset, ended) = (line.offset, line.ended);
        let text = line.text.unwrap_or_default();
        let json = serde_json::from_slice::<Value>(text);
        if let (Ok(value), false) = (&json, has_header) {
            has_header = match Opening::read(value.clone()) {
                Opening::Name(_) => false,
                Opening::Header(header) if header.version > VERSION => {
                    checkup.add(number, offset, Damage::LaterVersion(header.version));
                    true
                }
                Opening::Header(_) => true,
                Opening::Other => {
                    checkup.add(number, offset, Damage::NoHeader);
                    true
                }
            };
            continue;
        }
        let Some(envelope) = Envelope::read(text) else {
            let damage = match json {
                Ok(_) => Damage::NotAnEntry,
                Err(_) if ended => Damage::Unreadable,
                Err(_) => Damage::TornEnd,
            };
            checkup.add(number, offset, damage);
            continue;
        };
        checkup.entries += 1;
        for hash in missing_blobs(text, blobs) {
            checkup.add(number, offset, Damage::MissingBlob(hash));
        }
        let entry = Seen { line: number, offset, parent: envelope.parent_id };
        if seen.insert(envelope.id.clone(), entry).is_some() {
            checkup.add(number, offset, Damage::DuplicateId(envelope.id));
        }
    }
    if !has_header {
        checkup.add(0, 0, Damage::NoHeader);
    }
    check_tree(&seen, &mut checkup);
    checkup.findings.sort_by_key(|finding| finding.line);
    Ok(checkup)
}

fn check_tree(seen: &HashMap<String, Seen>, checkup: &mut Checkup) {
    // Does the way to the root end?
    let mut rooted: HashMap<&str, bool> = HashMap::new();
    for (id, entry) in seen {
        if let Some(parent) = entry.parent.as_ref().filter(|parent| !seen.contains_key(*parent)) {
            let damage = Damage::MissingParent { id: id.clone(), parent: parent.clone() };
            checkup.add(entry.line, entry.offset, damage);
        }
        let mut way = Vec::new();
        let mut next = Some(id.as_str());
        let ends = loop {
            let Some(id) = next else { break true };
            // Known, or on this way already, which is a circle.
            if let Some(known) = rooted.get(id) {
                break *known;
            }
            rooted.insert(id, false);
            way.push(id);
            next = seen
                .get(id)
                .and_then(|entry| entry.parent.as_deref())
                .filter(|parent| seen.contains_key(*parent));
        };
        if ends {
            rooted.extend(way.into_iter().map(|id| (id, true)));
        }
    }
    for (id, entry) in seen.iter().filter(|(id, _)| rooted.get(id.as_str()) == Some(&false)) {
        checkup.add(entry.line, entry.offset, Damage::Circle(id.clone()));
    }
}

/// The blobs that a line refers to.
pub(crate) fn references(line: &[u8]) -> impl Iterator<Item = BlobHash> {
    let prefix = blobs::PREFIX.as_bytes();
    memmem::find_iter(line, prefix).filter_map(move |at| {
        let digits = line.get(at + prefix.len()..at + prefix.len() + 64)?;
        BlobHash::parse(std::str::from_utf8(digits).ok()?)
    })
}

fn missing_blobs(line: &[u8], blobs: Option<&BlobStore>) -> Vec<BlobHash> {
    let Some(blobs) = blobs else { return Vec::new() };
    references(line).filter(|hash| !blobs.path(hash).is_file()).collect()
}
