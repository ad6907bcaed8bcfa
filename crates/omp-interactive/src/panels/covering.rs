//! Large panels that are all machine: they lie over the conversation, and what they wish is done.

use omp_keys::Bindings;
use omp_panels::{Machine, models, settings, theme};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};
use crate::app::commands;

/// A machine whose wishes are done here.
pub(crate) trait Granted: Machine {
    /// What becomes of a wish.
    fn grant(wish: Self::Wish) -> Reaction;
}

/// A machine over the conversation.
pub(crate) struct Covering<M>(pub(crate) M);

impl<M: Granted + 'static> Panel for Covering<M> {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.0.draw(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        self.0.key(key, keys).map_or(Reaction::Stay, M::grant)
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.0.paste(text).map_or(Reaction::Stay, M::grant)
    }

    fn covers(&self) -> bool {
        true
    }
}

impl Granted for models::Panel {
    fn grant(wish: models::Wish) -> Reaction {
        use models::Wish;
        match wish {
            Wish::Close => Reaction::Close(Box::new(|_| {})),
            Wish::Use(selector) => {
                Reaction::Close(Box::new(move |app| commands::models::use_model(app, selector)))
            }
            Wish::Assign { role, selector } => {
                Reaction::Close(Box::new(move |app| commands::models::assign_model(app, role, selector)))
            }
        }
    }
}

impl Granted for settings::Panel {
    fn grant(wish: settings::Wish) -> Reaction {
        use settings::Wish;
        match wish {
            Wish::Close => Reaction::Close(Box::new(|_| {})),
            Wish::Set(path, text) => {
                Reaction::Do(Box::new(move |app| commands::settings::change_setting(app, path, &text)))
            }
            Wish::Reset(path) => {
                Reaction::Do(Box::new(move |app| commands::settings::reset_setting(app, path)))
            }
            Wish::Write(path) => {
                Reaction::Do(Box::new(move |app| commands::settings::write_setting(app, path)))
            }
            Wish::Try(path, text) => {
                Reaction::Do(Box::new(move |app| commands::settings::try_setting(app, path, &text)))
            }
            Wish::StopTrying => Reaction::Do(Box::new(commands::theme::stop_trying)),
        }
    }
}

impl Granted for theme::Picker {
    fn grant(wish: theme::Wish) -> Reaction {
        use theme::Wish;
        match wish {
            Wish::Try(name) => Reaction::Do(Box::new(move |app| commands::theme::try_theme(app, &name))),
            Wish::Keep(name) => Reaction::Close(Box::new(move |app| commands::theme::keep_theme(app, &name))),
            Wish::Cancel => Reaction::Close(Box::new(commands::theme::stop_trying)),
        }
    }
}
