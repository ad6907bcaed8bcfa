//! The time since the program began.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The clock of the program, shared by what needs the time. It stands still while an entry of a recording is dealt with, so
/// that the same comes of it when it is replayed.
#[derive(Clone, Debug)]
pub(crate) struct Clock(Rc<Times>);

#[derive(Debug)]
struct Times {
    begun: Instant,
    held: Cell<Option<Duration>>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Rc::new(Times { begun: Instant::now(), held: Cell::new(None) }))
    }

    /// The time since the program began.
    pub(crate) fn now(&self) -> Duration {
        self.0.held.get().unwrap_or_else(|| self.0.begun.elapsed())
    }

    /// It is this time until it is released.
    pub(crate) fn hold(&self, time: Duration) {
        self.0.held.set(Some(time));
    }

    /// Time passes.
    pub(crate) fn release(&self) {
        self.0.held.set(None);
    }
}
