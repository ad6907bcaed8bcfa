//! Which font, ink and width a model reads best.

use crate::font::Font;
use crate::ink::Ink;

/// How lines are laid on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One character after another; a line ends where the frame ends.
    Grid,
    /// Two columns of whole words.
    Columns,
}

/// The look of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The name in the settings.
    pub name: &'static str,
    pub(crate) font: Font,
    /// Pixels from one character to the next, across and down.
    pub cell: (usize, usize),
    pub layout: Layout,
    pub(crate) ink: Ink,
    /// Pixels across; also the greatest height.
    pub width: usize,
}

const fn grid(name: &'static str, font: Font, cell: (usize, usize), ink: Ink) -> Shape {
    Shape { name, font, cell, layout: Layout::Grid, ink, width: 1568 }
}

const fn columns(name: &'static str, ink: Ink) -> Shape {
    Shape { name, font: Font::F8x13, cell: (8, 16), layout: Layout::Columns, ink, width: 2048 }
}

/// Every shape that the settings can name.
static SHAPES: [Shape; 14] = [
    grid("8x8r-sent", Font::F8x8, (8, 8), Ink::SENTENCES),
    grid("8x8r-bw", Font::F8x8, (8, 8), Ink::BLACK),
    grid("8x8u-sent", Font::F5x8, (8, 8), Ink::SENTENCES),
    grid("8x8u-bw", Font::F5x8, (8, 8), Ink::BLACK),
    grid("6x6u-sent", Font::F4x6, (6, 6), Ink::SENTENCES),
    grid("6x6u-bw", Font::F4x6, (6, 6), Ink::BLACK),
    grid("5x8-sent", Font::F5x8, (5, 8), Ink::SENTENCES),
    grid("5x8-bw", Font::F5x8, (5, 8), Ink::BLACK),
    grid("6x12-dim", Font::F6x12, (6, 12), Ink::DIM),
    grid("8x13-bw", Font::F8x13, (8, 13), Ink::BLACK),
    grid("8on16-bw", Font::F8x13, (8, 16), Ink::BLACK),
    columns("doc-8on16-bw", Ink::BLACK),
    columns("doc-8on16-sent", Ink::SENTENCES),
    columns("doc-8on16-sent-dim", Ink::SENTENCES_DIM),
];

const CLAUDE: &str = "6x12-dim";
const GEMINI: &str = "doc-8on16-sent-dim";
const OPENAI: &str = "8on16-bw";
/// Pixels of frames for Claude models with a higher resolution.
const HIGH_WIDTH: usize = 1932;

impl Shape {
    /// The names that the settings can give.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SHAPES.iter().map(|shape| shape.name)
    }

    /// The shape of a name.
    pub fn named(name: &str) -> Option<Self> {
        SHAPES.iter().find(|shape| shape.name == name).copied()
    }

    /// The shape for a model: the one the settings name, or with `auto` the one that models of its line read best;
    /// for a model nobody has measured, the one of those who speak its language.
    pub fn of(setting: &str, model: &str, api: &str) -> Self {
        let shape = Self::named(setting).or_else(|| Self::named(suited(model, api)));
        let mut shape = shape.unwrap_or(SHAPES[8]);
        if shape.name == CLAUDE && omp_tokens::high_resolution(model) {
            shape.width = HIGH_WIDTH;
        }
        shape
    }

    /// Characters of a line, and lines of a frame. Of two columns, the lines of both.
    pub fn grid(self) -> (usize, usize) {
        let (across, down) = self.cell;
        match self.layout {
            Layout::Grid => (self.width / across, self.width / down),
            Layout::Columns => ((self.width / across - GUTTER) / 2, 2 * (self.width / down)),
        }
    }

    /// Characters that a frame can hold.
    pub fn capacity(self) -> usize {
        let (columns, rows) = self.grid();
        columns * rows
    }
}

/// Characters between two columns.
pub(crate) const GUTTER: usize = 4;

fn suited(model: &str, api: &str) -> &'static str {
    let model = model.to_ascii_lowercase();
    let is = |names: &[&str]| names.iter().any(|name| model.contains(name));
    if is(&["claude"]) {
        CLAUDE
    } else if is(&["gemini"]) {
        GEMINI
    } else if is(&["gpt", "kimi", "glm"]) {
        OPENAI
    } else if api.starts_with("google") {
        GEMINI
    } else if api.starts_with("openai") || api.starts_with("azure") {
        OPENAI
    } else {
        CLAUDE
    }
}
