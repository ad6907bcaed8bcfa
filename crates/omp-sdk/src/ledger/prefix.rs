//! A request in parts, as hashes: two requests share a provider's cache as far as their parts are equal from the start.

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::Arc;

use omp_types::{Message, ModelRequest, ThinkingLevel};
use serde::Serialize;

/// The parts of a request, in the order in which they are sent.
pub(super) struct Prefix {
    system: u64,
    tools: u64,
    thinking: ThinkingLevel,
    /// Messages with their hashes. They are kept to know them again, so that each is hashed once.
    messages: Vec<(Arc<Message>, u64)>,
}

/// What is new in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) system: bool,
    pub(super) tools: bool,
    pub(super) thinking: bool,
    /// More than the last message of before is another one, or gone.
    pub(super) history: bool,
}

impl Prefix {
    /// Hashes a request. What the request before had in the same place is not hashed again.
    pub(super) fn of(request: &ModelRequest, before: Option<&Self>) -> Self {
        let known = |at: usize, message: &Arc<Message>| {
            let (same, hash) = before?.messages.get(at)?;
            Arc::ptr_eq(same, message).then_some(*hash)
        };
        let hashed = |(at, message): (usize, &Arc<Message>)| {
            let hash = known(at, message).unwrap_or_else(|| hash(&**message));
            (Arc::clone(message), hash)
        };
        Self {
            system: hash(&*request.system),
            tools: hash(&*request.tools),
            thinking: request.options.thinking,
            messages: request.messages.iter().enumerate().map(hashed).collect(),
        }
    }

    /// What changed since `before`.
    pub(super) fn since(&self, before: &Self) -> Change {
        let pairs = self.messages.iter().zip(&before.messages);
        let shared = pairs.take_while(|((_, new), (_, old))| new == old).count();
        Change {
            system: self.system != before.system,
            tools: self.tools != before.tools,
            thinking: self.thinking != before.thinking,
            history: shared + 1 < before.messages.len(),
        }
    }
}

fn hash(value: &(impl Serialize + ?Sized)) -> u64 {
    let mut into = Into(DefaultHasher::new());
    // What cannot be written is like nothing else; a hasher refuses nothing.
    let _ = serde_json::to_writer(&mut into, value);
    into.0.finish()
}

/// Takes bytes for a hasher.
struct Into(DefaultHasher);

impl io::Write for Into {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
