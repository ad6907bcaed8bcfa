//! Reasoning, between tags or in a fence.

use super::output::Output;
use super::scanner::{Block, Step};
use super::source::{LiteralSearch, Source, is_torn_marker};

/// Reasoning up to a closing tag. Whatever else stands in it, calls too, is only thought.
pub(crate) struct Thought {
    end: &'static str,
}

impl Thought {
    pub(crate) fn new(end: &'static str) -> Self {
        Self { end }
    }
}

impl Block for Thought {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        match source.find(&[self.end]) {
            LiteralSearch::At(offset, _) => {
                out.thinking(&source.rest()[..offset]);
                source.skip(offset + self.end.len());
                Step::Done
            }
            LiteralSearch::Safe(bytes) => {
                out.thinking(&source.rest()[..bytes]);
                source.skip(bytes);
                Step::More
            }
        }
    }

    fn end(&mut self, source: &mut Source, out: &mut Output) {
        if !is_torn_marker(source.rest()) {
            out.thinking(source.rest());
        }
    }
}

/// Reasoning in a fenced block. A fence with a language opens another one inside.
#[derive(Default)]
pub(crate) struct FencedThought {
    depth: usize,
    /// The line that opened the block is behind us.
    is_open: bool,
    /// A line stands before this one.
    has_line: bool,
    is_mid_line: bool,
}

impl Block for FencedThought {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let rest = source.rest();
        let end = memchr::memchr(b'\n', rest.as_bytes());
        if !self.is_open {
            let Some(end) = end else { return Step::More };
            self.is_open = true;
            source.skip(end + 1);
            return Step::Again;
        }
        let Some(end) = end else { return self.part(source, out) };
        let line = &rest[..end];
        if !self.is_mid_line && self.closes(line) {
            source.skip(end + 1);
            return Step::Done;
        }
        self.line(line, out);
        self.is_mid_line = false;
        source.skip(end + 1);
        Step::Again
    }

    fn end(&mut self, source: &mut Source, out: &mut Output) {
        let line = source.rest().to_owned();
        if self.is_open && !(self.depth == 0 && line.trim_start().starts_with("``")) {
            self.line(&line, out);
        }
    }
}

impl FencedThought {
    /// A line that has not ended yet: as much of it as cannot belong to a fence.
    fn part(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let rest = source.rest();
        let trimmed = rest.trim_start_matches(' ');
        if rest.is_empty() || (!self.is_mid_line && (trimmed.is_empty() || trimmed.starts_with('`'))) {
            return Step::More;
        }
        self.line(rest, out);
        self.is_mid_line = true;
        source.skip_all();
        Step::More
    }

    fn line(&mut self, text: &str, out: &mut Output) {
        if self.has_line && !self.is_mid_line {
            out.thinking("\n");
        }
        out.thinking(text);
        self.has_line = true;
    }

    /// Keeps count of the fences; `true` for the one that ends the block.
    fn closes(&mut self, line: &str) -> bool {
        let Some(language) = line.trim().strip_prefix("```") else { return false };
        if !language.trim_matches('`').is_empty() {
            self.depth += 1;
            return false;
        }
        if self.depth == 0 {
            return true;
        }
        self.depth -= 1;
        false
    }
}
