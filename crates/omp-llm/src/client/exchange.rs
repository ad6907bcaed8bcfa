//! One request and its answer.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use omp_types::{Failure, FailureKind, StopReason, StreamEvent};
use tokio_util::sync::CancellationToken;

use super::live::Live;
use super::watch::{FirstEvent, Watch, bounded_body, idle_timeout, refused};
use super::{BatchStream, Client, ClientOptions, StreamLimits, http, intercept, now_ms, tape};
use crate::answer::Answer;
use crate::bounds;
use crate::failure::{self, fatal, transient};
use crate::frames::{FrameError, Frames};
use crate::model::{Api, Model, Secret, Transport};
use crate::sse::SseError;
use crate::wire::{self, Decode, Progress, WireRequest};

/// What is said of an answer that was stopped because it went around in circles.
const RAN_AWAY: &str = "The model was repeating itself; its answer was stopped and the repetition removed";

/// A state machine: every step gives a batch of events, and the last batch ends with the one terminal event.
pub(super) struct Exchange {
    pub(super) answer: Answer,
    pub(super) decoder: Box<dyn Decode>,
    frames: Frames,
    pub(super) watch: Watch,
    key: Option<Secret>,
    pub(super) state: ExchangeState,
}

pub(super) enum ExchangeState {
    Prepared(Box<Prepared>),
    Streaming(Body),
    Socket(Box<Live>),
    Finished,
}

/// A request on its way out.
pub(super) struct Prepared {
    pub(super) client: Client,
    pub(super) model: Arc<Model>,
    pub(super) request: WireRequest,
    /// The conversation it belongs to, where connections are kept for it.
    pub(super) session: Option<String>,
    /// Whether there is anything that opens the host.
    access: Result<(), Failure>,
}

type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

