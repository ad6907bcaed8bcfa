//! An answer over a WebSocket.

use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use omp_types::Failure;
use tokio_tungstenite::tungstenite::Message;

use super::exchange::{Exchange, ExchangeState, Prepared};
use super::http;
use super::socket::{self, OpenError, Purpose, Socket, SocketMode, Sockets};
use super::watch::{Watch, idle_timeout, refused};
use crate::bounds;
use crate::failure::fatal;
use crate::model::{Api, Transport};
use crate::sse::SseEvent;
use crate::wire::{Progress, codex};

/// The server closes connections after a while; this is how it says so.
const LIMIT_REACHED: &str = "websocket_connection_limit_reached";

/// A WebSocket in the middle of an answer.
pub(super) struct Live {
    socket: Socket,
    sockets: Arc<Sockets>,
    session: Option<String>,
    purpose: Purpose,
}

impl Exchange {
    /// Sends the request over a WebSocket where that is wanted and possible; gives it back where it is not.
    pub(super) async fn over_socket(&mut self, prepared: Prepared) -> Result<Option<Prepared>, Failure> {
        let options = prepared.client.options.sockets;
        let sockets = Arc::clone(&prepared.client.sockets);
        let url = prepared.request.url.clone();
        let wanted = prepared.model.api == Api::OpenAiCodexResponses
            && prepared.model.transport == Transport::Provider
            && match options.mode {
                SocketMode::Off => false,
                SocketMode::Auto => !sockets.is_refused(&url),
                SocketMode::On => true,
            };
        let purpose = wanted.then(|| Purpose::new(&prepared.model, &url));
        let kept = sockets.take(prepared.session.as_deref(), purpose.as_ref()).await;
        let Some(purpose) = purpose else { return Ok(Some(prepared)) };
        let floor = prepared.model.compat.stream_idle_timeout_ms;
        let usual = std::mem::replace(&mut self.watch.idle, idle_timeout(options.idle_timeout, floor));
        match converse(&self.watch, &prepared, kept).await {
            Ok((socket, first)) => {
                self.answer.start();
                let session = prepared.session;
                self.hear(Box::new(Live { socket, sockets, session, purpose }), &first)?;
                Ok(None)
            }
            Err(NoAnswer::Refused) => {
                sockets.note_refusal(&url);
                self.watch.idle = usual;
                Ok(Some(prepared))
            }
            Err(NoAnswer::Broken) => {
                self.watch.idle = usual;
                Ok(Some(prepared))
            }
            Err(NoAnswer::Failed(failure)) => Err(failure),
        }
    }

    /// The next message of an answer that has begun.
    pub(super) async fn listen(&mut self, mut live: Box<Live>) -> Result<(), Failure> {
        let message = self.watch.wait(next_text(&mut live.socket)).await??;
        self.hear(live, &message)
    }

    /// A complete answer leaves the connection to the next one.
    fn hear(&mut self, live: Box<Live>, message: &str) -> Result<(), Failure> {
        if let Some(failure) = codex::refusal(message) {
            return Err(failure);
        }
        self.watch.first_event = None;
        bounds::check_event(message)?;
        match self.decoder.event(SseEvent { name: "", data: message }, &mut self.answer)? {
            Progress::More => match self.answer.exceeded() {
                Some(failure) => return Err(failure),
                None => self.state = ExchangeState::Socket(live),
            },
            Progress::Finished => {
                let Live { socket, sockets, session, purpose } = *live;
                sockets.keep(session, purpose, socket);
            }
        }
        Ok(())
    }
}

/// Why a WebSocket gave no answer.
enum NoAnswer {
    /// There are none at this address.
    Refused,
    /// This one did not work; a plain request may.
    Broken,
    Failed(Failure),
}

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Says the request and waits for the first word of an answer. A connection that breaks before it is opened
/// again; a kept one may simply have been closed meanwhile, which costs nothing.
async fn converse(
    watch: &Watch,
    prepared: &Prepared,
    mut kept: Option<Socket>,
) -> Result<(Socket, String), NoAnswer> {
    let options = prepared.client.options.sockets;
    let message = codex::message(&prepared.request.body);
    let mut tries = 0;
    loop {
        let was_kept = kept.is_some();
        let failure = match opened(watch, prepared, kept.take()).await {
            Ok(mut socket) => match watch.wait(first_word(&mut socket, &message)).await? {
                Ok(first) => return Ok((socket, first)),
                Err(failure) => failure,
            },
            Err(NoAnswer::Failed(failure)) if options.mode == SocketMode::On && is_worth_it(&failure) => {
                failure
            }
            Err(other) => return Err(other),
        };
        if was_kept {
            continue;
        }
        if tries >= options.retry_budget {
            let failed = options.mode == SocketMode::On;
            return Err(if failed { NoAnswer::Failed(failure) } else { NoAnswer::Broken });
        }
        let pause = tokio::time::sleep(socket::backoff(options, tries));
        watch.wait(pause).await?;
        tries += 1;
    }
}

async fn opened(watch: &Watch, prepared: &Prepared, kept: Option<Socket>) -> Result<Socket, NoAnswer> {
    if let Some(socket) = kept {
        return Ok(socket);
    }
    let Prepared { client, model, request, .. } = prepared;
    let headers = http::headers(model, request)?;
    let opened = client.sockets.open(&client.options, &request.url, headers);
    let must = client.options.sockets.mode == SocketMode::On;
    match watch.wait(opened).await? {
        Ok(socket) => Ok(socket),
        Err(OpenError::Refused(response)) if must => {
            let place = http::without_secrets(&request.url);
            Err(NoAnswer::Failed(refused(response, &place, watch, model.api).await))
        }
        Err(OpenError::Refused(_)) => Err(NoAnswer::Refused),
        Err(OpenError::Broken(failure)) if must => Err(NoAnswer::Failed(failure)),
        Err(OpenError::Broken(_)) => Err(NoAnswer::Broken),
    }
}

fn is_worth_it(failure: &Failure) -> bool {
    failure.kind == omp_types::FailureKind::Transient
}

async fn first_word(socket: &mut Socket, message: &str) -> Result<String, Failure> {
    socket.send(Message::text(message)).await.map_err(socket::broken)?;
    let first = next_text(socket).await?;
    if first.contains(LIMIT_REACHED) {
        return Err(socket::broken("the server limits the duration of a connection"));
    }
    Ok(first)
}

async fn next_text(socket: &mut Socket) -> Result<String, Failure> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
            Some(Ok(Message::Binary(_))) => {
                return Err(fatal("the WebSocket sent binary data instead of events"));
            }
            Some(Ok(Message::Close(_))) | None => return Err(socket::broken("the server closed it")),
            // Pings are answered by the library.
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(socket::broken(error)),
        }
    }
}
