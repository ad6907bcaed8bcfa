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
    fn grant(wish: Self::Request) -> Reaction;
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

impl Granted for models::ModelsPanel {
    fn grant(wish: models::ModelsRequest) -> Reaction {
        use models::ModelsRequest;
        match wish {
            ModelsRequest::Close => Reaction::Close(Box::new(|_| {})),
            ModelsRequest::Use(selector) => {
                Reaction::Close(Box::new(move |app| commands::models::use_model(app, selector)))
            }
            ModelsRequest::Assign { role, selector } => {
                Reaction::Close(Box::new(move |app| commands::models::assign_model(app, role, selector)))
            }
        }
    }
}

impl Granted for settings::SettingsPanel {
    fn grant(wish: settings::SettingsRequest) -> Reaction {
        use settings::SettingsRequest;
        match wish {
            SettingsRequest::Close => Reaction::Close(Box::new(|_| {})),
            SettingsRequest::Set(path, text) => {
                Reaction::Do(Box::new(move |app| commands::settings::change_setting(app, path, &text)))
            }
            SettingsRequest::Reset(path) => {
                Reaction::Do(Box::new(move |app| commands::settings::reset_setting(app, path)))
            }
            SettingsRequest::Write(path) => {
                Reaction::Do(Box::new(move |app| commands::settings::write_setting(app, path)))
            }
            SettingsRequest::Try(path, text) => {
                Reaction::Do(Box::new(move |app| commands::settings::try_setting(app, path, &text)))
            }
            SettingsRequest::StopTrying => Reaction::Do(Box::new(commands::theme::stop_trying)),
        }
    }
}

impl Granted for theme::Picker {
    fn grant(wish: theme::ThemeRequest) -> Reaction {
        use theme::ThemeRequest;
        match wish {
            ThemeRequest::Try(name) => {
                Reaction::Do(Box::new(move |app| commands::theme::try_theme(app, &name)))
            }
            ThemeRequest::Keep(name) => {
                Reaction::Close(Box::new(move |app| commands::theme::keep_theme(app, &name)))
            }
            ThemeRequest::Cancel => Reaction::Close(Box::new(commands::theme::stop_trying)),
        }
    }
}
