//! Where a motion leads.

use super::Editor;
use crate::command::Motion;
use crate::text::{
    Class, Position, TextRow, class_at, clusters, glyph, next, next_word_end, previous, previous_word_start,
};

impl Editor {
    /// Where a motion leads from the cursor; `None` if nowhere else.
    pub(crate) fn destination(&mut self, motion: &Motion) -> Option<Position> {
        let at = self.cursor;
        let place = match motion {
            Motion::Left => self.left_of(at),
            Motion::Right => self.right_of(at),
            Motion::LeftInLine if at.byte == 0 => at,
            Motion::LeftInLine => self.left_of(at),
            Motion::RightInLine if at.byte == self.text.line(at.line).len() => at,
            Motion::RightInLine => self.right_of(at),
            Motion::Up => return self.vertical(-1),
            Motion::Down => return self.vertical(1),
            Motion::PageUp => self.page(-1),
            Motion::PageDown => self.page(1),
            Motion::WordLeft => self.word_left(at),
            Motion::WordRight => self.word_right(at),
            Motion::NextWord => self.next_word(at),
            Motion::WordEnd => self.word_end(at),
            Motion::LineStart => Position::new(at.line, 0),
            Motion::LineText => Position::new(at.line, self.indent_of(at.line)),
            Motion::LineEnd => Position::new(at.line, self.text.line(at.line).len()),
            Motion::TextStart => Position::START,
            Motion::TextEnd => self.text.end(),
            Motion::Line(number) => {
                let line = number.saturating_sub(1).min(self.text.len() - 1);
                Position::new(line, self.indent_of(line))
            }
            Motion::FindForward { target, till, line_only } => {
                self.find_forward(target, *till, *line_only)?
            }
            Motion::FindBackward { target, till, line_only } => {
                self.find_backward(target, *till, *line_only)?
            }
        };
        (place != at).then_some(place)
    }

    fn left_of(&self, at: Position) -> Position {
        match at {
            Position { line: 0, byte: 0 } => at,
            Position { line, byte: 0 } => Position::new(line - 1, self.text.line(line - 1).len()),
            Position { line, byte } => Position::new(line, previous(self.text.line(line), byte)),
        }
    }

    pub(super) fn right_of(&self, at: Position) -> Position {
        let line = self.text.line(at.line);
        if at.byte < line.len() {
            Position::new(at.line, next(line, at.byte))
        } else if at.line + 1 < self.text.len() {
            Position::new(at.line + 1, 0)
        } else {
            at
        }
    }

    fn word_left(&self, at: Position) -> Position {
        if at.byte == 0 {
            return self.left_of(at);
        }
        Position::new(at.line, previous_word_start(self.text.line(at.line), at.byte))
    }

    fn word_right(&self, at: Position) -> Position {
        let line = self.text.line(at.line);
        if at.byte == line.len() {
            return self.right_of(at);
        }
        Position::new(at.line, next_word_end(line, at.byte))
    }

    fn next_word(&self, at: Position) -> Position {
        let line = self.text.line(at.line);
        let mut byte = at.byte;
        if byte < line.len() && class_at(line, byte) != Class::Space {
            byte = next_word_end(line, byte);
        }
        while byte < line.len() && class_at(line, byte) == Class::Space {
            byte = next(line, byte);
        }
        if byte < line.len() || at.line + 1 == self.text.len() {
            return Position::new(at.line, byte);
        }
        let first = self.indent_of(at.line + 1);
        let blank = first == self.text.line(at.line + 1).len();
        Position::new(at.line + 1, if blank { 0 } else { first })
    }

    /// Before the last character of the word that ends behind the cursor.
    fn word_end(&self, at: Position) -> Position {
        let mut from = self.right_of(at);
        loop {
            let line = self.text.line(from.line);
            let blank = line[from.byte..].trim().is_empty();
            if !blank {
                let end = next_word_end(line, from.byte);
                return Position::new(from.line, previous(line, end));
            }
            if from.line + 1 >= self.text.len() {
                return Position::new(from.line, previous(line, line.len()));
            }
            from = Position::new(from.line + 1, 0);
        }
    }

