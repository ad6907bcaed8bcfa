//! Places in a text as servers count them: lines from zero, and units of the encoding that was agreed on.

use serde::{Deserialize, Serialize};

/// A place between two characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

/// What lies between two places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

/// The units in which characters of a line are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// What every server understands.
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// What we can count in, the usual first.
    pub const NAMES: [&str; 3] = ["utf-16", "utf-8", "utf-32"];

    /// The encoding that a server chose.
    pub(crate) fn parse(name: Option<&str>) -> Self {
        match name {
            Some("utf-8") => Self::Utf8,
            Some("utf-32") => Self::Utf32,
            _ => Self::Utf16,
        }
    }

    fn width(self, letter: char) -> usize {
        match self {
            Self::Utf8 => letter.len_utf8(),
            Self::Utf16 => letter.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// The units before the byte `end` of a line.
    pub fn units(self, line: &str, end: usize) -> u32 {
        let before = line.char_indices().take_while(|(at, _)| *at < end);
        let units: usize = before.map(|(_, letter)| self.width(letter)).sum();
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    /// The byte at which so many units of a line are over. Beyond the line means its end.
    pub fn byte(self, line: &str, units: u32) -> usize {
        let mut seen = 0;
        for (at, letter) in line.char_indices() {
            if seen >= units as usize {
                return at;
            }
            seen += self.width(letter);
        }
        line.len()
    }
}

/// The lines of a text as servers count them, without their ends.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_depend_on_the_encoding() {
        let line = "a😀ßx";
        let at = line.find('x').unwrap();
        assert_eq!(Encoding::Utf8.units(line, at), 7);
        assert_eq!(Encoding::Utf16.units(line, at), 4);
        assert_eq!(Encoding::Utf32.units(line, at), 3);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            assert_eq!(encoding.byte(line, encoding.units(line, at)), at);
            assert_eq!(encoding.byte(line, 1_000), line.len());
        }
    }
}
