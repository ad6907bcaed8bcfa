//! What goes into the renderer and what comes out.

use std::ops::Range;

use crate::ledger::{Ledger, Seam};
use crate::text::{Depth, Line};

/// Cells of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// A row and a column, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The row.
    pub row: usize,
    /// The column.
    pub column: usize,
}

/// Rows that can be asked for one by one, so that a long transcript costs nothing where it is not seen.
pub trait Rows {
    /// How many rows there are.
    fn len(&self) -> usize;

    /// One of them; `index` is below [`Rows::len`].
    fn row(&self, index: usize) -> Line;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part of the frame that a row belongs to, and the first row of that part. Parts stay the same when the width
    /// changes and all rows become others.
    fn part(&self, _index: usize) -> (Part, usize) {
        (Part::default(), 0)
    }

    /// The first row of a part; `None` if it is gone.
    fn part_start(&self, _part: Part) -> Option<usize> {
        Some(0)
    }
}

/// Names a part of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The lane.
    pub lane: usize,
    /// The block of that lane.
    pub block: usize,
}

impl Rows for [Line] {
    fn len(&self) -> usize {
        <[Line]>::len(self)
    }

    fn row(&self, index: usize) -> Line {
        self.get(index).cloned().unwrap_or_default()
    }
}

impl Rows for Vec<Line> {
    fn len(&self) -> usize {
        <[Line]>::len(self)
    }

    fn row(&self, index: usize) -> Line {
        Rows::row(self.as_slice(), index)
    }
}

/// Rows that lie over the screen. They never become part of the frame.
#[derive(Clone, Debug)]
pub struct Cover {
    /// Where the first row begins, on the screen.
    pub at: Position,
    /// The rows.
    pub rows: Vec<Line>,
    /// The cursor inside the cover, if it has the focus.
    pub cursor: Option<Position>,
}

/// One frame.
pub struct View<'a> {
    /// The rows, made for the width of the screen.
    pub rows: &'a dyn Rows,
    /// Which of them are final.
    pub seam: Seam,
    /// Where the cursor belongs, in rows of the frame.
    pub cursor: Option<Position>,
    /// What lies over the screen, lowest first.
    pub covers: &'a [Cover],
}

/// What the terminal can do, as far as writing is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Frames are shown at once between two marks (mode 2026).
    pub synchronized: bool,
    /// The terminal is inside tmux, screen or zellij, whose history cannot be rebuilt.
    pub multiplexer: bool,
    /// Whether the terminal wraps rows again when its width changes, those of history, too. All multiplexers do.
    pub wraps_anew: bool,
    /// The terminal can push its screen into history (`CSI 22 J`).
    pub screen_to_history: bool,
    /// How many colours there are.
    pub depth: Depth,
    /// Whether clickable links are understood.
    pub links: bool,
    /// Whether the terminal's own cursor is shown; without it the focused widget draws one.
    pub hardware_cursor: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            synchronized: false,
            multiplexer: false,
            wraps_anew: true,
            screen_to_history: false,
            depth: Depth::Direct,
            links: true,
            hardware_cursor: true,
        }
    }
}

/// What the user did that allows more than an ordinary update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gesture {
    /// The program started.
    Start,
    /// The program came back from being suspended; history stands, the screen is the shell's.
    Resume,
    /// Another conversation takes the place of this one.
    Replace,
    /// The user asked for a clean screen.
    Reset,
    /// The window is to be written whole, in case something else has written over it. History stands.
    Repaint,
    /// The terminal has another size; see [`super::Renderer::resized`].
    Resize,
}

/// The kind of bytes a frame became. Exactly one per frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Nothing changed.
    Nothing,
    /// Only the cursor moved.
    Cursor,
    /// Rows on the screen changed in place.
    Diff,
    /// The top rows scrolled into history as they were.
    ScrollAppend,
    /// Rows were written into history at its end, then the whole window.
    SeamRewrite,
    /// Everything was rewritten.
    FullPaint,
}

/// The bytes of a frame and what they do.
#[derive(Clone, Debug)]
pub struct Painted {
    /// What to write, in one piece; may be empty.
    pub bytes: Vec<u8>,
    /// What kind of update it is.
    pub intent: Intent,
    /// The rows of the frame that entered history.
    pub chunk: Range<usize>,
    /// The ledger afterwards.
    pub ledger: Ledger,
}

impl Painted {
    /// One line for a debug log; never for the screen.
    pub fn describe(&self) -> String {
        let Self { bytes, intent, chunk, ledger } = self;
        format!(
            "{intent:?} bytes={} committed={} top={} chunk={}..{}",
            bytes.len(),
            ledger.committed,
            ledger.top,
            chunk.start,
            chunk.end
        )
    }
}
