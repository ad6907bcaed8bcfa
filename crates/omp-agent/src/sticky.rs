//! Text that must never be far from the current turn.

use crate::correct;
use crate::run::Run;

/// How many turns of one prompt may pass until the sticky text is repeated.
const STICKY_TURNS: u32 = 10;

/// Where the sticky text stands.
#[derive(Clone, Copy)]
pub(crate) enum Sticky {
    /// It must go with the next request.
    Due,
    /// It went with a request so many turns ago.
    Since(u32),
}

impl Sticky {
    fn next(self) -> Self {
        match self {
            Self::Due => Self::Due,
            Self::Since(turns) => Self::Since(turns + 1),
        }
    }
}

impl Run<'_> {
    /// Repeats the sticky text after words of the user, and in a long run often enough to stay near.
    pub(crate) fn keep_sticky(&mut self) {
        let due = match self.sticky {
            Sticky::Due => true,
            Sticky::Since(turns) => turns >= STICKY_TURNS,
        };
        self.sticky = match self.fixed.setup.sticky().filter(|_| due) {
            Some(text) => {
                self.add(correct::sticky(&text, self.fixed.clock.now_ms()));
                Sticky::Since(1)
            }
            None => self.sticky.next(),
        };
    }
}
