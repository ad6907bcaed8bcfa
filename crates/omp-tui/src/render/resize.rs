//! A new size inside a multiplexer, whose history can neither be erased nor rebuilt.
//!
//! Where the terminal does not say where its cursor is ([`super::reflow`]), this follows what terminals do: a screen that loses rows drops those below the cursor, then
//! pushes rows at its top into history until the cursor fits; one that gains rows takes them back from there; a new width
//! wraps everything again.

use super::frame::Size;

/// How the screen has moved against history since the last frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drift {
    height: usize,
    cursor_row: usize,
    pushed: usize,
    pulled: usize,
}

impl Drift {
    /// The screen as the last frame left it.
    pub(super) fn new(size: Size, cursor_row: usize) -> Self {
        Self { height: size.height, cursor_row, ..Self::default() }
    }

    /// The screen got another height; called for each that is heard of, since each moves rows.
    pub(super) fn resize(&mut self, height: usize) {
        if height < self.height {
            let scrolled = (self.cursor_row + 1).saturating_sub(height);
            self.cursor_row -= scrolled;
            let back = scrolled.min(self.pulled);
            self.pulled -= back;
            self.pushed += scrolled - back;
        } else {
            let grown = height - self.height;
            self.cursor_row += grown;
            let back = grown.min(self.pushed);
            self.pushed -= back;
            self.pulled += grown - back;
        }
        self.height = height;
    }

    /// Rows that came back from history, and rows that went there, as far as can be known without an answer of the terminal.
    pub(super) fn moved(self) -> (usize, usize) {
        (self.pulled, self.pushed)
    }
}
