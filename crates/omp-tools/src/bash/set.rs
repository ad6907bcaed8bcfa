//! Variables that commands have set in the shell, as far as their text tells.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More variables than this are not followed.
const MOST: usize = 256;
/// Longer values are not followed.
const LONGEST: usize = 4096;

/// What is set in the living shell.
#[derive(Debug, Default)]
pub(crate) struct SetInShell(Mutex<HashMap<String, String>>);

impl SetInShell {
    pub(crate) fn known(&self) -> Vec<(String, String)> {
        self.lock().iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// What is set after another command. Where the shell stands is known better than by its text.
    pub(crate) fn replace(&self, set: HashMap<String, String>) {
        let followed = |(name, value): &(String, String)| name != "PWD" && value.len() <= LONGEST;
        *self.lock() = set.into_iter().filter(followed).take(MOST).collect();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
