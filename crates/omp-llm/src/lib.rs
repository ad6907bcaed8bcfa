//! The one crate that knows the providers' wires.
//!
//! A [`Client`] turns an [`omp_types::ModelRequest`] into one provider's request and the answer back into the
//! neutral [`omp_types::StreamEvent`]s. Which wire is spoken is decided by [`Model::api`], never by the name of
//! the provider. The crate knows nothing of agents, files or terminals: keys, directories and environment
//! values are handed in.

mod answer;
mod arguments;
mod bounds;
pub mod bridge;
mod client;
mod compat;
pub mod demo;
pub mod dialect;
pub mod discovery;
mod failure;
mod frames;
#[doc(hidden)]
pub mod fuzzing;
mod history;
mod hosts;
mod model;
mod quirks;
pub mod registry;
mod repetition;
mod shaping;
mod sse;
mod tls;
mod wire;

pub use arguments::{PartialArguments, parse_partial};
pub use client::{
    BatchStream, Client, ClientError, ClientOptions, Hearing, Interceptor, PiecedAnswer, PlainAnswer,
    PlainBody, PlainCall, ProxySource, SocketMode, SocketOptions, StreamLimits, Tape, TapedAnswer, TapedBody,
    TapedRequest, collect, failed, unreached,
};
pub use failure::{classify_status, classify_text, retry_after_ms};
pub use hosts::{AwsCredentials, AwsOptions, AwsProvider, AwsSource, AzureOptions, CodeAssistOptions, Hosts};
pub use model::{
    Api, CacheControlFormat, Compat, Facts, Input, KeyOrigin, MaxTokensField, Model, ModelSource,
    ReasoningField, Secret, Strictness, ThinkingFormat, ThinkingMode, Transport,
};
pub use quirks::{ChatQuirks, ThinkingQuirks};
pub use shaping::Shaping;
pub use sse::{SseDecoder, SseError, SseEvent};
pub use tls::{PemSource, TlsOptions};
pub use wire::google::{GoogleAuthError, GoogleCredentials, GoogleIdentity, GoogleIdentitySource};
pub use wire::{Interleaving, Retention, StrictPolicy, preview};
