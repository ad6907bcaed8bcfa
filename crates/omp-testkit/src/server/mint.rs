//! Ids and signatures that only this server can have made.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};

/// Mints ids, signatures and encrypted payloads, and recognises its own.
///
/// SipHash with a secret is no cryptography, but nothing here has an adversary: it must only notice a client that
/// changes, swaps or invents a payload.
#[derive(Clone, Debug)]
pub(crate) struct Mint {
    secret: String,
    seed: String,
}

impl Mint {
    pub(crate) fn new(secret: Option<String>, seed: Option<String>) -> Self {
        Self { secret: secret.unwrap_or_else(random_text), seed: seed.unwrap_or_else(random_text) }
    }

    /// An id with this prefix, unique for the request and the place in its reply.
    pub(crate) fn id(&self, prefix: &str, request: usize, place: usize) -> String {
        format!("{prefix}{}", digest(&(&self.seed, prefix, request, place), 24))
    }

    pub(crate) fn signature(&self, thinking: &str) -> String {
        format!("sig-{}==", digest(&("signature", &self.secret, thinking), 64))
    }

    /// Payload of a `redacted_thinking` block: an id and a proof for it.
    pub(crate) fn redacted(&self, request: usize, place: usize) -> String {
        let name = self.id("", request, place);
        let proof = digest(&("redacted", &self.secret, &name), 32);
        format!("{name}.{proof}")
    }

    pub(crate) fn is_redacted(&self, data: &str) -> bool {
        data.split_once('.')
            .is_some_and(|(name, proof)| proof == digest(&("redacted", &self.secret, name), 32))
    }

    /// `encrypted_content` of a compaction item, which only the model it was made for can read.
    pub(crate) fn compacted(&self, item_id: &str, model: &str) -> String {
        format!("gAAAAA{}==", digest(&("compacted", &self.secret, item_id, model), 128))
    }

    /// `encrypted_content` of the reasoning item with this id.
    pub(crate) fn encrypted(&self, item_id: &str) -> String {
        format!("gAAAAA{}==", digest(&("encrypted", &self.secret, item_id), 96))
    }
}

fn random_text() -> String {
    let state = RandomState::new();
    format!("{:016x}{:016x}", state.hash_one(1), state.hash_one(2))
}

/// `length` hexadecimal digits derived from `value`.
fn digest(value: &impl Hash, length: usize) -> String {
    let mut text = String::with_capacity(length + 16);
    let mut round = 0_u32;
    while text.len() < length {
        let mut hasher = DefaultHasher::new();
        round.hash(&mut hasher);
        value.hash(&mut hasher);
        text.push_str(&format!("{:016x}", hasher.finish()));
        round += 1;
    }
    text.truncate(length);
    text
}
