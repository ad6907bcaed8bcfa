//! Drawing the editor and its list of completions.

mod popup;
mod render;
mod window;

use omp_tui::render::Position as Cell;
use omp_tui::text::{Line, Style};

pub(crate) use window::Viewport;

/// The characters of the frame; a theme gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs<'a> {
    /// Corners: top left, top right, bottom left, bottom right.
    pub corners: [&'a str; 4],
    /// The rule above and below.
    pub horizontal: &'a str,
    /// The lines at the sides.
    pub vertical: &'a str,
    /// Before the selected row of a list.
    pub pointer: &'a str,
    /// Above, when there is more above.
    pub above: &'a str,
    /// Below, when there is more below.
    pub below: &'a str,
    /// In the place of what is cut.
    pub ellipsis: &'a str,
}

impl Glyphs<'static> {
    /// Lines with round corners.
    pub const UNICODE: Self = Self {
        corners: ["╭", "╮", "╰", "╯"],
        horizontal: "─",
        vertical: "│",
        pointer: "❯",
        above: "↑",
        below: "↓",
        ellipsis: "…",
    };
    /// For terminals without them.
    pub const ASCII: Self = Self {
        corners: ["+", "+", "+", "+"],
        horizontal: "-",
        vertical: "|",
        pointer: ">",
        above: "^",
        below: "v",
        ellipsis: "...",
    };
}

/// How the parts of the editor look; made from a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Styles<'a> {
    /// Text.
    pub text: Style,
    /// The frame: the colour of [`crate::Border`].
    pub border: Style,
    /// The text in an empty editor.
    pub placeholder: Style,
    /// What could be typed next.
    pub ghost: Style,
    /// Markers of pastes and pictures.
    pub marker: Style,
    /// Words with a meaning of their own.
    pub keyword: Style,
    /// Laid over selected text: its background and attributes count.
    pub selection: Style,
    /// A row of a list.
    pub popup: Style,
    /// The selected row.
    pub popup_selected: Style,
    /// Explanations in a list.
    pub popup_detail: Style,
    /// Names of topics in a list.
    pub popup_topic: Style,
    /// Characters.
    pub glyphs: Glyphs<'a>,
}

impl Styles<'_> {
    /// At most `width` cells of a row, with an ellipsis in the place of what is cut.
    pub(crate) fn shortened(&self, line: &Line, width: usize) -> Line {
        if line.width() <= width {
            return line.clone();
        }
        let dots = Line::plain(self.glyphs.ellipsis).clamp(width);
        let mut short = line.slice(0, width - dots.width());
        let style = short.spans().last().map_or(Style::PLAIN, omp_tui::text::Span::style);
        short.push(style, &dots.text());
        short
    }
}

/// What is around the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// A box; left out where the screen is too narrow for it.
    #[default]
    Box,
    /// Rules above and below.
    Rules,
    /// Nothing.
    None,
}

/// How the editor is to be drawn.
pub struct Look<'a> {
    /// Cells of a row.
    pub width: usize,
    /// Most rows, the frame included; at least one row of text is shown.
    pub height: usize,
    /// Rows that a list of commands may take, if that is more than completions take.
    pub command_rows: usize,
    /// How the parts look.
    pub styles: &'a Styles<'a>,
    /// What is around the text.
    pub frame: Frame,
    /// Laid into the upper rule, at its left.
    pub title: Option<&'a Line>,
    /// Laid into the upper rule, at its right, where there is room.
    pub title_right: Option<&'a Line>,
    /// Shown when nothing is in the editor.
    pub placeholder: &'a str,
    /// Where words with a meaning stand in a text, as ranges of bytes.
    pub keywords: &'a dyn Fn(&str) -> Vec<std::ops::Range<usize>>,
}

/// The editor as rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The rows; none is wider than asked for.
    pub rows: Vec<Line>,
    /// The cell of the cursor, always inside the rows.
    pub cursor: Cell,
    /// The rows of the list of completions, to be put below or above.
    pub popup: Vec<Line>,
}
