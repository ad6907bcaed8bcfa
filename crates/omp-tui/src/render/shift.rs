//! Rows that only moved down: what stands below a growing text need not be written again.
//!
//! Rows that moved up are written again all the same. Alacritty takes deleted rows for rows that scrolled, and moves a
//! reader who has scrolled up.

use std::sync::Arc;

use crate::text::{Line, Style};

/// How many rows may be inserted at once.
const MOST: usize = 8;
/// An insertion must save at least this many cells.
const WORTH: usize = 16;
/// Rows that differ in no more cells are taken for one that moved.
const FEW: usize = 4;

/// `count` blank rows before `row`; what stood there moves down, and the last rows fall off the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Insertion {
    pub(super) row: usize,
    pub(super) count: usize,
}

/// The insertion after which `screen` is closest to `window`, if one is worth its bytes.
pub(super) fn insertion(screen: &[Line], window: &[Line]) -> Option<Insertion> {
    let height = screen.len();
    let best = (1..=MOST.min(height.saturating_sub(1))).map(|count| {
        let moved = (count..height).rev().take_while(|&row| akin(&window[row], &screen[row - count])).count();
        let saved: usize = (height - moved..height)
            .filter(|&row| window[row] != screen[row] && !window[row].is_blank())
            .map(|row| window[row].width())
            .sum();
        (saved, Insertion { row: height - moved - count, count })
    });
    let (saved, insertion) = best.max_by_key(|(saved, insertion)| (*saved, usize::MAX - insertion.count))?;
    (saved >= WORTH).then_some(insertion)
}

/// Whether a row is another one but for a few cells: a clock that went on while it moved.
fn akin(row: &Line, other: &Line) -> bool {
    if row == other {
        return true;
    }
    if row.width().abs_diff(other.width()) > FEW || row.is_blank() || other.is_blank() {
        return false;
    }
    // Letters rather than cells, and no further than it takes to know: rows are compared in every frame, and almost none of
    // them has moved.
    let differ = letters(row).zip(letters(other)).filter(|(one, other)| one != other);
    row.width() > 2 * FEW && differ.take(FEW + 1).count() <= FEW
}

fn letters(row: &Line) -> impl Iterator<Item = (char, Style, Option<&Arc<str>>)> {
    row.spans().iter().flat_map(|span| span.text().chars().map(|letter| (letter, span.style(), span.link())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<Line> {
        texts.iter().map(|text| Line::plain(text)).collect()
    }

    #[test]
    fn rows_below_a_new_one_move() {
        let editor = "a line that is long enough to be worth moving";
        let screen = lines(&["one", editor, "status", ""]);
        let window = lines(&["one", "two", editor, "status"]);
        assert_eq!(insertion(&screen, &window), Some(Insertion { row: 1, count: 1 }));
        let (screen, window) = (
            lines(&["one", "* Working (9s)", editor, ""]),
            lines(&["one", "two", "+ Working (10s)", editor]),
        );
        assert_eq!(insertion(&screen, &window), Some(Insertion { row: 1, count: 1 }));
        assert_eq!(insertion(&screen, &screen), None);
        assert_eq!(insertion(&lines(&["a", "b", ""]), &lines(&["a", "x", "b"])), None);
        assert_eq!(insertion(&lines(&["a"]), &lines(&["b"])), None);
    }
}
