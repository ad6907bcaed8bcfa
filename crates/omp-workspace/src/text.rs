//! How texts are written as bytes, and windows of their lines ([`read_window`]).

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

pub use crate::window::{Mark, Request, Segment, Stop, Total, Window, read_window, read_window_from};

/// How a text is written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    Utf8,
    Utf8Bom,
    Utf16Le,
    Utf16Be,
    /// An encoding from before Unicode, as far as the bytes tell.
    Legacy(&'static encoding_rs::Encoding),
}

/// A character that the encoding of a file does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{encoding} cannot encode '{character}' (U+{:04X})", u32::from(*character))]
pub struct Unencodable {
    pub character: char,
    pub encoding: &'static str,
}

/// How lines end, as far as it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    Lf,
    CrLf,
    Mixed,
    /// No line ends at all.
    Unknown,
}

impl Charset {
    pub fn detect(head: &[u8]) -> Self {
        match head {
            [0xef, 0xbb, 0xbf, ..] => Self::Utf8Bom,
            [0xff, 0xfe, ..] => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            _ if is_unmarked_utf16(head, 1, u16::from_le_bytes) => Self::Utf16Le,
            _ if is_unmarked_utf16(head, 0, u16::from_be_bytes) => Self::Utf16Be,
            // A few letters tell no language; then it is the most common of them.
            _ if is_legacy(head) && head.iter().filter(|byte| !byte.is_ascii()).count() < ENOUGH_TO_TELL => {
                Self::Legacy(encoding_rs::WINDOWS_1252)
            }
            _ if is_legacy(head) => {
                let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
                detector.feed(head, true);
                Self::Legacy(detector.guess(None, Utf8Detection::Deny))
            }
            _ => Self::Utf8,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with BOM",
            Self::Utf16Le => "UTF-16 LE",
            Self::Utf16Be => "UTF-16 BE",
            Self::Legacy(encoding) => encoding.name(),
        }
    }

    /// The byte order mark that files of this encoding begin with; some in UTF-16 do without.
    pub fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Legacy(_) => b"",
            Self::Utf8Bom => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
        }
    }

    /// A whole file of this encoding, with its byte order mark.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Unencodable> {
        let body = match self {
            // Without a mark of its own, one in the text is text.
            Self::Utf8 => text,
            _ => text.strip_prefix('\u{feff}').unwrap_or(text),
        };
        let mut bytes = self.mark().to_vec();
        self.encode_into(body, &mut bytes)?;
        Ok(bytes)
    }

    /// A piece of text in this encoding.
    pub fn encode_into(self, text: &str, bytes: &mut Vec<u8>) -> Result<(), Unencodable> {
        match self {
            Self::Utf8 | Self::Utf8Bom => bytes.extend_from_slice(text.as_bytes()),
            Self::Utf16Le => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Self::Utf16Be => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Self::Legacy(encoding) => {
                let unencodable = |character: &char| {
                    let mut buffer = [0; 4];
                    encoding.encode(character.encode_utf8(&mut buffer)).2
                };
                let (encoded, _, replaced) = encoding.encode(text);
                if replaced {
                    let character = text.chars().find(unencodable).unwrap_or(char::REPLACEMENT_CHARACTER);
                    return Err(Unencodable { character, encoding: encoding.name() });
                }
                bytes.extend_from_slice(&encoded);
            }
        }
        Ok(())
    }

    /// All of `bytes` as text, without the byte order mark.
    pub fn decode(self, bytes: &[u8]) -> String {
        self.encoding().decode_with_bom_removal(bytes).0.into_owned()
    }

    pub(crate) fn without_mark(self) -> Self {
        if self == Self::Utf8Bom { Self::Utf8 } else { self }
    }

    pub(crate) fn encoding(self) -> &'static encoding_rs::Encoding {
        match self {
            Self::Utf8 | Self::Utf8Bom => encoding_rs::UTF_8,
            Self::Utf16Le => encoding_rs::UTF_16LE,
            Self::Utf16Be => encoding_rs::UTF_16BE,
            Self::Legacy(encoding) => encoding,
        }
    }
}

/// Units of two bytes from which a text without a mark is worth guessing.
const ENOUGH_UNITS: usize = 4;

/// Text in UTF-16 that does not say so: mostly plain letters, whose upper halves are zero, and nothing that is not text.
/// `upper` is where the upper half of a unit stands.
fn is_unmarked_utf16(head: &[u8], upper: usize, unit: fn([u8; 2]) -> u16) -> bool {
    if memchr::memchr(0, head).is_none() || head.len() < 2 * ENOUGH_UNITS {
        return false;
    }
    let pairs = || head.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    let zeros = |half: usize| pairs().filter(|pair| pair[half] == 0).count();
    if zeros(1 - upper) > 0 || zeros(upper) * 2 < pairs().count() {
        return false;
    }
    let whole = head.len() < crate::sniff::HEAD;
    let units = pairs().count();
    let mut characters = char::decode_utf16(pairs().map(unit)).enumerate();
    head.len().is_multiple_of(2)
        && characters.all(|(position, character)| match character {
            Ok(character) => !character.is_control() || matches!(character, '\t' | '\n' | '\r' | '\u{c}'),
            // Half a pair at the end of a head is cut off, not broken.
            Err(_) => !whole && position + 1 >= units,
        })
}

/// Bytes beyond ASCII from which an encoding is worth guessing.
const ENOUGH_TO_TELL: usize = 8;

/// Bytes beyond ASCII that are not UTF-8, in something that otherwise looks like text. A single broken character in
/// UTF-8 does not make another encoding of it.
fn is_legacy(head: &[u8]) -> bool {
    let (mut wide, mut broken, mut position) = (0, 0, 0);
    for chunk in head.utf8_chunks() {
        wide += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        position += chunk.valid().len() + chunk.invalid().len();
        // A character that is cut off at the end of a full head is not broken.
        let cut = position == head.len() && head.len() >= crate::sniff::HEAD;
        broken += usize::from(!chunk.invalid().is_empty() && !cut);
    }
    let control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    broken > wide && head.iter().filter(control).count() == 0
}

impl LineEnding {
    pub fn detect(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut lf, mut crlf) = (0, 0);
        for newline in memchr::memchr_iter(b'\n', bytes) {
            if newline > 0 && bytes[newline - 1] == b'\r' { crlf += 1 } else { lf += 1 }
        }
        match (lf, crlf) {
            (0, 0) => Self::Unknown,
            (_, 0) => Self::Lf,
            (0, _) => Self::CrLf,
            _ => Self::Mixed,
        }
    }
}
