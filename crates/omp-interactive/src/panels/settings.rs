//! The panel of settings on the screen.

use omp_keys::Bindings;
use omp_panels::settings::{Panel as Machine, Wish};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};

/// All settings.
pub(crate) struct Settings(pub(crate) Machine);

impl Panel for Settings {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.0.draw(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        match self.0.key(key, keys) {
            None => Reaction::Stay,
            Some(Wish::Close) => Reaction::Close(Box::new(|_| {})),
            Some(Wish::Set(path, text)) => Reaction::Do(Box::new(move |app| app.change_setting(path, &text))),
            Some(Wish::Reset(path)) => Reaction::Do(Box::new(move |app| app.reset_setting(path))),
            Some(Wish::Write(path)) => Reaction::Do(Box::new(move |app| app.write_setting(path))),
            Some(Wish::Try(path, text)) => Reaction::Do(Box::new(move |app| app.try_setting(path, &text))),
            Some(Wish::StopTrying) => Reaction::Do(Box::new(crate::app::App::stop_trying)),
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
