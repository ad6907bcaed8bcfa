//! A block of code that is still being written.

use omp_syntax::Language;
use omp_tui::text::Line;

use super::fence::{self, Fence};
use crate::Look;

/// The lines so far, and how much of them is drawn.
#[derive(Debug)]
pub(super) struct OpenCode {
    fence: Fence,
    language: Option<Language>,
    text: String,
    /// The row at which the code begins.
    first: usize,
    /// How much of the text is drawn, and how much of that at the last time that all of it was.
    drawn: usize,
    drawn_whole: usize,
}

/// Rows to put in place of all rows from `from` on; they are the end of what is drawn.
pub(super) struct Redrawn {
    pub(super) from: Option<usize>,
    pub(super) rows: Vec<Line>,
}

impl OpenCode {
    /// No code yet; its first row will be `first`.
    pub(super) fn new(fence: Fence, first: usize) -> Self {
        let language = Language::of_tag(&fence.label);
        Self { fence, language, text: String::new(), first, drawn: 0, drawn_whole: 0 }
    }

    /// Whether a line ends the code.
    pub(super) fn closes(&self, line: &str) -> bool {
        self.fence.closes(line)
    }

    /// Takes a line, or a piece of one that is too long.
    pub(super) fn take(&mut self, line: &str) {
        self.text.push_str(self.fence.strip(line));
        if !line.is_empty() && !line.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Draws the lines that are new. Now and then, and always more rarely, all of them: then the colours know what came
    /// before.
    pub(super) fn draw(&mut self, look: &Look) -> Option<Redrawn> {
        if self.drawn == self.text.len() {
            return None;
        }
        let mut from = None;
        if self.text.len() >= self.drawn_whole + self.drawn_whole / 4 + 1_024 {
            from = Some(self.first);
            self.drawn = 0;
            self.drawn_whole = self.text.len();
        }
        // Until the language is ready the words are there without colours.
        let language = look.preparer.ready(self.language);
        let rows = fence::body(look, &self.text[self.drawn..], language);
        self.drawn = self.text.len();
        Some(Redrawn { from, rows })
    }

    /// Draws all of it for good, with its end.
    pub(super) fn close(&self, look: &Look) -> Redrawn {
        let mut rows = fence::body(look, &self.text, self.language);
        rows.push(fence::bottom(look));
        Redrawn { from: Some(self.first), rows }
    }

    /// The rows behind those that are drawn, as if the code ended behind `line`.
    pub(super) fn tail(&self, look: &Look, line: &str) -> Vec<Line> {
        let mut rows = match self.closes(line) {
            true => Vec::new(),
            false => fence::body(look, self.fence.strip(line), self.language),
        };
        rows.push(fence::bottom(look));
        rows
    }
}
