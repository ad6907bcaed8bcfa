//! A text file whose lines can be replaced without touching any other byte.

use std::ops::Range;
use std::string::FromUtf8Error;
use std::sync::OnceLock;

use omp_edits::patch::FinalEnd;

use crate::text::{Charset, Unencodable};

/// A file's bytes, and where its lines are in them.
#[derive(Clone, Debug)]
pub struct Document {
    content: Content,
    charset: Charset,
    /// Found when they are asked for.
    lines: OnceLock<Vec<Line>>,
}

/// The bytes and the text, which are mostly the same.
#[derive(Clone, Debug)]
enum Content {
    /// All from a place on: a mark may stand before it.
    Same(String, usize),
    Decoded {
        bytes: Vec<u8>,
        text: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// Without the line end.
    bytes: Range<usize>,
    end: End,
}

/// Room for a line end in any encoding.
const END_BYTES: usize = 4;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It is the last one.
    None,
    Lf,
    CrLf,
}

/// Lines to put in the place of others. Indexes count from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splice<'a> {
    pub start: usize,
    pub removed: usize,
    pub inserted: &'a [String],
}

impl Document {
    /// A file that is known to be text in this encoding.
    pub fn new(bytes: Vec<u8>, charset: Charset) -> Self {
        let bytes = match is_plain(&bytes, charset) {
            true => String::from_utf8(bytes).map_err(FromUtf8Error::into_bytes),
            false => Err(bytes),
        };
        match bytes {
            Ok(bytes) => {
                let mark =
                    if bytes.as_bytes().starts_with(charset.mark()) { charset.mark().len() } else { 0 };
                Self { content: Content::Same(bytes, mark), charset, lines: OnceLock::new() }
            }
            Err(bytes) => {
                let lines = split(&bytes, charset);
                let text = decode(&bytes, charset, &lines);
                Self { content: Content::Decoded { bytes, text }, charset, lines: lines.into() }
            }
        }
    }

    fn lines(&self) -> &[Line] {
        self.lines.get_or_init(|| split(self.bytes(), self.charset))
    }

    /// Are the bytes of the file those of its text? Then another text is another file, as it stands.
    pub fn is_verbatim(&self) -> bool {
        matches!(self.content, Content::Same(_, 0))
    }

