//! The list of themes on the screen.

use omp_panels::theme::{Picker, Wish};

use super::Reaction;
use super::covering::Covering;

/// All themes.
pub(crate) fn themes(machine: Picker) -> Covering<Picker, Wish> {
    Covering { machine, draw: Picker::draw, key: Picker::key, paste: Picker::paste, grant }
}

fn grant(wish: Wish) -> Reaction {
    match wish {
        Wish::Try(name) => Reaction::Do(Box::new(move |app| app.try_theme(&name))),
        Wish::Keep(name) => Reaction::Close(Box::new(move |app| app.keep_theme(&name))),
        Wish::Cancel => Reaction::Close(Box::new(crate::app::App::stop_trying)),
    }
}
