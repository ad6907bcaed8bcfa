//! Choosing colours: the theme under the cursor is tried out at once.

use omp_keys::Bindings;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use omp_view::select::{Choice, Outcome, Selector, Step};

use crate::listing::step;
use crate::{Drawn, Machine, list_rows};

/// What the list wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThemeRequest {
    /// A theme is to be shown, and nothing else.
    Try(String),
    /// A theme is to be kept.
    Keep(String),
    /// Everything is to be as it was.
    Cancel,
}

/// A theme of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeItem {
    /// Its name.
    pub name: String,
    /// For which background it is made, if that is known.
    pub made_for: &'static str,
}

/// The list of themes.
#[derive(Debug)]
pub struct Picker {
    list: Selector,
}

impl Picker {
    /// The themes, beginning at the one in use. `title` says what is chosen.
    pub fn new(title: &str, items: &[ThemeItem], current: &str) -> Self {
        let at = items.iter().position(|item| item.name == current).unwrap_or(0);
        let choice = |item: &ThemeItem| {
            let used = if item.name == current { "in use" } else { "" };
            let facts: Vec<&str> =
                [item.made_for, used].into_iter().filter(|fact| !fact.is_empty()).collect();
            Choice::new(&item.name).detail(facts.join(", "))
        };
        Self { list: Selector::new(title, items.iter().map(choice).collect()).at(at) }
    }

    /// The theme under the cursor.
    pub fn current(&self) -> Option<&str> {
        self.list.current().map(|place| self.list.choices()[place].label.as_str())
    }

    fn step(&mut self, step: Step) -> Option<ThemeRequest> {
        let outcome = self.list.step(step);
        let current = self.current().map(str::to_owned);
        match outcome {
            Outcome::Moved(_) => current.map(ThemeRequest::Try),
            Outcome::Chosen(_) => current.map(ThemeRequest::Keep),
            Outcome::Cancelled => Some(ThemeRequest::Cancel),
            Outcome::Nothing | Outcome::Changed => None,
        }
    }
}

impl Machine for Picker {
    type Request = ThemeRequest;

    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let hints = ["↑↓: preview", "Enter: select", "Esc: cancel"].map(str::to_owned);
        let hints = list_rows::keys(look, &hints);
        let most = (size.height * 2 / 3).max(6).min(size.height.saturating_sub(2));
        let mut rows = self.list.draw_within(look, most.saturating_sub(hints.len()).max(4));
        rows.extend(hints);
        rows.into()
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Option<ThemeRequest> {
        let step = step(key, keys)?;
        self.step(step)
    }

    fn paste(&mut self, text: &str) -> Option<ThemeRequest> {
        self.step(Step::Text(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use omp_tui::input::Code;

    use super::*;
    use crate::testing::{assert_fits, plain};

    #[test]
    fn what_is_under_the_cursor_is_tried_out() {
        let item = |name: &str| ThemeItem { name: name.to_owned(), made_for: "dark" };
        let mut picker = Picker::new("Theme", &["amber", "dark", "titanium"].map(item), "dark");
        let mut press = |code| picker.key(plain(code), &Bindings::default());
        assert_eq!(press(Code::Down), Some(ThemeRequest::Try("titanium".to_owned())));
        assert_eq!(press(Code::Char('b')), Some(ThemeRequest::Try("amber".to_owned())), "typing moves, too");
        assert_eq!(press(Code::Enter), Some(ThemeRequest::Keep("amber".to_owned())));
        assert_eq!(press(Code::Escape), None, "the search goes first");
        assert_eq!(press(Code::Escape), Some(ThemeRequest::Cancel));
        assert_fits(|look, size| picker.draw(look, size));
    }
}
