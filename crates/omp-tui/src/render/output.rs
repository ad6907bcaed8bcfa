//! Bytes under construction: where the terminal's cursor is, and the brackets around a frame.

use std::io::Write as _;

use crate::text::{Cell, Color, Line, Pen};

use super::frame::{Position, Profile, Size};
use super::grouping;

const BEGIN_SYNC: &[u8] = b"\x1b[?2026h";
const END_SYNC: &[u8] = b"\x1b[?2026l";
const WRAP_OFF: &[u8] = b"\x1b[?7l";
const WRAP_ON: &[u8] = b"\x1b[?7h";

/// Where the terminal's cursor is. After a write up to the right edge the column is not known: terminals differ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    pub(super) row: usize,
    pub(super) column: Option<usize>,
    pub(super) shown: Option<bool>,
}

/// One frame's bytes.
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    pub(super) cursor: Cursor,
    /// Whether anything but a cursor move was written.
    wrote: bool,
    wrap_off: bool,
    pen: Pen,
    size: Size,
    synchronized: bool,
    /// A row is erased before it is written, not behind its end. To tmux a row on which something longer stood stays as long as
    /// that unless all of it is erased at once, and takes as many rows when the width changes.
    erases_first: bool,
}

impl Output {
    pub(super) fn new(profile: &Profile, size: Size, cursor: Cursor, ink: Color) -> Self {
        Self {
            bytes: Vec::new(),
            cursor,
            wrote: false,
            wrap_off: false,
            pen: Pen::new(profile.depth, profile.links).with_ink(ink).with_any_blank(),
            size,
            synchronized: profile.synchronized,
            erases_first: profile.multiplexer,
        }
    }

