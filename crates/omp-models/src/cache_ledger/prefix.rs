//! A request in parts, as hashes: two requests share a provider's cache as far as their parts are equal from the start.

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::Arc;

use omp_types::{Message, ModelRequest, ThinkingLevel, ToolDefinition};
use serde::Serialize;

/// The parts of a request, in the order in which they are sent.
pub(super) struct Prefix {
    system: PrefixPart<[String]>,
    tools: PrefixPart<[ToolDefinition]>,
    thinking: ThinkingLevel,
    messages: Vec<PrefixPart<Message>>,
}

/// A part with its hash. It is kept to know it again, so that each is hashed once.
struct PrefixPart<T: ?Sized> {
    value: Arc<T>,
    hash: u64,
}

impl<T: Serialize + ?Sized> PrefixPart<T> {
    /// Hashes a part, unless it is the one that stood there before.
    fn of(value: &Arc<T>, before: Option<&Self>) -> Self {
        let known = before.filter(|before| Arc::ptr_eq(&before.value, value)).map(|before| before.hash);
        Self { value: Arc::clone(value), hash: known.unwrap_or_else(|| hash(&**value)) }
    }
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
        let message = |(at, message): (usize, &Arc<Message>)| {
            PrefixPart::of(message, before.and_then(|before| before.messages.get(at)))
        };
        Self {
            system: PrefixPart::of(&request.system, before.map(|before| &before.system)),
            tools: PrefixPart::of(&request.tools, before.map(|before| &before.tools)),
            thinking: request.options.thinking,
            messages: request.messages.iter().enumerate().map(message).collect(),
        }
    }

    /// What changed since `before`.
    pub(super) fn since(&self, before: &Self) -> Change {
        let pairs = self.messages.iter().zip(&before.messages);
        let shared = pairs.take_while(|(new, old)| new.hash == old.hash).count();
        Change {
            system: self.system.hash != before.system.hash,
            tools: self.tools.hash != before.tools.hash,
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
