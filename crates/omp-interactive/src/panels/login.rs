//! A login on the screen.

use std::cell::RefCell;
use std::rc::Rc;

use omp_keys::Bindings;
use omp_keys::table as actions;
use omp_panels::login::{Login as Machine, LoginRequest};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};
use crate::app::commands::login;

/// A login that is under way. It also lives on while it is not shown.
pub(crate) struct Login {
    machine: Rc<RefCell<Machine>>,
    /// The key that copies the address.
    copy: Option<String>,
    /// It stands before something that takes the whole screen.
    whole: bool,
}

impl Login {
    pub(crate) fn new(machine: Rc<RefCell<Machine>>, keys: &Bindings, whole: bool) -> Self {
        Self { machine, copy: keys.hint(actions::CLIPBOARD_COPY_PROMPT), whole }
    }
}

impl Panel for Login {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let mut drawn = self.machine.borrow().draw(look, size, self.copy.as_deref());
        if self.whole {
            drawn.rows.resize(size.height.max(drawn.rows.len()), Line::new());
        }
        drawn
    }

    fn has_edge(&self) -> bool {
        self.whole
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let wish = self.machine.borrow_mut().key(key, keys);
        match wish {
            None => Reaction::Stay,
            Some(LoginRequest::Cancel) => Reaction::Close(Box::new(login::cancel_login)),
            Some(LoginRequest::Wait) => Reaction::Close(Box::new(login::park_login)),
            Some(LoginRequest::Line(line)) => {
                Reaction::Do(Box::new(move |app| login::answer_login(app, line)))
            }
            Some(LoginRequest::Copy(address)) => {
                Reaction::Do(Box::new(move |app| login::copy_address(app, &address)))
            }
        }
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.machine.borrow_mut().paste(text);
        Reaction::Stay
    }

    fn covers(&self) -> bool {
        self.whole
    }
}
