//! What the server has said, so that it can tell whether a client repeats it faithfully.

use super::reply::Stop;
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// One output item of a Responses turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EmittedItem {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) call_id: Option<String>,
}

/// One turn as it was sent; only the fields of its wire are filled.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) stop: Stop,
    /// Anthropic content blocks in the form in which they must come back.
    pub(crate) blocks: Vec<Value>,
    /// Responses output items.
    pub(crate) items: Vec<EmittedItem>,
}

impl Turn {
    pub(crate) fn new(stop: Stop) -> Self {
        Self { stop, blocks: Vec::new(), items: Vec::new() }
    }

    pub(crate) fn block_of_kind(&self, kind: &str, key: &str, value: &str) -> bool {
        self.blocks.iter().any(|block| block["type"] == kind && block[key] == value)
    }
}

/// All turns of a server.
#[derive(Default)]
pub(crate) struct Turns(Mutex<Vec<Arc<Turn>>>);

impl Turns {
    pub(crate) fn add(&self, turn: Turn) {
        self.0.lock().expect("no thread panics while holding the turns").push(Arc::new(turn));
    }

    /// The latest turn for which `matches` holds.
    pub(crate) fn find(&self, matches: impl Fn(&Turn) -> bool) -> Option<Arc<Turn>> {
        let turns = self.0.lock().expect("no thread panics while holding the turns");
        turns.iter().rev().find(|turn| matches(turn)).cloned()
    }
}
