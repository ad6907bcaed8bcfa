//! The part of a stream that is shown: all of it, or its head and its tail.

use super::spill::Hidden;
use super::{Captured, Elision};

/// How much of a stream is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A stream up to this size is shown whole.
    pub inline_bytes: usize,
    /// What stays of the start of a longer one; 0 keeps the tail only.
    pub head_bytes: usize,
    pub tail_bytes: usize,
    pub tail_lines: usize,
    /// Longer lines are cut; 0 leaves all lines whole.
    pub max_columns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            inline_bytes: 50 * 1024,
            head_bytes: 20 * 1024,
            tail_bytes: 20 * 1024,
            tail_lines: 500,
            max_columns: 768,
        }
    }
}

pub(super) struct Window {
    limits: Limits,
    total_bytes: u64,
    newlines: u64,
    line: CurrentLine,
    cut_a_line: bool,
    store: Store,
}

/// The line being received.
#[derive(Default)]
struct CurrentLine {
    kept: usize,
    dropped: u64,
}

enum Store {
    Whole(String),
    Split { head: String, tail: String, dropped: u64 },
}

impl Window {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            total_bytes: 0,
            newlines: 0,
            line: CurrentLine::default(),
            cut_a_line: false,
            store: Store::Whole(String::new()),
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.total_bytes += text.len() as u64;
        // Lines that fit are stored together, up to `stored`; only the others need a look each.
        let (mut stored, mut start) = (0, 0);
        for newline in memchr::memchr_iter(b'\n', text.as_bytes()) {
            let fits = self.line.dropped == 0 && self.line.kept + (newline - start) <= self.columns();
            if fits {
                self.newlines += 1;
                self.line = CurrentLine::default();
            } else {
                self.store(&text[stored..start]);
                self.extend_line(&text[start..newline]);
                self.end_line();
                stored = newline + 1;
            }
            start = newline + 1;
        }
        self.store(&text[stored..start]);
        self.extend_line(&text[start..]);
    }

    pub(super) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    pub(super) fn hidden(&self) -> Hidden {
        match &self.store {
            Store::Whole(_) if !self.cut_a_line => Hidden::Nothing,
            _ => Hidden::Something,
        }
    }

    /// The end of what is kept, followed by the line that is not complete.
    pub(super) fn tail(&self, pending: &str, max_bytes: usize) -> String {
        let kept = match &self.store {
            Store::Whole(text) => text,
            Store::Split { tail, .. } => tail,
        };
        let pending = &pending[..pending.floor_char_boundary(self.columns())];
        let mut text = last_lines(kept, max_bytes.saturating_sub(pending.len()), usize::MAX).to_owned();
        text.push_str(pending);
        text
    }

    pub(super) fn finish(mut self) -> Captured {
        let total_lines = self.newlines + u64::from(self.line.kept > 0 || self.line.dropped > 0);
        self.mark_cut();
        let mut captured = match &self.store {
            Store::Whole(text) => whole(text, total_lines),
            Store::Split { head, tail, dropped } => split(head, tail, *dropped, total_lines, &self.limits),
        };
        captured.total_bytes = self.total_bytes;
        captured.cut_columns = self.cut_a_line.then_some(self.limits.max_columns);
        captured
    }

    fn columns(&self) -> usize {
        if self.limits.max_columns == 0 { usize::MAX } else { self.limits.max_columns }
    }

    fn extend_line(&mut self, part: &str) {
        let room = if self.line.dropped > 0 { 0 } else { self.columns() - self.line.kept };
        let (kept, dropped) = part.split_at(part.floor_char_boundary(room));
        self.line.kept += kept.len();
        self.line.dropped += dropped.len() as u64;
        self.cut_a_line |= !dropped.is_empty();
        self.store(kept);
    }

    fn end_line(&mut self) {
        self.mark_cut();
        self.store("\n");
        self.newlines += 1;
        self.line = CurrentLine::default();
    }

    fn mark_cut(&mut self) {
        if self.line.dropped > 0 {
            self.store(&format!("… [+{} bytes]", self.line.dropped));
        }
    }

    fn store(&mut self, text: &str) {
        match &mut self.store {
            Store::Whole(whole) => {
                whole.push_str(text);
                if whole.len() > self.limits.inline_bytes {
                    let tail = whole.split_off(first_lines(whole, self.limits.head_bytes).len());
                    self.store = Store::Split { head: std::mem::take(whole), tail, dropped: 0 };
                }
            }
            Store::Split { tail, dropped, .. } => {
                tail.push_str(text);
                // Twice the room, so that the cost of moving the tail is spread over many calls.
                if tail.len() > 2 * self.limits.tail_bytes.max(1024) {
                    let start = tail.ceil_char_boundary(tail.len() - self.limits.tail_bytes);
                    tail.drain(..start);
                    *dropped += start as u64;
                }
            }
        }
    }
}

fn whole(text: &str, total_lines: u64) -> Captured {
    Captured {
        text: text.to_owned(),
        total_bytes: 0,
        total_lines,
        shown_bytes: text.len() as u64,
        shown_lines: total_lines,
        elision: None,
        cut_columns: None,
        spilled: None,
    }
}

fn split(head: &str, kept: &str, dropped: u64, total_lines: u64, limits: &Limits) -> Captured {
    let tail = last_lines(kept, limits.tail_bytes, limits.tail_lines);
    let dropped = dropped + (kept.len() - tail.len()) as u64;
    if dropped == 0 {
        return whole(&format!("{head}{tail}"), total_lines);
    }
    let (head_lines, tail_lines) = (count_lines(head), count_lines(tail));
    let shown_lines = head_lines + tail_lines;
    let between = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let mark = format!("[… {} lines ({dropped} bytes) omitted …]", total_lines.saturating_sub(shown_lines));
    Captured {
        text: format!("{head}{between}{mark}\n{tail}"),
        shown_bytes: (head.len() + tail.len()) as u64,
        shown_lines,
        elision: Some(Elision { head_lines, tail_lines }),
        ..whole("", total_lines)
    }
}

/// The longest start of `text` within `max_bytes`, of whole lines if it holds one.
fn first_lines(text: &str, max_bytes: usize) -> &str {
    let start = &text[..text.floor_char_boundary(max_bytes)];
    match memchr::memrchr(b'\n', start.as_bytes()) {
        Some(newline) if start.len() < text.len() => &start[..=newline],
        _ => start,
    }
}

/// The longest end of `text` within the limits, of whole lines if it holds one.
fn last_lines(text: &str, max_bytes: usize, max_lines: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(max_bytes));
    let mut end = &text[start..];
    if start > 0
        && !text[..start].ends_with('\n')
        && let Some(newline) = memchr::memchr(b'\n', end.as_bytes())
        && newline + 1 < end.len()
    {
        end = &end[newline + 1..];
    }
    // The newline at the very end closes the last line, it does not separate two.
    let body = end.strip_suffix('\n').unwrap_or(end);
    match memchr::memrchr_iter(b'\n', body.as_bytes()).nth(max_lines.saturating_sub(1)) {
        Some(newline) => &end[newline + 1..],
        None => end,
    }
}

fn count_lines(text: &str) -> u64 {
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    newlines + u64::from(!text.is_empty() && !text.ends_with('\n'))
}
