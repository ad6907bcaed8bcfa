//! Something that takes a while and can be given up.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_theme::Token;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use tokio_util::sync::CancellationToken;

use super::{Drawn, Panel, Reaction, Then};
use crate::app::App;

/// Stands in the place of the editor while something is waited for.
pub(crate) struct Waiting {
    what: &'static str,
    cancel: CancellationToken,
    given_up: Option<Then>,
}

impl Waiting {
    /// `given_up` is done when the person does not want to wait any more; `cancel` fires then.
    pub(crate) fn new(
        what: &'static str,
        cancel: CancellationToken,
        given_up: impl FnOnce(&mut App) + 'static,
    ) -> Self {
        Self { what, cancel, given_up: Some(Box::new(given_up)) }
    }
}

impl Panel for Waiting {
    fn draw(&mut self, look: &Look, _size: Size) -> Drawn {
        vec![look.row(Token::Accent, self.what), look.row(Token::Muted, "Esc: cancel")].into()
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        if keys.action(Context::Select, Chord::from(key)) != Some(actions::SELECT_CANCEL) {
            return Reaction::Stay;
        }
        self.cancel.cancel();
        let Some(given_up) = self.given_up.take() else { return Reaction::Stay };
        Reaction::Close(given_up)
    }
}
