//! A lane whose rows are made by the app before every frame.

use omp_tui::component::{Component, Layout};
use omp_tui::ledger::Seam;
use omp_tui::render::Position;
use omp_tui::text::Line;

/// Rows that change whenever they like, and so never enter history.
#[derive(Default)]
pub(crate) struct Pane {
    rows: Vec<Line>,
    cursor: Option<Position>,
}

impl Pane {
    pub(crate) fn set(&mut self, rows: Vec<Line>, cursor: Option<Position>) {
        self.rows = rows;
        self.cursor = cursor;
    }
}

impl Component for Pane {
    fn layout(&mut self, _width: usize) -> Layout {
        let seam = Seam { live_start: Some(0), commit_safe_end: None };
        Layout { rows: self.rows.len(), seam, cursor: self.cursor }
    }

    fn row(&self, index: usize) -> Line {
        self.rows.get(index).cloned().unwrap_or_default()
    }
}
