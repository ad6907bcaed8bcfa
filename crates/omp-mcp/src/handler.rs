//! What a server says unasked, and what it asks.

// Sampling and roots are deprecated in the newest revision; the servers in use have them.
#![allow(deprecated)]

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use crate::content::Intake;
use crate::host::{
    Elicitation, ElicitationAnswer, Host, SamplingAnswer, SamplingRequest, SamplingTurn, Speaker,
};
use crate::limits;
use crate::log::Log;

/// How far a request has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub progress: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// Is told about progress, in its order. Must not wait for anything.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// What changed since somebody looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    /// Addresses of resources with new content.
    pub(crate) updated: BTreeSet<String>,
}

/// Our side of a connection.
#[derive(Clone)]
pub(crate) struct Handler(Arc<Shared>);

struct Shared {
    server: String,
    host: Arc<dyn Host>,
    config: ClientConfig,
    log: Log,
    changes: Mutex<Changes>,
    news: Notify,
    progress: Mutex<Watching>,
    asked: Mutex<VecDeque<Instant>>,
    open: Semaphore,
}

/// Who is told about progress.
#[derive(Default)]
struct Watching {
    sinks: HashMap<ProgressToken, ProgressSink>,
    /// The token of a request is known when the request has been sent: the server may have been faster.
    early: VecDeque<ProgressNotificationParam>,
}

fn tell(sink: &ProgressSink, params: &ProgressNotificationParam) {
    let message = params.message.as_ref().map(|text| limits::shortened(text, limits::QUOTE));
    sink(Progress { progress: params.progress, total: params.total, message });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Handler {
    pub(crate) fn new(server: &str, host: Arc<dyn Host>, config: ClientConfig, log: Log) -> Self {
        Self(Arc::new(Shared {
            server: server.to_owned(),
            host,
            config,
            log,
            changes: Mutex::default(),
            news: Notify::new(),
            progress: Mutex::default(),
            asked: Mutex::default(),
            open: Semaphore::new(limits::OPEN_QUESTIONS),
        }))
    }

    /// Waits until something has changed. Many changes in a row are one.
    pub(crate) async fn changes(&self) -> Changes {
        loop {
            let news = self.0.news.notified();
            let changes = std::mem::take(&mut *lock(&self.0.changes));
            if changes != Changes::default() {
                return changes;
            }
            news.await;
        }
    }

    fn changed(&self, change: impl FnOnce(&mut Changes)) {
        change(&mut lock(&self.0.changes));
        self.0.news.notify_one();
    }

    /// Lets the host hear of a notification.
    fn pass_on(&self, method: &str, params: impl FnOnce() -> Option<serde_json::Value>) {
        if self.0.host.wants_notifications() {
            self.0.host.notified(&self.0.server, method, params().unwrap_or_default());
        }
    }

    /// What a subscription says.
    pub(crate) fn notified(&self, notification: ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => self.tools_changed(),
            ServerNotification::PromptListChangedNotification(_) => self.prompts_changed(),
            ServerNotification::ResourceListChangedNotification(_) => self.resources_changed(),
            ServerNotification::ResourceUpdatedNotification(note) => self.updated(note.params.uri),
            _ => {}
        }
    }

    fn tools_changed(&self) {
        self.pass_on("notifications/tools/list_changed", || None);
        self.changed(|changes| changes.tools = true);
    }

    fn prompts_changed(&self) {
        self.pass_on("notifications/prompts/list_changed", || None);
        self.changed(|changes| changes.prompts = true);
    }

    fn resources_changed(&self) {
        self.pass_on("notifications/resources/list_changed", || None);
        self.changed(|changes| changes.resources = true);
    }

    fn updated(&self, uri: String) {
        self.pass_on("notifications/resources/updated", || Some(serde_json::json!({"uri": uri})));
        self.changed(|changes| {
            if changes.updated.len() < limits::ENTRIES && uri.len() <= limits::DESCRIPTION {
                changes.updated.insert(uri);
            }
        });
    }

    pub(crate) fn watch_progress(&self, token: ProgressToken, sink: ProgressSink) {
        let mut watching = lock(&self.0.progress);
        for params in watching.early.iter().filter(|params| params.progress_token == token) {
            tell(&sink, params);
        }
        watching.early.retain(|params| params.progress_token != token);
        watching.sinks.insert(token, sink);
    }

    /// Called in the order in which messages arrive; the SDK calls its handlers in any order.
    pub(crate) fn progressed(&self, params: &ProgressNotificationParam) {
        let mut watching = lock(&self.0.progress);
        if let Some(sink) = watching.sinks.get(&params.progress_token) {
            return tell(sink, params);
        }
        let size = params.message.as_ref().map_or(0, String::len);
        if size <= limits::QUOTE {
            watching.early.push_back(params.clone());
        }
        if watching.early.len() > limits::EARLY_PROGRESS {
            watching.early.pop_front();
        }
    }

    pub(crate) fn unwatch_progress(&self, token: &ProgressToken) {
        lock(&self.0.progress).sinks.remove(token);
    }

    /// A server that asks in a loop is not answered any more.
    async fn may_ask(&self) -> Result<tokio::sync::SemaphorePermit<'_>, ErrorData> {
        let refused = |why: &str| ErrorData::invalid_request(why.to_owned(), None);
        {
            let mut asked = lock(&self.0.asked);
            while asked.front().is_some_and(|at| at.elapsed() > limits::QUESTION_WINDOW) {
                asked.pop_front();
            }
            if asked.len() >= limits::QUESTIONS {
                self.0.log.add("more questions than are answered in a minute: refused");
                return Err(refused("too many requests"));
            }
            asked.push_back(Instant::now());
        }
        self.0.open.acquire().await.map_err(|_| refused("closed"))
    }

    pub(crate) async fn elicit(&self, params: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        let question = match params {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                Elicitation::Form {
                    message: limits::shortened(&message, limits::DESCRIPTION),
                    schema: serde_json::to_value(requested_schema).unwrap_or_default(),
                }
            }
            ElicitRequestParams::UrlElicitationParams { message, url, elicitation_id, .. } => {
                Elicitation::Url {
                    message: limits::shortened(&message, limits::DESCRIPTION),
                    url,
                    id: elicitation_id,
                }
            }
            _ => return Ok(ElicitResult::new(ElicitationAction::Decline)),
        };
        if !self.0.host.abilities().elicitation {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        }
        let _permit = self.may_ask().await?;
        Ok(match self.0.host.elicit(&self.0.server, question).await {
            ElicitationAnswer::Accepted(Some(content)) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(content)
            }
            ElicitationAnswer::Accepted(None) => ElicitResult::new(ElicitationAction::Accept),
            ElicitationAnswer::Declined => ElicitResult::new(ElicitationAction::Decline),
            ElicitationAnswer::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    pub(crate) async fn sample(
        &self,
        params: CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, ErrorData> {
        if !self.0.host.abilities().sampling {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "sampling is not available", None));
        }
        let _permit = self.may_ask().await?;
        let answer = self.0.host.sample(&self.0.server, sampling(params)).await;
        let SamplingAnswer { model, text, stop_reason } =
            answer.map_err(|reason| ErrorData::new(ErrorCode(-1), reason, None))?;
        let message = SamplingMessage::new(Role::Assistant, SamplingMessageContentBlock::text(text));
        Ok(CreateMessageResult::new(message, model).with_stop_reason(stop_reason))
    }

    pub(crate) fn roots(&self) -> ListRootsResult {
        let roots = self.0.host.roots().into_iter().filter_map(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let root = Root::new(url::Url::from_directory_path(&path).ok()?.as_str().trim_end_matches('/'));
            Some(match name {
                Some(name) => root.with_name(name),
                None => root,
            })
        });
        ListRootsResult::new(roots.collect())
    }
}