impl Exchange {
    pub(super) fn new(
        client: &Client,
        model: Arc<Model>,
        mut request: WireRequest,
        session: Option<String>,
        cancel: CancellationToken,
    ) -> Self {
        let options = &client.options;
        let names = std::mem::take(&mut request.names);
        let access = wire::check_access(&model, &request, &options.hosts);
        Self {
            answer: Answer::new(&model, names, now_ms()),
            decoder: wire::decoder(&model),
            frames: Frames::new(&model, options.max_event_bytes),
            watch: watch(&model, options, cancel),
            key: wire::proof(&model),
            state: ExchangeState::Prepared(Box::new(Prepared {
                client: client.clone(),
                model,
                request,
                session,
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
            let outcome = match std::mem::replace(&mut self.state, ExchangeState::Finished) {
                ExchangeState::Finished => return None,
                ExchangeState::Prepared(prepared) => self.send(*prepared).await,
                ExchangeState::Streaming(body) => self.read(body).await,
                ExchangeState::Socket(live) => self.listen(live).await,
            };
            if let Err(mut failure) = outcome {
                self.state = ExchangeState::Finished;
                hide_key(&mut failure, self.key.as_ref());
                self.answer.fail(failure);
            }
            let events = self.answer.take_events();
            if !events.is_empty() {
                return Some((events, self));
            }
        }
    }

    async fn send(&mut self, mut prepared: Prepared) -> Result<(), Failure> {
        std::mem::replace(&mut prepared.access, Ok(()))?;
        prepared.model = self.with_token(prepared.model, &prepared.client).await?;
        if self.watch.cancel.clone().run_until_cancelled(intercept::outgoing(&mut prepared)).await.is_none() {
            return Err(failure::aborted());
        }
        let Some(prepared) = self.over_socket(prepared).await? else { return Ok(()) };
        let Prepared { client, model, request, .. } = prepared;
        let http = &client.http;
        let headers = http::headers(&model, &request)?;
        let place = http::without_secrets(&request.url);
        let call = http.post(&request.url).headers(headers);
        let sent = tape::send(client.options.tape.as_ref(), call, &request.url, request.body);
        let response = self.watch.wait(sent).await??;
        intercept::answered(&client, response.status().as_u16(), response.headers());
        if !response.status().is_success() {
            return Err(refused(response, &place, &self.watch, model.api).await);
        }
        match http::content_type(&response).as_str() {
            "text/html" => Err(fatal(format!(
                "{place} returned a web page instead of a model stream; check the provider's baseUrl"
            ))),
            "application/json" => {
                let text = failure::error_text(&bounded_body(response, &self.watch).await?);
                let kind = failure::classify_text(&text);
                let message = format!("{place} returned no stream: {text}");
                Err(Failure { kind, message, status: None, retry_after_ms: None })
            }
            _ => {
                self.answer.start();
                self.state = ExchangeState::Streaming(Box::pin(response.bytes_stream()));
                Ok(())
            }
        }
    }

    /// A Vertex model without a key of its own gets the token of the moment.
    async fn with_token(&mut self, model: Arc<Model>, client: &Client) -> Result<Arc<Model>, Failure> {
        let google = client.options.google.as_ref();
        let Some(google) = google.filter(|_| needs_token(&model)) else {
            return Ok(model);
        };
        let token = self.watch.wait(google.token(&client.http)).await??;
        self.key = Some(token.clone());
        Ok(Arc::new(Model { key: Some(token), bearer: true, ..model.as_ref().clone() }))
    }

    async fn read(&mut self, mut body: Body) -> Result<(), Failure> {
        let chunk = match self.watch.wait(body.next()).await? {
            Some(Ok(chunk)) => chunk,
            Some(Err(error)) => {
                return self.broken(&http::deepest_cause(&error));
            }
            None => return self.finish(),
        };
        if self.decode(&chunk)? == Progress::More {
            self.state = ExchangeState::Streaming(body);
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

    /// The connection broke. An answer of which only the counts or the mark of the end are missing is complete.
    fn broken(&mut self, cause: &str) -> Result<(), Failure> {
        match self.decoder.end(&mut self.answer) {
            Err(failure) if failure.kind == FailureKind::Transient => {
                Err(transient(format!("the connection was lost while streaming: {cause}")))
            }
            ended => ended,
        }
    }

    fn decode(&mut self, chunk: &[u8]) -> Result<Progress, Failure> {
        let (decoder, answer, watch) = (&mut self.decoder, &mut self.answer, &mut self.watch);
        let mut progress = Progress::More;
        let fed = self.frames.feed(chunk, |event| {
            if progress == Progress::Finished {
                return Ok(());
            }
            watch.first_event = None;
            bounds::check_event(event.data)?;
            progress = decoder.event(event, answer)?;
            if let Some(failure) = answer.exceeded().filter(|_| progress == Progress::More) {
                return Err(failure.into());
            }
            if progress == Progress::More && answer.ran_away() {
                answer.remark(RAN_AWAY);
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

/// The limits of silence: OpenAI's transports may have their own.
pub(super) fn watch(model: &Model, options: &ClientOptions, cancel: CancellationToken) -> Watch {
    let own = if model.speaks_openai() { options.openai_limits } else { StreamLimits::default() };
    let floor = model.compat.stream_idle_timeout_ms;
    Watch {
        cancel,
        idle: idle_timeout(own.idle.unwrap_or(options.idle_timeout), floor),
        first_event: own.first_event.map(|limit| FirstEvent::within(idle_timeout(limit, floor))),
    }
}

/// Vertex takes who we are where there is no key; a gateway knows that itself.
fn needs_token(model: &Model) -> bool {
    model.api == Api::GoogleVertex && model.key.is_none() && model.transport == Transport::Provider
}

/// Some providers repeat a rejected key in their message.
pub(super) fn hide_key(failure: &mut Failure, key: Option<&Secret>) {
    const SHORTEST: usize = 6;
    if let Some(key) = key.map(Secret::reveal).filter(|key| key.len() >= SHORTEST) {
        failure.message = failure.message.replace(key, "(key)");
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
