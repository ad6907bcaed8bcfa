//! Sends a request and turns the bytes that come back into events.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{Stream, StreamExt, stream};
use omp_types::{AssistantMessage, Failure, FailureKind, ModelRequest, StreamEvent};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use crate::demo;
use crate::failure;
use crate::model::{Api, Model};
use crate::sse::{SseDecoder, SseError};
use crate::wire::{self, Decode, Interleaving, Policy, Progress, Retention, StrictPolicy};

/// Events in the order of their arrival. One item holds what one read from the network completed, so nothing
/// waits for anything and a fast stream is not slowed down by a wake-up per token.
pub type BatchStream = Pin<Box<dyn Stream<Item = Vec<StreamEvent>> + Send>>;

/// Settings of all requests. Environment variables are read by the caller, never here.
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
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(crate::tls::config()?)
            .connect_timeout(options.connect_timeout)
            .tcp_nodelay(true)
            .user_agent(options.user_agent.clone())
            .redirect(reqwest::redirect::Policy::limited(3))
            .build()?;
        Ok(Self { http, options: Arc::new(options) })
    }

    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Starts one answer. The stream always ends with exactly one `Done` or `Error`, also when `cancel` fires.
    pub fn stream(&self, model: Arc<Model>, request: &ModelRequest, cancel: CancellationToken) -> BatchStream {
        if model.api == Api::Demo {
            return demo::stream(&model, request, cancel);
        }
        let policy = Policy {
            strict: self.options.strict,
            retention: self.options.retention,
            interleaved: self.options.interleaving,
        };
        let wire_request = wire::encode(&model, request, policy);
        let exchange = Exchange {
            answer: Answer::new(&model, wire_request.names.clone(), now_ms()),
            decoder: wire::decoder(&model),
            sse: SseDecoder::new(self.options.max_event_bytes),
            idle: idle_timeout(self.options.idle_timeout, model.compat.stream_idle_timeout_ms),
            cancel,
            state: State::Prepared(Box::new((self.http.clone(), model, wire_request))),
        };
        Box::pin(stream::unfold(exchange, Exchange::step))
    }
}

/// The configured limit, raised to the model's own floor; zero means no limit.
fn idle_timeout(configured: Duration, floor_ms: u64) -> Option<Duration> {
    (!configured.is_zero()).then(|| configured.max(Duration::from_millis(floor_ms)))
}

/// One request and its answer.
struct Exchange {
    answer: Answer,
    decoder: Box<dyn Decode>,
    sse: SseDecoder,
    idle: Option<Duration>,
    cancel: CancellationToken,
    state: State,
}

enum State {
    Prepared(Box<(reqwest::Client, Arc<Model>, wire::WireRequest)>),
    Streaming(Pin<Box<dyn Stream<Item = reqwest::Result<bytes::Bytes>> + Send>>),
    Finished,
}

impl Exchange {
    /// The next batch of events, or the end.
    async fn step(mut self) -> Option<(Vec<StreamEvent>, Self)> {
        loop {
            let outcome = match std::mem::replace(&mut self.state, State::Finished) {
                State::Finished => return None,
                State::Prepared(parts) => self.send(*parts).await,
                State::Streaming(body) => self.read(body).await,
            };
            if let Err(failure) = outcome {
                self.state = State::Finished;
                self.answer.fail(failure);
            }
            let events = self.answer.take_events();
            if !events.is_empty() {
                return Some((events, self));
            }
        }
    }

    async fn send(&mut self, (http, model, request): (reqwest::Client, Arc<Model>, wire::WireRequest)) -> Result<(), Failure> {
        let headers = headers(&model, &request)?;
        let url = request.url.clone();
        let call = http.post(&url).headers(headers).body(request.body).send();
        let response = match self.watch().wait(call).await? {
            Ok(response) => response,
            Err(error) => return Err(transport_failure(&error, &url)),
        };
        let status = response.status();
        if !status.is_success() {
            return Err(refused(response, &self.watch()).await);
        }
        let content_type = header(response.headers(), "content-type").unwrap_or_default().to_ascii_lowercase();
        if content_type.starts_with("text/html") {
            return Err(fatal(format!(
                "{url} answered with a web page instead of a model stream; check the provider's baseUrl"
            )));
        }
        if content_type.starts_with("application/json") {
            let body = bounded_body(response, &self.watch()).await?;
            let text = failure::error_text(&body);
            return Err(wire::provider_error(&format!("{url} answered without a stream: {text}")));
        }
        self.answer.start();
        self.state = State::Streaming(Box::pin(response.bytes_stream()));
        Ok(())
    }

