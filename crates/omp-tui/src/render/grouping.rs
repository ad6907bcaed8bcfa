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
    /// The column behind the last cell that was written.
    pub(super) column: usize,
}

/// The cells in groups of one style each, if that is shorter. The cursor is at the first cell.
pub(super) fn grouped(pen: &Pen, cells: &[Cell<'_>]) -> Option<Grouped> {
    let runs = runs(cells);
    if runs.len() <= LEAST || cells.iter().any(|cell| cell.contested || cell.link.is_some()) {
        return None;
    }
    let mut straight = Vec::new();
    pen.clone().write(cells.iter().copied(), &mut straight);
    let mut found = Grouped { bytes: Vec::new(), pen: pen.clone(), column: cells[0].column };
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
    (found.bytes.len() < straight.len()).then_some(found)
}

impl Grouped {
    fn write(&mut self, cells: &[Cell<'_>]) {
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else { return };
        if first.column != self.column {
            let _ = write!(self.bytes, "\x1b[{}G", first.column + 1);
        }
        self.pen.write(cells.iter().copied(), &mut self.bytes);
        self.column = last.column + last.width;
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
        let found = grouped(&pen, &cells).unwrap();
        let text = String::from_utf8(found.bytes).unwrap();
        assert_eq!(text.matches("38;2;70").count() + text.matches("38;2;220").count(), 2, "{text:?}");
        // The next such row begins with the colour that is there.
        let next = String::from_utf8(grouped(&found.pen, &cells).unwrap().bytes).unwrap();
        assert_eq!(next.matches("38;2;").count(), 1, "{next:?}");
        let plain: Vec<Line> = vec![Line::plain("one colour only")];
        assert!(grouped(&pen, &plain[0].cells().collect::<Vec<_>>()).is_none());
    }
}
