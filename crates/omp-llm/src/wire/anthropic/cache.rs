//! Prompt-cache breakpoints.
//!
//! The API allows four. They go on the stable first system block, the last system block and the two newest user
//! messages: the newer writes the cache for the next request, the older finds what the request before has written.

use serde_json::{Value, json};

use crate::wire::caching::Caching;

impl Caching {
    pub(in crate::wire) fn on_system(self, blocks: &mut [Value]) {
        if let Some(first) = blocks.first_mut() {
            self.mark(first);
        }
        if let Some(last) = blocks.last_mut() {
            self.mark(last);
        }
    }

    /// Messages of the user end in text, an image or a result; all of them can carry a mark.
    pub(in crate::wire) fn on_messages(self, messages: &mut [(&str, Vec<Value>)]) {
        let newest = messages.iter_mut().rev().filter(|(role, _)| *role == "user").take(2);
        for block in newest.filter_map(|(_, content)| content.last_mut()) {
            self.mark(block);
        }
    }

    fn mark(self, block: &mut Value) {
        let control = match self {
            Self::Off => return,
            Self::Short => json!({"type": "ephemeral"}),
            Self::Long => json!({"type": "ephemeral", "ttl": "1h"}),
        };
        if let Some(members) = block.as_object_mut() {
            members.insert("cache_control".into(), control);
        }
    }
}
