//! Colours and attributes, and the shortest way from one style to another.

use std::io::Write as _;
use std::ops::BitOr;

/// A colour as a theme or a program names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// Whatever the terminal uses.
    #[default]
    Default,
    /// One of the terminal's 256 colours; the first 16 follow the user's palette.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// A set of text attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes(u8);

impl Attributes {
    /// No attribute.
    pub const NONE: Self = Self(0);
    /// Bold.
    pub const BOLD: Self = Self(1);
    /// Faint.
    pub const DIM: Self = Self(2);
    /// Italic.
    pub const ITALIC: Self = Self(4);
    /// Underlined.
    pub const UNDERLINE: Self = Self(8);
    /// Foreground and background exchanged.
    pub const REVERSE: Self = Self(16);
    /// Struck through.
    pub const STRIKE: Self = Self(32);
    /// Blinking.
    pub const BLINK: Self = Self(64);

    /// Attribute, and the SGR numbers that turn it on and off.
    const CODES: [(Self, u8, u8); 7] = [
        (Self::BOLD, 1, 22),
        (Self::DIM, 2, 22),
        (Self::ITALIC, 3, 23),
        (Self::UNDERLINE, 4, 24),
        (Self::REVERSE, 7, 27),
        (Self::STRIKE, 9, 29),
        (Self::BLINK, 5, 25),
    ];

    /// Whether every attribute of `other` is in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// This set without the attributes of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Attributes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// No colours at all; attributes stay.
    Monochrome,
    /// The user's 16 colours.
    Sixteen,
    /// 256 colours.
    Indexed,
    /// 24 bits.
    #[default]
    Direct,
}

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// The colour of the text.
    pub foreground: Color,
    /// The colour behind the text.
    pub background: Color,
    /// Bold, italic and so on.
    pub attributes: Attributes,
}

impl Style {
    /// Whether a blank of this style looks like an erased cell.
    pub(crate) fn is_invisible(self) -> bool {
        let marks = [Attributes::REVERSE, Attributes::UNDERLINE, Attributes::STRIKE];
        self.background == Color::Default && !marks.iter().any(|mark| self.attributes.contains(*mark))
    }

    /// The terminal's own look.
    pub const PLAIN: Self =
        Self { foreground: Color::Default, background: Color::Default, attributes: Attributes::NONE };

    /// This style with another text colour.
    #[must_use]
    pub fn foreground(self, foreground: Color) -> Self {
        Self { foreground, ..self }
    }

    /// This style with another background.
    #[must_use]
    pub fn background(self, background: Color) -> Self {
        Self { background, ..self }
    }

    /// This style with more attributes.
    #[must_use]
    pub fn with(self, attributes: Attributes) -> Self {
        Self { attributes: self.attributes | attributes, ..self }
    }

    /// Appends the SGR sequence that turns `self` into `next`; nothing if they look the same.
    pub fn transition(self, next: Self, depth: Depth, out: &mut Vec<u8>) {
        if self == next {
            return;
        }
        let anew = Self::PLAIN.sequence(next, depth, &[0]);
        let off = self.turned_off(next.attributes);
        let kept = Self { attributes: self.attributes.without(off.1), ..self };
        let changed = kept.sequence(next, depth, &off.0);
        let removes = !off.0.is_empty() || next == Self::PLAIN;
        out.extend_from_slice(if removes && anew.len() < changed.len() { &anew } else { &changed });
    }

    /// The codes that turn off what is not in `wanted`, and everything that they turn off.
    fn turned_off(self, wanted: Attributes) -> (Vec<u8>, Attributes) {
        let (mut codes, mut all) = (Vec::new(), Attributes::NONE);
        for (attribute, _, code) in Attributes::CODES {
            if self.attributes.contains(attribute) && !wanted.contains(attribute) && !codes.contains(&code) {
                codes.push(code);
            }
        }
        for (attribute, _, code) in Attributes::CODES {
            if codes.contains(&code) {
                all = all | attribute;
            }
        }
        (codes, all)
    }

    /// The sequence with these codes first and then all that `self` lacks of `next`; empty if that is nothing.
    fn sequence(self, next: Self, depth: Depth, first: &[u8]) -> Vec<u8> {
        let mut codes = first.to_vec();
        for (attribute, code, _) in Attributes::CODES {
            if next.attributes.contains(attribute) && !self.attributes.contains(attribute) {
                codes.push(code);
            }
        }
        if next.foreground != self.foreground {
            next.foreground.codes(depth, 30, &mut codes);
        }
        if next.background != self.background {
            next.background.codes(depth, 40, &mut codes);
        }
        let mut out = Vec::new();
        if codes.is_empty() {
            return out;
        }
        out.extend_from_slice(b"\x1b[");
        for (index, code) in codes.iter().enumerate() {
            if index > 0 {
                out.push(b';');
            }
            if *code != 0 || codes.len() > 1 {
                let _ = write!(out, "{code}");
            }
        }
        out.push(b'm');
        out
    }
}

