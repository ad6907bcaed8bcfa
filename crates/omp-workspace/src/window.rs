//! Windows of lines of a text file, whatever its size and encoding.
//!
//! The file is streamed; memory depends on the window only.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::RangeInclusive;

use crate::text::Charset;

/// The lines wanted, and how much of them.
#[derive(Clone, Debug)]
pub struct Request {
    /// 1-based, sorted, not overlapping.
    pub ranges: Vec<RangeInclusive<u64>>,
    /// Lines before this one are only context: they give way to it where there is no room for both.
    pub asked: u64,
    pub max_lines: usize,
    pub max_bytes: usize,
}

/// The lines found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// One for each range of the request that has a line in the file, in order.
    pub segments: Vec<Segment>,
    pub total: Total,
    pub stop: Stop,
    /// The file ends with a newline. Known only if its end was seen.
    pub final_newline: bool,
    /// Some bytes shown were not valid in the file's encoding and appear as U+FFFD.
    pub invalid: bool,
}

impl Window {
    /// How many lines follow line `last`, as far as they were counted.
    pub fn remaining_after(&self, last: u64) -> u64 {
        self.total.known().saturating_sub(last)
    }
}

/// Lines that follow each other, without their newlines. A carriage return before one is part of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub first: u64,
    pub lines: Vec<String>,
}

impl Segment {
    /// The number of the last line.
    pub fn last(&self) -> u64 {
        self.first + self.lines.len() as u64 - 1
    }
}

/// How many lines the file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    Exactly(u64),
    /// Counting was stopped; there are this many, and more.
    MoreThan(u64),
}

impl Total {
    pub fn known(self) -> u64 {
        match self {
            Self::Exactly(lines) | Self::MoreThan(lines) => lines,
        }
    }
}

/// Why no further lines of the request were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All that exist were taken.
    Complete,
    Lines,
    Bytes,
    /// The first line alone is larger than the byte limit and was cut.
    LongLine,
}

/// One read of lines that are wanted. Small, because most windows lie near the start of their file.
const CHUNK: usize = 8 * 1024;
/// One read of lines that are only counted.
const LARGE_CHUNK: usize = 128 * 1024;
/// How far beyond the window lines are counted, to say how many remain. A gigabyte of log is not worth it.
const COUNT_AHEAD: u64 = 16 * 1024 * 1024;
/// Context may take this part of the window.
const CONTEXT_SHARE: usize = 8;
/// A line is worth marking after this many bytes.
const MARK_EVERY: u64 = 1024 * 1024;

/// The beginning of a line in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// 1-based.
    pub line: u64,
    pub offset: u64,
}

impl Mark {
    /// Where every file begins.
    pub const START: Self = Self { line: 1, offset: 0 };
}

/// Reads the lines of `request` from `source`, which begins with the byte order mark if there is one.
pub fn read_window(source: impl Read, charset: Charset, request: &Request) -> io::Result<Window> {
    read_window_from(source, charset, request, Mark::START, &mut |_| {})
}

/// The same for a source that stands at `start`, not behind the first wanted line. `passed` is told about lines that
/// were passed by on the way, now and then; their places count only where the source is UTF-8.
pub fn read_window_from(
    mut source: impl Read,
    charset: Charset,
    request: &Request,
    start: Mark,
    passed: &mut dyn FnMut(Mark),
) -> io::Result<Window> {
    // A mark in the middle is text.
    let charset = if start == Mark::START { charset } else { charset.without_mark() };
    let mut decoder = Decoder::new(charset);
    let mut scanner = Scanner::new(request, start.line);
    let mut chunk = vec![0; CHUNK];
    let (mut ahead, mut offset, mut marked) = (0, start.offset, start.offset);
    while ahead < COUNT_AHEAD {
        if scanner.only_counts() && chunk.len() < LARGE_CHUNK {
            chunk.resize(LARGE_CHUNK, 0);
        }
        let size = if scanner.only_counts() { LARGE_CHUNK } else { CHUNK };
        let length = read_some(&mut source, &mut chunk[..size])?;
        let last = if length == 0 { Last::Yes } else { Last::No };
        scanner.feed(decoder.decode(&chunk[..length], last));
        if last == Last::Yes {
            return Ok(decoder.judge(scanner.finish()));
        }
        if scanner.is_satisfied() {
            ahead += length as u64;
        }
        if offset - marked >= MARK_EVERY
            && let Some(newline) = memchr::memrchr(b'\n', &chunk[..length])
        {
            marked = offset;
            passed(Mark { line: scanner.line, offset: offset + newline as u64 + 1 });
        }
        offset += length as u64;
    }
    Ok(decoder.judge(scanner.give_up_counting()))
}

