//! Earlier prompts: where they come from, and the search through them.

mod search;

use std::sync::Arc;

pub use search::{HistorySearch, SearchOutcome, SearchRequest};

/// Where earlier prompts come from.
pub trait Prompts {
    /// The prompt that many steps back; 0 is the newest. `None` if there are no more, or not yet.
    fn prompt(&self, back: usize) -> Option<Arc<str>>;
}

/// Prompts with the newest first.
impl Prompts for Vec<Arc<str>> {
    fn prompt(&self, back: usize) -> Option<Arc<str>> {
        self.get(back).cloned()
    }
}
