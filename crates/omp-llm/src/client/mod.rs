//! Sends a request and turns the bytes that come back into events.

mod aws;
mod compact;
mod exchange;
mod http;
mod intercept;
mod live;
mod pieced;
mod plain;
mod preview;
mod refuse;
mod relax;
mod socket;
mod tape;
mod watch;

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{Stream, StreamExt};
use omp_types::{AssistantMessage, ModelRequest, Purpose, StreamEvent};
use tokio_util::sync::CancellationToken;

use crate::demo;
use crate::dialect::{self, Guard, LeakRecords, Lifting, SaidOnce, ToolFormat};
use crate::hosts::Hosts;
use crate::model::{Api, Model, Transport};
use crate::sse::SseDecoder;
use crate::tls::TlsOptions;
use crate::wire::google::GoogleCredentials;
use crate::wire::{self, Interleaving, Policy, Retention, StrictPolicy};
use exchange::Exchange;
pub(crate) use http::{content_type, transport_failure, without_secrets};
pub use intercept::Interceptor;
pub use pieced::PiecedAnswer;
pub use plain::{PlainAnswer, PlainBody, PlainCall};
pub use refuse::failed;
use relax::Relaxed;
use socket::Sockets;
pub use socket::{SocketMode, SocketOptions};
pub use tape::{Hearing, Tape, TapedAnswer, TapedBody, TapedRequest, unreached};

/// Events in the order of their arrival. One item holds what one read from the network completed, so nothing
/// waits for anything and a fast stream is not slowed down by a wake-up per token.
pub type BatchStream = Pin<Box<dyn Stream<Item = Vec<StreamEvent>> + Send>>;

/// Settings of all requests. Environment variables are read by the caller, except for those that name proxies.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    pub connect_timeout: Duration,
    /// Longest silence of a stream; zero waits for ever.
    pub idle_timeout: Duration,
    /// What holds on OpenAI's wires instead.
    pub openai_limits: StreamLimits,
    pub strict: StrictPolicy,
    pub retention: Retention,
    pub interleaving: Interleaving,
    /// Largest single event a server may send.
    pub max_event_bytes: usize,
    pub user_agent: String,
    pub proxy: ProxySource,
    /// How tools are offered (`tools.format`).
    pub tool_format: ToolFormat,
    /// WebSockets to ChatGPT accounts.
    pub sockets: SocketOptions,
    /// What is written down when a model leaks its message format.
    pub leak_records: LeakRecords,
    /// Who we are to Google Cloud, for Vertex models without a key.
    pub google: Option<GoogleCredentials>,
    /// What Azure and Amazon need beyond address and key.
    pub hosts: Hosts,
    /// Who is trusted beyond the machine's authorities, and who we are.
    pub tls: TlsOptions,
    /// What hears requests to models or answers them.
    pub tape: Option<Arc<dyn Tape>>,
    /// Who sees requests to models as they leave, and may change them.
    pub interceptor: Option<Arc<dyn Interceptor>>,
}

/// Limits of silence for the streams of some wires; zero waits for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamLimits {
    /// Longest silence, if it is not that of the client (`PI_OPENAI_STREAM_IDLE_TIMEOUT_MS`).
    pub idle: Option<Duration>,
    /// How long the first event may take, if that is not the longest silence
    /// (`PI_OPENAI_STREAM_FIRST_EVENT_TIMEOUT_MS`).
    pub first_event: Option<Duration>,
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
            openai_limits: StreamLimits::default(),
            strict: StrictPolicy::default(),
            retention: Retention::default(),
            interleaving: Interleaving::default(),
            max_event_bytes: SseDecoder::DEFAULT_LIMIT,
            user_agent: concat!("omp/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy: ProxySource::default(),
            tool_format: ToolFormat::default(),
            sockets: SocketOptions::default(),
            leak_records: LeakRecords::default(),
            google: None,
            hosts: Hosts::default(),
            tls: TlsOptions::default(),
            tape: None,
            interceptor: None,
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
    /// Where enforced schemas were found too large.
    relaxed: Arc<Relaxed>,
    sockets: Arc<Sockets>,
    /// It was said that a server returns calls as text.
    written: SaidOnce,
}

impl Client {
    pub fn new(options: ClientOptions) -> Result<Self, ClientError> {
        Ok(Self {
            http: http::client(&options)?,
            options: Arc::new(options),
            relaxed: Arc::default(),
            sockets: Arc::default(),
            written: SaidOnce::default(),
        })
    }

    /// Closes the connections that are kept for the next request of a conversation. The client keeps working; the next
    /// request opens a new one. Answers with how many there were.
    pub async fn close(&self) -> usize {
        self.sockets.close().await
    }

    /// The same client without a proxy, for servers on this machine.
    pub(crate) fn direct(&self) -> Result<Self, ClientError> {
        Self::new(ClientOptions { proxy: ProxySource::Direct, ..self.options.as_ref().clone() })
    }

    /// What connections to servers that are no providers begin with: our TLS, our proxies and our name, but no
    /// certificate of ours.
    pub fn stranger_builder(&self) -> Result<reqwest::ClientBuilder, ClientError> {
        http::stranger_builder(&self.options)
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
        if model.transport == Transport::Script {
            let reason = format!("{} is served by an extension, which is not loaded here", model.selector());
            return failed(&model, crate::failure::fatal(reason));
        }
        if request.options.purpose == Purpose::Compaction {
            return compact::stream(self, model, request, cancel);
        }
        if model.transport == Transport::PiNative {
            return self.exchange(model, request, cancel);
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
        let events = match dialect::is_read(&speaker, request) {
            true => dialect::read(&speaker, request, lifting, self.written.clone(), events),
            false => events,
        };
        match lifting {
            Some(lifting) => dialect::lift(lifting, &speaker, request, events),
            None if dialect::is_affected(&speaker) => Guard {
                model: speaker,
                lines: request.options.line_tools.clone(),
                records: self.options.leak_records,
            }
            .watch(events),
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
        let policy = self.policy(&model, request);
        if wire::may_be_too_strict(&model, request, policy) {
            return relax::on_refusal(self.clone(), model, request.clone(), policy, cancel);
        }
        self.exchange_with(model, request, policy, cancel)
    }

    fn policy(&self, model: &Model, request: &ModelRequest) -> Policy {
        let options = &self.options;
        let wished = request.options.cache_retention.or(model.shaping.retention);
        Policy {
            strict: if self.relaxed.holds(model) { StrictPolicy::Never } else { options.strict },
            retention: wished.unwrap_or(options.retention),
            interleaved: options.interleaving,
        }
    }

    fn exchange_with(
        &self,
        model: Arc<Model>,
        request: &ModelRequest,
        policy: Policy,
        cancel: CancellationToken,
    ) -> BatchStream {
        if self.lacks_aws(&model) {
            return self.exchange_with_aws(model, request.clone(), policy, cancel);
        }
        let wire_request = wire::encode(&model, request, policy, &self.options.hosts);
        let session = request.options.session_id.clone();
        Exchange::new(self, model, wire_request, session, cancel).into_stream()
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
