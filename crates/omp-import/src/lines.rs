//! The lines of a file, bounded in length and number of bytes, and single lines again by their place.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde_json::Value;

/// Longer lines are left out. Twice this length can still be loaded as part of a session.
pub(crate) const LONGEST_LINE: u64 = 32 * 1024 * 1024;

/// How much of a line that is no JSON is kept.
const UNREADABLE_KEPT: usize = 2000;

/// Where a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

/// What a line is.
#[derive(Debug)]
pub(crate) enum Line {
    Json(Value),
    /// No JSON: the beginning of the line.
    Unreadable(String),
    TooLong {
        number: u64,
        length: u64,
    },
}

/// Reads a file from its beginning to where it ended when it was opened.
pub(crate) struct Lines {
    reader: Take<BufReader<File>>,
    buffer: Vec<u8>,
    offset: u64,
    number: u64,
}

impl Lines {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        let length = file.metadata()?.len();
        Ok(Self::new(file, length))
    }

    /// The lines in the first `length` bytes: the same in both passes, even if the file grows meanwhile.
    pub(crate) fn new(file: File, length: u64) -> Self {
        let reader = BufReader::with_capacity(256 * 1024, file).take(length);
        Self { reader, buffer: Vec::new(), offset: 0, number: 0 }
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self) -> io::Result<Option<(Span, Line)>> {
        loop {
            self.buffer.clear();
            let start = self.offset;
            let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', &mut self.buffer)? as u64;
            if read == 0 {
                return Ok(None);
            }
            self.offset += read;
            self.number += 1;
            if read == LONGEST_LINE && self.buffer.last() != Some(&b'\n') {
                let rest = self.reader.skip_until(b'\n')? as u64;
                self.offset += rest;
                let line = Line::TooLong { number: self.number, length: read + rest };
                return Ok(Some((Span { offset: start, length: 0 }, line)));
            }
            if !self.buffer.trim_ascii().is_empty() {
                // The limit fits into 32 bits.
                let span = Span { offset: start, length: read as u32 };
                return Ok(Some((span, parse(&self.buffer))));
            }
        }
    }
}

/// Opens a regular file; opening a pipe would wait for a writer.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
    }
    File::open(path)
}

/// Reads one line again.
pub(crate) fn again(file: &File, span: Span) -> io::Result<Value> {
    let mut bytes = vec![0; span.length as usize];
    file.read_exact_at(&mut bytes, span.offset)?;
    match parse(&bytes) {
        Line::Json(value) => Ok(value),
        // Someone changed the file since the first pass.
        Line::Unreadable(_) | Line::TooLong { .. } => Ok(Value::Null),
    }
}

fn parse(bytes: &[u8]) -> Line {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Line::Json(value);
    }
    if let Some(mended) = mended(bytes)
        && let Ok(value) = serde_json::from_slice(&mended)
    {
        return Line::Json(value);
    }
    let beginning = &bytes[..bytes.len().min(UNREADABLE_KEPT)];
    Line::Unreadable(String::from_utf8_lossy(beginning).trim_end().to_owned())
}

/// Half of a surrogate pair, which programs write that cut texts between UTF-16 units, becomes U+FFFD. `None` if there
/// is none.
fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let Some(unit) = escaped_unit(bytes, at) else {
            at += 2;
            continue;
        };
        let pair = (0xd800..0xdc00).contains(&unit)
            && escaped_unit(bytes, at + 6).is_some_and(|low| (0xdc00..0xe000).contains(&low));
        if pair {
            at += 12;
            continue;
        }
        if (0xd800..0xe000).contains(&unit) {
            mended.get_or_insert_with(|| bytes.to_owned())[at + 2..at + 6].copy_from_slice(b"fffd");
        }
        at += 6;
    }
    mended
}

/// The UTF-16 unit of a `\uXXXX` at this place.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_surrogates_are_mended() {
        let read = |bytes: &[u8]| match parse(bytes) {
            Line::Json(value) => value.as_str().unwrap().to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(read(br#""cut \ud83d here""#), "cut \u{fffd} here");
        assert_eq!(read(br#""\ude00 \ud83d\ude00 \\ud83d""#), "\u{fffd} \u{1f600} \\ud83d");
        assert_eq!(read(br#""\ud83d\u0041""#), "\u{fffd}A");
        assert!(matches!(parse(br#""cut \ud83"#), Line::Unreadable(text) if text == r#""cut \ud83"#));
    }
}
