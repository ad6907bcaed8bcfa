//! Looking for words in the text: `/`, the words, Enter; `n` and `N` lead to the next match and the one before.

use omp_theme::Token;
use omp_tui::input::{Code, Key};
use omp_tui::text::{Attributes, Line};
use omp_view::Look;

/// Words that are looked for, and where they stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    query: String,
    is_typed: bool,
    /// The rows with a match.
    found: Vec<usize>,
    /// The match that is shown, among them.
    at: usize,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing; it may mean something else.
    Ignored,
    /// The row that has to be seen now, if any has a match.
    Taken(Option<usize>),
    /// The search is over.
    Ended,
}

impl Search {
    /// A search whose words are typed next.
    pub(super) fn new() -> Self {
        Self { is_typed: true, ..Self::default() }
    }

    /// Takes a key; `top` is the first row that is seen.
    pub(super) fn key(&mut self, key: Key, rows: &[Line], top: usize) -> Step {
        if !self.is_typed {
            return match key.text() {
                Some('n') => self.go(1),
                Some('N') => self.go(-1),
                Some('/') => {
                    *self = Self::new();
                    Step::Taken(None)
                }
                _ => Step::Ignored,
            };
        }
        match (key.code, key.text()) {
            (Code::Escape, _) => return Step::Ended,
            (Code::Enter, _) if self.query.is_empty() => return Step::Ended,
            (Code::Enter, _) => {
                self.is_typed = false;
                return Step::Taken(None);
            }
            (Code::Backspace, _) => _ = self.query.pop(),
            (_, Some(character)) => self.query.push(character),
            _ => return Step::Taken(None),
        }
        self.look_in(rows);
        self.at = self.found.iter().position(|row| *row >= top).unwrap_or(0);
        Step::Taken(self.found.get(self.at).copied())
    }

    /// Finds the matches in these rows.
    pub(super) fn look_in(&mut self, rows: &[Line]) {
        let matches = |row: &Line| place(row, &self.query).is_some();
        self.found = (0..rows.len()).filter(|row| matches(&rows[*row])).collect();
        self.at = self.at.min(self.found.len().saturating_sub(1));
    }

    fn go(&mut self, by: isize) -> Step {
        let count = self.found.len();
        if count > 0 {
            self.at = (self.at + count).saturating_add_signed(by) % count;
        }
        Step::Taken(self.found.get(self.at).copied())
    }

    /// The row that says what is looked for, and how often it is there.
    pub(super) fn row(&self, look: &Look) -> Line {
        let mut row = Line::styled(look.fg(Token::Accent), "  /");
        row.push(look.fg(Token::Text), &self.query);
        let said = match (self.query.is_empty(), self.found.len()) {
            (true, _) => "  type to search · Enter: keep · Esc: cancel".to_owned(),
            (false, 0) => "  No matches".to_owned(),
            (false, all) => format!("  {} of {all}", self.at + 1),
        };
        row.push(look.fg(Token::Muted), &said);
        if !self.is_typed {
            row.push(look.fg(Token::Dim), " · n, N: next, previous match");
        }
        row.clamp(look.width)
    }

    /// A row with its first match marked.
    pub(super) fn marked(&self, row: &Line, look: &Look) -> Line {
        let Some((from, to)) = place(row, &self.query) else { return row.clone() };
        let mut marked = row.slice(0, from);
        let words = row.slice(from, to).text();
        marked.push(look.fg(Token::Accent).with(Attributes::REVERSE), &words);
        marked.append(&row.slice(to, row.width()));
        marked
    }
}

/// The columns of the first match in a row.
fn place(row: &Line, query: &str) -> Option<(usize, usize)> {
    if query.is_empty() {
        return None;
    }
    let text = row.text();
    let (lower, wanted) = (text.to_lowercase(), query.to_lowercase());
    let at = match lower.len() == text.len() {
        true => lower.find(&wanted),
        false => text.find(query),
    }?;
    let width = |text: &str| Line::plain(text).width();
    let end = text.get(..at + query.len())?;
    Some((width(text.get(..at)?), width(end)))
}