    async fn read(&mut self, mut body: Pin<Box<dyn Stream<Item = reqwest::Result<bytes::Bytes>> + Send>>) -> Result<(), Failure> {
        let chunk = match self.watch().wait(body.next()).await? {
            Some(Ok(chunk)) => chunk,
            Some(Err(error)) => {
                let cause = deepest_cause(&error);
                return Err(transient(format!("the connection broke while the answer was streaming: {cause}")));
            }
            None => return self.decoder.end(&mut self.answer),
        };
        let (decoder, answer) = (&mut self.decoder, &mut self.answer);
        let mut progress = Progress::More;
        let fed = self.sse.feed(&chunk, |event| {
            if progress == Progress::More {
                progress = decoder.event(event, answer)?;
            }
            Ok::<(), Stop>(())
        });
        match fed {
            Ok(()) => {}
            Err(Stop::Sse(error)) => return Err(fatal(error.to_string())),
            Err(Stop::Wire(failure)) => return Err(failure),
        }
        if progress == Progress::More {
            self.state = State::Streaming(body);
        }
        Ok(())
    }

    fn watch(&self) -> Watch {
        Watch { cancel: self.cancel.clone(), idle: self.idle }
    }
}

/// What ends a wait for the network: an abort or too long a silence.
struct Watch {
    cancel: CancellationToken,
    idle: Option<Duration>,
}

impl Watch {
    async fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        let silence = async {
            match self.idle {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(aborted()),
            value = future => Ok(value),
            () = silence => {
                let limit = self.idle.unwrap_or_default();
                Err(transient(format!("the provider sent nothing for {} s (stream idle timeout)", limit.as_secs_f64())))
            }
        }
    }
}

enum Stop {
    Sse(SseError),
    Wire(Failure),
}

impl From<SseError> for Stop {
    fn from(error: SseError) -> Self {
        Self::Sse(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Wire(failure)
    }
}

async fn refused(response: reqwest::Response, watch: &Watch) -> Failure {
    let status = response.status();
    let wait = failure::retry_after_ms(|name| header(response.headers(), name), now_ms());
    let body = match bounded_body(response, watch).await {
        Ok(body) => body,
        Err(failure) if failure.kind == FailureKind::Aborted => return failure,
        Err(_) => String::new(),
    };
    failure::from_status(status.as_u16(), status.canonical_reason().unwrap_or_default(), &body, wait)
}

/// Error bodies are short; one that is not is cut.
async fn bounded_body(response: reqwest::Response, watch: &Watch) -> Result<String, Failure> {
    const LIMIT: usize = 64 * 1024;
    let url = response.url().to_string();
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while body.len() < LIMIT {
        match watch.wait(stream.next()).await? {
            Some(Ok(bytes)) => body.extend_from_slice(&bytes),
            Some(Err(error)) => return Err(transport_failure(&error, &url)),
            None => break,
        }
    }
    body.truncate(LIMIT);
    Ok(String::from_utf8_lossy(&body).into_owned())
}

fn headers(model: &Model, request: &wire::WireRequest) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    for (name, value) in &request.headers {
        insert(&mut headers, name, value)?;
    }
    if let Some(key) = &model.key {
        let own_header = model.api == Api::AnthropicMessages && !model.bearer;
        let (name, text) = if own_header {
            (HeaderName::from_static("x-api-key"), key.reveal().to_owned())
        } else {
            (AUTHORIZATION, format!("Bearer {}", key.reveal()))
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| {
            fatal(format!("the key of provider {} contains characters that cannot be sent in a header", model.provider))
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    for (name, value) in &model.headers {
        insert(&mut headers, name, value)?;
    }
    Ok(headers)
}

fn insert(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), Failure> {
    let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
    let (name, value) = parsed.ok_or_else(|| fatal(format!("header {name:?} of the provider is not a valid HTTP header")))?;
    headers.insert(name, value);
    Ok(())
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn transport_failure(error: &reqwest::Error, url: &str) -> Failure {
    let cause = deepest_cause(error);
    let host = url::Url::parse(url).ok();
    let host = host.as_ref().map_or(url, |url| &url[..url::Position::BeforePath]);
    if error.is_builder() {
        return fatal(format!("{url} is not a usable address: {cause}"));
    }
    if error.is_connect() {
        return transient(format!("cannot connect to {host}: {cause}"));
    }
    if error.is_timeout() {
        return transient(format!("{host} timed out: {cause}"));
    }
    transient(format!("network error with {host}: {cause}"))
}

/// reqwest nests the useful sentence three levels deep.
fn deepest_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

fn fatal(message: String) -> Failure {
    Failure { kind: FailureKind::Fatal, message, status: None, retry_after_ms: None }
}

fn transient(message: String) -> Failure {
    Failure { kind: FailureKind::Transient, message, status: None, retry_after_ms: None }
}

pub(crate) fn aborted() -> Failure {
    Failure {
        kind: FailureKind::Aborted,
        message: "Request was aborted".to_owned(),
        status: None,
        retry_after_ms: None,
    }
}

pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Reads a stream to its end: all events, and the final message.
pub async fn collect(mut stream: BatchStream) -> (Vec<StreamEvent>, Option<AssistantMessage>) {
    let mut events = VecDeque::new();
    while let Some(batch) = stream.next().await {
        events.extend(batch);
    }
    let message = events.iter().find_map(StreamEvent::terminal).cloned();
    (events.into(), message)
}
