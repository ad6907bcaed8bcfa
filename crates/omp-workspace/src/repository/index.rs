//! The paths of an index: all of them, or those of submodules, whose entries are commits.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An index with millions of files; more is not read.
const LONGEST: u64 = 512 * 1024 * 1024;
const HEADER: usize = 12;
/// The mode of an entry that is a commit.
const COMMIT: [u8; 4] = [0, 0, 0xe0, 0];
/// Times, device, inode, then the mode.
const MODE_AT: usize = 24;
/// What comes before the id, and the flags after it.
const BEFORE_ID: usize = 40;
const FLAGS: usize = 2;
/// Set where two more bytes of flags follow.
const EXTENDED: u8 = 0x40;

/// An entry: its mode and its path.
type Entry = ([u8; 4], Vec<u8>);

/// The paths of submodules, or why they cannot be told. `id_length` is that of the repository's object format.
pub(super) fn submodules(git: &Path, id_length: usize) -> Result<Vec<PathBuf>, String> {
    let commits = entries(git, id_length)?.into_iter().filter(|(mode, _)| *mode == COMMIT);
    Ok(commits.map(|(_, path)| PathBuf::from(OsStr::from_bytes(&path))).collect())
}

/// All paths, or why they cannot be told.
pub(super) fn paths(git: &Path, id_length: usize) -> Result<Vec<Vec<u8>>, String> {
    Ok(entries(git, id_length)?.into_iter().map(|(_, path)| path).collect())
}

fn entries(git: &Path, id_length: usize) -> Result<Vec<Entry>, String> {
    let file = git.join("index");
    let unreadable = || "an unreadable index".to_owned();
    match file.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Ok(facts) if facts.is_file() && facts.len() <= LONGEST => {}
        _ => return Err(unreadable()),
    }
    let bytes = std::fs::read(&file).map_err(|_| unreadable())?;
    read(&bytes, id_length).ok_or_else(unreadable)
}

/// `None` for anything that is not an index to its last byte, and for one that has its entries in another file.
fn read(bytes: &[u8], id_length: usize) -> Option<Vec<Entry>> {
    let (version, count) = (number(bytes, 4)?, number(bytes, 8)?);
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut reader = Reader { bytes, at: HEADER, id_length, version, path: Vec::new() };
    let entries =
        (0..count).map(|_| Some((reader.entry()?, reader.path.clone()))).collect::<Option<Vec<_>>>()?;
    reader.has_all_entries().then_some(entries)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    id_length: usize,
    version: u32,
    /// The path of the last entry.
    path: Vec<u8>,
}

impl Reader<'_> {
    /// Reads an entry; its mode.
    fn entry(&mut self) -> Option<[u8; 4]> {
        let start = self.at;
        let mode = self.bytes.get(start + MODE_AT..start + MODE_AT + 4)?.try_into().ok()?;
        let flags = start + BEFORE_ID + self.id_length;
        let extended = self.version >= 3 && self.bytes.get(flags)? & EXTENDED != 0;
        self.at = flags + FLAGS + usize::from(extended) * FLAGS;
        let kept = if self.version == 4 { self.path.len().checked_sub(self.variable()?)? } else { 0 };
        let rest = self.bytes.get(self.at..)?;
        let length = memchr::memchr(0, rest)?;
        self.path.truncate(kept);
        self.path.extend_from_slice(&rest[..length]);
        self.at += length + 1;
        if self.version < 4 {
            // Between one and eight zeros.
            self.at = start + (self.at - start).next_multiple_of(8);
        }
        Some(mode)
    }

    /// A number of variable length, as packs have them for offsets.
    fn variable(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?;
        }
    }

    /// What follows the entries are extensions, none of which has more entries, and the checksum.
    fn has_all_entries(&self) -> bool {
        let mut at = self.at;
        let end = self.bytes.len().saturating_sub(self.id_length);
        while at < end {
            let (Some(name), Some(length)) = (self.bytes.get(at..at + 4), number(self.bytes, at + 4)) else {
                return false;
            };
            if name == b"link" {
                return false;
            }
            at += 8 + length as usize;
        }
        at == end
    }
}
