//! Shells that a command keeps for itself, and what the next command gets instead.

use std::io::Read;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::scope::{Exchange, Named};

/// More than that is nobody's variables and functions.
const MOST_STATE: u64 = 1 << 20;

/// The shell that a command got, for [`super::Shells::give_away`].
#[derive(Debug, Default)]
pub struct Hold {
    taken: Mutex<Option<Held>>,
    saves: bool,
}

/// A place among the shells.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) id: u64,
    /// Commands ran in the shell before.
    pub(super) knows_something: bool,
    /// What the shell knew before the command, once it has written it.
    file: Option<Named>,
}

/// What a command that keeps its shell takes away from the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// It had a shell of its own, or one that knew nothing.
    Nothing,
    /// Nothing but what the command itself changed: a fresh shell begins there, with the variables, functions and aliases
    /// from before it.
    Copied(PathBuf),
    /// Variables and functions of the commands before. A fresh shell begins there.
    State(PathBuf),
}

/// What a fresh shell takes over from the one before.
pub(super) struct Legacy {
    pub(super) directory: PathBuf,
    /// Definitions, as bash code.
    pub(super) state: Option<String>,
}

impl Hold {
    /// For a command that may be given its shell: the shell writes down first what it knows, if it can.
    pub fn saving() -> Self {
        Self { saves: true, ..Self::default() }
    }

    pub(super) fn fill(&self, id: u64, knows_something: bool, saves_to: Option<&Exchange>) {
        let saves_to = saves_to.filter(|_| self.saves && knows_something);
        // Without a file the shell is given away as it is.
        let file = saves_to.and_then(|exchange| exchange.file("").ok());
        let held = Held { id, knows_something, file };
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
    }

    pub(super) fn take(&self) -> Option<Held> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The file that the shell writes to before the command.
    pub(super) fn save_to(&self) -> Option<PathBuf> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.as_ref()?.file.as_ref().map(|file| file.path().to_owned())
    }
}

impl Held {
    /// What the shell wrote, if it is whole and not absurdly long.
    pub(super) fn state(&self) -> Option<String> {
        let mut file = self.file.as_ref()?.open().ok()?;
        let length = file.metadata().ok()?.len();
        if length == 0 || length > MOST_STATE {
            return None;
        }
        let mut state = String::new();
        file.read_to_string(&mut state).ok()?;
        Some(state)
    }
}
