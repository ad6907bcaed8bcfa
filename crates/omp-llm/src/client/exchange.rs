//! One request and its answer.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use omp_types::{Failure, FailureKind, StopReason, StreamEvent};
use tokio_util::sync::CancellationToken;

use super::{BatchStream, ClientOptions, http, now_ms};
use crate::answer::Answer;
use crate::failure::{self, aborted, fatal, transient};
use crate::frames::{FrameError, Frames};
use crate::model::{Api, Model, Secret};
use crate::sse::SseError;
use crate::wire::google::GoogleCredentials;
use crate::wire::{self, Decode, Progress, WireRequest};

/// A state machine: every step gives a batch of events, and the last batch ends with the one terminal event.
pub(super) struct Exchange {
    answer: Answer,
    decoder: Box<dyn Decode>,
    frames: Frames,
    watch: Watch,
    key: Option<Secret>,
    state: State,
}

enum State {
    Prepared(Box<Prepared>),
    Streaming(Body),
    Finished,
}

struct Prepared {
    http: reqwest::Client,
    model: Arc<Model>,
    request: WireRequest,
    google: Option<GoogleCredentials>,
    /// Whether there is anything that opens the host.
    access: Result<(), Failure>,
}

type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

impl Exchange {
    pub(super) fn new(
        http: reqwest::Client,
        options: &ClientOptions,
        model: Arc<Model>,
        mut request: WireRequest,
        cancel: CancellationToken,
    ) -> Self {
        let names = std::mem::take(&mut request.names);
        let access = wire::check_access(&model, &request, &options.hosts);
        Self {
            answer: Answer::new(&model, names, now_ms()),
            decoder: wire::decoder(&model),
            frames: Frames::new(model.api, options.max_event_bytes),
            watch: Watch {
                cancel,
                idle: idle_timeout(options.idle_timeout, model.compat.stream_idle_timeout_ms),
            },
            key: model.key.clone(),
            state: State::Prepared(Box::new(Prepared {
                http,
                model,
                request,
                google: options.google.clone(),
                access,
            })),
        }
    }

    pub(super) fn into_stream(self) -> BatchStream {
        Box::pin(stream::unfold(self, Self::step))
    }

    /// The next batch of events, or the end.
    async fn step(mut self) -> Option<(Vec<StreamEvent>, Self)> {
        loop {
            let outcome = match std::mem::replace(&mut self.state, State::Finished) {
                State::Finished => return None,
                State::Prepared(prepared) => self.send(*prepared).await,
                State::Streaming(body) => self.read(body).await,
            };
            if let Err(mut failure) = outcome {
                self.state = State::Finished;
                hide_key(&mut failure, self.key.as_ref());
                self.answer.fail(failure);
            }
            let events = self.answer.take_events();
            if !events.is_empty() {
                return Some((events, self));
            }
        }
    }

    async fn send(&mut self, prepared: Prepared) -> Result<(), Failure> {
        let Prepared { http, model, request, google, access } = prepared;
        access?;
        let model = self.with_token(model, google.as_ref(), &http).await?;
        let headers = http::headers(&model, &request)?;
        let place = http::without_secrets(&request.url);
        let call = http.post(&request.url).headers(headers).body(request.body).send();
        let response = match self.watch.wait(call).await? {
            Ok(response) => response,
            Err(error) => return Err(http::transport_failure(&error, &place)),
        };
        if !response.status().is_success() {
            return Err(refused(response, &place, &self.watch, model.api).await);
        }
        match http::content_type(&response).as_str() {
            "text/html" => Err(fatal(format!(
                "{place} answered with a web page instead of a model stream; check the provider's baseUrl"
            ))),
            "application/json" => {
                let text = failure::error_text(&bounded_body(response, &self.watch).await?);
                let kind = failure::classify_text(&text);
                let message = format!("{place} answered without a stream: {text}");
                Err(Failure { kind, message, status: None, retry_after_ms: None })
            }
            _ => {
                self.answer.start();
                self.state = State::Streaming(Box::pin(response.bytes_stream()));
                Ok(())
            }
        }
    }

    /// A Vertex model without a key of its own gets the token of the moment.
    async fn with_token(
        &mut self,
        model: Arc<Model>,
        google: Option<&GoogleCredentials>,
        http: &reqwest::Client,
    ) -> Result<Arc<Model>, Failure> {
        let Some(google) = google.filter(|_| model.api == Api::GoogleVertex && model.key.is_none()) else {
            return Ok(model);
        };
        let token = self.watch.wait(google.token(http)).await??;
        self.key = Some(token.clone());
        Ok(Arc::new(Model { key: Some(token), bearer: true, ..model.as_ref().clone() }))
    }

