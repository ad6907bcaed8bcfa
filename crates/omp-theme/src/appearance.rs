//! Dark or light: what is known about the terminal's background, and what follows from it.

use crate::color::luminance;

/// The kind of background a terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Appearance {
    /// Light text on dark ground.
    #[default]
    Dark,
    /// Dark text on light ground.
    Light,
}

/// Above this luminance black text is read better than white.
const MIDDLE: f64 = 0.179;

impl Appearance {
    /// Of a background of this colour.
    pub fn of_background(channels: (u8, u8, u8)) -> Self {
        if luminance(channels) > MIDDLE { Self::Light } else { Self::Dark }
    }

    /// What `COLORFGBG` says: its last number is the background, the first eight colours are dark.
    pub fn of_colorfgbg(value: &str) -> Option<Self> {
        let background: u8 = value.rsplit(';').next()?.trim().parse().ok()?;
        Some(if background < 8 { Self::Dark } else { Self::Light })
    }
}

/// Everything that is known about the background, newest words of the terminal included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    reported: Option<Appearance>,
    colorfgbg: Option<Appearance>,
    system: Option<Appearance>,
    misreports: bool,
}

impl Signals {
    /// `colorfgbg` is the variable of that name. `misreports` is for Zellij on macOS, which answers questions about the
    /// background wrongly.
    pub fn new(colorfgbg: Option<&str>, misreports: bool) -> Self {
        Self { colorfgbg: colorfgbg.and_then(Appearance::of_colorfgbg), misreports, ..Self::default() }
    }

    /// The terminal named its background (OSC 11).
    pub fn background(&mut self, channels: (u8, u8, u8)) {
        self.reported = Some(Appearance::of_background(channels));
    }

    /// The terminal said that its appearance is now this (mode 2031).
    pub fn notified(&mut self, appearance: Appearance) {
        self.reported = Some(appearance);
    }

    /// What macOS says about the whole system.
    pub fn system(&mut self, appearance: Appearance) {
        self.system = Some(appearance);
    }

    /// What follows: the terminal's word, then `COLORFGBG`, then the system's where the terminal cannot be trusted,
    /// else dark.
    pub fn appearance(&self) -> Appearance {
        let reported = self.reported.filter(|_| !self.misreports);
        let system = self.system.filter(|_| self.misreports);
        reported.or(self.colorfgbg).or(system).unwrap_or_default()
    }
}

/// Reads the colour in a reply to OSC 11: `rgb:RRRR/GGGG/BBBB` with one to four digits each, `rgba:` with a fourth
/// part, or `#RRGGBB`.
pub fn parse_reported_color(text: &str) -> Option<(u8, u8, u8)> {
    if let Some(color) = crate::color::parse_hex(text) {
        return crate::color::channels(color);
    }
    let parts = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let mut parts = parts.split('/').map(|digits| {
        let known = (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = u32::from_str_radix(digits, 16).ok().filter(|_| known)?;
        let most = 16u32.pow(u32::try_from(digits.len()).ok()?) - 1;
        u8::try_from((value * 255 + most / 2) / most).ok()
    });
    Some((parts.next()??, parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: TUI-134
    #[test]
    fn the_terminals_word_goes_first() {
        use Appearance::{Dark, Light};
        let decide = |reply: Option<&str>, variable: Option<&str>, system: Option<Appearance>, misreports| {
            let mut signals = Signals::new(variable, misreports);
            if let Some(channels) = reply.and_then(parse_reported_color) {
                signals.background(channels);
            }
            if let Some(system) = system {
                signals.system(system);
            }
            signals.appearance()
        };
        let (white, black) = (Some("rgb:ffff/ffff/ffff"), Some("rgb:1a/1b/26"));
        assert_eq!(decide(white, Some("15;0"), Some(Dark), false), Light);
        assert_eq!(decide(black, Some("0;15"), Some(Light), false), Dark);
        assert_eq!(decide(None, Some("15;7"), Some(Light), false), Dark);
        assert_eq!(decide(None, Some("0;8"), None, false), Light);
        assert_eq!(decide(None, Some("0;default;15"), None, false), Light);
        assert_eq!(decide(None, Some("default;default"), None, false), Dark);
        // Only where the terminal's reply is known to be wrong does the system speak, and the reply not.
        assert_eq!(decide(None, None, Some(Light), false), Dark);
        assert_eq!(decide(black, None, Some(Light), true), Light);
        assert_eq!(decide(white, None, Some(Dark), true), Dark);
        assert_eq!(decide(white, Some("15;0"), Some(Light), true), Dark);
        assert_eq!(decide(None, None, None, true), Dark);
    }

    #[test]
    fn replies_have_several_forms() {
        for text in ["rgb:ff/80/00", "rgb:ffff/8080/0000", "rgba:ffff/8080/0000/ffff", "#ff8000"] {
            assert_eq!(parse_reported_color(text), Some((255, 128, 0)), "{text}");
        }
        assert_eq!(parse_reported_color("rgb:f/0/f"), Some((255, 0, 255)));
        for text in ["", "rgb:", "rgb:1/2", "rgb:12345/0/0", "rgb:+1/0/0", "rgb:zz/0/0", "red"] {
            assert_eq!(parse_reported_color(text), None, "{text}");
        }
    }
}
