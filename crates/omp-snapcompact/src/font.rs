//! Pixel fonts: the printable characters of Latin-1, a byte a row, the leftmost pixel in the highest bit.
//!
//! The glyphs are in the public domain: those of the X Window System's fixed fonts, and the 8x8 characters of the first
//! personal computers. The tests of this module write the files in `data/`.

/// A pixel font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Font {
    F4x6,
    F5x8,
    F6x12,
    F8x8,
    F8x13,
}

/// The first character of a font's file.
const FIRST: u32 = 0x20;

impl Font {
    /// Pixels of a character, across and down.
    pub(crate) fn size(self) -> (usize, usize) {
        match self {
            Self::F4x6 => (4, 6),
            Self::F5x8 => (5, 8),
            Self::F6x12 => (6, 12),
            Self::F8x8 => (8, 8),
            Self::F8x13 => (8, 13),
        }
    }

    fn data(self) -> &'static [u8] {
        match self {
            Self::F4x6 => include_bytes!("../data/4x6.bin"),
            Self::F5x8 => include_bytes!("../data/5x8.bin"),
            Self::F6x12 => include_bytes!("../data/6x12.bin"),
            Self::F8x8 => include_bytes!("../data/8x8.bin"),
            Self::F8x13 => include_bytes!("../data/8x13.bin"),
        }
    }

    /// The rows of a character; nothing for one that the fonts do not have.
    pub(crate) fn glyph(self, character: char) -> &'static [u8] {
        let (_, rows) = self.size();
        let Some(at) = u32::from(character).checked_sub(FIRST) else { return &[] };
        let start = at as usize * rows;
        self.data().get(start..start + rows).unwrap_or_default()
    }
}

/// Has a font this character?
fn has(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{a0}'..='\u{ff}')
}

/// Stands for a character that cannot be printed.
pub(crate) const UNKNOWN: char = '\u{bf}';

/// A character as the fonts can print it: itself, or what people write in its place.
pub(crate) fn spell(character: char, out: &mut impl FnMut(char)) {
    let words = match character {
        _ if has(character) => return out(character),
        '\u{2010}'..='\u{2015}' | '\u{2500}' | '\u{2501}' | '\u{2212}' => "-",
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{2032}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2033}' => "\"",
        '\u{2026}' => "...",
        '\u{2022}' | '\u{25cf}' | '\u{25aa}' | '\u{2043}' => "*",
        '\u{2190}' => "<-",
        '\u{2192}' | '\u{2794}' | '\u{21d2}' => "->",
        '\u{2191}' => "^",
        '\u{2193}' => "v",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{2260}' => "!=",
        '\u{2248}' => "~",
        '\u{2713}' | '\u{2714}' | '\u{2705}' => "[x]",
        '\u{2717}' | '\u{2718}' | '\u{274c}' => "[ ]",
        '\u{2502}' | '\u{2503}' | '\u{2551}' => "|",
        '\u{2504}'..='\u{257f}' => "+",
        '\u{2580}'..='\u{259f}' => "#",
        '\u{20ac}' => "EUR",
        '\u{2122}' => "(TM)",
        '\u{152}' => "OE",
        '\u{153}' => "oe",
        '\u{131}' => "i",
        // Marks on letters, joiners and selectors have no width of their own.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ad}' => {
            ""
        }
        _ => return out(plain_letter(character).unwrap_or(UNKNOWN)),
    };
    words.chars().for_each(out);
}

/// The letter below the mark, of the Latin letters beyond the fonts.
fn plain_letter(character: char) -> Option<char> {
    const PLAIN: &str = "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZz";
    let at = u32::from(character).checked_sub(0x100)? as usize;
    PLAIN.chars().nth(at)
}

/// How much of a text the fonts can print, from 0 to 1. Space counts as printed.
pub fn printable_share(text: &str) -> f64 {
    let (mut all, mut printed) = (0_usize, 0_usize);
    for character in text.chars() {
        all += 1;
        let mut known = true;
        spell(character, &mut |letter| known &= letter != UNKNOWN || character == UNKNOWN);
        printed += usize::from(known || character.is_whitespace());
    }
    if all == 0 { 1.0 } else { printed as f64 / all as f64 }
}

#[cfg(test)]
mod tests;