    /// The whole text with `\n` ends and without byte order mark. Bytes that are not text in the encoding show as U+FFFD.
    pub fn text(&self) -> &str {
        match &self.content {
            Content::Same(bytes, start) => &bytes[*start..],
            Content::Decoded { text, .. } => text,
        }
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Same(bytes, _) => bytes.as_bytes(),
            Content::Decoded { bytes, .. } => bytes,
        }
    }

    pub fn charset(&self) -> Charset {
        self.charset
    }

    /// The characters of a line that would not be written again as they stand there: they stand for bytes which are no
    /// text, or the encoding has several ways to write them.
    pub fn inexact(&self, line: usize) -> String {
        let Some(line) = self.lines().get(line) else { return String::new() };
        let old = &self.bytes()[line.bytes.clone()];
        let text = decode(self.bytes(), self.charset, &[Line { end: End::None, ..line.clone() }]);
        let written = |text: &str| {
            let mut new = Vec::with_capacity(text.len());
            self.charset.encode_into(text, &mut new).map(|()| new).ok()
        };
        if written(&text).is_some_and(|new| new == old) {
            return String::new();
        }
        let lost = |character: &char| {
            let new = written(character.encode_utf8(&mut [0; 4]));
            new.is_none_or(|new| memchr::memmem::find(old, &new).is_none())
        };
        let found: String = text.chars().filter(lost).collect();
        // One way or the other for the same character: then it could be any of them.
        if found.is_empty() {
            text.chars().filter(|character| !character.is_ascii()).collect()
        } else {
            found
        }
    }

    /// The file with other lines in some places, which are in order and do not overlap. Lines that are not named keep
    /// their bytes; new lines end as the lines they replace, or as the file's first line does.
    pub fn splice(&self, splices: &[Splice<'_>]) -> Result<Vec<u8>, Unencodable> {
        self.splice_to(splices, FinalEnd::Keep)
    }

    /// Like [`Document::splice`], with a word on how the file ends.
    pub fn splice_to(&self, splices: &[Splice<'_>], end: FinalEnd) -> Result<Vec<u8>, Unencodable> {
        let lines = self.lines();
        let usual = lines.first().map_or(End::Lf, |line| line.end);
        let usual = if usual == End::None { End::Lf } else { usual };
        let ended = match end {
            FinalEnd::Keep => lines.last().is_none_or(|line| line.end != End::None),
            FinalEnd::Present => true,
            FinalEnd::Absent => false,
        };
        let mut rows: Vec<OutputRow<'_>> = Vec::new();
        let mut position = 0;
        for splice in splices {
            rows.extend(OutputRow::old(&lines[position..splice.start]));
            let replaced = &lines[splice.start..splice.start + splice.removed];
            rows.extend(splice.inserted.iter().enumerate().map(|(index, text)| {
                let end = replaced.get(index).map_or(usual, |line| line.end);
                OutputRow::New(text, end)
            }));
            position = splice.start + splice.removed;
        }
        rows.extend(OutputRow::old(&lines[position..]));
        self.write(&rows, usual, ended)
    }

    fn write(&self, rows: &[OutputRow<'_>], usual: End, ended: bool) -> Result<Vec<u8>, Unencodable> {
        let old = self.bytes();
        let marked = old.starts_with(self.charset.mark());
        let added =
            |row: &OutputRow<'_>| if let OutputRow::New(text, _) = row { text.len() + END_BYTES } else { 0 };
        let mut bytes = Vec::with_capacity(old.len() + rows.iter().map(added).sum::<usize>());
        bytes.extend_from_slice(if marked { self.charset.mark() } else { b"" });
        for (index, row) in rows.iter().enumerate() {
            let end = match row {
                OutputRow::Old(first, last) => {
                    bytes.extend_from_slice(&old[first.bytes.start..last.bytes.end]);
                    last.end
                }
                OutputRow::New(text, end) => {
                    self.charset.encode_into(text, &mut bytes)?;
                    *end
                }
            };
            let last = index + 1 == rows.len();
            let end = match (last, end) {
                (true, _) if !ended => End::None,
                (_, End::None) => usual,
                (_, end) => end,
            };
            self.charset.encode_into(end.text(), &mut bytes)?;
        }
        Ok(bytes)
    }
}

enum OutputRow<'a> {
    /// The first and the last of lines that stay, with the line ends between them.
    Old(&'a Line, &'a Line),
    New(&'a str, End),
}

impl<'a> OutputRow<'a> {
    fn old(lines: &'a [Line]) -> Option<Self> {
        Some(Self::Old(lines.first()?, lines.last()?))
    }
}

impl End {
    fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// Where the lines of a file are.
fn split(bytes: &[u8], charset: Charset) -> Vec<Line> {
    let start = if bytes.starts_with(charset.mark()) { charset.mark().len() } else { 0 };
    match charset {
        Charset::Utf16Le => split_pairs(bytes, start, u16::from_le_bytes),
        Charset::Utf16Be => split_pairs(bytes, start, u16::from_be_bytes),
        _ => split_bytes(bytes, start),
    }
}

/// Lines of an encoding in which a byte is a line feed and nothing else.
fn split_bytes(bytes: &[u8], start: usize) -> Vec<Line> {
    let newlines = memchr::memchr_iter(b'\n', &bytes[start..]);
    let mut lines = Vec::with_capacity(newlines.clone().count() + 1);
    let mut from = start;
    for newline in newlines.map(|offset| start + offset) {
        let returns = newline > from && bytes[newline - 1] == b'\r';
        let end = if returns { End::CrLf } else { End::Lf };
        lines.push(Line { bytes: from..newline - usize::from(returns), end });
        from = newline + 1;
    }
    if from < bytes.len() {
        lines.push(Line { bytes: from..bytes.len(), end: End::None });
    }
    lines
}

/// Lines of an encoding with units of two bytes.
fn split_pairs(bytes: &[u8], start: usize, unit: fn([u8; 2]) -> u16) -> Vec<Line> {
    let width = 2;
    let mut lines = Vec::new();
    let (mut from, mut after_return) = (start, false);
    for (index, pair) in bytes[start..].chunks_exact(width).enumerate() {
        let place = start + index * width;
        let value = unit([pair[0], pair[1]]);
        if value == u16::from(b'\n') {
            let end = if after_return { End::CrLf } else { End::Lf };
            lines.push(Line { bytes: from..place - if after_return { width } else { 0 }, end });
            from = place + width;
        }
        after_return = value == u16::from(b'\r') && value != u16::from(b'\n');
    }
    if from < bytes.len() {
        lines.push(Line { bytes: from..bytes.len(), end: End::None });
    }
    lines
}

fn decode(bytes: &[u8], charset: Charset, lines: &[Line]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for line in lines {
        let line_bytes = &bytes[line.bytes.clone()];
        match charset {
            Charset::Utf8 | Charset::Utf8Bom => text.push_str(&String::from_utf8_lossy(line_bytes)),
            // A mark inside the text is text, also at the start of a line.
            _ => text.push_str(&charset.encoding().decode_without_bom_handling(line_bytes).0),
        }
        if line.end != End::None {
            text.push('\n');
        }
    }
    text
}

/// Are the bytes the text as they stand, if they are text at all?
fn is_plain(bytes: &[u8], charset: Charset) -> bool {
    matches!(charset, Charset::Utf8 | Charset::Utf8Bom) && memchr::memmem::find(bytes, b"\r\n").is_none()
}
