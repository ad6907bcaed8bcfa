//! Where an event goes.

use crate::component::Handled;
use crate::input::{Code, Event, Key, KeyEventKind, Modifiers};

use super::Ui;

/// What a listener did with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: the next one may have it.
    Pass,
    /// It is done with.
    Consume,
    /// The others see this instead.
    Replace(Event),
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatch {
    /// A listener took it.
    Consumed,
    /// The focused component took it: a frame is due.
    Handled,
    /// Nobody wanted it.
    Ignored,
    /// The user asked for the debug view.
    Debug,
}

pub(super) type Listener = Box<dyn FnMut(&Event) -> Verdict>;

impl Ui {
    /// Adds a listener that sees every event before the components do.
    pub fn listen(&mut self, listener: impl FnMut(&Event) -> Verdict + 'static) {
        self.listeners.push(Box::new(listener));
    }

    /// Sends an event where it belongs.
    pub fn dispatch(&mut self, event: Event) -> Dispatch {
        let mut event = event;
        for listener in &mut self.listeners {
            match listener(&event) {
                Verdict::Pass => {}
                Verdict::Consume => return Dispatch::Consumed,
                Verdict::Replace(other) => event = other,
            }
        }
        let debug = Key::new(Code::Char('d'), Modifiers::CTRL | Modifiers::SHIFT);
        if event == Event::Key(debug) {
            return Dispatch::Debug;
        }
        self.correct_focus();
        let Some(component) = self.focus.and_then(|focus| self.component_mut(focus)) else {
            return Dispatch::Ignored;
        };
        let released = matches!(&event, Event::Key(key) if key.kind == KeyEventKind::Release);
        if released && !component.wants_release() {
            return Dispatch::Ignored;
        }
        match component.input(&event) {
            Handled::Yes => Dispatch::Handled,
            Handled::No => Dispatch::Ignored,
        }
    }
}
