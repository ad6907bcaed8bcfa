//! Reads files for a searcher: lines without end are cut, so that no line needs more memory than a searcher may take,
//! and what is not text ends at once.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;

/// Longer lines are looked through piece by piece. A match across two pieces is not found.
pub(super) const LONGEST: usize = 256 * 1024;
/// A NUL among so many bytes makes a file binary, here and for everybody who reads it.
const HEAD: usize = crate::sniff::HEAD;

/// What was noticed while reading.
#[derive(Clone, Default)]
pub(super) struct Notes {
    /// The places of the line ends that are ours.
    cuts: Rc<RefCell<Vec<u64>>>,
    binary: Rc<Cell<bool>>,
    odd: Rc<Cell<bool>>,
}

impl Notes {
    /// How many cuts there are before a place.
    pub(super) fn cuts_before(&self, place: u64) -> u64 {
        self.cuts.borrow().partition_point(|cut| *cut < place) as u64
    }

    /// The first bytes are not what a text in UTF-8 begins with: perhaps it is in another encoding.
    pub(super) fn is_odd(&self) -> bool {
        self.odd.get()
    }

    /// The file is not text.
    pub(super) fn is_binary(&self) -> bool {
        self.binary.get()
    }
}

/// Are these the first bytes of something that is not text?
pub(super) fn is_binary(head: &[u8]) -> bool {
    !is_wide(head) && memchr::memchr(0, &head[..head.len().min(HEAD)]).is_some()
}

/// Its characters are wider than a byte.
fn is_wide(head: &[u8]) -> bool {
    head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff])
}

/// What is known of a text before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Nothing,
    /// It is text in another encoding than UTF-8.
    Encoding,
}

/// Reads with line ends put into lines that are too long.
pub(super) struct Bounded<'a, R> {
    inner: R,
    notes: Notes,
    stop: &'a dyn Fn() -> bool,
    /// Are lines cut? A line end of one byte would shift characters that are wider.
    cuts: bool,
    /// Bytes since the last line end.
    since: usize,
    /// Bytes given so far.
    given: u64,
    /// Bytes of a mark at the start: places are counted behind it.
    mark: u64,
    is_wide: bool,
}

impl<'a, R: Read> Bounded<'a, R> {
    /// With `cuts`, lines are cut.
    pub(super) fn new(inner: R, cuts: bool, known: Known, notes: Notes, stop: &'a dyn Fn() -> bool) -> Self {
        let is_wide = known == Known::Encoding;
        Self { inner, notes, stop, cuts: cuts && !is_wide, since: 0, given: 0, mark: 0, is_wide }
    }

    /// Looks at the bytes near the start, which may come in several pieces; `false` if they are not text.
    fn is_text(&mut self, read: &[u8]) -> bool {
        if self.given == 0 {
            self.is_wide |= is_wide(read);
            self.cuts &= !self.is_wide;
        }
        let near = HEAD.saturating_sub(usize::try_from(self.given).unwrap_or(HEAD)).min(read.len());
        let is_text = self.is_wide || memchr::memchr(0, &read[..near]).is_none();
        if !self.is_wide && (!is_text || std::str::from_utf8(&read[..near]).is_err()) {
            self.notes.odd.set(true);
        }
        self.notes.binary.set(!is_text);
        is_text
    }
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(first) = buffer.first_mut() else { return Ok(0) };
        if self.notes.is_binary() {
            return Ok(0);
        }
        if (self.stop)() {
            return Err(io::Error::other("the search was cancelled"));
        }
        if self.cuts && self.since >= LONGEST {
            *first = b'\n';
            self.notes.cuts.borrow_mut().push(self.given - self.mark);
            self.given += 1;
            self.since = 0;
            return Ok(1);
        }
        let room = if self.cuts { buffer.len().min(LONGEST - self.since) } else { buffer.len() };
        let count = self.inner.read(&mut buffer[..room])?;
        let read = &buffer[..count];
        if self.given < HEAD as u64 && !self.is_text(read) {
            return Ok(0);
        }
        if self.given == 0 && read.starts_with(b"\xef\xbb\xbf") {
            self.mark = 3;
        }
        self.since = match memchr::memrchr(b'\n', read) {
            Some(last) => count - last - 1,
            None => self.since + count,
        };
        self.given += count as u64;
        Ok(count)
    }
}
