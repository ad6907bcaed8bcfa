//! Zip files. Their table of contents is at the end and is read by hand: it also has what a rewrite must keep.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::ArchiveError;
use super::index::{Incomplete, Index, Member, MemberKind, MemberLocation};
use crate::stop::{Stop, Watched};

pub(super) const LOCAL: u32 = 0x0403_4b50;
pub(super) const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END64: u32 = 0x0606_4b50;
const LOCATOR64: u32 = 0x0706_4b50;

const LOCAL_LENGTH: usize = 30;
const CENTRAL_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
/// A comment may follow the end record.
const MAX_TAIL: u64 = 66_000;
/// A link longer than this leads nowhere that could be shown.
const MAX_LINK: u64 = 4096;
/// Links in one archive.
const MAX_LINKS: usize = 50_000;

/// Where the table of contents is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// The position of the table.
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) count: u64,
    /// Bytes before the archive that its offsets do not count, such as a program that unpacks it.
    pub(super) base: u64,
    pub(super) comment: Vec<u8>,
    /// The record of large archives stands before the end record.
    pub(super) large: bool,
}

/// One row of the table of contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CentralEntry {
    /// The row as it is stored.
    pub(super) bytes: Vec<u8>,
    pub(super) name: String,
    /// The position of the member in the file.
    pub(super) header: u64,
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u64,
    size: u64,
    mode: u32,
}

fn damaged<T>(what: &str) -> Result<T, ArchiveError> {
    Err(ArchiveError::Damaged(what.to_owned()))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|pair| pair.try_into().ok()).map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Finds the end record.
pub(super) fn end(file: &mut File) -> Result<End, ArchiveError> {
    let length = file.seek(SeekFrom::End(0))?;
    let from = length.saturating_sub(MAX_TAIL);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(MAX_TAIL).read_to_end(&mut tail)?;
    let is_end = |at: &usize| {
        u32_at(&tail, *at) == END && at + END_LENGTH + usize::from(u16_at(&tail, at + 20)) <= tail.len()
    };
    let last = tail.len().checked_sub(END_LENGTH);
    let Some(at) = last.and_then(|last| (0..=last).rev().find(is_end)) else {
        return damaged("it has no central directory: truncated, or not a zip file");
    };
    let position = from + at as u64;
    let comment = tail[at + END_LENGTH..][..usize::from(u16_at(&tail, at + 20))].to_vec();
    let locator = at.checked_sub(20).filter(|before| u32_at(&tail, *before) == LOCATOR64);
    if let Some(locator) = locator {
        return end64(file, u64_at(&tail, locator + 8), position - 20, comment);
    }
    let (size, offset) = (u64::from(u32_at(&tail, at + 12)), u64::from(u32_at(&tail, at + 16)));
    let Some(start) = position.checked_sub(size).filter(|start| *start >= offset) else {
        return damaged("its central directory is out of bounds");
    };
    let count = u64::from(u16_at(&tail, at + 10));
    Ok(End { start, length: size, count, base: start - offset, comment, large: false })
}

/// The record of archives with more than 65,535 members or 4 GB.
fn end64(file: &mut File, at: u64, before: u64, comment: Vec<u8>) -> Result<End, ArchiveError> {
    let mut record = [0; 56];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut record)?;
    let (count, length, start) = (u64_at(&record, 32), u64_at(&record, 40), u64_at(&record, 48));
    if u32_at(&record, 0) != END64 || start.checked_add(length).is_none_or(|end| end > before) {
        return damaged("its central directory is out of bounds");
    }
    Ok(End { start, length, count, base: 0, comment, large: true })
}

/// The end record; `None` for an archive that needs a larger one.
pub(super) fn end_record(count: usize, length: u64, start: u64, comment: &[u8]) -> Option<Vec<u8>> {
    let count = u16::try_from(count).ok().filter(|count| *count < u16::MAX)?.to_le_bytes();
    let (length, start) =
        (u32::try_from(length).ok()?.to_le_bytes(), u32::try_from(start).ok()?.to_le_bytes());
    let comment_length = u16::try_from(comment.len()).ok()?.to_le_bytes();
    Some(
        [&END.to_le_bytes(), &[0; 4], &count[..], &count, &length, &start, &comment_length, comment].concat(),
    )
}

