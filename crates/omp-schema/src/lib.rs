//! Tool-schema normalisation: one JSON Schema in, the dialect of one host out.
//!
//! Every host accepts another subset of JSON Schema, and most of them refuse the *whole request* for one
//! keyword they do not know. So a tool's schema passes through here before it is put on a wire:
//!
//! ```text
//! upgrade ─▶ refs ─▶ root ─▶ walk (options of the target) ─▶ target-specific end
//! ```
//!
//! * `upgrade` brings older drafts and OpenAPI habits to JSON Schema 2020-12.
//! * `refs` inlines local `$ref`s, with guards against cycles and explosion.
//! * `root` makes the root the plain object every host insists on.
//! * `walk` is the tree walk, `rules` its options, `targets` the option sets and entry points.
//! * `strict` enforces OpenAI's strict mode on what the walk left, `closed` Anthropic's.
//!
//! Invariants: nothing here reads the environment or keeps state; the input is never changed; equal inputs
//! give equal bytes (prompt caches depend on it); no JSON value makes it panic or run forever.

mod closed;
mod combine;
mod complete;
mod keywords;
mod nulls;
mod refs;
mod root;
mod rules;
mod spill;
mod strict;
mod targets;
mod types;
mod union;
mod upgrade;
mod walk;

pub use closed::close_for_anthropic;
pub use strict::{Adapted, StrictMode, adapt_for_strict};
pub use targets::{
    normalize_for_anthropic, normalize_for_cca, normalize_for_code_assist, normalize_for_google,
    normalize_for_mcp, normalize_for_responses,
};
pub use types::type_of;
