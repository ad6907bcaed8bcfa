//! Conversations of other programs, imported through the public interface and loaded as sessions.
#![expect(clippy::needless_pass_by_value, reason = "test helpers take json!({…}) in place")]

mod bounds;
mod claude;
mod codex;
mod discover;
mod pi;
mod property;
mod support;
mod wires;
