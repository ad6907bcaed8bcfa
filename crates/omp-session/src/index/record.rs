//! The two forms in an index file: one header, then one record for each entry.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use crate::context::{PLAN_APPROVED, TODO_EDIT, TODO_TOOL};
use crate::entry::{EntryKind, EntryRole};
use crate::envelope::Envelope;
use crate::layout::checksum;

/// No record.
pub(super) const NONE: u32 = u32::MAX;

pub(super) const HEADER: usize = 128;
pub(super) const RECORD: usize = 52;

/// How much of the beginning and the end of the covered part must be the same.
const PROBE: u64 = 4096;

const MAGIC: u64 = u64::from_le_bytes(*b"ompidx03");

/// What an entry is to its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    Other = 0,
    /// A message of an assistant.
    Answer = 1,
    /// A setting that holds until the next one.
    State = 2,
    /// What is before it is told in other words, or not at all.
    Compaction = 3,
    /// A list of tasks, as the tool or the user left it.
    Tasks = 4,
    /// A plan that was approved.
    Plan = 5,
}

/// Kinds of which each entry knows the nearest one on its way to the root.
pub(super) const LINKS: usize = 5;

/// The nearest entry of each kind, from [`Kind::Answer`] on.
pub(super) type Links = [u32; LINKS];

impl RecordKind {
    pub(super) fn of(envelope: &Envelope) -> Self {
        match envelope.name.as_str() {
            "message" if envelope.role.as_deref() == Some("assistant") => Self::Answer,
            "message" if envelope.tool.as_deref() == Some(TODO_TOOL) => Self::Tasks,
            "custom" if envelope.custom_type.as_deref() == Some(TODO_EDIT) => Self::Tasks,
            "custom" if envelope.custom_type.as_deref() == Some(PLAN_APPROVED) => Self::Plan,
            name => match EntryKind::role(name) {
                EntryRole::Boundary => Self::Compaction,
                EntryRole::Setting => Self::State,
                EntryRole::Record => Self::Other,
            },
        }
    }

    /// Where the nearest of this kind stands among the links.
    fn place(self) -> Option<usize> {
        (self as usize).checked_sub(1)
    }

    /// The links of an entry of this kind below those of its parent.
    pub(super) fn link(self, number: u32, mut links: Links) -> Links {
        if let Some(place) = self.place() {
            links[place] = number;
        }
        links
    }

    fn from_number(number: u32) -> Option<Self> {
        [Self::Other, Self::Answer, Self::State, Self::Compaction, Self::Tasks, Self::Plan]
            .into_iter()
            .find(|kind| *kind as u32 == number)
    }
}

/// Where an entry is and how it hangs in the tree. Entries are named by their place in the file, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) key: u64,
    pub(super) parent: u32,
    /// The nearest of each kind on the way to the root, beginning with the entry itself.
    pub(super) links: Links,
    pub(super) kind: RecordKind,
}

/// A number for an id: the id itself where it is eight hexadecimal digits, else a checksum.
pub(super) fn key(id: &str) -> u64 {
    short(id).map_or_else(|| checksum(id.as_bytes()) | 1 << 63, u64::from)
}

/// The number of an id that could be drawn again.
pub(crate) fn short(id: &str) -> Option<u32> {
    let legal = id.len() == 8 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if legal { u32::from_str_radix(id, 16).ok() } else { None }
}

/// The short id behind a key.
pub(super) fn short_of(key: u64) -> Option<u32> {
    u32::try_from(key).ok()
}

/// Where the checksum of a record is.
const SUM: usize = RECORD - 4;

impl Record {
    /// The nearest entry of a kind.
    pub(super) fn nearest(&self, kind: RecordKind) -> Option<u32> {
        let number = *self.links.get(kind.place()?)?;
        (number != NONE).then_some(number)
    }

    pub(super) fn encode(&self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.key.to_le_bytes());
        let numbers = [self.length, self.parent, self.kind as u32].into_iter().chain(self.links);
        for (place, number) in bytes[16..SUM].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let sum = checksum(&bytes[..SUM]) as u32;
        bytes[SUM..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// `None` if the bytes are damaged.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        if checksum(bytes.get(..SUM)?) as u32 != number(SUM)? {
            return None;
        }
        let mut links = [NONE; LINKS];
        for (at, link) in links.iter_mut().enumerate() {
            *link = number(28 + 4 * at)?;
        }
        Some(Self {
            offset: long(0)?,
            key: long(8)?,
            length: number(16)?,
            parent: number(20)?,
            kind: RecordKind::from_number(number(24)?)?,
            links,
        })
    }
}

/// Which file an index belongs to, and how far it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// Bytes of the session file that the records describe; a line ends there.
    pub(super) covered: u64,
    pub(super) count: u64,
    pub(super) skipped: u64,
    /// The file has ids twice, or children before their parents: it must be read as a whole.
    pub(super) irregular: bool,
    device: u64,
    inode: u64,
    modified: u64,
    head: u64,
    tail: u64,
}

/// How an index stands to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    Current,
    /// The file has grown.
    Behind,
    Stale,
}

impl Header {
    /// Notes what the file looks like now.
    pub(super) fn seal(&mut self, file: &File) -> io::Result<()> {
        let metadata = file.metadata()?;
        (self.device, self.inode, self.modified) = (metadata.dev(), metadata.ino(), modified(&metadata));
        (self.head, self.tail) = self.probes(file)?;
        Ok(())
    }

    fn probes(&self, file: &File) -> io::Result<(u64, u64)> {
        let length = usize::try_from(self.covered.min(PROBE)).unwrap_or_default();
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, 0)?;
        let head = checksum(&bytes);
        file.read_exact_at(&mut bytes, self.covered - length as u64)?;
        Ok((head, checksum(&bytes)))
    }

    pub(super) fn freshness(&self, file: &File) -> io::Result<Freshness> {
        let metadata = file.metadata()?;
        let same = (self.device, self.inode) == (metadata.dev(), metadata.ino());
        if !same || metadata.len() < self.covered || self.probes(file)? != (self.head, self.tail) {
            return Ok(Freshness::Stale);
        }
        Ok(match (metadata.len() == self.covered, modified(&metadata) == self.modified) {
            (true, true) => Freshness::Current,
            // Changed in place, by no way of ours.
            (true, false) => Freshness::Stale,
            (false, _) => Freshness::Behind,
        })
    }

    pub(super) fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let numbers = [
            MAGIC,
            self.covered,
            self.count,
            self.skipped,
            u64::from(self.irregular),
            self.device,
            self.inode,
            self.modified,
            self.head,
            self.tail,
        ];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let sum = checksum(&bytes[..HEADER - 8]);
        bytes[HEADER - 8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8; HEADER]) -> Option<Self> {
        let mut numbers =
            bytes.chunks_exact(8).filter_map(|part| Some(u64::from_le_bytes(part.try_into().ok()?)));
        let magic = numbers.next()?;
        let mut next = || numbers.next();
        let header = Self {
            covered: next()?,
            count: next()?,
            skipped: next()?,
            irregular: next()? != 0,
            device: next()?,
            inode: next()?,
            modified: next()?,
            head: next()?,
            tail: next()?,
        };
        (magic == MAGIC && header.encode() == *bytes).then_some(header)
    }
}

/// Nanoseconds, of which the lower bits are enough to tell a change.
fn modified(metadata: &Metadata) -> u64 {
    metadata
        .mtime()
        .cast_unsigned()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(metadata.mtime_nsec().cast_unsigned())
}
