//! Lines, and the one way to change them.

use super::Position;
use super::atom::{Atoms, is_atom};
use super::cluster::{ceil, floor};
use super::row::{TextRow, wrap};

/// A line with its first rows, as far as they are known.
#[derive(Clone, Debug, Default)]
struct Stored {
    text: String,
    rows: Vec<TextRow>,
    /// Whether these are all its rows.
    whole: bool,
}

impl Stored {
    /// Forgets the rows that a change at `byte` can concern. Where a row breaks depends on the word behind it, so one row
    /// more than the changed one is made again, and another for marks that join the character before them.
    fn forget(&mut self, byte: usize) {
        let changed = self.rows.partition_point(|row| row.end < byte);
        self.rows.truncate(changed.saturating_sub(2));
        self.whole = false;
    }
}

/// The lines of the text; there is always one. Rows are kept with each line, so that a key costs the work on the lines
/// it touches and on those that are seen.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    lines: Vec<Stored>,
    bytes: usize,
    width: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { lines: vec![Stored::default()], bytes: 0, width: 80 }
    }
}

impl Buffer {
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Bytes of the text, with one for each line end.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn line(&self, index: usize) -> &str {
        self.lines.get(index).map_or("", |line| &line.text)
    }

    pub(crate) fn end(&self) -> Position {
        let line = self.lines.len() - 1;
        Position::new(line, self.line(line).len())
    }

    /// The lines joined, atoms as their characters.
    pub(crate) fn text(&self) -> String {
        self.slice(Position::START, self.end())
    }

    pub(crate) fn slice(&self, from: Position, to: Position) -> String {
        if from.line == to.line {
            return self.line(from.line)[from.byte..to.byte].to_owned();
        }
        let mut text = self.line(from.line)[from.byte..].to_owned();
        for index in from.line + 1..to.line {
            text.push('\n');
            text.push_str(self.line(index));
        }
        text.push('\n');
        text.push_str(&self.line(to.line)[..to.byte]);
        text
    }

    /// Replaces what is between two places; gives what was there and the end of what is there now.
    pub(crate) fn splice(&mut self, from: Position, to: Position, text: &str) -> (String, Position) {
        let removed = self.slice(from, to);
        let end = end_of(from, text);
        let suffix = self.line(to.line)[to.byte..].to_owned();
        let first = &mut self.lines[from.line];
        first.text.truncate(from.byte);
        first.forget(from.byte);
        let mut pieces = text.split('\n');
        first.text.push_str(pieces.next().unwrap_or_default());
        let fresh = pieces.map(|piece| Stored { text: piece.to_owned(), ..Stored::default() });
        self.lines.splice(from.line + 1..=to.line, fresh);
        self.lines[end.line].text.push_str(&suffix);
        self.bytes = self.bytes + text.len() - removed.len();
        (removed, end)
    }

    /// The nearest place in the text that is not before `position`.
    pub(crate) fn snap(&self, position: Position) -> Position {
        let line = position.line.min(self.lines.len() - 1);
        let text = self.line(line);
        Position::new(line, ceil(text, position.byte.min(text.len())))
    }

    /// The nearest place in the line that is not behind `byte`.
    pub(crate) fn snap_back(&self, line: usize, byte: usize) -> Position {
        let text = self.line(line);
        Position::new(line, floor(text, byte.min(text.len())))
    }

    /// Sets the cells of a row; everything is broken again if they change.
    pub(crate) fn set_width(&mut self, width: usize) {
        if self.width != width {
            self.width = width;
            self.forget_rows();
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Breaks every line again when it is next looked at: labels of atoms have changed.
    pub(crate) fn forget_rows(&mut self) {
        for line in &mut self.lines {
            line.forget(0);
        }
    }

    /// The rows of a line.
    pub(crate) fn rows(&mut self, index: usize, atoms: &Atoms) -> &[TextRow] {
        let width = self.width;
        let Some(line) = self.lines.get_mut(index) else { return &[] };
        if !line.whole {
            wrap(&line.text, width, atoms, &mut line.rows);
            line.whole = true;
        }
        &line.rows
    }

    /// The row of its line that holds `position`. A place where a row breaks belongs to the next row.
    pub(crate) fn row_of(&mut self, position: Position, atoms: &Atoms) -> (usize, TextRow) {
        let rows = self.rows(position.line, atoms);
        let index = rows.iter().rposition(|row| row.start <= position.byte).unwrap_or(0);
        (index, rows.get(index).copied().unwrap_or(TextRow { start: 0, end: 0 }))
    }

    /// The atoms of the text, in order.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = char> {
        self.lines.iter().flat_map(|line| line.text.chars()).filter(|character| is_atom(*character))
    }
}

/// Where `text` ends when it begins at `from`.
pub(crate) fn end_of(from: Position, text: &str) -> Position {
    match text.rfind('\n') {
        None => Position::new(from.line, from.byte + text.len()),
        Some(last) => Position::new(from.line + text.matches('\n').count(), text.len() - last - 1),
    }
}