    pub(super) fn indent_of(&self, line: usize) -> usize {
        let text = self.text.line(line);
        self.text.snap_back(line, text.len() - text.trim_start().len()).byte
    }

    fn find_forward(&self, target: &str, till: bool, line_only: bool) -> Option<Position> {
        let mut from = self.right_of(self.cursor);
        if till && from.line == self.cursor.line {
            // The character right behind the cursor is where it would stop already.
            from = self.right_of(from);
        }
        let last = if line_only { self.cursor.line } else { self.text.len() - 1 };
        for line in from.line..=last {
            let start = if line == from.line { from.byte } else { 0 };
            let text = self.text.line(line);
            let hit = clusters(&text[start..]).find(|(_, cluster)| *cluster == target);
            if let Some((offset, _)) = hit {
                let byte = start + offset;
                return Some(Position::new(line, if till { previous(text, byte) } else { byte }));
            }
        }
        None
    }

    fn find_backward(&self, target: &str, till: bool, line_only: bool) -> Option<Position> {
        let mut to = self.cursor;
        if till && to.byte > 0 {
            to = self.left_of(to);
        }
        let first = if line_only { to.line } else { 0 };
        for line in (first..=to.line).rev() {
            let text = self.text.line(line);
            let end = if line == to.line { to.byte } else { text.len() };
            let hit = clusters(&text[..end]).filter(|(_, cluster)| *cluster == target).last();
            if let Some((byte, _)) = hit {
                return Some(Position::new(line, if till { next(text, byte) } else { byte }));
            }
        }
        None
    }

    /// The column of a place in its row.
    pub(crate) fn column_in(&self, line: usize, row: TextRow, byte: usize) -> usize {
        let room = self.text.width().saturating_sub(1).max(1);
        let text = &self.text.line(line)[row.start..byte.clamp(row.start, row.end)];
        clusters(text)
            .fold(0, |column, (_, cluster)| column + glyph(cluster, column, room, &self.atoms).width)
    }

    /// The last place in a row whose column is not above `column`. A row that is continued does not own its end.
    fn byte_at(&self, line: usize, row: TextRow, column: usize) -> usize {
        let room = self.text.width().saturating_sub(1).max(1);
        let text = self.text.line(line);
        let mut reached = 0;
        let mut byte = row.start;
        for (at, cluster) in clusters(&text[row.start..row.end]) {
            byte = row.start + at;
            let end = reached + glyph(cluster, reached, room, &self.atoms).width;
            if end > column {
                return byte;
            }
            reached = end;
        }
        if row.end == text.len() { row.end } else { byte }
    }

    /// The place some rows above or below; `None` at the edge.
    fn vertical(&mut self, by: isize) -> Option<Position> {
        let (index, row) = self.text.row_of(self.cursor, &self.atoms);
        let column = self.column_in(self.cursor.line, row, self.cursor.byte);
        let goal = *self.goal.get_or_insert(column);
        let (line, row) = self.row_beside(self.cursor.line, index, by)?;
        Some(Position::new(line, self.byte_at(line, row, goal)))
    }

    /// The row `by` rows (one at a time) away.
    fn row_beside(&mut self, line: usize, index: usize, by: isize) -> Option<(usize, TextRow)> {
        let (line, index) = match by {
            ..0 if index > 0 => (line, index - 1),
            ..0 => {
                let line = line.checked_sub(1)?;
                (line, self.text.rows(line, &self.atoms).len() - 1)
            }
            _ if index + 1 < self.text.rows(line, &self.atoms).len() => (line, index + 1),
            _ if line + 1 < self.text.len() => (line + 1, 0),
            _ => return None,
        };
        let row = self.text.rows(line, &self.atoms).get(index).copied()?;
        Some((line, row))
    }

    /// A page up or down; the ends of the text at the edges.
    fn page(&mut self, direction: isize) -> Position {
        let kept = self.cursor;
        for _ in 0..self.viewport.height.max(1) {
            match self.vertical(direction) {
                Some(place) => self.cursor = place,
                None => {
                    self.cursor = if direction < 0 { Position::START } else { self.text.end() };
                    break;
                }
            }
        }
        std::mem::replace(&mut self.cursor, kept)
    }
}