fn read_some(source: &mut impl Read, chunk: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Yes,
    No,
}

/// Any charset to UTF-8 bytes. UTF-8 passes as it is, valid or not: only lines that are shown get checked.
struct Decoder {
    converter: Option<encoding_rs::Decoder>,
    invalid: bool,
    bom_left: &'static [u8],
    converted: Vec<u8>,
}

impl Decoder {
    fn new(charset: Charset) -> Self {
        let (converter, bom_left): (_, &[u8]) = match charset {
            Charset::Utf8 => (None, b""),
            Charset::Utf8Bom => (None, b"\xef\xbb\xbf"),
            Charset::Utf16Le | Charset::Utf16Be | Charset::Legacy(_) => {
                (Some(charset.encoding().new_decoder_with_bom_removal()), b"")
            }
        };
        Self { converter, invalid: false, bom_left, converted: Vec::new() }
    }

    fn decode<'a>(&'a mut self, mut bytes: &'a [u8], last: Last) -> &'a [u8] {
        while let (Some((expected, rest_of_bom)), Some((first, rest))) =
            (self.bom_left.split_first(), bytes.split_first())
            && expected == first
        {
            (self.bom_left, bytes) = (rest_of_bom, rest);
        }
        let Some(decoder) = &mut self.converter else { return bytes };
        let room = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16);
        self.converted.resize(room, 0);
        let (_, _, written, errors) = decoder.decode_to_utf8(bytes, &mut self.converted, last == Last::Yes);
        self.invalid |= errors;
        &self.converted[..written]
    }

    /// What could not be converted counts where it is shown.
    fn judge(&self, mut window: Window) -> Window {
        let mut lines = window.segments.iter().flat_map(|segment| &segment.lines);
        window.invalid |= self.invalid && lines.any(|line| line.contains(char::REPLACEMENT_CHARACTER));
        window
    }
}

/// Takes the wanted lines out of a stream of UTF-8 bytes and counts all of them.
struct Scanner<'a> {
    request: &'a Request,
    /// The index of the range that is being or will be read.
    range: usize,
    /// The number of the line that the next byte belongs to.
    line: u64,
    /// The next byte begins a line.
    at_start: bool,
    current: Vec<u8>,
    /// Bytes of the current line that did not fit.
    overflow: bool,
    taken_lines: usize,
    taken_bytes: usize,
    window: Window,
}

impl<'a> Scanner<'a> {
    fn new(request: &'a Request, line: u64) -> Self {
        let window = Window {
            segments: Vec::new(),
            total: Total::Exactly(0),
            stop: Stop::Complete,
            final_newline: false,
            invalid: false,
        };
        Self {
            request,
            range: 0,
            line,
            at_start: true,
            current: Vec::new(),
            overflow: false,
            taken_lines: 0,
            taken_bytes: 0,
            window,
        }
    }

    /// Nothing further will be taken.
    fn is_satisfied(&self) -> bool {
        self.window.stop != Stop::Complete || self.wanted().is_none()
    }

    /// The next lines are not wanted, as far as can be told: the window is complete, or far away.
    fn only_counts(&self) -> bool {
        let far_away = |range: &RangeInclusive<u64>| self.line + (LARGE_CHUNK as u64) < *range.start();
        self.is_satisfied() || self.wanted().is_some_and(far_away)
    }

    fn wanted(&self) -> Option<&RangeInclusive<u64>> {
        self.request.ranges.get(self.range)
    }

    fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let taken = match self.wanted().filter(|_| self.window.stop == Stop::Complete) {
                Some(range) if self.line >= *range.start() => self.take(bytes),
                Some(range) => self.skip(bytes, range.start() - self.line),
                None => self.skip(bytes, u64::MAX),
            };
            bytes = &bytes[taken..];
        }
    }

    /// Passes over at most `lines` line ends; returns how many bytes that were.
    fn skip(&mut self, bytes: &[u8], lines: u64) -> usize {
        let count = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let (length, passed) = if count < lines {
            (bytes.len(), count)
        } else {
            let nth = usize::try_from(lines - 1).unwrap_or(usize::MAX);
            let newline = memchr::memchr_iter(b'\n', bytes).nth(nth);
            (newline.map_or(bytes.len(), |newline| newline + 1), lines)
        };
        self.line += passed;
        self.at_start = bytes[..length].ends_with(b"\n");
        length
    }

    /// Takes bytes of a wanted line, up to its end; returns how many.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let newline = memchr::memchr(b'\n', bytes);
        let part = &bytes[..newline.unwrap_or(bytes.len())];
        // One byte more than the limit shows that the line is larger.
        let room = (self.request.max_bytes + 1).saturating_sub(self.current.len());
        self.overflow |= part.len() > room;
        self.current.extend_from_slice(&part[..part.len().min(room)]);
        self.at_start = false;
        if self.overflow && !self.is_context() {
            self.end_wanted_line(); // No need to see the rest: the line is too large already.
            return part.len();
        }
        let Some(newline) = newline else { return bytes.len() };
        self.end_wanted_line();
        self.line += 1;
        self.at_start = true;
        newline + 1
    }

    fn is_context(&self) -> bool {
        self.line < self.request.asked
    }

    /// Context that leaves no room for the first line that was asked for goes.
    fn drop_context(&mut self, size: usize) {
        let last = self.window.segments.last().map(Segment::last);
        let only_context = last.is_some_and(|last| last < self.request.asked);
        if only_context && self.taken_bytes + size > self.request.max_bytes + 1 {
            self.window.segments.clear();
            (self.taken_lines, self.taken_bytes) = (0, 0);
        }
    }

    fn end_wanted_line(&mut self) {
        let size = self.current.len() + 1;
        if self.is_context() {
            if self.taken_bytes + size <= self.request.max_bytes / CONTEXT_SHARE {
                self.keep_line();
            }
            self.current.clear();
            self.overflow = false;
            return;
        }
        self.drop_context(size);
        if self.taken_lines >= self.request.max_lines {
            self.window.stop = Stop::Lines;
        } else if self.taken_bytes + size > self.request.max_bytes + 1 {
            let first = self.taken_lines == 0;
            self.window.stop = if first { Stop::LongLine } else { Stop::Bytes };
            if first {
                self.keep_line();
            }
        } else {
            self.keep_line();
        }
        self.current.clear();
        self.overflow = false;
        if self.wanted().is_some_and(|range| self.line >= *range.end()) {
            self.range += 1;
        }
    }

    fn keep_line(&mut self) {
        let bytes = &self.current[..self.current.len().min(self.request.max_bytes)];
        let cut = bytes.len() < self.current.len() || self.overflow;
        let Decoded { text, invalid } = Self::decode_line(bytes, cut);
        self.window.invalid |= invalid;
        self.taken_lines += 1;
        self.taken_bytes += self.current.len() + 1;
        match self.window.segments.last_mut() {
            Some(segment) if segment.last() + 1 == self.line => segment.lines.push(text),
            _ => self.window.segments.push(Segment { first: self.line, lines: vec![text] }),
        }
    }

    /// A cut line may end inside a character, which is then left out and not an error of the file.
    fn decode_line(bytes: &[u8], cut: bool) -> Decoded {
        let bytes = match std::str::from_utf8(bytes) {
            Err(error) if cut && error.error_len().is_none() => &bytes[..error.valid_up_to()],
            _ => bytes,
        };
        let text = String::from_utf8_lossy(bytes);
        let invalid = matches!(text, Cow::Owned(_)) || text.contains('\0');
        Decoded { text: text.replace('\0', "\u{fffd}"), invalid }
    }

    fn finish(mut self) -> Window {
        let open_line = !self.at_start;
        let wanted = self.wanted().is_some_and(|range| range.contains(&self.line));
        if open_line && wanted && self.window.stop == Stop::Complete {
            self.end_wanted_line();
        }
        self.window.total = Total::Exactly(self.line - 1 + u64::from(open_line));
        self.window.final_newline = !open_line && self.line > 1;
        self.window
    }

    fn give_up_counting(mut self) -> Window {
        self.window.total = Total::MoreThan(self.line - 1);
        self.window
    }
}

struct Decoded {
    text: String,
    invalid: bool,
}
