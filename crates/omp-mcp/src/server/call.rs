//! One request that takes time: it reports, asks, and can be cancelled.

// Logging is deprecated in the newest revision; clients in use have it.
#![allow(deprecated)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ErrorData, InputRequest, InputRequiredResult, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ServerRequest,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::backend::{PromptText, Refusal};
use super::client::{Asked, Client, Line, Note, Question};
use super::parked::Parked;
use crate::content::{ResourceBody, ToolResult};

/// How long something that was cancelled may take to end before it is dropped.
const GRACE: Duration = Duration::from_secs(5);

/// What a request came to.
pub(super) enum Outcome {
    Tool(ToolResult),
    Resource(Vec<ResourceBody>),
    Prompt(PromptText),
}

/// Where a request stands.
pub(super) enum Step {
    Done(Result<Outcome, Refusal>),
    /// The client is to ask the user and come back.
    Ask(InputRequiredResult),
}

/// The work of a request, which ends with this.
struct Work {
    task: JoinHandle<Result<Outcome, Refusal>>,
    client: Client,
    line: Line,
}

impl Drop for Work {
    fn drop(&mut self) {
        self.client.cancelled().cancel();
        self.task.abort();
    }
}

/// Work that waits for answers.
pub(super) struct Waiting {
    work: Work,
    asked: Asked,
    /// The request that it belongs to.
    pub(super) request: String,
}

/// What came with a request.
pub(super) struct Arrival {
    /// What the request is, without the answers.
    pub(super) request: String,
    pub(super) answers: BTreeMap<String, Value>,
    pub(super) state: Option<String>,
}

/// The client as one request reaches it.
struct Link {
    peer: Peer<RoleServer>,
    progress: Option<ProgressToken>,
    capabilities: ClientCapabilities,
    /// Requests to the client are not part of the revision.
    is_modern: bool,
    /// What the client wants to hear; `None` is nothing.
    level: Option<LoggingLevel>,
    cancel: CancellationToken,
}

impl Link {
    fn of(context: &RequestContext<RoleServer>, level: LoggingLevel) -> Self {
        let version = context.protocol_version();
        let is_modern = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let asked = context.meta.log_level();
        Self {
            peer: context.peer.clone(),
            progress: context.meta.get_progress_token(),
            capabilities: context.client_capabilities().unwrap_or_default(),
            is_modern,
            level: if is_modern { asked } else { Some(level) },
            cancel: context.ct.clone(),
        }
    }

    async fn tell(&self, note: Note) {
        // A client that is gone is noticed elsewhere.
        match note {
            Note::Progress(progress) => {
                let Some(token) = &self.progress else { return };
                let mut params = ProgressNotificationParam::new(token.clone(), progress.progress);
                params.total = progress.total;
                params.message = progress.message;
                let _ = self.peer.notify_progress(params).await;
            }
            Note::Log(level, text) => {
                let level = level.wire();
                if self.level.is_none_or(|wanted| rank(level) < rank(wanted)) {
                    return;
                }
                let params = LoggingMessageNotificationParam::new(level, Value::String(text));
                let _ = self.peer.notify_logging_message(params).await;
            }
        }
    }

    /// Asks where the revision lets a server ask.
    async fn ask(&self, questions: &BTreeMap<String, Question>) -> Result<BTreeMap<String, Value>, String> {
        let mut answers = BTreeMap::new();
        for (key, question) in questions {
            let request: ServerRequest =
                serde_json::from_value(question.request()).map_err(|error| error.to_string())?;
            let answer = self.peer.send_request(request).await.map_err(|error| error.to_string())?;
            let answer = serde_json::to_value(answer).map_err(|error| error.to_string())?;
            if !question.is_answered_by(&answer) {
                return Err("the answer is not valid".to_owned());
            }
            answers.insert(key.clone(), answer);
        }
        Ok(answers)
    }
}

fn rank(level: LoggingLevel) -> usize {
    use LoggingLevel::*;
    let levels = [Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency];
    levels.iter().position(|known| *known == level).unwrap_or_default()
}

