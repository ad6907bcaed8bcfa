//! Which rows are seen.

use crate::Editor;
use crate::text::TextRow;

/// The rows that are seen: the first one, and how many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewport {
    /// Line and row of the line.
    top: (usize, usize),
    pub(crate) height: usize,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { top: (0, 0), height: 10 }
    }
}

/// A row that is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) line: usize,
    pub(crate) row: TextRow,
}

/// The rows that are seen, and what is not.
pub(crate) struct Window {
    pub(crate) rows: Vec<Seen>,
    /// Which of them holds the cursor.
    pub(crate) cursor: usize,
    pub(crate) more_above: bool,
    pub(crate) more_below: bool,
}

impl Editor {
    /// The rows to show in `height`, so that the cursor is among them. Looks only at the lines around the cursor.
    pub(crate) fn window(&mut self, height: usize) -> Window {
        let height = height.max(1);
        let (row, _) = self.text.row_of(self.cursor, &self.atoms);
        let cursor = (self.cursor.line, row);
        let mut top = self.viewport.top.min(cursor);
        let rows = self.text.rows(top.0, &self.atoms).len();
        top.1 = top.1.min(rows.saturating_sub(1));
        if self.distance(top, cursor, height).is_none() {
            top = self.back(cursor, height - 1);
        }
        // No blank rows at the end while there is text above.
        let seen = self.rows_from(top, height);
        if seen.len() < height {
            let missing = height - seen.len();
            top = self.back(top, missing);
        }
        self.viewport = Viewport { top, height };
        let rows = self.rows_from(top, height);
        let cursor = self.distance(top, cursor, height).unwrap_or(0);
        let last = rows.last().copied();
        let more_below = last.is_some_and(|seen| {
            seen.line + 1 < self.text.len() || seen.row.end < self.text.line(seen.line).len()
        });
        Window { rows, cursor, more_above: top > (0, 0), more_below }
    }

    /// Rows between two, if fewer than `limit`.
    fn distance(&mut self, from: (usize, usize), to: (usize, usize), limit: usize) -> Option<usize> {
        let mut count = 0;
        let mut at = from;
        while at < to {
            count += 1;
            if count >= limit {
                return None;
            }
            at = self.row_after(at)?;
        }
        Some(count)
    }

    fn row_after(&mut self, (line, row): (usize, usize)) -> Option<(usize, usize)> {
        if row + 1 < self.text.rows(line, &self.atoms).len() {
            return Some((line, row + 1));
        }
        (line + 1 < self.text.len()).then_some((line + 1, 0))
    }

    /// The row that is `count` rows above, or the first.
    fn back(&mut self, from: (usize, usize), count: usize) -> (usize, usize) {
        let (mut line, mut row) = from;
        for _ in 0..count {
            if row > 0 {
                row -= 1;
            } else if line > 0 {
                line -= 1;
                row = self.text.rows(line, &self.atoms).len() - 1;
            } else {
                break;
            }
        }
        (line, row)
    }

    fn rows_from(&mut self, top: (usize, usize), height: usize) -> Vec<Seen> {
        let mut seen = Vec::new();
        let mut at = Some(top);
        while let Some((line, index)) = at.filter(|_| seen.len() < height) {
            if let Some(row) = self.text.rows(line, &self.atoms).get(index) {
                seen.push(Seen { line, row: *row });
            }
            at = self.row_after((line, index));
        }
        seen
    }
}
