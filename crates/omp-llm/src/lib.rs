//! The one crate that knows the providers' wires.
//!
//! A [`Client`] turns an [`omp_types::ModelRequest`] into one provider's request and the answer back into the
//! neutral [`omp_types::StreamEvent`]s. Which wire is spoken is decided by [`Model::api`], never by the name of
//! the provider. The crate knows nothing of agents, files or terminals: keys, directories and environment
//! values are handed in.

mod answer;
mod arguments;
pub mod bridge;
mod client;
pub mod demo;
pub mod dialect;
pub mod discovery;
mod failure;
mod history;
mod model;
pub mod registry;
mod repetition;
pub mod schema;
mod sse;
mod tls;
mod wire;

pub use arguments::{PartialArguments, parse_partial};
pub use client::{BatchStream, Client, ClientError, ClientOptions, ProxySource, collect};
pub use failure::{classify_status, classify_text, retry_after_ms};
pub use model::{
    Api, CacheControlFormat, Compat, Input, MaxTokensField, Model, ReasoningField, Secret, Strictness,
    ThinkingFormat, ThinkingMode,
};
pub use sse::{SseDecoder, SseError, SseEvent};
pub use wire::{Interleaving, Retention, StrictPolicy};
