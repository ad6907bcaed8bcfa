//! Where the rows of the last frame are after the terminal has changed its size.
//!
//! Terminals that wrap their rows again move them between screen and history, and each in its own way. What they have in
//! common is that rows keep their order and the cursor stays with its row. So the terminal is asked for the row of the
//! cursor, and what stands above it follows from what was painted there.

use crate::text::Line;

use super::frame::Position;

/// The window of the last frame, as the terminal has it.
pub(super) struct Window<'a> {
    /// Its rows.
    pub(super) rows: &'a [Line],
    /// So many columns of the line that the first row ends are in history: the terminal takes both for one line.
    pub(super) lead: usize,
    /// Where its cursor was.
    pub(super) cursor: Position,
    /// Whether the terminal wraps its rows again.
    pub(super) wraps: bool,
}

/// What the new size did to the window of the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moved {
    /// So many rows at the top of the screen have to return to history: they came from there, or are part of a line that
    /// began there.
    pub(super) back: usize,
    /// The rows of the window that are in history then, …
    pub(super) gone: usize,
    /// … and the columns of the next one …
    pub(super) column: usize,
    /// … whose line has so many columns in history altogether.
    pub(super) lead: usize,
}

impl Window<'_> {
    /// Where the lines of a row begin on a screen of `width` columns, counted from the start of the line.
    fn breaks(&self, at: usize, width: usize) -> Vec<usize> {
        let Some(line) = self.rows.get(at).filter(|_| self.wraps) else { return vec![0] };
        match (at, self.lead) {
            (0, 1..) => {
                let mut whole = Line::plain(&" ".repeat(self.lead));
                whole.append(line);
                breaks(&whole, width)
            }
            _ => breaks(line, width),
        }
    }

    /// What happened, if the cursor is in row `now` of a screen of `width` columns.
    pub(super) fn moved(&self, now: usize, width: usize) -> Moved {
        let Position { row, column } = self.cursor;
        let column = column.min(self.rows.get(row).map_or(0, |line| line.width().saturating_sub(1)))
            + if row == 0 { self.lead } else { 0 };
        let own = self.breaks(row, width).iter().skip(1).filter(|start| **start <= column).count();
        let above = (0..row).map(|at| self.breaks(at, width).len()).sum::<usize>() + own;
        let led = match self.lead {
            0 => 0,
            lead => self.breaks(0, width).iter().filter(|start| **start < lead).count(),
        };
        let pushed = above.saturating_sub(now);
        let back = now.saturating_sub(above) + led.saturating_sub(pushed);
        self.pushed(back, pushed.max(led), width)
    }

    /// The same when so many rows, as the new width wraps them, are in history.
    pub(super) fn pushed(&self, back: usize, mut rows: usize, width: usize) -> Moved {
        for at in 0..self.rows.len() {
            let starts = self.breaks(at, width);
            match starts.get(rows) {
                Some(0) => return Moved { back, gone: at, ..Moved::default() },
                Some(column) => {
                    let lead = if at == 0 { self.lead } else { 0 };
                    return Moved { back, gone: at, column: column.saturating_sub(lead), lead: *column };
                }
                None => rows -= starts.len(),
            }
        }
        Moved { back, gone: self.rows.len(), ..Moved::default() }
    }
}

/// The columns at which a terminal of `width` columns begins a new row for this line, the first one included.
pub(super) fn breaks(line: &Line, width: usize) -> Vec<usize> {
    let mut starts = vec![0];
    let mut used = 0;
    for cell in line.cells() {
        if used + cell.width > width && used > 0 {
            starts.push(cell.column);
            used = 0;
        }
        used += cell.width;
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_the_cursor_says_what_moved() {
        let rows: Vec<Line> = ["abcdefgh", "", "日本語x", "> "].map(Line::plain).to_vec();
        let cursor = Position { row: 3, column: 2 };
        let seen = |now, width, wraps, lead| Window { rows: &rows, lead, cursor, wraps }.moved(now, width);
        let moved = |back, gone, column, lead| Moved { back, gone, column, lead };
        assert_eq!(seen(3, 20, true, 0), Moved::default());
        assert_eq!(seen(5, 20, true, 0), moved(2, 0, 0, 0));
        // At three columns: abc def gh, a blank one, 日 本 語x.
        assert_eq!(seen(7, 3, true, 0), Moved::default());
        assert_eq!(seen(3, 3, true, 0), moved(0, 2, 0, 0));
        assert_eq!(seen(2, 3, true, 0), moved(0, 2, 2, 2));
        assert_eq!(seen(1, 3, false, 0), moved(0, 2, 0, 0));
        // The first row ends a line with ten columns in history; at eight columns its second row is shared by both.
        assert_eq!(seen(5, 8, true, 10), moved(2, 0, 6, 16));
        assert_eq!(seen(4, 8, true, 10), moved(1, 0, 6, 16));
        assert_eq!(seen(4, 20, true, 10), moved(2, 1, 0, 0));
    }
}
