//! A stream of any length becomes a text of bounded length.
//!
//! Bytes pass through the [`Sanitizer`] (escape sequences, control bytes, progress bars, invalid UTF-8), then
//! into the [`Window`](window::Window), which keeps everything while it is small and a head and a tail once it
//! is not. The whole sanitised stream can be spilled to a [`Spill`] as soon as something of it is not shown.
//!
//! Memory does not depend on the length of the stream.

mod sanitize;
mod spill;
mod window;

pub use sanitize::Sanitizer;
pub use spill::{Spill, Spilled};
pub use window::Limits;

use spill::Spiller;
use window::Window;

/// Collects one stream.
pub struct Sink {
    sanitizer: Sanitizer,
    window: Window,
    spiller: Spiller,
    /// Sanitised text of the current push, kept to reuse its memory.
    fresh: String,
}

/// What is left of a stream when it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The text to show, with marks where something was left out.
    pub text: String,
    /// Bytes and lines of the whole sanitised stream.
    pub total_bytes: u64,
    pub total_lines: u64,
    /// How much of it is in `text`, marks not counted.
    pub shown_bytes: u64,
    pub shown_lines: u64,
    /// What was left out, if anything.
    pub elision: Option<Elision>,
    /// The longest line shown, if longer ones were cut.
    pub cut_columns: Option<usize>,
    /// Where the whole stream is, if it was spilled.
    pub spilled: Option<Spilled>,
}

/// The lines between head and tail that are not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elision {
    pub head_lines: u64,
    pub tail_lines: u64,
}

impl Captured {
    pub fn is_truncated(&self) -> bool {
        self.elision.is_some() || self.cut_columns.is_some()
    }
}

impl Sink {
    pub fn new(limits: Limits, spill: Option<Box<dyn Spill>>) -> Self {
        Self {
            sanitizer: Sanitizer::default(),
            window: Window::new(limits),
            spiller: Spiller::new(spill),
            fresh: String::new(),
        }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.fresh.clear();
        self.sanitizer.push(bytes, &mut self.fresh);
        self.accept();
    }

    /// The end of the stream as it would look if nothing more came: at most `max_bytes`, whole lines if possible.
    pub fn tail(&self, max_bytes: usize) -> String {
        self.window.tail(self.sanitizer.pending(), max_bytes)
    }

    pub fn total_bytes(&self) -> u64 {
        self.window.total_bytes() + self.sanitizer.pending().len() as u64
    }

    pub fn finish(mut self) -> Captured {
        self.fresh.clear();
        self.sanitizer.finish(&mut self.fresh);
        self.accept();
        let mut captured = self.window.finish();
        captured.spilled = self.spiller.finish();
        captured
    }

    fn accept(&mut self) {
        self.window.push(&self.fresh);
        self.spiller.push(&self.fresh, self.window.hidden());
    }
}
