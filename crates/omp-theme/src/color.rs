//! Colours as numbers: reading them, how bright they are, how well one is read on another.

use omp_tui::text::Color;

/// Red, green and blue.
pub type Channels = (u8, u8, u8);

/// Reads `#RRGGBB`.
pub(crate) fn parse_hex(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#')?;
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some(Color::Rgb(red, green, blue))
}

/// Red, green and blue of a colour; `None` if only the terminal knows.
pub fn channels(color: Color) -> Option<(u8, u8, u8)> {
    match color {
        Color::Rgb(red, green, blue) => Some((red, green, blue)),
        Color::Indexed(index @ 16..) => Some(fixed(index)),
        Color::Default | Color::Indexed(_) => None,
    }
}

/// The colours from 16 on are the same on every terminal: a cube and a ramp of greys.
fn fixed(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + 10 * (index - 232);
        return (grey, grey, grey);
    }
    let step = |digit: u8| if digit == 0 { 0 } else { 55 + 40 * digit };
    let index = index - 16;
    (step(index / 36), step(index / 6 % 6), step(index % 6))
}

/// Relative luminance, from 0 for black to 1 for white.
pub fn luminance((red, green, blue): (u8, u8, u8)) -> f64 {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// How well one colour is read on the other, from 1 (not at all) to 21.
pub fn contrast(left: (u8, u8, u8), right: (u8, u8, u8)) -> f64 {
    let (left, right) = (luminance(left), luminance(right));
    (left.max(right) + 0.05) / (left.min(right) + 0.05)
}

/// A colour between two: `share` of 0 is the first, 1 the second.
pub(crate) fn mix(first: (u8, u8, u8), second: (u8, u8, u8), share: f64) -> Color {
    let between = |a: u8, b: u8| rounded(f64::from(a) + (f64::from(b) - f64::from(a)) * share);
    Color::Rgb(between(first.0, second.0), between(first.1, second.1), between(first.2, second.2))
}

/// How far added lines move from green (120°) to blue (240°) for those who see green and red alike.
const TOWARD_BLUE: f64 = 0.75;
/// Blue is darker than green; less colour makes up for it.
const LESS_COLOR: f64 = 0.7;

/// The colour with its hue moved toward blue. Only colours that are given as red, green and blue move.
pub(crate) fn toward_blue(color: Color) -> Color {
    let Color::Rgb(red, green, blue) = color else { return color };
    let (hue, saturation, value) = to_hsv(red, green, blue);
    let hue = hue + (240.0 - hue) * TOWARD_BLUE;
    from_hsv(hue, saturation * LESS_COLOR, value)
}

/// Hue in degrees, saturation and value from 0 to 1.
fn to_hsv(red: u8, green: u8, blue: u8) -> (f64, f64, f64) {
    let [r, g, b] = [red, green, blue].map(|channel| f64::from(channel) / 255.0);
    let value = r.max(g).max(b);
    let range = value - r.min(g).min(b);
    if range == 0.0 {
        return (0.0, 0.0, value);
    }
    let sector = if red >= green && red >= blue {
        ((g - b) / range).rem_euclid(6.0)
    } else if green >= blue {
        (b - r) / range + 2.0
    } else {
        (r - g) / range + 4.0
    };
    (sector * 60.0, range / value, value)
}

fn from_hsv(hue: f64, saturation: f64, value: f64) -> Color {
    let channel = |offset: f64| {
        let place = (offset + hue / 60.0).rem_euclid(6.0);
        let share = place.min(4.0 - place).clamp(0.0, 1.0);
        rounded((value - value * saturation * share) * 255.0)
    };
    Color::Rgb(channel(5.0), channel(3.0), channel(1.0))
}

fn rounded(value: f64) -> u8 {
    let whole = value.round().clamp(0.0, 255.0);
    (0..=u8::MAX).find(|candidate| f64::from(*candidate) >= whole).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_colours_have_six_digits() {
        assert_eq!(parse_hex("#7Aa2f7"), Some(Color::Rgb(0x7a, 0xa2, 0xf7)));
        for wrong in ["", "#", "#fff", "7aa2f7", "#7aa2f", "#7aa2f7f", "#+12345", "#gggggg", "#ééé"] {
            assert_eq!(parse_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn contrast_has_its_known_ends() {
        let (black, white) = ((0, 0, 0), (255, 255, 255));
        assert!((contrast(black, white) - 21.0).abs() < 1e-9);
        assert!((contrast(white, white) - 1.0).abs() < 1e-9);
        assert_eq!(channels(Color::Indexed(16)), Some((0, 0, 0)));
        assert_eq!(channels(Color::Indexed(231)), Some((255, 255, 255)));
        assert_eq!(channels(Color::Indexed(255)), Some((238, 238, 238)));
        assert_eq!(channels(Color::Indexed(15)), None);
    }

    #[test]
    fn hsv_goes_there_and_back() {
        for color in [(0, 0, 0), (255, 255, 255), (255, 0, 0), (12, 200, 99), (1, 2, 250), (200, 10, 201)] {
            let (hue, saturation, value) = to_hsv(color.0, color.1, color.2);
            assert_eq!(from_hsv(hue, saturation, value), Color::Rgb(color.0, color.1, color.2));
        }
    }
}
