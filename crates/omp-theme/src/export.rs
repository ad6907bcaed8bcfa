//! The colours of exported pages.

use omp_tui::text::Color;

use crate::color::{Channels, channels, mix};
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

/// The colours of an exported page; `None` where the theme leaves the colour to the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageColors {
    /// Behind everything.
    pub page: Option<Channels>,
    /// Behind messages and code.
    pub card: Option<Channels>,
    /// Behind remarks.
    pub info: Option<Channels>,
    /// Lines between things.
    pub border: Option<Channels>,
    /// What is read.
    pub text: Option<Channels>,
    /// What is looked at second.
    pub muted: Option<Channels>,
    /// Links and the user's words.
    pub accent: Option<Channels>,
    /// Added lines, calls that worked.
    pub success: Option<Channels>,
    /// Removed lines, calls that failed.
    pub error: Option<Channels>,
    /// Summaries and labels.
    pub warning: Option<Channels>,
    /// Words of a language, in code.
    pub keyword: Option<Channels>,
    /// Strings, in code.
    pub string: Option<Channels>,
    /// Numbers, in code.
    pub number: Option<Channels>,
    /// Calls, in code.
    pub function: Option<Channels>,
}

/// How far the page behind a card is from it, toward black or white.
const BEHIND: f64 = 0.35;

impl Theme {
    /// The colours for exported pages: backgrounds of the theme file, else what its other colours suggest.
    pub fn page_colors(&self) -> PageColors {
        let of = |token: Token| channels(self.color(token));
        let card = self.export.card.map_or_else(|| of(Token::UserMessageBg), channels);
        let end = if self.is_light() { (255, 255, 255) } else { (0, 0, 0) };
        let behind = card.and_then(|card| channels(mix(card, end, BEHIND)));
        PageColors {
            page: self.export.page.map_or(behind, channels),
            card,
            info: self.export.info.map_or_else(|| of(Token::CustomMessageBg), channels),
            border: of(Token::Border),
            text: of(Token::Text),
            muted: of(Token::Muted),
            accent: of(Token::Accent),
            success: of(Token::Success),
            error: of(Token::Error),
            warning: of(Token::Warning),
            keyword: of(Token::SyntaxKeyword),
            string: of(Token::SyntaxString),
            number: of(Token::SyntaxNumber),
            function: of(Token::SyntaxFunction),
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
        assert_eq!(none, PageColors::default());
    }
}
