//! Lists under tabs: what settings and models have in common.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_theme::Token;
use omp_tui::input::Key;
use omp_tui::text::{Attributes, Line, Style};
use omp_view::Look;
use omp_view::select::{Selector, Step};

/// What a key does in a list that is searched by typing.
pub fn step(key: Key, keys: &Bindings) -> Option<Step> {
    let chord = Chord::from(key);
    let selecting = keys.action(Context::Select, chord);
    let editing = keys.action(Context::Editor, chord);
    Some(match (selecting, editing, key.text()) {
        (Some(actions::SELECT_UP), ..) => Step::Up,
        (Some(actions::SELECT_DOWN), ..) => Step::Down,
        (Some(actions::SELECT_PAGE_UP), ..) => Step::PageUp,
        (Some(actions::SELECT_PAGE_DOWN), ..) => Step::PageDown,
        (Some(actions::SELECT_CONFIRM), ..) => Step::Confirm,
        (Some(actions::SELECT_CANCEL), ..) => Step::Cancel,
        (_, Some(actions::CURSOR_LINE_START), _) => Step::First,
        (_, Some(actions::CURSOR_LINE_END), _) => Step::Last,
        (_, Some(actions::DELETE_CHAR_BACKWARD), _) => Step::Backspace,
        (_, Some(actions::DELETE_WORD_BACKWARD), _) => Step::BackspaceWord,
        (_, Some(actions::DELETE_TO_LINE_START), _) => Step::Clear,
        (_, None, Some(letter)) => Step::Text(letter.to_string()),
        _ => return None,
    })
}

/// Names of parts, one of which is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tabs {
    names: Vec<String>,
    at: usize,
}

impl Tabs {
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self { names, at: 0 }
    }

    pub(crate) fn current(&self) -> &str {
        self.names.get(self.at).map_or("", String::as_str)
    }

    /// Goes to a tab of that name, if there is one.
    pub(crate) fn go_to(&mut self, name: &str) {
        self.at = self.names.iter().position(|known| known == name).unwrap_or(self.at);
    }

    /// Goes to the tab beside; behind the last comes the first. Says whether the key means that.
    pub(crate) fn key(&mut self, key: Key, keys: &Bindings) -> bool {
        let count = self.names.len().max(1);
        match keys.action(Context::Editor, Chord::from(key)) {
            Some(actions::CURSOR_RIGHT) => self.at = (self.at + 1) % count,
            Some(actions::CURSOR_LEFT) => self.at = (self.at + count - 1) % count,
            _ => return false,
        }
        true
    }

    /// One row, moved so that the current one is seen.
    pub(crate) fn row(&self, look: &Look) -> Line {
        let mut line = Line::new();
        let mut end = 0;
        for (place, name) in self.names.iter().enumerate() {
            let style = match place == self.at {
                true => look.bold(Token::Accent).with(Attributes::UNDERLINE),
                false => look.fg(Token::Muted),
            };
            line.push(Style::PLAIN, "  ").push(style, name);
            if place == self.at {
                end = line.width();
            }
        }
        let from = (end + 4).saturating_sub(look.width);
        look.shortened(&line.slice(from, line.width()), look.width)
    }
}

/// The rows of a list, no more than `most` of them, with a row of tabs under its title.
pub(crate) fn under_tabs(tabs: &Tabs, list: &mut Selector, look: &Look, most: usize) -> Vec<Line> {
    let mut rows = list.draw_within(look, most.saturating_sub(1));
    rows.insert(rows.len().min(1), tabs.row(look));
    rows
}

/// A row two cells to the right.
pub(crate) fn indented(line: &Line) -> Line {
    let mut row = Line::plain("  ");
    row.append(line);
    row
}
