//! A renderer with two terminals on it.

use omp_tui::ledger::Seam;
use omp_tui::render::{Cover, Painted, Position, Profile, Renderer, Rows, Size, View};
use omp_tui::text::Line;

use super::emulator::{Alacritty, Emulator as _, Vt100, text};

pub(crate) struct Desk {
    pub(crate) renderer: Renderer,
    pub(crate) alacritty: Alacritty,
    pub(crate) vt100: Vt100,
    pub(crate) size: Size,
    /// Everything that was written.
    pub(crate) bytes: Vec<u8>,
    pub(crate) covers: Vec<Cover>,
    pub(crate) cursor: Option<Position>,
}

pub(crate) fn rows(range: std::ops::Range<usize>) -> Vec<Line> {
    range.map(|row| Line::plain(&format!("row {row}"))).collect()
}

pub(crate) fn count(bytes: &[u8], needle: &str) -> usize {
    bytes.windows(needle.len()).filter(|window| *window == needle.as_bytes()).count()
}

/// Rows from `start` on may change.
pub(crate) fn live(start: usize) -> Seam {
    Seam { live_start: Some(start), commit_safe_end: None }
}

impl Desk {
    pub(crate) fn new(width: usize, height: usize, profile: Profile) -> Self {
        let size = Size { width, height };
        Self {
            renderer: Renderer::new(profile),
            alacritty: Alacritty::new(size),
            vt100: Vt100::new(size),
            size,
            bytes: Vec::new(),
            covers: Vec::new(),
            cursor: None,
        }
    }

    pub(crate) fn direct(width: usize, height: usize) -> Self {
        Self::new(width, height, Profile::default())
    }

    pub(crate) fn multiplexer(width: usize, height: usize) -> Self {
        Self::new(width, height, Profile { multiplexer: true, ..Profile::default() })
    }

    pub(crate) fn paint(&mut self, rows: &dyn Rows, seam: Seam) -> Painted {
        let view = View { rows, seam, cursor: self.cursor, covers: &self.covers };
        let painted = self.renderer.paint(&view, self.size);
        self.write(&painted.bytes);
        painted
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.alacritty.feed(bytes);
        self.vt100.feed(bytes);
    }

    pub(crate) fn resize(&mut self, width: usize, height: usize) {
        self.size = Size { width, height };
        self.alacritty.resize(self.size);
        self.vt100.resize(self.size);
        self.renderer.resized(self.size);
    }

    /// History and screen, which both terminals agree on, without blank rows at either end.
    pub(crate) fn tape(&mut self) -> Vec<String> {
        let trim = |mut tape: Vec<String>| {
            while tape.last().is_some_and(String::is_empty) {
                tape.pop();
            }
            let first = tape.iter().position(|row| !row.is_empty()).unwrap_or(0);
            tape.split_off(first)
        };
        let tape = trim(self.vt100.tape());
        assert_eq!(trim(self.alacritty.tape()), tape, "the terminals disagree");
        tape
    }

    pub(crate) fn history(&mut self) -> Vec<String> {
        let shown: Vec<String> = self.vt100.history().iter().map(|row| text(row)).collect();
        shown
    }

    pub(crate) fn screen(&mut self) -> Vec<String> {
        let shown: Vec<String> = self.vt100.screen().iter().map(|row| text(row)).collect();
        let other: Vec<String> = self.alacritty.screen().iter().map(|row| text(row)).collect();
        assert_eq!(other, shown, "the terminals disagree");
        shown
    }
}
