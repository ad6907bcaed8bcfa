//! Watching the rows that are in history: components must not change them, and when one does, content may be
//! repeated but never lost.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::text::Line;

use super::frame::Rows;

/// How many rows at the end of history are looked at.
const TAIL: usize = 24;
/// How many of them, at most, are compared; blank ones say nothing.
const SAMPLES: usize = 8;

/// The character that stands for a cell of a picture.
const PICTURE_CELL: char = '\u{10eeee}';

/// What a row in history said, without its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trace {
    hash: u32,
    ink: u32,
}

impl Trace {
    fn of(line: &Line) -> Self {
        let mut hasher = DefaultHasher::new();
        let mut ink = 0;
        // Cells of pictures do not count: a picture may lose its pixels, but its rows stay where they are.
        for span in line.spans().iter().filter(|span| !span.text().starts_with(PICTURE_CELL)) {
            span.text().bytes().for_each(|byte| byte.hash(&mut hasher));
            ink += span.text().chars().filter(|character| !character.is_whitespace()).count();
        }
        let hash = hasher.finish();
        Self { hash: (hash ^ (hash >> 32)) as u32, ink: u32::try_from(ink).unwrap_or(u32::MAX) }
    }
}

/// A trace of every row in history, 8 bytes each.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<Trace>);

impl History {
    /// Takes note of a row that enters history.
    pub(super) fn commit(&mut self, line: &Line) {
        self.0.push(Trace::of(line));
    }

    /// Forgets all but the first `rows` rows.
    pub(super) fn keep(&mut self, rows: usize) {
        self.0.truncate(rows);
    }

    /// The first row that changed, if rows in history have shifted. One changed row among those that are looked at is an
    /// edit in place, which history does not follow.
    pub(super) fn shifted_at(&self, rows: &dyn Rows) -> Option<usize> {
        let end = self.0.len().min(rows.len());
        let inked = (end.saturating_sub(TAIL)..end).rev().filter(|&index| self.0[index].ink > 0);
        let changed = inked.take(SAMPLES).filter(|&index| Trace::of(&rows.row(index)) != self.0[index]);
        if changed.count() <= 1 {
            return None;
        }
        (0..end).find(|&index| Trace::of(&rows.row(index)) != self.0[index])
    }

    /// How many leading rows of a frame of another width say no more than what is in history. What is wrapped anew keeps
    /// its characters, so characters are counted.
    pub(super) fn same_place(&self, rows: &dyn Rows) -> usize {
        let known: u64 = self.0.iter().map(|trace| u64::from(trace.ink)).sum();
        let mut seen = 0;
        for index in 0..rows.len() {
            seen += u64::from(Trace::of(&rows.row(index)).ink);
            if seen > known {
                return index;
            }
        }
        rows.len()
    }

    /// Takes note of the first `count` rows of a frame as being in history.
    pub(super) fn assume(&mut self, rows: &dyn Rows, count: usize) {
        self.0.clear();
        self.0.extend((0..count.min(rows.len())).map(|index| Trace::of(&rows.row(index))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(rows: usize) -> Vec<Line> {
        (0..rows).map(|row| Line::plain(&format!("row {row}"))).collect()
    }

    fn history(rows: &[Line]) -> History {
        let mut history = History::default();
        rows.iter().for_each(|row| history.commit(row));
        history
    }

    /// proves: TUI-009
    #[test]
    fn one_changed_row_is_an_edit_more_are_a_shift() {
        let old = frame(100);
        let seen = history(&old);
        assert_eq!(seen.shifted_at(&old), None);

        let mut edited = old.clone();
        edited[97] = Line::plain("something else");
        assert_eq!(seen.shifted_at(&edited), None);
        // Rows before the last 24 are not looked at, blank rows and styles say nothing.
        (0..50).for_each(|row| edited[row] = Line::plain("changed"));
        assert_eq!(seen.shifted_at(&edited), None);
        let bold = crate::text::Style::PLAIN.with(crate::text::Attributes::BOLD);
        let restyled: Vec<Line> = old.iter().map(|row| Line::styled(bold, &row.text())).collect();
        assert_eq!(seen.shifted_at(&restyled), None);

        let mut twice = old.clone();
        twice[97] = Line::plain("something else");
        twice[95] = Line::plain("something else");
        assert_eq!(seen.shifted_at(&twice), Some(95));

        let mut removed = old;
        removed.drain(40..43);
        removed.extend(frame(3));
        assert_eq!(seen.shifted_at(&removed), Some(40));
    }

    #[test]
    fn eight_rows_with_ink_are_looked_at() {
        let mut old = frame(100);
        (76..100).filter(|row| row % 2 == 0).for_each(|row| old[row] = Line::new());
        let seen = history(&old);
        let mut changed = old;
        // Inked rows are 99, 97, … 85: the eight that are compared; 83 and 81 are not.
        changed[83] = Line::plain("x");
        changed[81] = Line::plain("x");
        changed[99] = Line::plain("x");
        assert_eq!(seen.shifted_at(&changed), None);
        changed[85] = Line::plain("x");
        assert_eq!(seen.shifted_at(&changed), Some(81));
    }

    #[test]
    fn a_place_is_found_again_at_another_width() {
        let text = "the quick brown fox jumps over the lazy dog and runs away into the forest";
        let wide = Line::plain(text).wrap(30, 0);
        let narrow = Line::plain(text).wrap(12, 0);
        let seen = history(&wide[..2]);
        let place = seen.same_place(&narrow);
        let said: String = narrow[..place].iter().map(Line::text).collect();
        let known: String = wide[..2].iter().map(Line::text).collect();
        let squeeze = |text: String| text.replace(' ', "");
        assert!(squeeze(known.clone()).starts_with(&squeeze(said.clone())), "{said} / {known}");
        assert!(place >= 3);
    }
}
