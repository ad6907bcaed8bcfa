//! Standard input and output: one JSON message per line, and nothing else.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, NumberOrString, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, serve_server_with_ct};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::backend::Backend;
use super::handler::{Handler, Shared};
use crate::limits;
use crate::transport::frame::{Frame, Frames};

/// Messages that wait until they are looked at; then the client waits.
const QUEUE: usize = 64;
/// How long requests may take to finish after the client has closed its end.
const LAST_REQUESTS: Duration = Duration::from_secs(2);
/// How long all of it may take to end.
const FAREWELL: Duration = Duration::from_secs(8);
/// Requests in one line, in the one revision that had batches.
const BATCH: usize = 100;

/// Serves one client until it closes its end, `stop` fires or nothing can be written any more. `write` gets whole lines.
pub async fn serve_stdio(
    backend: Arc<dyn Backend>,
    input: impl Read + Send + 'static,
    write: impl FnMut(&str) -> io::Result<()> + Send + 'static,
    stop: CancellationToken,
) {
    let shared = Shared::new(backend);
    let ends = CancellationToken::new();
    let lines = Lines::start(input, write, ends.clone());
    let transport = Stdio { lines, begun: false, deadline: None };
    let service = serve_server_with_ct(Handler::new(&shared), transport, stop.clone());
    if let Ok(running) = service.await {
        let end = running.cancellation_token();
        tokio::select! {
            () = stop.cancelled() => {}
            () = ends.cancelled() => {}
        }
        shared.calls.close();
        end.cancel();
        // What was cancelled cleans up behind itself.
        let _ = tokio::time::timeout(FAREWELL, running.waiting()).await;
    }
    shared.calls.close();
}

/// Requests that have no answer yet.
#[derive(Default)]
struct Open {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Open {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows requests, and those that the client does not want any more.
    fn received(&self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.ids().insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.answered(id);
                }
            }
            _ => {}
        }
    }

    fn answered(&self, id: &RequestId) {
        self.ids().remove(id);
        self.fewer.notify_waiters();
    }

    /// Waits for the answers, though not for ever.
    async fn settled(&self, deadline: Instant) {
        let all = async {
            loop {
                let fewer = self.fewer.notified();
                tokio::pin!(fewer);
                fewer.as_mut().enable();
                if self.ids().is_empty() {
                    return;
                }
                fewer.await;
            }
        };
        let _ = tokio::time::timeout_at(deadline, all).await;
    }
}

type Written = oneshot::Sender<Result<(), io::ErrorKind>>;

/// The two streams, each with a thread: neither can be waited for in another way whatever it is.
struct Lines {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: mpsc::Sender<(String, Written)>,
    open: Arc<Open>,
    ends: CancellationToken,
}

/// What a line is.
enum Inbound {
    Message(Box<ClientJsonRpcMessage>),
    /// It is no message; this is the answer.
    Bad(Box<ServerJsonRpcMessage>),
}

impl Lines {
    fn start(
        input: impl Read + Send + 'static,
        mut write: impl FnMut(&str) -> io::Result<()> + Send + 'static,
        ends: CancellationToken,
    ) -> Self {
        let (sender, incoming) = mpsc::channel(QUEUE);
        let (outgoing, mut lines) = mpsc::channel::<(String, Written)>(QUEUE);
        let (complaints, broken) = (outgoing.clone(), ends.clone());
        std::thread::spawn(move || read(input, &sender, &complaints));
        std::thread::spawn(move || {
            while let Some((line, written)) = lines.blocking_recv() {
                let result = write(&line).map_err(|error| error.kind());
                if result.is_err() {
                    broken.cancel();
                }
                let _ = written.send(result);
            }
        });
        Self { incoming, outgoing, open: Arc::default(), ends }
    }

    fn write(&self, message: &ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let line = serde_json::to_string(message).map(|line| line + "\n");
        let outgoing = self.outgoing.clone();
        async move {
            let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
            let (written, done) = oneshot::channel();
            outgoing.send((line?, written)).await.map_err(|_| gone())?;
            done.await.map_err(|_| gone())?.map_err(io::Error::from)
        }
    }
}

/// Complaints are written from here: the SDK forgets what it waits for when something else happens.
fn read(
    mut input: impl Read,
    sender: &mpsc::Sender<ClientJsonRpcMessage>,
    complaints: &mpsc::Sender<(String, Written)>,
) {
    let (mut frames, mut chunk) = (Frames::default(), vec![0; 64 * 1024]);
    loop {
        let length = match input.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        for frame in frames.take(&chunk[..length]) {
            for inbound in of_frame(frame) {
                let passed = match inbound {
                    Inbound::Message(message) => sender.blocking_send(*message).is_ok(),
                    Inbound::Bad(answer) => {
                        let line = serde_json::to_string(&answer).unwrap_or_default() + "\n";
                        complaints.blocking_send((line, oneshot::channel().0)).is_ok()
                    }
                };
                if !passed {
                    return;
                }
            }
        }
    }
}

fn of_frame(frame: Frame) -> Vec<Inbound> {
    let line = match frame {
        Frame::Whole(line) => line,
        Frame::TooLong { .. } => {
            let why = format!("a message may have at most {} MiB", limits::FRAME >> 20);
            return vec![bad(ErrorData::invalid_request(why, None), None)];
        }
    };
    if line.iter().all(u8::is_ascii_whitespace) {
        return Vec::new();
    }
    match serde_json::from_slice::<Value>(&line) {
        Err(error) => vec![bad(ErrorData::parse_error(format!("not JSON: {error}"), None), None)],
        Ok(Value::Array(items)) if items.is_empty() || items.len() > BATCH => {
            let why = format!("a batch must have 1 to {BATCH} messages");
            vec![bad(ErrorData::invalid_request(why, None), None)]
        }
        Ok(Value::Array(items)) => items.into_iter().map(of_value).collect(),
        Ok(value) => vec![of_value(value)],
    }
}

fn of_value(value: Value) -> Inbound {
    let id = value.get("id").cloned();
    let is_request =
        value.get("jsonrpc").is_some_and(|version| version == "2.0") && value.get("method").is_some();
    match serde_json::from_value(value) {
        Ok(message) => Inbound::Message(Box::new(message)),
        Err(_) => {
            let id = id.and_then(|id| match id {
                Value::Number(number) => number.as_i64().map(RequestId::Number),
                Value::String(text) => Some(NumberOrString::String(text.as_str().into())),
                _ => None,
            });
            let error = match is_request && id.is_some() {
                true => ErrorData::invalid_params("the parameters are not valid for this method", None),
                false => ErrorData::invalid_request("not a JSON-RPC 2.0 message", None),
            };
            bad(error, id)
        }
    }
}

fn bad(error: ErrorData, id: Option<RequestId>) -> Inbound {
    Inbound::Bad(Box::new(JsonRpcMessage::error(error, id)))
}

struct Stdio {
    lines: Lines,
    /// The SDK gives up on a client whose first message is not a request.
    begun: bool,
    /// Until when requests may finish, once the client has closed its end.
    deadline: Option<Instant>,
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (writing, open) = (self.lines.write(&message), Arc::clone(&self.lines.open));
        async move {
            let written = writing.await;
            if let Some(id) = answered {
                open.answered(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while let Some(message) = self.lines.incoming.recv().await {
            self.lines.open.received(&message);
            self.begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.begun {
                return Some(message);
            }
        }
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + LAST_REQUESTS);
        self.lines.open.settled(deadline).await;
        self.lines.ends.cancel();
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}