    /// Bytes that neither move the cursor nor depend on where it is.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.wrote |= !bytes.is_empty();
        self.bytes.extend_from_slice(bytes);
    }

    /// Bytes that leave the cursor in the first cell of the screen.
    pub(super) fn home(&mut self, bytes: &[u8]) {
        self.raw(bytes);
        self.cursor.row = 0;
        self.cursor.column = Some(0);
    }

    /// Moves the cursor without scrolling.
    pub(super) fn move_to(&mut self, to: Position) {
        let row = to.row.min(self.size.height.saturating_sub(1));
        let column = to.column.min(self.size.width.saturating_sub(1));
        if row < self.cursor.row {
            self.sequence(self.cursor.row - row, 'A');
        } else if row > self.cursor.row {
            self.sequence(row - self.cursor.row, 'B');
        }
        self.cursor.row = row;
        if self.cursor.column == Some(column) {
            return;
        }
        if column == 0 {
            self.bytes.push(b'\r');
        } else {
            let _ = write!(self.bytes, "\x1b[{}G", column + 1);
        }
        self.cursor.column = Some(column);
    }

    fn sequence(&mut self, count: usize, last: char) {
        if count == 1 {
            let _ = write!(self.bytes, "\x1b[{last}");
        } else {
            let _ = write!(self.bytes, "\x1b[{count}{last}");
        }
    }

    /// To the beginning of the next row; from the last row the screen scrolls by one.
    pub(super) fn next_row(&mut self) {
        self.pen.rest(&mut self.bytes);
        let back: &[u8] = if self.cursor.column == Some(0) { b"" } else { b"\r" };
        self.bytes.extend_from_slice(back);
        self.bytes.push(b'\n');
        self.wrote = true;
        self.cursor.row = (self.cursor.row + 1).min(self.size.height.saturating_sub(1));
        self.cursor.column = Some(0);
    }

    /// Inserts blank rows; those below move down and the last ones are gone. Nothing enters history.
    pub(super) fn insert_rows(&mut self, row: usize, count: usize) {
        self.move_to(Position { row, column: 0 });
        self.pen.rest(&mut self.bytes);
        self.sequence(count, 'L');
        self.wrote = true;
        // Terminals disagree about the column afterwards.
        self.cursor.column = None;
    }

    /// Writes cells of a row. From the column `blank` on nothing stands there yet.
    pub(super) fn cells(&mut self, row: usize, cells: &[Cell<'_>], blank: usize) {
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else { return };
        self.wrote = true;
        let end = last.column + last.width;
        if end >= self.size.width || cells.iter().any(|cell| cell.contested) {
            self.no_wrap();
        }
        if let Some(grouped) = grouping::grouped(&self.pen, cells, blank) {
            self.move_to(Position { row, column: grouped.first });
            self.bytes.extend_from_slice(&grouped.bytes);
            self.pen = grouped.pen;
            self.cursor.column = (grouped.column < self.size.width).then_some(grouped.column);
            return;
        }
        self.move_to(Position { row, column: first.column });
        self.pen.write(cells.iter().copied(), &mut self.bytes);
        self.cursor.column = (end < self.size.width).then_some(end);
    }

    /// Erases from the cursor to the right edge, in the terminal's own background.
    pub(super) fn erase_rest(&mut self) {
        self.pen.rest(&mut self.bytes);
        self.bytes.extend_from_slice(b"\x1b[K");
        self.wrote = true;
    }

    /// Writes a whole row from its first cell, over whatever was there.
    pub(super) fn whole_row(&mut self, line: &Line) {
        let cells: Vec<Cell<'_>> = line.cells().collect();
        self.no_wrap();
        let row = self.cursor.row;
        let is_short = line.width() < self.size.width;
        if is_short && self.erases_first {
            self.move_to(Position { row, column: 0 });
            self.erase_rest();
        }
        self.cells(row, &cells, usize::MAX);
        // What the terminal may take for wider than we do can spill.
        if is_short && (!self.erases_first || cells.iter().any(|cell| cell.contested)) {
            self.move_to(Position { row, column: line.width() });
            self.erase_rest();
        }
        self.graphic(line);
    }

    /// Draws the picture that ends in this row, if all of it is on the screen.
    pub(super) fn graphic(&mut self, line: &Line) {
        let Some(graphic) = line.graphic() else { return };
        if graphic.rows == 0 || graphic.rows > self.cursor.row + 1 {
            return;
        }
        self.pen.reset(&mut self.bytes);
        self.bytes.extend_from_slice(b"\x1b7\r");
        if graphic.rows > 1 {
            self.sequence(graphic.rows - 1, 'A');
        }
        self.bytes.extend_from_slice(&graphic.bytes);
        self.bytes.extend_from_slice(b"\x1b8");
        self.wrote = true;
    }

    /// Shows or hides the cursor, if that is not how it is already.
    pub(super) fn show_cursor(&mut self, show: bool) {
        if self.cursor.shown != Some(show) {
            self.bytes.extend_from_slice(if show { b"\x1b[?25h" } else { b"\x1b[?25l" });
            self.cursor.shown = Some(show);
        }
    }

    /// Where the right edge can be reached it must not wrap: a character that the terminal takes for wider than we do
    /// would push everything below it down.
    fn no_wrap(&mut self) {
        if !self.wrap_off {
            self.bytes.extend_from_slice(WRAP_OFF);
            self.wrap_off = true;
        }
    }

    /// Nothing but the colour of the text stays, and wrapping is on again: what must happen before the cursor is placed.
    pub(super) fn settle(&mut self) {
        self.pen.rest(&mut self.bytes);
        if std::mem::take(&mut self.wrap_off) {
            self.bytes.extend_from_slice(WRAP_ON);
        }
    }

    /// The terminal's own style, whatever comes next.
    pub(super) fn plain(&mut self) {
        self.pen.reset(&mut self.bytes);
    }

    /// The colour of text that the terminal is left with.
    pub(super) fn ink(&self) -> Color {
        self.pen.ink()
    }

    /// The columns of the screen.
    pub(super) fn width(&self) -> usize {
        self.size.width
    }

    /// Whether a row that becomes shorter has to be written whole.
    pub(super) fn erases_first(&self) -> bool {
        self.erases_first
    }

    pub(super) fn wrote(&self) -> bool {
        self.wrote
    }

    /// The frame's bytes, between the marks of synchronized output if anything but the cursor changed.
    pub(super) fn finish(self) -> Vec<u8> {
        if !self.synchronized || !self.wrote {
            return self.bytes;
        }
        let mut framed = Vec::with_capacity(self.bytes.len() + 16);
        framed.extend_from_slice(BEGIN_SYNC);
        framed.extend_from_slice(&self.bytes);
        framed.extend_from_slice(END_SYNC);
        framed
    }
}
