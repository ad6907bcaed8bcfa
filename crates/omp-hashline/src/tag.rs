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
        for (position, line) in text.split('\n').enumerate() {
            if position > 0 {
                hasher.update(b"\n");
            }
            hasher.update(line.trim_end_matches([' ', '\t', '\r']).as_bytes());
        }
        Self((hasher.digest() & 0xFFFF) as u16)
    }
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

    #[test]
    fn any_case_is_read_and_nothing_else() {
        assert_eq!("0a3b".parse::<Tag>().unwrap().to_string(), "0A3B");
        for wrong in ["", "0A3", "0A3BC", "+A3B", "0A3G"] {
            assert!(wrong.parse::<Tag>().is_err(), "{wrong}");
        }
    }
}
