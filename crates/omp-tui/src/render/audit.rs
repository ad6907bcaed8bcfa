//! Watching the rows that are in history: components must not change them, and when one does, content may be
//! repeated but never lost.

use std::collections::VecDeque;
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

/// A place in a frame that is made of the same text as another, but for its width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The first row with something that is not in history.
    pub(super) row: usize,
    /// So many characters of that row are in history.
    pub(super) ink: u64,
}

/// Text by what is the same at any width: its characters in their order, without blanks, and without the lines around
/// tables and quotes, of which another width makes more or fewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    /// Its characters.
    pub(super) ink: u64,
    /// Rows without any at its end.
    pub(super) blank: usize,
}

impl Amount {
    /// Adds a row.
    pub(super) fn add(&mut self, ink: u64) {
        self.ink += ink;
        self.blank = if ink == 0 { self.blank + 1 } else { 0 };
    }
}

/// Whether a character counts.
fn is_ink(character: char) -> bool {
    !character.is_whitespace() && !('\u{2500}'..='\u{25ff}').contains(&character)
}

/// The characters of a line that count, themselves.
pub(super) fn inked(line: &Line) -> impl Iterator<Item = char> + '_ {
    line.spans().iter().flat_map(|span| span.text().chars()).filter(|one| is_ink(*one))
}

/// The characters of a line that count.
pub(super) fn ink(line: &Line) -> u64 {
    line.spans().iter().map(|span| span.text().chars().filter(|one| is_ink(*one)).count() as u64).sum()
}

/// The column behind the first `ink` characters that count, and the blanks that follow them. `None` for a row of a table or
/// a quote, whose text is not in one piece.
pub(super) fn column_behind(line: &Line, ink: u64) -> Option<usize> {
    let is_framed = |one: char| !one.is_whitespace() && !is_ink(one);
    if line.spans().iter().any(|span| span.text().chars().any(is_framed)) {
        return None;
    }
    let mut left = ink;
    for cell in line.cells() {
        let here = cell.text.chars().filter(|one| is_ink(*one)).count() as u64;
        if left == 0 && here > 0 {
            return Some(cell.column);
        }
        left = left.saturating_sub(here);
    }
    Some(line.width())
}

impl Trace {
    fn of(line: &Line) -> Self {
        let mut hasher = DefaultHasher::new();
        let mut ink = 0;
        // Cells of pictures do not count: a picture may lose its pixels, but its rows stay where they are.
        for span in line.spans().iter().filter(|span| !span.text().starts_with(PICTURE_CELL)) {
            span.text().bytes().for_each(|byte| byte.hash(&mut hasher));
            ink += span.text().chars().filter(|character| is_ink(*character)).count();
        }
        let hash = hasher.finish();
        Self { hash: (hash ^ (hash >> 32)) as u32, ink: u32::try_from(ink).unwrap_or(u32::MAX) }
    }
}

/// So many characters around a place tell it from others.
const CONTEXT: usize = 64;

/// A trace of every row in history, 8 bytes each, and the end of its text.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<Trace>, VecDeque<char>);

impl History {
    /// Takes note of a row that enters history.
    pub(super) fn commit(&mut self, line: &Line) {
        self.0.push(Trace::of(line));
        self.1.extend(inked(line));
        self.1.drain(..self.1.len().saturating_sub(CONTEXT));
    }

    /// The end of the text in history.
    pub(super) fn end(&self) -> Vec<char> {
        self.1.iter().copied().collect()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
        self.1.clear();
    }

    /// Forgets all but the first `count` rows, which are those of this frame.
    pub(super) fn keep(&mut self, rows: &dyn Rows, count: usize) {
        self.0.truncate(count);
        self.1 = ended(rows, self.0.len());
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

    /// The text of the rows of history from `start` on.
    pub(super) fn amount(&self, start: usize) -> Amount {
        let mut amount = Amount::default();
        self.0.iter().skip(start).for_each(|trace| amount.add(u64::from(trace.ink)));
        amount
    }

    /// Takes note of the first `count` rows of a frame as being in history.
    pub(super) fn assume(&mut self, rows: &dyn Rows, count: usize) {
        self.0.clear();
        self.0.extend((0..count.min(rows.len())).map(|index| Trace::of(&rows.row(index))));
        self.1 = ended(rows, self.0.len());
    }
}

/// How much of the text from row `start` on is in history, given the text that was before the end of history and behind it. As
/// much as `likely`, unless the text around says otherwise: some rows show more or less of their text at another width.
pub(super) fn ink_before(rows: &dyn Rows, start: usize, before: &[char], after: &[char], likely: u64) -> u64 {
    let most = usize::try_from(likely).unwrap_or(usize::MAX).saturating_mul(2).saturating_add(20 * CONTEXT);
    let mut text: Vec<char> = ended(rows, start).into();
    let first = text.len();
    for row in start..rows.len() {
        text.extend(inked(&rows.row(row)));
        if text.len() - first > most {
            break;
        }
    }
    let score = |place: usize| {
        let behind = text[place..].iter().zip(after).take(CONTEXT).take_while(|(one, other)| one == other);
        let ahead = text[..place].iter().rev().zip(before.iter().rev()).take(CONTEXT);
        behind.count() + ahead.take_while(|(one, other)| one == other).count()
    };
    let far = |place: usize| ((place - first) as u64).abs_diff(likely);
    let best = (first..=text.len()).max_by_key(|place| (score(*place), u64::MAX - far(*place)));
    best.filter(|place| score(*place) > 0).map_or(likely, |place| (place - first) as u64)
}

/// The end of the text before row `end`.
fn ended(rows: &dyn Rows, end: usize) -> VecDeque<char> {
    let mut text = VecDeque::new();
    for row in (0..end.min(rows.len())).rev() {
        let line: Vec<char> = inked(&rows.row(row)).collect();
        line.into_iter().rev().for_each(|one| text.push_front(one));
        if text.len() >= CONTEXT {
            break;
        }
    }
    text.drain(..text.len().saturating_sub(CONTEXT));
    text
}

/// Where a frame of another width has shown so much text, counted from the row `start`.
pub(super) fn place(rows: &dyn Rows, start: usize, known: Amount) -> Place {
    let (mut seen, mut blank, mut row) = (0, known.blank, start);
    while row < rows.len() {
        let ink = ink(&rows.row(row));
        if seen + ink > known.ink {
            return Place { row, ink: known.ink - seen };
        }
        if seen == known.ink {
            match blank.checked_sub(1) {
                Some(left) => blank = left,
                None => break,
            }
        }
        seen += ink;
        row += 1;
    }
    Place { row, ink: 0 }
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
        let place = place(&narrow, 0, seen.amount(0));
        let behind = column_behind(&narrow[place.row], place.ink).unwrap();
        let mut said: String = narrow[..place.row].iter().map(Line::text).collect();
        said += &narrow[place.row].slice(0, behind).text();
        let known: String = wide[..2].iter().map(Line::text).collect();
        let squeeze = |text: String| text.replace(' ', "");
        assert_eq!(squeeze(known), squeeze(said));
        assert!(place.row >= 3);
    }
}