/// The rows of the table of contents, one after the other. Of more than 65,535 some programs count the lower bits only,
/// so what looks like a row behind the last one is a row.
pub(super) struct Rows<'a> {
    table: BufReader<Watched<io::Take<&'a mut File>>>,
    /// Rows that must follow.
    left: u64,
    /// Bytes of the table that follow.
    room: u64,
    base: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(file: &'a mut File, end: &End, stop: &Stop) -> Result<Self, ArchiveError> {
        file.seek(SeekFrom::Start(end.start))?;
        let table = BufReader::new(stop.watch(file.take(end.length)));
        Ok(Self { table, left: end.count, room: end.length, base: end.base })
    }

    /// The next row; `None` behind the last one.
    pub(super) fn next(&mut self) -> Result<Option<CentralEntry>, ArchiveError> {
        let counted = self.left > 0;
        if !counted && self.room < CENTRAL_LENGTH as u64 {
            return Ok(None);
        }
        let mut bytes = vec![0; CENTRAL_LENGTH];
        self.table.read_exact(&mut bytes)?;
        match u32_at(&bytes, 0) == CENTRAL {
            true => self.left = self.left.saturating_sub(1),
            false if counted => return damaged("its central directory is damaged"),
            false => return Ok(None),
        }
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(&bytes, at)));
        let variable = lengths.iter().sum::<usize>();
        bytes.resize(CENTRAL_LENGTH + variable, 0);
        self.table.read_exact(&mut bytes[CENTRAL_LENGTH..])?;
        self.room = self.room.saturating_sub(bytes.len() as u64);
        Ok(Some(CentralEntry::new(bytes, lengths[0], lengths[1], self.base)))
    }
}

impl CentralEntry {
    fn new(bytes: Vec<u8>, name: usize, extra: usize, base: u64) -> Self {
        let large = large_fields(&bytes[CENTRAL_LENGTH + name..][..extra]);
        let mut large = large.chunks_exact(8).map(|field| u64_at(field, 0));
        // A field of all ones stands for the next one among the large fields.
        let mut field = |at| match u32_at(&bytes, at) {
            u32::MAX => large.next().unwrap_or(u64::from(u32::MAX)),
            value => u64::from(value),
        };
        let (size, packed, header) = (field(24), field(20), field(42));
        Self {
            name: decode(&bytes[CENTRAL_LENGTH..][..name]),
            header: header.saturating_add(base),
            flags: u16_at(&bytes, 8),
            method: u16_at(&bytes, 10),
            checksum: u32_at(&bytes, 16),
            packed,
            size,
            mode: u32_at(&bytes, 38) >> 16,
            bytes,
        }
    }

    /// The name as it is stored.
    pub(super) fn raw_name(&self) -> &[u8] {
        &self.bytes[CENTRAL_LENGTH..][..usize::from(u16_at(&self.bytes, 28))]
    }

    /// The row for a member that is now elsewhere; `None` if the position needs more than 32 bits.
    pub(super) fn moved(&self, offset: u64) -> Option<Vec<u8>> {
        let mut bytes = self.bytes.clone();
        if u32_at(&bytes, 42) == u32::MAX {
            return None;
        }
        bytes[42..46].copy_from_slice(&u32::try_from(offset).ok()?.to_le_bytes());
        Some(bytes)
    }

    /// The permission bits, if the archive has them.
    pub(super) fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    fn kind(&self) -> MemberKind {
        const LINK: u32 = 0o120_000;
        match self.mode & 0o170_000 {
            _ if self.name.ends_with(['/', '\\']) => MemberKind::Directory,
            LINK => MemberKind::Link(None),
            _ => MemberKind::File,
        }
    }

    /// Where a link leads.
    fn link(&self, file: &File, stop: &Stop) -> Option<String> {
        let member =
            Member { name: self.name.clone(), kind: MemberKind::File, size: self.size, place: self.place() };
        let target = read(file, &member, stop, |source| {
            let mut target = String::new();
            source.take(MAX_LINK).read_to_string(&mut target).map(|_| target)
        });
        target.ok()
    }

    fn place(&self) -> MemberLocation {
        MemberLocation::Zip {
            header: self.header,
            packed: self.packed,
            method: self.method,
            encrypted: self.flags & 1 != 0,
            checksum: self.checksum,
        }
    }
}

