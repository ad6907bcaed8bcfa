//! A list to choose from, in the place of the editor.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use omp_view::Look;

/// Most options that are shown at once.
const MOST_ROWS: usize = 10;

/// A question with its answers.
pub(crate) struct Menu {
    title: Vec<(Token, String)>,
    options: Vec<MenuOption>,
    /// What was typed to find an option; `None` for a short list, whose options are numbered.
    query: Option<String>,
    /// The options that fit, best first.
    shown: Vec<usize>,
    selected: usize,
}

/// One answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct MenuOption {
    label: String,
    detail: String,
}

impl MenuOption {
    pub(crate) fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), detail: String::new() }
    }

    #[must_use]
    pub(crate) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

impl Menu {
    /// A few answers, which are numbered.
    pub(crate) fn new(title: impl Into<String>, options: Vec<MenuOption>) -> Self {
        let shown = (0..options.len()).collect();
        Self { title: vec![(Token::Accent, title.into())], options, query: None, shown, selected: 0 }
    }

    /// Many answers, which are found by typing.
    pub(crate) fn searched(title: impl Into<String>, options: Vec<MenuOption>) -> Self {
        Self { query: Some(String::new()), ..Self::new(title, options) }
    }

    #[must_use]
    pub(crate) fn with_text(mut self, token: Token, text: impl Into<String>) -> Self {
        self.title.push((token, text.into()));
        self
    }

    /// The same menu with another option to begin with.
    #[must_use]
    pub(crate) fn at(mut self, option: usize) -> Self {
        self.selected = self.shown.iter().position(|shown| *shown == option).unwrap_or(0);
        self
    }

    /// Goes so many options down; behind the last comes the first.
    pub(crate) fn down(&mut self) {
        self.selected = (self.selected + 1) % self.shown.len().max(1);
    }

    /// Goes up.
    pub(crate) fn up(&mut self) {
        self.selected = self.selected.checked_sub(1).unwrap_or(self.shown.len().saturating_sub(1));
    }

    pub(crate) fn page_down(&mut self) {
        self.selected = (self.selected + MOST_ROWS).min(self.shown.len().saturating_sub(1));
    }

    pub(crate) fn page_up(&mut self) {
        self.selected = self.selected.saturating_sub(MOST_ROWS);
    }

    /// The option that is selected.
    pub(crate) fn selected(&self) -> Option<usize> {
        self.shown.get(self.selected).copied()
    }

    /// Takes a typed letter: in a short list the number of an answer, which is then chosen.
    pub(crate) fn typed(&mut self, letter: char) -> Option<usize> {
        if let Some(query) = &mut self.query {
            query.push(letter);
            self.search();
            return None;
        }
        let place = usize::try_from(letter.to_digit(10)?).ok()?.checked_sub(1)?;
        (place < self.options.len()).then_some(place)
    }

    /// Takes the last letter back.
    pub(crate) fn erase(&mut self) {
        if let Some(query) = &mut self.query {
            query.pop();
            self.search();
        }
    }

    fn search(&mut self) {
        let query = self.query.as_deref().unwrap_or_default().to_lowercase();
        let mut found: Vec<(u32, usize)> = self
            .options
            .iter()
            .enumerate()
            .filter_map(|(place, option)| Some((fits(option, &query)?, place)))
            .collect();
        found.sort_unstable();
        self.shown = found.into_iter().map(|(_, place)| place).collect();
        self.selected = 0;
    }

    pub(crate) fn rows(&self, look: &Look) -> Vec<Line> {
        let rule = look.row(Token::Border, &look.symbol(Symbol::BoxSharpHorizontal).repeat(look.width));
        let mut rows = vec![rule.clone()];
        for (token, text) in &self.title {
            rows.extend(look.wrapped(*token, text, 2));
        }
        if let Some(query) = &self.query {
            let mut line = Line::styled(look.fg(Token::Muted), "Search: ");
            line.push(look.fg(Token::Text), query);
            rows.push(line.truncate(look.width));
        }
        let first = self.selected.saturating_sub(MOST_ROWS - 1);
        for (place, option) in self.shown.iter().enumerate().skip(first).take(MOST_ROWS) {
            rows.push(self.row(look, place, &self.options[*option]));
        }
        if self.shown.len() > MOST_ROWS {
            let text = format!("  {} of {}", self.selected + 1, self.shown.len());
            rows.push(look.row(Token::Muted, &text));
        } else if self.shown.is_empty() {
            rows.push(look.row(Token::Muted, "  Nothing fits."));
        }
        rows.push(rule);
        rows
    }

    fn row(&self, look: &Look, place: usize, option: &MenuOption) -> Line {
        let chosen = place == self.selected;
        let token = if chosen { Token::Accent } else { Token::Text };
        let sign = if chosen { look.symbol(Symbol::NavCursor) } else { " " };
        let number = if self.query.is_none() { format!("{}. ", place + 1) } else { String::new() };
        let mut line = Line::styled(look.fg(token), &format!("{sign} {number}{}", option.label));
        if !option.detail.is_empty() {
            line.push(look.fg(Token::Muted), &format!("  {}", option.detail));
        }
        line.truncate(look.width)
    }
}

/// How badly an option fits; `None` if it does not.
fn fits(option: &MenuOption, query: &str) -> Option<u32> {
    let label = option.label.to_lowercase();
    if label.starts_with(query) {
        return Some(0);
    }
    if label.contains(query) {
        return Some(1);
    }
    if option.detail.to_lowercase().contains(query) {
        return Some(2);
    }
    let mut letters = label.chars();
    query.chars().filter(|letter| *letter != ' ').all(|wanted| letters.any(|letter| letter == wanted)).then_some(3)
}
