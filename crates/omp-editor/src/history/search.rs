//! The search through earlier prompts: a query line and the prompts that fit it.

use std::sync::Arc;

use omp_tui::render::Position as Cell;
use omp_tui::text::Line;

use crate::command::{Command, Motion};
use crate::text::previous;
use crate::view::Styles;

/// Most results that are kept.
const RESULTS: usize = 200;
/// Longest query.
const QUERY: usize = 1000;

/// A question to the store of prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRequest {
    /// To be given back with the answer.
    pub generation: u64,
    /// What prompts must fit; empty for the newest.
    pub query: String,
}

/// What a key led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchOutcome {
    /// The key means nothing here.
    Ignored,
    /// Draw.
    Handled,
    /// This prompt was chosen; the search is over.
    Chosen(Arc<str>),
    /// The search is over; the editor keeps what it had.
    Cancelled,
}

/// The state of the search.
#[derive(Clone, Debug, Default)]
pub struct HistorySearch {
    query: String,
    generation: u64,
    request: Option<SearchRequest>,
    results: Vec<Arc<str>>,
    selected: usize,
    first: usize,
}

impl HistorySearch {
    /// A search that begins with `query`; the first question is there to be taken.
    pub fn new(query: &str) -> Self {
        let mut search =
            Self { query: query.lines().next().unwrap_or_default().to_owned(), ..Self::default() };
        search.ask();
        search
    }

    /// Asks the same question again: the answer may be another by now.
    pub fn ask_again(&mut self) {
        self.ask();
    }

    fn ask(&mut self) {
        self.generation += 1;
        self.request = Some(SearchRequest { generation: self.generation, query: self.query.clone() });
    }

    /// The question to the store, if the query changed.
    pub fn take_request(&mut self) -> Option<SearchRequest> {
        self.request.take()
    }

    /// The prompts that fit, best first. An answer to an earlier question is dropped.
    pub fn answer(&mut self, generation: u64, mut results: Vec<Arc<str>>) -> bool {
        if generation != self.generation {
            return false;
        }
        results.truncate(RESULTS);
        self.results = results;
        self.selected = 0;
        self.first = 0;
        true
    }

    /// What was typed.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// The prompt that Enter would take.
    pub fn selected(&self) -> Option<&Arc<str>> {
        self.results.get(self.selected)
    }

    /// Does what it is told. The key that opened the search steps to the next older prompt: [`Command::SelectNext`].
    pub fn apply(&mut self, command: Command) -> SearchOutcome {
        match command {
            Command::Insert(text) | Command::Paste(text) | Command::PasteRaw(text) => {
                let room = QUERY.saturating_sub(self.query.len());
                let clean: String = text.chars().filter(|c| !c.is_control()).collect();
                self.query.push_str(&clean[..clean.floor_char_boundary(room.min(clean.len()))]);
                self.ask();
            }
            Command::DeleteBackward if self.query.is_empty() => return SearchOutcome::Ignored,
            Command::DeleteBackward => {
                self.query.truncate(previous(&self.query, self.query.len()));
                self.ask();
            }
            Command::DeleteWordBackward => {
                self.query.truncate(crate::text::previous_word_start(&self.query, self.query.len()));
                self.ask();
            }
            Command::DeleteToLineStart | Command::Clear => {
                self.query.clear();
                self.ask();
            }
            Command::SelectNext | Command::Move(Motion::Down) => self.step(1),
            Command::SelectPrevious | Command::Move(Motion::Up) => self.step(-1),
            Command::SelectPageDown | Command::Move(Motion::PageDown) => self.step(8),
            Command::SelectPageUp | Command::Move(Motion::PageUp) => self.step(-8),
            Command::Confirm | Command::Submit | Command::Tab => {
                return self
                    .selected()
                    .map_or(SearchOutcome::Cancelled, |chosen| SearchOutcome::Chosen(Arc::clone(chosen)));
            }
            Command::Cancel => return SearchOutcome::Cancelled,
            _ => return SearchOutcome::Ignored,
        }
        SearchOutcome::Handled
    }

    fn step(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(self.results.len().saturating_sub(1));
    }

    /// The query row and at most `height - 1` prompts below it, one row each, with the cell of the cursor.
    pub fn render(&mut self, width: usize, height: usize, styles: &Styles<'_>) -> (Vec<Line>, Cell) {
        let listed = height.saturating_sub(1).max(1);
        self.first = self.first.clamp((self.selected + 1).saturating_sub(listed), self.selected);
        let mut head = Line::styled(styles.popup_detail, "history: ");
        let room = width.saturating_sub(head.width() + 1);
        let query = Line::styled(styles.text, &self.query);
        head.append(&query.slice(query.width().saturating_sub(room), query.width()));
        let cursor = Cell { row: 0, column: head.width().min(width.saturating_sub(1)) };
        let mut rows = vec![head.clamp(width)];
        if self.results.is_empty() {
            rows.push(styles.shortened(&Line::styled(styles.popup_detail, "  No matches"), width));
        }
        for (index, prompt) in self.results.iter().enumerate().skip(self.first).take(listed) {
            let chosen = index == self.selected;
            let style = if chosen { styles.popup_selected } else { styles.popup };
            let mut row = Line::styled(style, if chosen { styles.glyphs.pointer } else { " " });
            row.push(style, " ");
            row.push(style, &one_line(prompt));
            rows.push(styles.shortened(&row, width));
        }
        (rows, cursor)
    }
}

/// The beginning of a prompt in one row.
fn one_line(prompt: &str) -> String {
    let start = &prompt[..prompt.floor_char_boundary(400.min(prompt.len()))];
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}
