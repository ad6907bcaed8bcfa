//! The colours of exported pages.

use omp_tui::text::Color;

use crate::color::{channels, mix};
use crate::theme::Theme;
use crate::token::Token;

/// What a theme file says about exported pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExportColors {
    /// `export.pageBg`: behind everything.
    pub(crate) page: Option<Color>,
    /// `export.cardBg`: behind messages and code.
    pub(crate) card: Option<Color>,
    /// `export.infoBg`: behind remarks.
    pub(crate) info: Option<Color>,
}

/// Red, green and blue.
pub type Channels = (u8, u8, u8);

/// The backgrounds of an exported page; `None` where the theme leaves the colour to the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageColors {
    /// Behind everything.
    pub page: Option<Channels>,
    /// Behind messages and code.
    pub card: Option<Channels>,
    /// Behind remarks.
    pub info: Option<Channels>,
}

/// How far the page behind a card is from it, toward black or white.
const BEHIND: f64 = 0.35;

impl Theme {
    /// The backgrounds for exported pages: those of the theme file, else what its other colours suggest.
    pub fn page_colors(&self) -> PageColors {
        let of = |own: Option<Color>, token: Token| channels(own.unwrap_or_else(|| self.color(token)));
        let card = of(self.export.card, Token::UserMessageBg);
        let end = if self.is_light() { (255, 255, 255) } else { (0, 0, 0) };
        let behind = card.and_then(|card| channels(mix(card, end, BEHIND)));
        PageColors {
            page: self.export.page.map_or(behind, channels),
            card,
            info: of(self.export.info, Token::CustomMessageBg),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{sample, with};

    #[test]
    fn a_page_follows_the_theme() {
        let theme =
            Theme::load(&with(&[("/export", r##"{"pageBg": "#010203", "infoBg": "deep"}"##)])).unwrap();
        let colors = theme.page_colors();
        assert_eq!(colors.page, Some((1, 2, 3)));
        assert_eq!(colors.card, channels(theme.color(Token::UserMessageBg)));
        assert_eq!(colors.info, Some((0x10, 0x20, 0x30)));

        let derived = Theme::load(&sample()).unwrap().page_colors();
        let (card, page) = (derived.card.unwrap(), derived.page.unwrap());
        assert!(page.0 < card.0 && page.1 < card.1 && page.2 < card.2, "{derived:?}");

        let none = Theme::built_in("ansi").unwrap().page_colors();
        assert_eq!(none, PageColors { page: None, card: None, info: None });
    }
}
