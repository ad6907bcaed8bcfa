//! What must be on the terminal, worked out a second time from the contract alone.

use omp_tui::render::Size;
use omp_tui::text::Line;

use super::document::Laid;

/// The rows that are in history, in order, as far as they are known, and how many rows of the frame they stand for.
#[derive(Default)]
pub(crate) struct Shadow {
    pub(crate) tape: Vec<Option<Line>>,
    committed: Vec<String>,
    pub(crate) top: usize,
}

/// What one frame should have done.
pub(crate) struct Expected {
    pub(crate) entered: usize,
    pub(crate) window: Vec<Line>,
}

impl Shadow {
    /// Everything is written anew: nothing is in history before.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn frame(&mut self, laid: &Laid, size: Size, covered: bool) -> Expected {
        self.recheck(&laid.rows);
        let length = laid.rows.len();
        let seam = laid.seam;
        let boundary = seam.commit_safe_end.or(seam.live_start).unwrap_or(length).min(length);
        let bottom = length.saturating_sub(size.height);
        let mut entered = 0;
        if !self.committed.is_empty() && length <= self.committed.len() {
            self.top = bottom;
            self.committed.truncate(boundary.min(bottom));
        } else {
            self.top = bottom.max(self.committed.len());
            while !covered && self.committed.len() < boundary.min(self.top) {
                let row = &laid.rows[self.committed.len()];
                self.committed.push(row.text());
                self.tape.push(Some(row.slice(0, size.width)));
                entered += 1;
            }
        }
        let shown = laid.rows.iter().skip(self.top).take(size.height);
        let mut window: Vec<Line> = shown.map(|row| row.slice(0, size.width)).collect();
        window.resize(size.height, Line::new());
        Expected { entered, window }
    }

    /// Rows in history that moved are written again from the first one that differs.
    fn recheck(&mut self, rows: &[Line]) {
        let both = self.committed.len().min(rows.len());
        let mut looked = 0;
        let mut wrong = 0;
        for index in (both.saturating_sub(24)..both).rev() {
            if self.committed[index].trim().is_empty() {
                continue;
            }
            if looked == 8 {
                break;
            }
            looked += 1;
            wrong += usize::from(rows[index].text() != self.committed[index]);
        }
        if wrong > 1 {
            let first = (0..both).find(|&index| rows[index].text() != self.committed[index]);
            self.committed.truncate(first.unwrap());
        }
    }
}

impl Shadow {
    /// Takes over what a multiplexer's resize left: `history` rows, among them stale copies of what was on the screen.
    pub(crate) fn adopt(&mut self, rows: &[Line], committed: usize, history: usize) {
        self.committed = rows[..committed].iter().map(Line::text).collect();
        self.tape = vec![None; history];
    }
}
