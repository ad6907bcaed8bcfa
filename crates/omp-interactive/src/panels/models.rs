//! The choice of a model on the screen.

use omp_keys::Bindings;
use omp_panels::models::{Panel as Machine, Wish};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};

/// All models that can be used.
pub(crate) struct Models(pub(crate) Machine);

impl Panel for Models {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.0.draw(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        match self.0.key(key, keys) {
            None => Reaction::Stay,
            Some(Wish::Close) => Reaction::Close(Box::new(|_| {})),
            Some(Wish::Use(selector)) => Reaction::Close(Box::new(move |app| app.use_model(selector))),
            Some(Wish::Assign { role, selector }) => {
                Reaction::Close(Box::new(move |app| app.assign_model(role, selector)))
            }
        }
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.0.paste(text);
        Reaction::Stay
    }

    fn covers(&self) -> bool {
        true
    }
}