    async fn read(&mut self, mut body: Body) -> Result<(), Failure> {
        let chunk = match self.watch.wait(body.next()).await? {
            Some(Ok(chunk)) => chunk,
            Some(Err(error)) => {
                let cause = http::deepest_cause(&error);
                return Err(transient(format!(
                    "the connection broke while the answer was streaming: {cause}"
                )));
            }
            None => return self.finish(),
        };
        if self.decode(&chunk)? == Progress::More {
            self.state = State::Streaming(body);
        }
        Ok(())
    }

    /// The body has ended. What is left of it may be the last event; half of one is an answer cut short.
    fn finish(&mut self) -> Result<(), Failure> {
        let rest = self.frames.rest();
        match self.decode(rest) {
            Ok(Progress::Finished) => Ok(()),
            _ => self.decoder.end(&mut self.answer),
        }
    }

    fn decode(&mut self, chunk: &[u8]) -> Result<Progress, Failure> {
        let (decoder, answer) = (&mut self.decoder, &mut self.answer);
        let mut progress = Progress::More;
        let fed = self.frames.feed(chunk, |event| {
            if progress == Progress::Finished {
                return Ok(());
            }
            progress = decoder.event(event, answer)?;
            if progress == Progress::More && answer.ran_away() {
                answer.finish(StopReason::Stop);
                progress = Progress::Finished;
            }
            Ok::<(), Stop>(())
        });
        match fed {
            // What follows a complete answer cannot spoil it.
            _ if progress == Progress::Finished => Ok(progress),
            Ok(()) => Ok(progress),
            // The same request may arrive whole the next time.
            Err(Stop::Frame(error @ FrameError::Damaged(_))) => Err(transient(error.to_string())),
            Err(Stop::Frame(error)) => Err(fatal(error.to_string())),
            Err(Stop::Wire(failure)) => Err(failure),
        }
    }
}

/// What a status other than success means.
async fn refused(response: reqwest::Response, place: &str, watch: &Watch, api: Api) -> Failure {
    let status = response.status();
    if let Some(target) = http::redirect_target(&response) {
        return fatal(format!(
            "{status}: {place} redirects to {target}; a key is never sent on, set the provider's baseUrl to the new address"
        ));
    }
    let wait = failure::retry_after_ms(|name| http::header(response.headers(), name), now_ms());
    let body = match bounded_body(response, watch).await {
        Ok(body) => body,
        Err(failure) if failure.kind == FailureKind::Aborted => return failure,
        // The status alone says enough.
        Err(_) => String::new(),
    };
    let reason = status.canonical_reason().unwrap_or_default();
    wire::refine(api, failure::from_status(status.as_u16(), reason, &body, wait), &body)
}

/// Error bodies are short; one that is not is cut.
async fn bounded_body(response: reqwest::Response, watch: &Watch) -> Result<String, Failure> {
    const LIMIT: usize = 64 * 1024;
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while body.len() < LIMIT {
        match watch.wait(stream.next()).await? {
            Some(Ok(bytes)) => body.extend_from_slice(&bytes),
            Some(Err(error)) => return Err(transient(http::deepest_cause(&error))),
            None => break,
        }
    }
    body.truncate(LIMIT);
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// The configured limit, raised to the model's own floor; zero means no limit.
fn idle_timeout(configured: Duration, floor_ms: u64) -> Option<Duration> {
    (!configured.is_zero()).then(|| configured.max(Duration::from_millis(floor_ms)))
}

/// Some providers repeat a rejected key in their message.
fn hide_key(failure: &mut Failure, key: Option<&Secret>) {
    const SHORTEST: usize = 6;
    if let Some(key) = key.map(Secret::reveal).filter(|key| key.len() >= SHORTEST) {
        failure.message = failure.message.replace(key, "(key)");
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
    Frame(FrameError),
    Wire(Failure),
}

impl From<SseError> for Stop {
    fn from(error: SseError) -> Self {
        Self::Frame(FrameError::Text(error))
    }
}

impl From<FrameError> for Stop {
    fn from(error: FrameError) -> Self {
        Self::Frame(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Wire(failure)
    }
}
