//! Rows that only moved: what stands below a text that grows, or above which something went away, need not be written
//! again.

use crate::text::Line;

/// How many rows may come or go at once.
const MOST: usize = 8;
/// A shift must save at least this many cells.
const WORTH: usize = 16;

/// A move of everything from `row` on to the bottom of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// `count` blank rows before `row`; what stood there moves down, and the last rows fall off the screen.
    Insert { row: usize, count: usize },
    /// `count` rows from `row` on are gone; what stood below moves up, and the last rows are blank.
    Delete { row: usize, count: usize },
}

impl Shift {
    /// Does to the rows of a screen what the terminal does.
    pub(super) fn apply(self, screen: &mut Vec<Line>) {
        let height = screen.len();
        match self {
            Self::Insert { row, count } => {
                screen.splice(row..row, std::iter::repeat_n(Line::new(), count));
                screen.truncate(height);
            }
            Self::Delete { row, count } => {
                screen.drain(row..row + count);
                screen.resize(height, Line::new());
            }
        }
    }
}

/// The shift after which `screen` is closest to `window`, if one is worth its bytes.
pub(super) fn shift(screen: &[Line], window: &[Line]) -> Option<Shift> {
    let best = (1..=MOST.min(screen.len().saturating_sub(1)))
        .flat_map(|count| [insertion(screen, window, count), deletion(screen, window, count)]);
    let (saved, shift) = best.max_by_key(|(saved, _)| *saved)?;
    (saved >= WORTH).then_some(shift)
}

/// What is saved by `count` more rows somewhere, and where that would be.
fn insertion(screen: &[Line], window: &[Line], count: usize) -> (usize, Shift) {
    let height = screen.len();
    let moved = (count..height).rev().take_while(|&row| window[row] == screen[row - count]).count();
    let saved = saved(screen, window, height - moved..height);
    (saved, Shift::Insert { row: height - moved - count, count })
}

/// What is saved by `count` rows less. Blank rows at the end tell nothing about where. The first row stays: some terminals
/// take rows that are deleted there for rows that scrolled away, and put them into history.
fn deletion(screen: &[Line], window: &[Line], count: usize) -> (usize, Shift) {
    let used = screen.iter().rposition(|line| *line != Line::new()).map_or(0, |last| last + 1);
    let moved = (count + 1..used).rev().take_while(|&row| window[row - count] == screen[row]).count();
    let row = used.saturating_sub(moved + count).max(1);
    (saved(screen, window, row..row + moved), Shift::Delete { row, count })
}

/// The cells in these rows that would have to be written without the shift.
fn saved(screen: &[Line], window: &[Line], rows: std::ops::Range<usize>) -> usize {
    rows.filter(|&row| window[row] != screen[row]).map(|row| window[row].width()).sum()
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
        assert_eq!(shift(&screen, &window), Some(Shift::Insert { row: 1, count: 1 }));
        assert_eq!(shift(&screen, &screen), None);
        assert_eq!(shift(&lines(&["a", "b", ""]), &lines(&["a", "x", "b"])), None);
        assert_eq!(shift(&lines(&["a"]), &lines(&["b"])), None);
        let mut moved = screen;
        Shift::Insert { row: 1, count: 1 }.apply(&mut moved);
        assert_eq!(moved, lines(&["one", "", editor, "status"]));
    }

    #[test]
    fn rows_below_one_that_is_gone_move() {
        let editor = "a line that is long enough to be worth moving";
        let screen = lines(&["one", "two", "working", "", editor, "status", ""]);
        let window = lines(&["one", "two", editor, "status", "", "", ""]);
        let found = shift(&screen, &window);
        assert_eq!(found, Some(Shift::Delete { row: 2, count: 2 }));
        let mut moved = screen;
        found.unwrap().apply(&mut moved);
        assert_eq!(moved, window);
        // The same where the screen is full.
        let screen = lines(&["one", "gone", editor, "status"]);
        let window = lines(&["one", editor, "status", "below"]);
        assert_eq!(shift(&screen, &window), Some(Shift::Delete { row: 1, count: 1 }));
    }
}
