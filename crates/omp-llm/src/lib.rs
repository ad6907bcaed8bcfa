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
mod frames;
mod history;
mod hosts;
mod model;
mod quirks;
pub mod registry;
mod repetition;
pub mod schema;
mod sse;
mod tls;
mod wire;

pub use arguments::{PartialArguments, parse_partial};
pub use client::{
    BatchStream, Client, ClientError, ClientOptions, PlainAnswer, PlainBody, ProxySource, collect, failed,
};
pub use failure::{classify_status, classify_text, retry_after_ms};
pub use hosts::{AwsCredentials, AwsOptions, AwsSource, AzureOptions, Hosts};
pub use model::{
    Api, CacheControlFormat, Compat, Facts, Input, MaxTokensField, Model, ReasoningField, Secret, Strictness,
    ThinkingFormat, ThinkingMode,
};
pub use quirks::ChatQuirks;
pub use sse::{SseDecoder, SseError, SseEvent};
pub use wire::google::{GoogleAuthError, GoogleCredentials, GoogleIdentity, GoogleIdentitySource};
pub use wire::{Interleaving, Retention, StrictPolicy, preview};
