//! Lines without end, cut so that no line needs more memory than a searcher may take.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// Longer lines are looked through piece by piece. A match across two pieces is not found.
pub(super) const LONGEST: usize = 256 * 1024;

/// Where lines were cut: the places of the line ends that are ours.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuts(Rc<RefCell<Vec<u64>>>);

impl Cuts {
    /// How many cuts there are before a place.
    pub(super) fn before(&self, place: u64) -> u64 {
        self.0.borrow().partition_point(|cut| *cut < place) as u64
    }
}

/// Reads with line ends put into lines that are too long.
pub(super) struct Bounded<R> {
    inner: R,
    cuts: Cuts,
    /// Bytes since the last line end.
    since: usize,
    /// Bytes given so far.
    given: u64,
    /// Its characters are wider than a byte: a line end of one byte would shift them.
    wide: bool,
}

impl<R: Read> Bounded<R> {
    pub(super) fn new(inner: R, cuts: Cuts) -> Self {
        Self { inner, cuts, since: 0, given: 0, wide: false }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(first) = buffer.first_mut() else { return Ok(0) };
        if self.since >= LONGEST && !self.wide {
            *first = b'\n';
            self.cuts.0.borrow_mut().push(self.given);
            self.given += 1;
            self.since = 0;
            return Ok(1);
        }
        let room = if self.wide { buffer.len() } else { buffer.len().min(LONGEST - self.since) };
        let count = self.inner.read(&mut buffer[..room])?;
        let read = &buffer[..count];
        if self.given == 0 {
            self.wide = read.starts_with(&[0xff, 0xfe]) || read.starts_with(&[0xfe, 0xff]);
        }
        self.since = match memchr::memrchr(b'\n', read) {
            Some(last) => count - last - 1,
            None => self.since + count,
        };
        self.given += count as u64;
        Ok(count)
    }
}
