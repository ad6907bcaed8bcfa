//! A long text over the whole screen, gone through row by row and page by page; beside it lie others like it.

mod search;
#[cfg(test)]
mod tests;

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_theme::{Symbol, Token};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;

use crate::Drawn;
use crate::list_rows::{hidden, keys};
use search::{Search, Step};

/// Rows that are not the text: the title, what is hidden.
const AROUND: usize = 2;

/// What the reader wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagerRequest {
    /// The text before this one.
    Older,
    /// The text behind this one.
    Newer,
    /// Nothing more.
    Close,
}

/// A text in front of its reader.
#[derive(Clone, Debug, Default)]
pub struct Pager {
    rows: Vec<Line>,
    title: String,
    hints: Vec<String>,
    top: usize,
    /// Rows of text on the last screen.
    page: usize,
    search: Option<Search>,
}

impl Pager {
    /// A text that begins at its start.
    pub fn new(title: impl Into<String>, rows: Vec<Line>) -> Self {
        Self { rows, title: title.into(), ..Self::default() }
    }

    /// With more words about keys.
    #[must_use]
    pub fn hints(mut self, hints: Vec<String>) -> Self {
        self.hints = hints;
        self
    }

    /// The same text in other rows, as after a change of width. The place in it stays about the same.
    pub fn replace(&mut self, rows: Vec<Line>) {
        self.top = self.top * rows.len() / self.rows.len().max(1);
        self.rows = rows;
        if let Some(search) = &mut self.search {
            search.look_in(&self.rows);
        }
    }

    /// The same, begun at its end.
    #[must_use]
    pub fn from_end(mut self) -> Self {
        self.top = self.rows.len();
        self
    }

    /// The text has grown. Whoever has read to its end sees its new end.
    pub fn follow(&mut self, rows: Vec<Line>) {
        let at_end = self.top + self.page >= self.rows.len();
        self.rows = rows;
        if at_end {
            self.top = self.rows.len();
        }
    }

    /// Its rows on a screen of this size.
    pub fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let mut hints = self.hints.clone();
        hints.insert(hints.len().min(1), "/: search".to_owned());
        let mut foot = keys(look, &hints);
        if let Some(search) = &self.search {
            foot.insert(0, search.row(look));
        }
        self.page = size.height.saturating_sub(AROUND + foot.len()).max(1);
        let most = self.rows.len().saturating_sub(self.page);
        self.top = self.top.min(most);
        let mut rows = vec![self.head(look)];
        let seen = self.rows.iter().skip(self.top).take(self.page);
        rows.extend(seen.map(|row| match &self.search {
            Some(search) => search.marked(row, look).clamp(look.width),
            None => row.clamp(look.width),
        }));
        rows.extend(hidden(look, self.top, most - self.top));
        rows.extend(foot);
        rows.truncate(size.height);
        rows.into()
    }

    /// The title in a rule, which keeps the text apart from what lies behind it.
    fn head(&self, look: &Look) -> Line {
        let across = look.symbol(Symbol::BoxSharpHorizontal);
        let mut head = Line::styled(look.fg(Token::Border), &format!("{} ", across.repeat(2)));
        head.push(look.bold(Token::Accent), &self.title);
        let rest = look.width.saturating_sub(head.width() + 1);
        head.push(look.fg(Token::Border), &format!(" {}", across.repeat(rest)));
        head.clamp(look.width)
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key, bindings: &Bindings) -> Option<PagerRequest> {
        if self.searches(key) {
            return None;
        }
        let chord = Chord::from(key);
        let last = self.rows.len().saturating_sub(self.page);
        let page = self.page.saturating_sub(1).max(1);
        match bindings.action(Context::Select, chord) {
            Some(actions::SELECT_UP) => self.top = self.top.saturating_sub(1),
            Some(actions::SELECT_DOWN) => self.top = (self.top + 1).min(last),
            Some(actions::SELECT_PAGE_UP) => self.top = self.top.saturating_sub(page),
            Some(actions::SELECT_PAGE_DOWN) => self.top = (self.top + page).min(last),
            Some(actions::SELECT_CANCEL | actions::SELECT_CONFIRM) => return Some(PagerRequest::Close),
            _ => match bindings.action(Context::Editor, chord) {
                Some(actions::CURSOR_LINE_START) => self.top = 0,
                Some(actions::CURSOR_LINE_END) => self.top = last,
                Some(actions::CURSOR_LEFT) => return Some(PagerRequest::Older),
                Some(actions::CURSOR_RIGHT) => return Some(PagerRequest::Newer),
                _ => {}
            },
        }
        None
    }

    /// Whether a key belongs to a search.
    fn searches(&mut self, key: Key) -> bool {
        let step = match &mut self.search {
            Some(search) => search.key(key, &self.rows, self.top),
            None if key.text() == Some('/') => {
                self.search = Some(Search::new());
                return true;
            }
            None => return false,
        };
        match step {
            Step::Ignored => return false,
            Step::Ended => self.search = None,
            Step::Taken(None) => {}
            Step::Taken(Some(row)) if (self.top..self.top + self.page).contains(&row) => {}
            Step::Taken(Some(row)) => self.top = row.saturating_sub(self.page / 3),
        }
        true
    }
}
