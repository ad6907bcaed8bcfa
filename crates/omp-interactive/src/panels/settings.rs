//! The panel of settings on the screen.

use omp_panels::settings::{Panel as Machine, Wish};

use super::Reaction;
use super::covering::Covering;

/// All settings.
pub(crate) type Settings = Covering<Machine, Wish>;

/// The panel with these settings.
pub(crate) fn settings(machine: Machine) -> Settings {
    Covering { machine, draw: Machine::draw, key: Machine::key, paste: Machine::paste, grant }
}

fn grant(wish: Wish) -> Reaction {
    match wish {
        Wish::Close => Reaction::Close(Box::new(|_| {})),
        Wish::Set(path, text) => Reaction::Do(Box::new(move |app| app.change_setting(path, &text))),
        Wish::Reset(path) => Reaction::Do(Box::new(move |app| app.reset_setting(path))),
        Wish::Write(path) => Reaction::Do(Box::new(move |app| app.write_setting(path))),
        Wish::Try(path, text) => Reaction::Do(Box::new(move |app| app.try_setting(path, &text))),
        Wish::StopTrying => Reaction::Do(Box::new(crate::app::App::stop_trying)),
    }
}
