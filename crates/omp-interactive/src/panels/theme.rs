//! The list of themes on the screen.

use omp_keys::Bindings;
use omp_panels::theme::{Picker, Wish};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};

/// All themes.
pub(crate) struct Themes(pub(crate) Picker);

fn reaction(wish: Option<Wish>) -> Reaction {
    match wish {
        None => Reaction::Stay,
        Some(Wish::Try(name)) => Reaction::Do(Box::new(move |app| app.try_theme(&name))),
        Some(Wish::Keep(name)) => Reaction::Close(Box::new(move |app| app.keep_theme(&name))),
        Some(Wish::Cancel) => Reaction::Close(Box::new(crate::app::App::stop_trying)),
    }
}

impl Panel for Themes {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.0.draw(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        reaction(self.0.key(key, keys))
    }

    fn paste(&mut self, text: &str) -> Reaction {
        reaction(self.0.paste(text))
    }

    fn covers(&self) -> bool {
        true
    }
}