/// Runs requests.
#[derive(Default)]
pub(super) struct Calls {
    parked: Arc<Parked>,
    /// The server ends.
    pub(super) closing: CancellationToken,
}

impl Calls {
    /// Begins a request, or takes up one that waited for the answers in it.
    pub(super) async fn serve<F>(
        &self,
        arrival: Arrival,
        context: &RequestContext<RoleServer>,
        level: LoggingLevel,
        begin: F,
    ) -> Result<Step, ErrorData>
    where
        F: FnOnce(Client) -> BoxFuture<'static, Result<Outcome, Refusal>>,
    {
        let link = Link::of(context, level);
        let Arrival { request, answers, state } = arrival;
        if let Some(state) = state {
            let waiting = self.parked.take(&state, &request);
            let waiting = waiting.ok_or_else(|| {
                ErrorData::invalid_params(
                    "the request state is unknown or has expired: make the request again",
                    None,
                )
            })?;
            return self.resume(waiting, answers, link).await;
        }
        let (client, line) = Client::new(link.capabilities.clone(), answers);
        let task = tokio::spawn(begin(client.clone()));
        self.drive(Work { task, client, line }, link, request).await
    }

    async fn resume(
        &self,
        waiting: Waiting,
        mut answers: BTreeMap<String, Value>,
        link: Link,
    ) -> Result<Step, ErrorData> {
        let Waiting { work, asked, request } = waiting;
        let is_answered = |(key, question): (&String, &Question)| {
            answers.get(key).is_some_and(|answer| question.is_answered_by(answer))
        };
        if !asked.questions.iter().all(is_answered) {
            return self.put(Waiting { work, asked, request });
        }
        work.client.reconnect(link.capabilities.clone());
        answers.retain(|key, _| asked.questions.contains_key(key));
        let _ = asked.reply.send(Ok(answers));
        self.drive(work, link, request).await
    }

    /// Ends the request with its questions.
    fn put(&self, waiting: Waiting) -> Result<Step, ErrorData> {
        let mut requests = BTreeMap::new();
        for (key, question) in &waiting.asked.questions {
            let request: InputRequest = serde_json::from_value(question.request())
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            requests.insert(key.clone(), request);
        }
        let state = self.parked.park(waiting);
        Ok(Step::Ask(InputRequiredResult::new(Some(requests), Some(state))))
    }

    async fn drive(&self, mut work: Work, link: Link, request: String) -> Result<Step, ErrorData> {
        loop {
            tokio::select! {
                biased;
                () = link.cancel.cancelled() => return self.end(work).await,
                () = self.closing.cancelled() => return self.end(work).await,
                Some(note) = work.line.notes.recv() => link.tell(note).await,
                Some(asked) = work.line.questions.recv() => {
                    if link.is_modern {
                        return self.put(Waiting { work, asked, request });
                    }
                    let answers = tokio::select! {
                        answers = link.ask(&asked.questions) => answers,
                        () = link.cancel.cancelled() => return self.end(work).await,
                        () = self.closing.cancelled() => return self.end(work).await,
                    };
                    let _ = asked.reply.send(answers);
                }
                done = &mut work.task => {
                    while let Ok(note) = work.line.notes.try_recv() {
                        link.tell(note).await;
                    }
                    let crashed = |_| Refusal::Failed("the call crashed".to_owned());
                    return Ok(Step::Done(done.map_err(crashed).and_then(|outcome| outcome)));
                }
            }
        }
    }

    /// Gives the work time to clean up behind itself.
    async fn end(&self, mut work: Work) -> Result<Step, ErrorData> {
        work.client.cancelled().cancel();
        let _ = tokio::time::timeout(GRACE, &mut work.task).await;
        Err(ErrorData::internal_error("cancelled", None))
    }

    /// Ends everything.
    pub(super) fn close(&self) {
        self.closing.cancel();
        self.parked.clear();
    }
}
