//! A long list that is searched by typing.

use omp_keys::Bindings;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use omp_view::select::{Outcome, Selector, Step};

use super::{Answered, Drawn, Panel, Reaction, step};

/// Rows of a list at most.
const MOST: usize = 14;

/// A list and what follows from its answer.
pub(crate) struct List {
    list: Selector,
    answered: Option<Answered>,
}

impl List {
    pub(crate) fn new(list: Selector, answered: Answered) -> Self {
        Self { list, answered: Some(answered) }
    }

    fn step(&mut self, step: Step) -> Reaction {
        let chosen = match self.list.step(step) {
            Outcome::Chosen(chosen) => chosen.first().copied(),
            Outcome::Cancelled => None,
            _ => return Reaction::Stay,
        };
        let Some(answered) = self.answered.take() else { return Reaction::Stay };
        Reaction::Close(Box::new(move |app| answered(app, chosen)))
    }
}

impl Panel for List {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.list.draw_within(look, (size.height * 2 / 3).clamp(5, MOST)).into()
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        step(key, keys).map_or(Reaction::Stay, |step| self.step(step))
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.step(Step::Text(text.to_owned()))
    }
}