/// The numbers that did not fit into 32 bits.
fn large_fields(mut extra: &[u8]) -> &[u8] {
    while extra.len() >= 4 {
        let length = usize::from(u16_at(extra, 2)).min(extra.len() - 4);
        if u16_at(extra, 0) == 1 {
            return &extra[4..4 + length];
        }
        extra = &extra[4 + length..];
    }
    &[]
}

/// Names are UTF-8 if they can be; otherwise they are from DOS.
fn decode(name: &[u8]) -> String {
    const DOS: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
    match std::str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) => {
            let dos: Vec<char> = DOS.chars().collect();
            let letter = |byte: &u8| match byte.checked_sub(0x80) {
                Some(high) => dos.get(usize::from(high)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
                None => char::from(*byte),
            };
            name.iter().map(letter).collect()
        }
    }
}

/// All members by name.
pub(super) fn index(file: &File, stop: &Stop) -> Result<Index, ArchiveError> {
    let mut reader = file.try_clone()?;
    let end = end(&mut reader)?;
    let mut index = Index::default();
    let mut links = Vec::new();
    match fill(&mut index, &mut Rows::new(&mut reader, &end, stop)?, &mut links) {
        Ok(incomplete) => index.incomplete = incomplete,
        Err(error) if index.is_empty() => return Err(error),
        Err(error) => index.incomplete = Some(Incomplete::Damaged(error.damage()?)),
    }
    for row in links {
        index.add(&row.name, MemberKind::Link(row.link(file, stop)), row.size, row.place());
    }
    Ok(index)
}

/// Links wait: where they lead stands elsewhere in the file.
fn fill(
    index: &mut Index,
    rows: &mut Rows<'_>,
    links: &mut Vec<CentralEntry>,
) -> Result<Option<Incomplete>, ArchiveError> {
    while let Some(row) = rows.next()? {
        if index.is_full() || links.len() >= MAX_LINKS {
            return Ok(Some(Incomplete::Many));
        }
        match row.kind() {
            MemberKind::Link(_) => links.push(row),
            kind => index.add(&row.name, kind, row.size, row.place()),
        }
    }
    Ok(None)
}

/// Hands the unpacked bytes of a member to `take`.
pub(super) fn read<T>(
    file: &File,
    member: &Member,
    stop: &Stop,
    take: impl FnOnce(&mut dyn Read) -> io::Result<T>,
) -> Result<T, ArchiveError> {
    let MemberLocation::Zip { header, packed, method, encrypted, checksum } = member.place else {
        return damaged("the member belongs to another archive");
    };
    if encrypted {
        return Err(ArchiveError::Encrypted(member.name.clone()));
    }
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(header))?;
    let mut local = [0; LOCAL_LENGTH];
    file.read_exact(&mut local)?;
    if u32_at(&local, 0) != LOCAL {
        return damaged("a member is not where the central directory says");
    }
    let skip = i64::from(u16_at(&local, 26)) + i64::from(u16_at(&local, 28));
    file.seek(SeekFrom::Current(skip))?;
    let source = stop.watch(file.take(packed));
    let checked = |source| Checked { source, left: member.size, checksum, seen: Crc::new() };
    let taken = match method {
        0 => take(&mut checked(Box::new(source) as Box<dyn Read>)),
        8 => take(&mut checked(Box::new(DeflateDecoder::new(BufReader::new(source))) as Box<dyn Read>)),
        method => return Err(ArchiveError::Method { name: member.name.clone(), method }),
    };
    Ok(taken?)
}

/// Bytes whose number and checksum are known.
struct Checked<R> {
    source: R,
    left: u64,
    checksum: u32,
    seen: Crc,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(buffer)?;
        self.seen.update(&buffer[..length]);
        let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        if length == 0 && !buffer.is_empty() {
            let whole = self.left == 0 && self.seen.sum() == self.checksum;
            return if whole { Ok(0) } else { Err(invalid("a member has a wrong size or checksum")) };
        }
        self.left = self
            .left
            .checked_sub(length as u64)
            .ok_or_else(|| invalid("a member is larger than the central directory says"))?;
        Ok(length)
    }
}
