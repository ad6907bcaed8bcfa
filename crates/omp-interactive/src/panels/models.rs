//! The choice of a model on the screen.

use omp_panels::models::{Panel as Machine, Wish};

use super::Reaction;
use super::covering::Covering;

/// All models that can be used.
pub(crate) fn models(machine: Machine) -> Covering<Machine, Wish> {
    Covering { machine, draw: Machine::draw, key: Machine::key, paste: Machine::paste, grant }
}

fn grant(wish: Wish) -> Reaction {
    match wish {
        Wish::Close => Reaction::Close(Box::new(|_| {})),
        Wish::Use(selector) => Reaction::Close(Box::new(move |app| app.use_model(selector))),
        Wish::Assign { role, selector } => {
            Reaction::Close(Box::new(move |app| app.assign_model(role, selector)))
        }
    }
}
