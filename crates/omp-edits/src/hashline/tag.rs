//! What names a file's content: four hexadecimal digits.

use std::fmt;
use std::str::FromStr;

use xxhash_rust::xxh32::Xxh32;

/// The fingerprint of a whole text. White space at the ends of lines does not count, so an editor that trims or
/// changes line ends does not make a read worthless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(u16);

impl Tag {
    pub fn of(text: &str) -> Self {
        let mut hasher = Xxh32::new(0);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let part = rest.len().min(PART);
            // What has no white space at the end of a line, which is most, is taken as it is. White space at its own
            // end may continue behind it, up to the end of a line.
            let clean = !is_blank(rest[part - 1]) && !any_trailing(&rest[..part]);
            let taken = if clean { part } else { whole_lines(rest, part) };
            match clean {
                true => hasher.update(&rest[..part]),
                false => trimmed_lines(&mut hasher, &rest[..taken]),
            }
            rest = &rest[taken..];
        }
        Self((hasher.digest() & 0xFFFF) as u16)
    }
}

/// Bytes that are looked at together.
const PART: usize = 4096;

/// Does white space stand before a line end? Written so that many bytes are compared at once.
fn any_trailing(bytes: &[u8]) -> bool {
    let pairs = bytes.iter().zip(&bytes[1..]);
    pairs.fold(false, |any, (byte, next)| any | (is_blank(*byte) & (*next == b'\n')))
}

fn is_blank(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\t') | (byte == b'\r')
}

/// Up to the first line end from `least` on, or all: white space at the end of what is taken is at the end of a line.
fn whole_lines(bytes: &[u8], least: usize) -> usize {
    memchr::memchr(b'\n', &bytes[least..]).map_or(bytes.len(), |end| least + end)
}

/// Hashes lines without the white space at their ends.
fn trimmed_lines(hasher: &mut Xxh32, bytes: &[u8]) {
    let (mut taken, mut line) = (0, 0);
    for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
        let trimmed = line + trimmed(&bytes[line..end]);
        if trimmed < end {
            hasher.update(&bytes[taken..trimmed]);
            taken = end;
        }
        line = end + 1;
    }
    hasher.update(&bytes[taken..]);
}

/// The length of a line without the white space at its end.
fn trimmed(line: &[u8]) -> usize {
    line.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1)
}

impl fmt::Display for Tag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04X}", self.0)
    }
}

/// The text is not four hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a tag is four hexadecimal digits")]
pub struct NotATag;

impl FromStr for Tag {
    type Err = NotATag;

    fn from_str(text: &str) -> Result<Self, NotATag> {
        let hexadecimal = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match hexadecimal {
            true => u16::from_str_radix(text, 16).map(Self).map_err(|_| NotATag),
            false => Err(NotATag),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PART, Tag};

    /// proves: FIL-010
    #[test]
    fn known_texts_have_known_tags() {
        let tags =
            ["", "hello\n", "hello\r\n", "hello  \n", "hello\t \r\n"].map(|text| Tag::of(text).to_string());
        assert_eq!(tags, ["5D05", "5BF9", "5BF9", "5BF9", "5BF9"]);
    }

    /// Lines are hashed together where that is the same as one after the other.
    #[test]
    fn white_space_counts_nowhere_but_at_the_end_of_a_line() {
        let plain = |text: &str| {
            let lines: Vec<&str> =
                text.split('\n').map(|line| line.trim_end_matches([' ', '\t', '\r'])).collect();
            xxhash_rust::xxh32::xxh32(lines.join("\n").as_bytes(), 0) as u16
        };
        for text in [
            "",
            " ",
            "\n",
            "a \nb\t\r\n",
            "  \n \nx",
            "a \n \n  b  ",
            "\n\n \n",
            "a\nb\n c",
            "ä \u{a0}\n\u{a0}",
        ] {
            assert_eq!(Tag::of(text), Tag(plain(text)), "{text:?}");
        }
        // Wherever long texts are cut into parts.
        for blank in ["", " ", "\r", " \t  "] {
            for around in PART - 6..PART + 3 {
                let text = format!("{0}{blank}\n{blank}b\n{0}", "a".repeat(around)).repeat(3);
                assert_eq!(Tag::of(&text), Tag(plain(&text)), "{blank:?} {around}");
                let text = format!("{}{blank}", text.replace("aaaa", "a \naa"));
                assert_eq!(Tag::of(&text), Tag(plain(&text)), "{blank:?} {around}");
            }
        }
    }

    #[test]
    fn any_case_is_read_and_nothing_else() {
        assert_eq!("0a3b".parse::<Tag>().unwrap().to_string(), "0A3B");
        for wrong in ["", "0A3", "0A3BC", "+A3B", "0A3G"] {
            assert!(wrong.parse::<Tag>().is_err(), "{wrong}");
        }
    }
}
