//! The lines of a session file, one at a time: memory depends on the longest line, not on the file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use memchr::{memchr, memrchr};

/// Lines longer than this are not looked into, like lines that are no JSON.
pub(crate) const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// What is read at once. Nearly every line fits.
const BUFFER: usize = 256 * 1024;

/// A line that is not blank.
pub(crate) struct Line<'a> {
    /// Where it begins in the file.
    pub(crate) offset: u64,
    /// Without space around it; `None` if it is too long.
    pub(crate) text: Option<&'a [u8]>,
    /// Does a newline follow?
    pub(crate) ended: bool,
}

/// Many lines at once.
pub(crate) enum Block<'a> {
    /// Whole lines, each with its newline, some of them perhaps blank.
    Lines {
        /// Where the first one begins in the file.
        offset: u64,
        bytes: &'a [u8],
    },
    TooLong,
}

/// Reads lines from some place in a file to its end.
pub(crate) struct Lines {
    file: File,
    buffer: Vec<u8>,
    /// What is read and not yet handed out.
    start: usize,
    end: usize,
    /// The place of `start` in the file.
    offset: u64,
    /// A longer buffer is given back when it is empty.
    usual: usize,
}

impl Lines {
    pub(crate) fn new(file: File) -> io::Result<Self> {
        Self::from(file, 0)
    }

    pub(crate) fn from(mut file: File, offset: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { file, buffer: vec![0; BUFFER], start: 0, end: 0, offset, usual: BUFFER })
    }

    /// Where the next line begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line that is not blank; `None` at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let offset = self.offset;
            let Some(found) = self.find()? else { return Ok(None) };
            let FoundLine { length, too_long, ended } = found;
            let begin = self.start;
            self.start += length;
            self.offset += length as u64;
            if too_long {
                let ended = self.skip_to_newline()?;
                return Ok(Some(Line { offset, text: None, ended }));
            }
            if !self.buffer[begin..begin + length].trim_ascii().is_empty() {
                let text = self.buffer[begin..begin + length].trim_ascii();
                return Ok(Some(Line { offset, text: Some(text), ended }));
            }
        }
    }

    /// The next lines, about `size` bytes of them; `None` when there is none that a newline ends.
    pub(crate) fn block(&mut self, size: usize) -> io::Result<Option<Block<'_>>> {
        self.usual = size;
        let mut ended = false;
        loop {
            let unread = self.end - self.start;
            if unread < size.min(LONGEST_LINE) && !ended {
                ended = self.fill()? == 0;
                continue;
            }
            let (begin, offset) = (self.start, self.offset);
            if let Some(last) = memrchr(b'\n', &self.buffer[begin..self.end]) {
                self.start += last + 1;
                self.offset += last as u64 + 1;
                return Ok(Some(Block::Lines { offset, bytes: &self.buffer[begin..=begin + last] }));
            }
            if ended {
                return Ok(None);
            }
            if unread >= LONGEST_LINE {
                self.start += unread;
                self.offset += unread as u64;
                return Ok(self.skip_to_newline()?.then_some(Block::TooLong));
            }
            ended = self.fill()? == 0;
        }
    }

    /// Brings the next line into the buffer as a whole, as far as that is allowed.
    fn find(&mut self) -> io::Result<Option<FoundLine>> {
        let mut searched = 0;
        loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(newline) = memchr(b'\n', &unread[searched..]) {
                return Ok(Some(FoundLine { length: searched + newline + 1, too_long: false, ended: true }));
            }
            searched = unread.len();
            if searched >= LONGEST_LINE {
                return Ok(Some(FoundLine { length: searched, too_long: true, ended: false }));
            }
            if self.fill()? == 0 {
                let rest = FoundLine { length: searched, too_long: false, ended: false };
                return Ok((searched > 0).then_some(rest));
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == 0 && self.buffer.len() > self.usual {
            // A long line is behind us.
            self.buffer.truncate(self.usual);
            self.buffer.shrink_to_fit();
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let read = loop {
            match self.file.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        Ok(read)
    }

    /// Is there a newline?
    fn skip_to_newline(&mut self) -> io::Result<bool> {
        loop {
            let unread = &self.buffer[self.start..self.end];
            let newline = memchr(b'\n', unread);
            let skipped = newline.map_or(unread.len(), |newline| newline + 1);
            self.start += skipped;
            self.offset += skipped as u64;
            if newline.is_some() {
                return Ok(true);
            }
            if self.fill()? == 0 {
                return Ok(false);
            }
        }
    }
}

struct FoundLine {
    length: usize,
    too_long: bool,
    ended: bool,
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(content: &[u8]) -> Vec<(u64, Option<Vec<u8>>, bool)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let mut lines = Lines::new(file).unwrap();
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.offset, line.text.map(<[u8]>::to_vec), line.ended));
        }
        assert_eq!(lines.offset(), content.len() as u64);
        found
    }

    #[test]
    fn lines_know_their_place() {
        let text = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(read(b""), []);
        assert_eq!(
            read(b"one\n\n  two \r\nthree"),
            [(0, text("one"), true), (5, text("two"), true), (13, text("three"), false)]
        );
        let long = "x".repeat(3 * BUFFER);
        let both = format!("{long}\nnext\n");
        let after = long.len() as u64 + 1;
        assert_eq!(read(both.as_bytes()), [(0, Some(long.into_bytes()), true), (after, text("next"), true)]);
    }

    #[test]
    fn blocks_are_whole_lines() {
        let content: String =
            (0..5000).map(|number| format!("{number} {}\n", "x".repeat(number % 300))).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content.as_bytes()).unwrap();
        file.write_all(b"cut off").unwrap();
        for size in [1, 100, 4096, 1 << 20] {
            let mut lines = Lines::new(file.try_clone().unwrap()).unwrap();
            let mut read = Vec::new();
            while let Some(Block::Lines { offset, bytes }) = lines.block(size).unwrap() {
                assert_eq!((offset, bytes.last()), (read.len() as u64, Some(&b'\n')));
                read.extend_from_slice(bytes);
            }
            assert!(read == content.as_bytes(), "{size}");
            assert_eq!(lines.offset(), content.len() as u64);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let mut content = vec![b'x'; LONGEST_LINE + BUFFER];
        content.extend_from_slice(b"\nnext");
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        let mut lines = Lines::new(file).unwrap();
        assert!(matches!(lines.block(BUFFER).unwrap(), Some(Block::TooLong)));
        assert_eq!(lines.offset(), content.len() as u64 - 4);
        let found = read(&content);
        assert_eq!(found[0], (0, None, true));
        assert_eq!(found[1], (content.len() as u64 - 4, Some(b"next".to_vec()), false));
    }
}
