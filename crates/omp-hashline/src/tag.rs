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
        let bytes = text.as_bytes();
        let mut hasher = Xxh32::new(0);
        // Lines without white space at their end, which is most, are taken together.
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
        Self((hasher.digest() & 0xFFFF) as u16)
    }
}

/// The length of a line without the white space at its end.
fn trimmed(line: &[u8]) -> usize {
    line.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r')).map_or(0, |last| last + 1)
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
    use super::Tag;

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
    }

    #[test]
    fn any_case_is_read_and_nothing_else() {
        assert_eq!("0a3b".parse::<Tag>().unwrap().to_string(), "0A3B");
        for wrong in ["", "0A3", "0A3BC", "+A3B", "0A3G"] {
            assert!(wrong.parse::<Tag>().is_err(), "{wrong}");
        }
    }
}
