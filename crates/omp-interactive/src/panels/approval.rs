//! A call that waits for a word.

use omp_keys::Bindings;
use omp_sdk::{Reply, Scope};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use tokio::sync::oneshot;

use super::menu::Menu;
use super::{Drawn, Panel, Reaction, choice};

/// A menu of yes, always with its scopes (where a rule can be made) and no.
pub(crate) struct Approval {
    menu: Menu,
    answer: Option<oneshot::Sender<Reply>>,
    /// What the places of the menu stand for; beyond them it is no.
    replies: Vec<Reply>,
}

impl Approval {
    /// `menu` says what is asked; `rules` are what a lasting yes would allow.
    pub(crate) fn new(mut menu: Menu, rules: Option<&[String]>, answer: oneshot::Sender<Reply>) -> Self {
        let mut replies = vec![Reply::Once];
        if let Some(rules) = rules {
            for scope in Scope::ALL {
                menu = menu.or(scope.answer(), rules.join(", "));
                replies.push(Reply::Always(scope));
            }
        }
        Self { menu: menu.or("No", ""), answer: Some(answer), replies }
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
        let reply = chosen.and_then(|place| self.replies.get(place).copied()).unwrap_or(Reply::No);
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
