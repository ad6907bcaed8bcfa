//! What commands have set in the shell, as far as their text tells: variables, functions, aliases.

use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_guard::command::Shell;

/// More variables than this are not followed.
const MOST: usize = 256;
/// Longer values are not followed.
const LONGEST: usize = 4096;

/// What is set in the living shell.
#[derive(Debug, Default)]
pub(crate) struct SetInShell(Mutex<Shell>);

impl SetInShell {
    pub(crate) fn known(&self) -> Shell {
        self.lock().clone()
    }

    /// What is set after another command. Where the shell stands is known better than by its text.
    pub(crate) fn replace(&self, set: Shell) {
        let followed = |(name, value): &(String, String)| name != "PWD" && value.len() <= LONGEST;
        // Another search path counts however long it is.
        let uncertain = set.uncertain || set.variables.contains_key("PATH");
        let variables = set.variables.into_iter().filter(followed).take(MOST).collect();
        *self.lock() = Shell { variables, uncertain, ..set };
    }

    fn lock(&self) -> MutexGuard<'_, Shell> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