fn sampling(params: CreateMessageRequestParams) -> SamplingRequest {
    let mut intake = Intake::default();
    let messages = params.messages.into_iter().map(|message| {
        let speaker = match message.role {
            Role::User => Speaker::User,
            Role::Assistant => Speaker::Assistant,
        };
        let blocks = message.content.into_vec().into_iter().filter_map(|block| match block {
            SamplingMessageContentBlock::Text(text) => Some(ContentBlock::Text(text)),
            SamplingMessageContentBlock::Image(image) => Some(ContentBlock::Image(image)),
            SamplingMessageContentBlock::Audio(audio) => Some(ContentBlock::Audio(audio)),
            // We did not say that tools can be used.
            _ => None,
        });
        SamplingTurn {
            speaker,
            content: blocks.take(limits::BLOCKS).map(|block| intake.block(block)).collect(),
        }
    });
    let messages = messages.take(limits::BLOCKS).collect();
    let hints = params.model_preferences.and_then(|preferences| preferences.hints).unwrap_or_default();
    SamplingRequest {
        messages,
        system_prompt: params.system_prompt.map(|text| limits::shortened(&text, limits::TEXT)),
        max_tokens: params.max_tokens,
        temperature: params.temperature,
        stop_sequences: params.stop_sequences.unwrap_or_default(),
        hints: hints.into_iter().filter_map(|hint| hint.name).take(limits::QUESTIONS).collect(),
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        self.0.config.clone()
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let withdrawn = || ErrorData::invalid_request("cancelled", None);
        context.ct.run_until_cancelled(self.sample(params)).await.unwrap_or_else(|| Err(withdrawn()))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(self.roots())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let withdrawn = ElicitResult::new(ElicitationAction::Cancel);
        context.ct.run_until_cancelled(self.elicit(request)).await.unwrap_or(Ok(withdrawn))
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.pass_on("notifications/message", || serde_json::to_value(&params).ok());
        let text = match params.data {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let level = serde_json::to_value(params.level).unwrap_or_default();
        self.0.log.add(format!("[{}] {text}", level.as_str().unwrap_or_default()));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.updated(params.uri);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.resources_changed();
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.prompts_changed();
    }

    /// What the protocol has no name for.
    async fn on_custom_notification(&self, note: CustomNotification, _: NotificationContext<RoleClient>) {
        self.pass_on(&note.method, || note.params.clone());
    }
}
