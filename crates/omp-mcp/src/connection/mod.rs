//! One connection: from a definition to a server that answers, and requests to it.

mod call;
mod list;
mod open;
mod problem;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ServerPeerInfo, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::definition::Revision;
use crate::error::CallError;
use crate::handler::{Handler, ProgressSink};
use crate::limits;
use crate::schema::OutputSchema;

pub use call::{CallOptions, PartialArgument, PromptTurn};
pub(crate) use open::{Opened, open};

/// What a server says about itself, and how it is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    pub revision: Revision,
    /// `stdio`, `http` or `sse`: what is really used.
    pub transport: &'static str,
    pub name: Option<String>,
    pub version: Option<String>,
    /// For the model; the server's words.
    pub instructions: Option<String>,
}

/// A server that answers.
pub(crate) struct Connection {
    peer: Peer<RoleClient>,
    handler: Handler,
    peer_info: Arc<ServerPeerInfo>,
    info: ServerInfo,
    server: String,
    timeout: Option<Duration>,
    /// Over, for whatever reason.
    closed: CancellationToken,
    /// Ends it.
    end: CancellationToken,
    schemas: Mutex<HashMap<String, OutputSchema>>,
    /// How long lists stay as they are, as far as the server has said so.
    fresh: Mutex<Option<Duration>>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl Connection {
    pub(crate) fn info(&self) -> &ServerInfo {
        &self.info
    }

    pub(crate) fn handler(&self) -> &Handler {
        &self.handler
    }

    /// Completes when the connection is over.
    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Ends the connection; a process gets time to exit.
    pub(crate) fn close(&self) {
        self.end.cancel();
    }

    /// Remembers what tools promise to give back.
    pub(crate) fn promise(&self, tools: &[crate::Tool]) -> Vec<String> {
        let schemas: HashMap<String, OutputSchema> = tools
            .iter()
            .filter_map(|tool| Some((tool.name.clone(), OutputSchema::new(tool.output_schema.as_ref()?))))
            .collect();
        let problems = schemas.iter().filter_map(|(tool, schema)| {
            Some(format!("the output schema of {tool} is not used: {}", schema.problem()?))
        });
        let problems = problems.collect();
        *self.schemas.lock().unwrap_or_else(PoisonError::into_inner) = schemas;
        problems
    }

    fn schema(&self, tool: &str) -> Option<OutputSchema> {
        self.schemas.lock().unwrap_or_else(PoisonError::into_inner).get(tool).cloned()
    }

    /// One request. Cancelled, it is cancelled at the server, too; an answer that comes later is ignored.
    pub(crate) async fn request(
        &self,
        request: ClientRequest,
        ask: &Ask<'_>,
    ) -> Result<ServerResult, CallError> {
        let limit = ask.timeout.unwrap_or(self.timeout);
        let options = match limit {
            Some(limit) => PeerRequestOptions::with_timeout(limit).reset_timeout_on_progress(),
            None => PeerRequestOptions::no_options(),
        };
        let sent = self.peer.send_request_with_option(request, options);
        let handle = tokio::select! {
            biased;
            () = self.closed.cancelled() => return Err(CallError::Closed),
            sent = sent => sent.map_err(|error| problem::of_request(&error))?,
        };
        let mut abandoned = Abandoned { peer: &self.peer, id: Some(handle.id.clone()) };
        let token = handle.progress_token.clone();
        if let Some(sink) = ask.progress {
            self.handler.watch_progress(token.clone(), Arc::clone(sink));
        }
        let answer = tokio::select! {
            biased;
            answer = handle.await_response() => answer.map_err(|error| problem::of_request(&error)),
            () = self.closed.cancelled() => Err(CallError::Closed),
            () = ask.cancelled() => {
                self.handler.unwatch_progress(&token);
                return Err(CallError::Cancelled);
            }
        };
        abandoned.id = None;
        self.handler.unwatch_progress(&token);
        answer
    }
}

/// How a request is asked.
#[derive(Default)]
pub(crate) struct Ask<'a> {
    pub(crate) cancel: Option<&'a CancellationToken>,
    pub(crate) progress: Option<&'a ProgressSink>,
    /// `None`: the limit of the server. `Some(None)`: none.
    pub(crate) timeout: Option<Option<Duration>>,
}

impl Ask<'_> {
    async fn cancelled(&self) {
        match self.cancel {
            Some(cancel) => cancel.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

/// A request that nobody waits for any more is cancelled at the server.
struct Abandoned<'p> {
    peer: &'p Peer<RoleClient>,
    id: Option<rmcp::model::RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        // Without a runtime there is no server, either.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let params = rmcp::model::CancelledNotificationParam::new(Some(id), Some("cancelled".to_owned()));
            runtime.spawn(async move {
                let _ = peer.notify_cancelled(params).await;
            });
        }
    }
}

/// The arguments of a call.
pub(crate) type Arguments = Map<String, Value>;

/// What a server wants the model to know, bounded.
pub(crate) fn instructions(text: Option<&str>) -> Option<String> {
    let text = text?.trim();
    (!text.is_empty()).then(|| limits::shortened(text, limits::INSTRUCTIONS))
}