impl Color {
    /// Appends the SGR numbers of this colour; `base` is 30 for text and 40 for the background.
    fn codes(self, depth: Depth, base: u8, codes: &mut Vec<u8>) {
        match (depth, self) {
            (Depth::Monochrome, _) => {}
            (_, Self::Default) => codes.push(base + 9),
            (Depth::Sixteen, Self::Indexed(index @ 0..8)) => codes.push(base + index),
            (Depth::Sixteen, Self::Indexed(index @ 8..16)) => codes.push(base + 60 + index - 8),
            (Depth::Sixteen, Self::Indexed(index)) => {
                let (red, green, blue) = indexed_rgb(index);
                sixteen(red, green, blue, base, codes);
            }
            (_, Self::Indexed(index)) => codes.extend([base + 8, 5, index]),
            (Depth::Direct, Self::Rgb(red, green, blue)) => codes.extend([base + 8, 2, red, green, blue]),
            (Depth::Indexed, Self::Rgb(red, green, blue)) => {
                codes.extend([base + 8, 5, nearest_index(red, green, blue)]);
            }
            (Depth::Sixteen, Self::Rgb(red, green, blue)) => sixteen(red, green, blue, base, codes),
        }
    }
}

const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The colour that an index above 15 stands for.
fn indexed_rgb(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + (index - 232) * 10;
        return (grey, grey, grey);
    }
    let index = index.saturating_sub(16);
    (CUBE[usize::from(index / 36)], CUBE[usize::from(index / 6 % 6)], CUBE[usize::from(index % 6)])
}

/// The index of the 256-colour palette that is nearest: in the cube or on the grey ramp.
fn nearest_index(red: u8, green: u8, blue: u8) -> u8 {
    let step = |value: u8| (0..6u8).min_by_key(|&i| CUBE[usize::from(i)].abs_diff(value)).unwrap_or(0);
    let cube = 16 + 36 * step(red) + 6 * step(green) + step(blue);
    let mean = (u16::from(red) + u16::from(green) + u16::from(blue)) / 3;
    let grey = 232 + u8::try_from((mean.saturating_sub(3) / 10).min(23)).unwrap_or(23);
    let target = (red, green, blue);
    if distance(indexed_rgb(grey), target) < distance(indexed_rgb(cube), target) { grey } else { cube }
}

fn distance(left: (u8, u8, u8), right: (u8, u8, u8)) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(left.0, right.0) + square(left.1, right.1) + square(left.2, right.2)
}

/// One of the user's 16 colours: a bit per channel, bright when the channels are.
fn sixteen(red: u8, green: u8, blue: u8, base: u8, codes: &mut Vec<u8>) {
    let brightest = red.max(green).max(blue);
    if brightest < 48 {
        codes.push(base);
        return;
    }
    let bit = |value: u8| u8::from(u16::from(value) * 2 > u16::from(brightest));
    let index = bit(red) | bit(green) << 1 | bit(blue) << 2;
    let bright = if index == 7 { brightest > 200 } else { brightest > 160 };
    codes.push(base + index + if bright { 60 } else { 0 });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(from: Style, to: Style, depth: Depth) -> String {
        let mut out = Vec::new();
        from.transition(to, depth, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_what_changes_is_written() {
        let red = Style::PLAIN.foreground(Color::Indexed(1));
        assert_eq!(between(Style::PLAIN, red, Depth::Direct), "\x1b[38;5;1m");
        assert_eq!(between(Style::PLAIN, red, Depth::Sixteen), "\x1b[31m");
        assert_eq!(between(red, red.with(Attributes::BOLD), Depth::Direct), "\x1b[1m");
        assert_eq!(between(red.with(Attributes::BOLD), red, Depth::Direct), "\x1b[22m");
        let all = red.with(Attributes::BOLD | Attributes::ITALIC | Attributes::UNDERLINE);
        assert_eq!(between(all, red, Depth::Sixteen), "\x1b[0;31m");
        // What turns bold off turns faint off, too.
        let both = red.with(Attributes::BOLD | Attributes::DIM);
        assert_eq!(between(both, red.with(Attributes::DIM), Depth::Direct), "\x1b[22;2m");
        assert_eq!(between(red.background(Color::Indexed(2)), red, Depth::Direct), "\x1b[49m");
        assert_eq!(between(red, Style::PLAIN, Depth::Direct), "\x1b[m");
        assert_eq!(between(red, red, Depth::Direct), "");
    }

    #[test]
    fn colours_follow_the_depth() {
        let style = Style::PLAIN.foreground(Color::Rgb(255, 0, 0)).background(Color::Indexed(200));
        assert_eq!(between(Style::PLAIN, style, Depth::Direct), "\x1b[38;2;255;0;0;48;5;200m");
        assert_eq!(between(Style::PLAIN, style, Depth::Indexed), "\x1b[38;5;196;48;5;200m");
        assert_eq!(between(Style::PLAIN, style, Depth::Sixteen), "\x1b[91;105m");
        assert_eq!(between(Style::PLAIN, style, Depth::Monochrome), "");
        let grey = Style::PLAIN.foreground(Color::Rgb(90, 90, 90));
        assert_eq!(between(Style::PLAIN, grey, Depth::Indexed), "\x1b[38;5;240m");
    }
}
