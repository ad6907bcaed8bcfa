//! A question whose answer is not shown.

use omp_keys::Bindings;
use omp_panels::login::{Login as Machine, LoginRequest};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};
use crate::app::App;

/// What follows from an answer.
type Answered = Box<dyn FnOnce(&mut App, String)>;

/// A question and what follows from its answer.
pub(crate) struct SecretInput {
    machine: Machine,
    answered: Option<Answered>,
}

impl SecretInput {
    pub(crate) fn new(question: &str, answered: impl FnOnce(&mut App, String) + 'static) -> Self {
        Self { machine: Machine::secret(question), answered: Some(Box::new(answered)) }
    }
}

impl Panel for SecretInput {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.machine.draw(look, size, None)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        match (self.machine.key(key, keys), self.answered.take()) {
            (Some(LoginRequest::Line(line)), Some(answered)) => {
                Reaction::Close(Box::new(move |app| answered(app, line)))
            }
            (Some(LoginRequest::Cancel), _) => Reaction::Close(Box::new(|_| {})),
            (_, answered) => {
                self.answered = answered;
                Reaction::Stay
            }
        }
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.machine.paste(text);
        Reaction::Stay
    }
}
