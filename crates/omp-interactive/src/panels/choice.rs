//! A few numbered answers.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::menu::Menu;
use super::{Answered, Drawn, Panel, Reaction};

/// A menu and what follows from its answer.
pub(crate) struct Choice {
    menu: Menu,
    answered: Option<Answered>,
}

impl Choice {
    pub(crate) fn new(menu: Menu, answered: Answered) -> Self {
        Self { menu, answered: Some(answered) }
    }
}

impl Panel for Choice {
    fn draw(&mut self, look: &Look, _size: Size) -> Drawn {
        self.menu.rows(look).into()
    }

    fn has_edge(&self) -> bool {
        true
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let Some(chosen) = answer(&mut self.menu, key, keys) else { return Reaction::Stay };
        let Some(answered) = self.answered.take() else { return Reaction::Stay };
        Reaction::Close(Box::new(move |app| answered(app, chosen)))
    }
}

/// The answer that a key gives, `Some(None)` for Escape; other keys move in the menu.
pub(super) fn answer(menu: &mut Menu, key: Key, keys: &Bindings) -> Option<Option<usize>> {
    match keys.action(Context::Select, Chord::from(key)) {
        Some(actions::SELECT_UP) => menu.up(),
        Some(actions::SELECT_DOWN) => menu.down(),
        Some(actions::SELECT_CONFIRM) => return Some(Some(menu.selected())),
        Some(actions::SELECT_CANCEL) => return Some(None),
        _ => return key.text().and_then(|letter| menu.numbered(letter)).map(Some),
    }
    None
}
