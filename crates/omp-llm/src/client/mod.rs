//! Sends a request and turns the bytes that come back into events.

mod exchange;
mod http;
mod plain;
mod refuse;

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{Stream, StreamExt};
use omp_types::{AssistantMessage, ModelRequest, StreamEvent};
use tokio_util::sync::CancellationToken;

use crate::demo;
use crate::dialect::{self, Lifting, ToolFormat};
use crate::hosts::Hosts;
use crate::model::{Api, Model};
use crate::sse::SseDecoder;
use crate::wire::google::GoogleCredentials;
use crate::wire::{self, Interleaving, Policy, Retention, StrictPolicy};
use exchange::Exchange;
pub use plain::{PlainAnswer, PlainBody};
pub use refuse::failed;

/// Events in the order of their arrival. One item holds what one read from the network completed, so nothing
/// waits for anything and a fast stream is not slowed down by a wake-up per token.
pub type BatchStream = Pin<Box<dyn Stream<Item = Vec<StreamEvent>> + Send>>;

/// Settings of all requests. Environment variables are read by the caller, except for those that name proxies.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    pub connect_timeout: Duration,
    /// Longest silence of a stream; zero waits for ever.
    pub idle_timeout: Duration,
    pub strict: StrictPolicy,
    pub retention: Retention,
    pub interleaving: Interleaving,
    /// Largest single event a server may send.
    pub max_event_bytes: usize,
    pub user_agent: String,
    pub proxy: ProxySource,
    /// How tools are offered (`tools.format`).
    pub tool_format: ToolFormat,
    /// Who we are to Google Cloud, for Vertex models without a key.
    pub google: Option<GoogleCredentials>,
    /// What Azure and Amazon need beyond address and key.
    pub hosts: Hosts,
}

/// Which proxy stands between us and the providers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProxySource {
    /// `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, read when the client is built.
    #[default]
    Environment,
    /// This one, for everything.
    Url(String),
    Direct,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(300),
            strict: StrictPolicy::default(),
            retention: Retention::default(),
            interleaving: Interleaving::default(),
            max_event_bytes: SseDecoder::DEFAULT_LIMIT,
            user_agent: concat!("omp/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy: ProxySource::default(),
            tool_format: ToolFormat::default(),
            google: None,
            hosts: Hosts::default(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
    #[error("cannot set up the HTTP client: {0}")]
    Http(#[from] reqwest::Error),
}

/// Speaks to any model. Cheap to clone; connections are shared.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    options: Arc<ClientOptions>,
}

impl Client {
    pub fn new(options: ClientOptions) -> Result<Self, ClientError> {
        Ok(Self { http: http::client(&options)?, options: Arc::new(options) })
    }

    /// The same client without a proxy, for servers on this machine.
    pub(crate) fn direct(&self) -> Result<Self, ClientError> {
        Self::new(ClientOptions { proxy: ProxySource::Direct, ..self.options.as_ref().clone() })
    }

    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Starts one answer. The stream always ends with exactly one `Done` or `Error`, also when `cancel` fires.
    pub fn stream(
        &self,
        model: Arc<Model>,
        request: &ModelRequest,
        cancel: CancellationToken,
    ) -> BatchStream {
        if model.api == Api::Demo {
            return demo::stream(&model, request, &cancel);
        }
        let inert = dialect::is_harmony_served(&model.id).then(|| dialect::inert(request)).flatten();
        let request = inert.as_ref().unwrap_or(request);
        let lifting = self.lifting(&model);
        let in_band = match lifting {
            Some(Lifting::Dialect(dialect)) => Some(dialect::in_band(dialect, &model, request)),
            _ => None,
        };
        let speaker = Arc::clone(&model);
        let events = self.exchange(model, in_band.as_ref().unwrap_or(request), cancel);
        match lifting {
            Some(lifting) => dialect::lift(lifting, &speaker, request, events),
            None if dialect::is_affected(&speaker) => dialect::guard(events),
            None => events,
        }
    }

    /// What is to be done with the text of the model's answers.
    fn lifting(&self, model: &Model) -> Option<Lifting> {
        let dialect = self.options.tool_format.dialect(&model.id, model.compat.supports_tools);
        dialect.map(Lifting::Dialect).or_else(|| model.compat.heals_markup.then_some(Lifting::Healing))
    }

    /// One request as its wire has it, and the events of that wire.
    fn exchange(&self, model: Arc<Model>, request: &ModelRequest, cancel: CancellationToken) -> BatchStream {
        let options = &self.options;
        let policy = Policy {
            strict: options.strict,
            retention: options.retention,
            interleaved: options.interleaving,
        };
        let wire_request = wire::encode(&model, request, policy, &options.hosts);
        Exchange::new(self.http.clone(), options, model, wire_request, cancel).into_stream()
    }
}

pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Reads a stream to its end: all events, and the final message.
pub async fn collect(mut stream: BatchStream) -> (Vec<StreamEvent>, Option<AssistantMessage>) {
    let mut events = Vec::new();
    while let Some(batch) = stream.next().await {
        events.extend(batch);
    }
    let message = events.iter().find_map(StreamEvent::terminal).cloned();
    (events, message)
}
