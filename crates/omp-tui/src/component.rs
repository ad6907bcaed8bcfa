//! What the engine knows of an interface: rows at a width, a cursor, input.

use std::any::Any;
use std::sync::Arc;

use crate::input::Event;
use crate::ledger::Seam;
use crate::render::Position;
use crate::text::Line;

/// What a component looks like at a width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// How many rows it has.
    pub rows: usize,
    /// Which of them are final, in its own rows. A component without a seam is final throughout.
    pub seam: Seam,
    /// Where the cursor belongs if it has the focus, in its own rows.
    pub cursor: Option<Position>,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// It was for this component; a frame is due.
    Yes,
    /// It was not.
    No,
}

/// Part of an interface.
///
/// Rows belong to the component. It keeps them and hands out the same [`Line`] for as long as a row has not changed, so
/// that comparing costs nothing; and it is only asked for rows that are needed.
pub trait Component: Any {
    /// Prepares rows of at most `width` cells.
    fn layout(&mut self, width: usize) -> Layout;

    /// A row of the last layout.
    fn row(&self, index: usize) -> Line;

    /// The block that a row of the last layout belongs to, and the first row of that block. A component is one block unless
    /// it says otherwise.
    fn block(&self, _index: usize) -> (usize, usize) {
        (0, 0)
    }

    /// The first row of a block.
    fn block_start(&self, _block: usize) -> Option<usize> {
        Some(0)
    }

    /// Takes an event while it has the focus.
    fn input(&mut self, _event: &Event) -> Handled {
        Handled::No
    }

    /// Whether it wants to hear of keys that are let go.
    fn wants_release(&self) -> bool {
        false
    }

    /// It got or lost the focus.
    fn set_focused(&mut self, _focused: bool) {}

    /// Whatever it has cached is out of date, such as the colours.
    fn invalidate(&mut self) {}
}

/// Rows that were made elsewhere.
#[derive(Debug, Default)]
pub struct Fixed {
    rows: Arc<[Line]>,
    live: bool,
}

impl Fixed {
    /// Rows that are final.
    pub fn new(rows: impl Into<Arc<[Line]>>) -> Self {
        Self { rows: rows.into(), live: false }
    }

    /// Rows that may be replaced and so must not enter history.
    pub fn live(rows: impl Into<Arc<[Line]>>) -> Self {
        Self { rows: rows.into(), live: true }
    }

    /// Other rows.
    pub fn set(&mut self, rows: impl Into<Arc<[Line]>>) {
        self.rows = rows.into();
    }
}

impl Component for Fixed {
    fn layout(&mut self, _width: usize) -> Layout {
        let seam = Seam { live_start: self.live.then_some(0), commit_safe_end: None };
        Layout { rows: self.rows.len(), seam, cursor: None }
    }

    fn row(&self, index: usize) -> Line {
        self.rows.get(index).cloned().unwrap_or_default()
    }
}
