//! A panel that is about to open. What is typed meanwhile is kept for it.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_theme::Token;
use omp_tui::input::{Event, Key};
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};

/// Nobody types more ahead.
const MOST: usize = 256;

/// Stands in the place of a panel until what it shows is known.
pub(crate) struct Opening {
    what: &'static str,
    typed: Vec<Event>,
}

impl Opening {
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, typed: Vec::new() }
    }

    /// What was typed ahead.
    pub(crate) fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.typed)
    }

    fn keep(&mut self, event: Event) -> Reaction {
        if self.typed.len() < MOST {
            self.typed.push(event);
        }
        Reaction::Stay
    }
}

impl Panel for Opening {
    fn draw(&mut self, look: &Look, _size: Size) -> Drawn {
        vec![look.row(Token::Accent, self.what)].into()
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        match keys.action(Context::Select, Chord::from(key)) {
            Some(actions::SELECT_CANCEL) => Reaction::Close(Box::new(|_| {})),
            _ => self.keep(Event::Key(key)),
        }
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.keep(Event::Paste(text.to_owned()))
    }
}
