//! Collects the rows of one file.

use std::collections::VecDeque;
use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::bounded::Notes;
use super::{FileMatches, GrepLine, LineRange, MAX_COLUMNS, Style};

/// Collects rows until there are enough matches.
pub(super) struct Rows<'a> {
    style: Style,
    /// Only matches in these lines count; all if there are none.
    ranges: &'a [LineRange],
    pub(super) found: FileMatches,
    pub(super) notes: Notes,
    /// Rows that a match may follow.
    recent: VecDeque<GrepLine>,
    /// Rows up to this line belong to the last match.
    until: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(style: Style, ranges: &'a [LineRange]) -> Self {
        let (found, notes) = (FileMatches::default(), Notes::default());
        Self { style, ranges, found, notes, recent: VecDeque::new(), until: 0 }
    }

    fn counts(&self, line: u64) -> bool {
        self.ranges.is_empty()
            || self
                .ranges
                .iter()
                .any(|range| line >= range.first && range.last.is_none_or(|last| line <= last))
    }

    /// Is there nothing to find from this line on?
    fn is_past(&self, line: u64) -> bool {
        let past = |range: &LineRange| range.last.is_some_and(|last| line > last);
        !self.ranges.is_empty() && line > self.until && self.ranges.iter().all(past)
    }

    /// Takes the lines of a match, or of what is around one. `false` when there are enough.
    fn push(&mut self, first: Option<u64>, place: u64, bytes: &[u8], matched: bool) -> bool {
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let first = first.unwrap_or(1).saturating_sub(self.notes.cuts_before(place));
        if self.is_past(first) {
            return false;
        }
        for (line, text) in (first..).zip(text.split(|byte| *byte == b'\n')) {
            let matched = matched && self.counts(line);
            if matched && self.found.matches >= self.style.limit && !self.is_last(line) {
                self.found.more = true;
                return false;
            }
            self.take(row(line, text, matched));
        }
        true
    }

    /// Is it the line that was shown last? A long one comes in pieces.
    fn is_last(&self, line: u64) -> bool {
        self.found.rows.last().is_some_and(|last| last.line == line)
    }

    fn take(&mut self, row: GrepLine) {
        if row.matched {
            let near = |before: &GrepLine| {
                before.line + self.style.before as u64 >= row.line && before.line < row.line
            };
            let before: Vec<GrepLine> = self.recent.drain(..).filter(near).collect();
            before.into_iter().for_each(|row| self.add(row));
            self.until = row.line + self.style.after as u64;
            self.add(row);
        } else if row.line <= self.until {
            self.add(row);
        } else if self.recent.back().is_none_or(|last| last.line != row.line) {
            self.recent.push_back(row);
            if self.recent.len() > self.style.before {
                self.recent.pop_front();
            }
        }
    }

    /// Of the pieces of a long line one is shown, the first that matches.
    fn add(&mut self, row: GrepLine) {
        match self.found.rows.last_mut() {
            Some(last) if last.line == row.line && (last.matched || !row.matched) => return,
            Some(last) if last.line == row.line => *last = row,
            _ => self.found.rows.push(row),
        }
        self.found.matches += usize::from(self.found.rows.last().is_some_and(|row| row.matched));
    }
}

/// A line as it is shown.
fn row(line: u64, text: &[u8], matched: bool) -> GrepLine {
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    // Four bytes for each character that may be shown.
    let head = &text[..text.len().min(4 * (MAX_COLUMNS + 1))];
    let decoded = String::from_utf8_lossy(head);
    let (text, cut) = match decoded.char_indices().nth(MAX_COLUMNS) {
        Some((end, _)) => (format!("{}…", &decoded[..end]), true),
        None => (decoded.into_owned(), false),
    };
    GrepLine { line, text, matched, cut }
}

impl Sink for Rows<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.push(matched.line_number(), matched.absolute_byte_offset(), matched.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.push(context.line_number(), context.absolute_byte_offset(), context.bytes(), false))
    }
}
