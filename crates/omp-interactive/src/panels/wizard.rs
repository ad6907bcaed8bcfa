//! The wizard of the first run on the screen.

use omp_keys::Bindings;
use omp_panels::wizard::{Wizard as Machine, WizardRequest};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};
use crate::app::commands::setup;

/// The scenes, and what becomes of the setup when they were all seen.
pub(crate) struct Wizard {
    pub(crate) machine: Machine,
    /// Whether the end of the scenes is the end of the setup.
    pub(crate) whole: WizardEnd,
}

/// How much of the setup is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WizardEnd {
    /// All that is left of it: its end is kept.
    Yes,
    /// A part that was asked for.
    No,
}

fn reaction(wishes: Vec<WizardRequest>, whole: WizardEnd) -> Reaction {
    let over = wishes.iter().any(|wish| matches!(wish, WizardRequest::Leave | WizardRequest::Finish));
    let then = Box::new(move |app: &mut crate::app::App| {
        wishes.into_iter().for_each(|wish| setup::grant_wizard(app, wish, whole));
    });
    if over { Reaction::Close(then) } else { Reaction::Do(then) }
}

impl Panel for Wizard {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.machine.draw(look, size)
    }

    fn has_edge(&self) -> bool {
        true
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        reaction(self.machine.key(key, keys), self.whole)
    }

    fn paste(&mut self, text: &str) -> Reaction {
        reaction(self.machine.paste(text), self.whole)
    }

    fn covers(&self) -> bool {
        true
    }
}
