//! A text as lines, and changes of lines.

/// The lines of a text with `\n` ends. An empty text has none.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    rows: Vec<&'a str>,
    /// Does the text end with a line end? An empty text counts as such: what is put into it gets one.
    pub(crate) ended: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let ended = text.is_empty() || text.ends_with('\n');
        let mut rows: Vec<&str> = text.split('\n').collect();
        if ended {
            rows.pop();
        }
        Self { rows, ended }
    }

    pub(crate) fn rows(&self) -> &[&'a str] {
        &self.rows
    }
}

/// Lines to put in the place of others. Indexes count from zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub start: usize,
    pub removed: usize,
    pub inserted: Vec<String>,
}

/// What becomes of the line end at the end of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FinalEnd {
    /// As it was; an empty text counts as one that has it.
    #[default]
    Keep,
    Present,
    Absent,
}

/// An edit that was found to fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// In order, not overlapping.
    pub changes: Vec<Change>,
    pub final_end: FinalEnd,
    /// What the author of the edit should know, such as a place that fits only nearly.
    pub notes: Vec<String>,
}

impl Edited {
    /// The text after the edit.
    pub fn rewrite(&self, text: &str) -> String {
        let lines = Lines::of(text);
        let mut rows: Vec<&str> = Vec::with_capacity(lines.rows.len());
        let mut position = 0;
        for change in &self.changes {
            rows.extend_from_slice(&lines.rows[position..change.start]);
            rows.extend(change.inserted.iter().map(String::as_str));
            position = change.start + change.removed;
        }
        rows.extend_from_slice(&lines.rows[position..]);
        let ended = match self.final_end {
            FinalEnd::Keep => lines.ended,
            FinalEnd::Present => true,
            FinalEnd::Absent => false,
        };
        let mut text = rows.join("\n");
        if ended && !rows.is_empty() {
            text.push('\n');
        }
        text
    }
}
