//! The colours of exported pages.

use omp_tui::text::Color;

/// What a theme says about exported pages; what it leaves out is derived from its other colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportColors {
    /// `export.pageBg`: behind everything.
    pub page: Option<Color>,
    /// `export.cardBg`: behind messages and code.
    pub card: Option<Color>,
    /// `export.infoBg`: behind remarks.
    pub info: Option<Color>,
}
