//! A theme, ready for use.

use std::sync::Arc;

use omp_tui::text::{Color, Style};

use crate::builtin;
use crate::color::{channels, luminance, mix, toward_blue};
use crate::error::ThemeError;
use crate::export::ExportColors;
use crate::file;
use crate::spinner::Spinner;
use crate::symbol::{Preset, Symbol};
use crate::token::Token;

/// Colours by token, symbols by name. The default one has the terminal's own colours only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    pub(crate) name: String,
    /// One colour per token, in the order of [`Token::ALL`].
    pub(crate) colors: Vec<Color>,
    pub(crate) symbols: Symbols,
    /// Frames by kind of spinner, in the order of [`Spinner::ALL`].
    pub(crate) frames: [Vec<String>; 2],
    pub(crate) export: ExportColors,
    pub(crate) notes: Vec<String>,
}

/// The symbols of a theme: a preset, and what is different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Symbols {
    pub(crate) preset: Option<Preset>,
    pub(crate) overrides: Vec<(Symbol, String)>,
    /// Frames by kind of spinner, in the order of [`Spinner::ALL`].
    pub(crate) spinners: [Option<Vec<String>>; 2],
}

impl Symbols {
    /// The frames that are shown: the theme's own, else those of the preset.
    pub(crate) fn frames(&self) -> [Vec<String>; 2] {
        let preset = self.preset.unwrap_or_default();
        Spinner::ALL.map(|spinner| {
            self.spinners[spinner as usize].clone().unwrap_or_else(|| spinner.in_preset(preset))
        })
    }
}

/// How much of a colour a background has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Enough to see where it is: behind a line.
    Quiet,
    /// More, behind a word of such a line.
    Strong,
}

/// What the user's settings change in any theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjustments {
    /// `symbolPreset`, if it is set; goes before the preset of the theme.
    pub symbols: Option<Preset>,
    /// `colorBlindMode`: added lines are blue.
    pub color_blind: bool,
}

impl Theme {
    /// The built-in theme of that name.
    pub fn built_in(name: &str) -> Option<Arc<Self>> {
        builtin::find(name)
    }

    /// Reads a theme file.
    pub fn load(json: &str) -> Result<Self, ThemeError> {
        file::parse(json)
    }

    /// This theme as the user's settings want it.
    #[must_use]
    pub fn adjusted(mut self, adjustments: Adjustments) -> Self {
        if let Some(preset) = adjustments.symbols {
            self.symbols.preset = Some(preset);
            self.frames = self.symbols.frames();
        }
        if adjustments.color_blind
            && let Some(added) = self.colors.get_mut(Token::ToolDiffAdded as usize)
        {
            *added = toward_blue(*added);
        }
        self
    }

    /// The name it goes by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The colour for a purpose.
    pub fn color(&self, token: Token) -> Color {
        self.colors.get(token as usize).copied().unwrap_or_default()
    }

    /// Text in the colour of a token.
    pub fn fg(&self, token: Token) -> Style {
        Style::PLAIN.foreground(self.color(token))
    }

    /// Text on the colour of a token.
    pub fn bg(&self, token: Token) -> Style {
        Style::PLAIN.background(self.color(token))
    }

    /// Text in the colour of one token on that of another.
    pub fn on(&self, text: Token, background: Token) -> Style {
        self.fg(text).background(self.color(background))
    }

    /// A background in the hue of a token: some of its colour on the page that the theme is made for. `None` where only the
    /// terminal knows one of the two.
    pub fn tint(&self, token: Token, tint: Tint) -> Option<Color> {
        let (page, color) = (self.page_colors().page?, channels(self.color(token))?);
        let share = match tint {
            Tint::Quiet => 0.13,
            Tint::Strong => 0.32,
        };
        Some(mix(page, color, share))
    }

    /// The set its symbols come from.
    pub fn preset(&self) -> Preset {
        self.symbols.preset.unwrap_or_default()
    }

    /// The sign for something.
    pub fn symbol(&self, symbol: Symbol) -> &str {
        let own = self.symbols.overrides.iter().rev().find(|(key, _)| *key == symbol);
        own.map_or_else(|| symbol.in_preset(self.preset()), |(_, text)| text)
    }

    /// The frames of a spinner, never none.
    pub fn spinner(&self, spinner: Spinner) -> &[String] {
        &self.frames[spinner as usize]
    }

    /// Whether it is made for a light background. Its own backgrounds say so; without any, its text does.
    pub fn is_light(&self) -> bool {
        let mean = |tokens: &mut dyn Iterator<Item = &Token>| {
            let known: Vec<f64> =
                tokens.filter_map(|token| channels(self.color(*token))).map(luminance).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        let grounds = mean(&mut Token::ALL.iter().filter(|token| token.is_background()));
        let texts = mean(&mut [Token::Text, Token::UserMessageText, Token::ToolOutput].iter());
        match (grounds, texts) {
            (Some(ground), _) => ground > 0.4,
            (None, Some(text)) => text < 0.18,
            (None, None) => false,
        }
    }

    /// Remarks for the log: what the theme file has that nothing reads.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
