//! A few numbered answers, in the place of the editor.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use omp_view::Look;

/// A question with its answers.
pub(crate) struct Menu {
    title: String,
    text: Vec<Line>,
    options: Vec<(String, String)>,
    selected: usize,
}

impl Menu {
    pub(crate) fn new<'a>(title: impl Into<String>, options: impl IntoIterator<Item = &'a str>) -> Self {
        let options = options.into_iter().map(|label| (label.to_owned(), String::new())).collect();
        Self { title: title.into(), text: Vec::new(), options, selected: 0 }
    }

    /// The same menu with one more answer and what it means.
    #[must_use]
    pub(crate) fn or(mut self, label: impl Into<String>, detail: impl Into<String>) -> Self {
        self.options.push((label.into(), detail.into()));
        self
    }

    /// Rows between the title and the answers.
    #[must_use]
    pub(crate) fn with_text(mut self, text: Vec<Line>) -> Self {
        self.text = text;
        self
    }

    /// Goes down; behind the last answer comes the first.
    pub(crate) fn down(&mut self) {
        self.selected = (self.selected + 1) % self.options.len().max(1);
    }

    /// Goes up.
    pub(crate) fn up(&mut self) {
        self.selected = self.selected.checked_sub(1).unwrap_or(self.options.len().saturating_sub(1));
    }

    pub(crate) fn selected(&self) -> usize {
        self.selected
    }

    /// The answer with this number.
    pub(crate) fn numbered(&self, digit: char) -> Option<usize> {
        let place = usize::try_from(digit.to_digit(10)?).ok()?.checked_sub(1)?;
        (place < self.options.len()).then_some(place)
    }

    pub(crate) fn rows(&self, look: &Look) -> Vec<Line> {
        let text: Vec<Line> = self.text.iter().flat_map(|line| line.wrap(look.width, 0)).collect();
        self.rows_with(look, &text, "Enter or a number: select · Esc: cancel")
    }

    /// The same with other rows before the answers, and a word about keys behind them.
    pub(crate) fn rows_with(&self, look: &Look, text: &[Line], hint: &str) -> Vec<Line> {
        let rule = look.row(Token::Border, &look.symbol(Symbol::BoxSharpHorizontal).repeat(look.width));
        let mut rows = vec![rule.clone()];
        if !self.title.is_empty() {
            rows.extend(look.wrapped(Token::Accent, &self.title, 0));
        }
        rows.extend_from_slice(text);
        for (place, (label, detail)) in self.options.iter().enumerate() {
            let chosen = place == self.selected;
            let token = if chosen { Token::Accent } else { Token::Text };
            let sign = if chosen { look.symbol(Symbol::NavCursor) } else { " " };
            let mut line = Line::styled(look.fg(token), &format!("{sign} {}. {label}", place + 1));
            if !detail.is_empty() {
                line.push(look.fg(Token::Muted), &format!("  {detail}"));
            }
            let line = look.shortened(&line, look.width);
            rows.push(if chosen { look.selected(&line) } else { line });
        }
        if !hint.is_empty() {
            rows.extend(look.wrapped(Token::Dim, &format!("  {}", look.hint(hint)), 2));
        }
        rows.push(rule);
        rows
    }
}
