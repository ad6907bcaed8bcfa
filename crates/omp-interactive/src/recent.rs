//! The prompts that were typed before, for the editor's arrow keys.

use std::sync::{Arc, Mutex, PoisonError};

use omp_editor::Prompts;

/// Prompts, the newest first; shared with the editor.
#[derive(Clone, Default)]
pub(crate) struct Recent(Arc<Mutex<Vec<Arc<str>>>>);

impl Recent {
    /// Takes up the prompts of earlier sessions, the newest first.
    pub(crate) fn load(&self, prompts: impl IntoIterator<Item = String>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(prompts.into_iter().map(Arc::from));
    }

    pub(crate) fn add(&self, text: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !text.is_empty() && known.first().is_none_or(|last| **last != *text) {
            known.insert(0, text.into());
        }
    }
}

impl Prompts for Recent {
    fn prompt(&self, back: usize) -> Option<Arc<str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(back).cloned()
    }
}
