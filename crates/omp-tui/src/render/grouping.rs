//! Cells of a row by their style rather than from left to right: where two colours take turns, as in tables and code, moving
//! the cursor costs less than naming the colour again.

use std::io::Write as _;
use std::ops::Range;

use crate::text::{Cell, Pen};

/// Rows with fewer changes of style are written from left to right.
const LEAST: usize = 3;

/// The bytes of a row, and what is known afterwards.
pub(super) struct Grouped {
    pub(super) bytes: Vec<u8>,
    pub(super) pen: Pen,
    /// The column at which they begin.
    pub(super) first: usize,
    /// The column behind the last cell that was written.
    pub(super) column: usize,
    /// Blanks before that column that were left out so far.
    owed: usize,
    /// From this column on nothing stands in the row yet.
    blank: usize,
}

/// The cells in groups of one style each, if that is shorter. From the column `blank` on nothing stands in the row yet.
pub(super) fn grouped(pen: &Pen, cells: &[Cell<'_>], blank: usize) -> Option<Grouped> {
    let runs = runs(cells);
    if runs.len() <= LEAST || cells.iter().any(|cell| cell.contested || cell.link.is_some()) {
        return None;
    }
    let mut straight = Vec::new();
    pen.clone().write(cells.iter().copied(), &mut straight);
    let mut found =
        Grouped { bytes: Vec::new(), pen: pen.clone(), first: usize::MAX, column: 0, owed: 0, blank };
    let mut left: Vec<Range<usize>> = runs;
    while !left.is_empty() {
        // What needs no other colour comes first.
        let first = left.iter().position(|run| found.pen.has(cells[run.start].style)).unwrap_or(0);
        let style = cells[left[first].start].style;
        left.retain(|run| {
            let is_same = cells[run.start].style == style;
            if is_same {
                found.write(&cells[run.clone()]);
            }
            !is_same
        });
    }
    found.column -= found.owed;
    (found.bytes.len() < straight.len()).then_some(found)
}

impl Grouped {
    fn write(&mut self, cells: &[Cell<'_>]) {
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else { return };
        let is_begun = self.first != usize::MAX;
        if !is_begun {
            self.first = first.column;
        } else if first.column != self.column {
            let _ = write!(self.bytes, "\x1b[{}G", first.column + 1);
        } else if self.owed > 0 {
            self.jump(first.column);
        }
        // Blanks at the end are written only if something follows them.
        let is_blank = |cell: &&Cell<'_>| {
            cell.text == " " && cell.column >= self.blank && cell.style.is_invisible() && cell.link.is_none()
        };
        self.owed = match cells.iter().rev().take_while(is_blank).count() {
            all if all == cells.len() => 0,
            owed => owed,
        };
        self.pen.write(cells[..cells.len() - self.owed].iter().copied(), &mut self.bytes);
        self.column = last.column + last.width;
    }

    /// Over the blanks that were left out, to where more follows.
    fn jump(&mut self, column: usize) {
        let jump = format!("\x1b[{}G", column + 1);
        match jump.len() < self.owed {
            true => self.bytes.extend_from_slice(jump.as_bytes()),
            false => self.bytes.extend(std::iter::repeat_n(b' ', self.owed)),
        }
    }
}

/// Cells of one style each. A blank that could have any colour belongs to what is before it.
fn runs(cells: &[Cell<'_>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let belongs = |run: &Range<usize>| {
            let style = cells[run.start].style;
            let is_blank = cell.text == " " && cell.style.is_invisible() && style.is_invisible();
            cell.style == style || is_blank
        };
        match runs.last_mut() {
            Some(run) if belongs(run) => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Color, Depth, Line, Style};

    #[test]
    fn colours_that_take_turns_are_named_once() {
        let border = Style::PLAIN.foreground(Color::Rgb(70, 80, 90));
        let words = Style::PLAIN.foreground(Color::Rgb(220, 220, 230));
        let mut row = Line::new();
        for cell in ["one", "two", "three"] {
            row.push(border, "│ ").push(words, cell).push(Style::PLAIN, "  ");
        }
        row.push(border, "│");
        let cells: Vec<Cell<'_>> = row.cells().collect();
        let pen = Pen::new(Depth::Direct, true).with_any_blank();
        let found = grouped(&pen, &cells, usize::MAX).unwrap();
        let text = String::from_utf8(found.bytes).unwrap();
        assert_eq!(text.matches("38;2;70").count() + text.matches("38;2;220").count(), 2, "{text:?}");
        // The next such row begins with the colour that is there.
        let next = String::from_utf8(grouped(&found.pen, &cells, usize::MAX).unwrap().bytes).unwrap();
        assert_eq!(next.matches("38;2;").count(), 1, "{next:?}");
        let plain: Vec<Line> = vec![Line::plain("one colour only")];
        assert!(grouped(&pen, &plain[0].cells().collect::<Vec<_>>(), 0).is_none());
        // Blanks need not be written where nothing stands.
        let fresh = grouped(&pen, &cells, 0).unwrap();
        assert_eq!(text.len() - fresh.bytes.len(), 9, "{text:?}");
    }
}
