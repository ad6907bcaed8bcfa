//! A call that waits for a word.

use omp_keys::Bindings;
use omp_sdk::Reply;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use tokio::sync::oneshot;

use super::menu::Menu;
use super::{Drawn, Panel, Reaction, choice};

/// A menu of yes, always (where a rule can be made) and no.
pub(crate) struct Approval {
    menu: Menu,
    answer: Option<oneshot::Sender<Reply>>,
    always: bool,
}

impl Approval {
    pub(crate) fn new(menu: Menu, answer: oneshot::Sender<Reply>, always: bool) -> Self {
        Self { menu, answer: Some(answer), always }
    }
}

impl Panel for Approval {
    fn draw(&mut self, look: &Look, _size: Size) -> Drawn {
        self.menu.rows(look).into()
    }

    fn has_edge(&self) -> bool {
        true
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let Some(chosen) = choice::answer(&mut self.menu, key, keys) else { return Reaction::Stay };
        let reply = match chosen {
            Some(0) => Reply::Once,
            Some(1) if self.always => Reply::Always,
            _ => Reply::No,
        };
        if let Some(answer) = self.answer.take() {
            // The run was stopped meanwhile if nobody waits.
            let _ = answer.send(reply);
        }
        Reaction::Close(Box::new(|_| {}))
    }

    fn is_stale(&self) -> bool {
        self.answer.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}
