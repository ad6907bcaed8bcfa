//! A backend as the SDK sees it: one for every connection, or for every request where there are no connections.

// Logging and subscriptions by request are deprecated in the newest revision; clients in use have them.
#![allow(deprecated)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::handler::server::ServerHandler;
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::json;
use tokio::sync::broadcast;

use super::backend::{Backend, Change, Refusal, ToolCall};
use super::call::{Arrival, Calls, Outcome, Step};
use super::client::Client;
use super::wire;
use crate::limits;

/// Methods of all revisions whose requests reach [`Handler::on_custom_request`] only because their parameters make no sense.
const METHODS: &[&str] = &[
    "server/discover",
    "tools/call",
    "tools/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
];

/// What all connections share.
pub(super) struct Shared {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) calls: Calls,
}

impl Shared {
    pub(super) fn new(backend: Arc<dyn Backend>) -> Arc<Self> {
        Arc::new(Self { backend, calls: Calls::default() })
    }
}

/// One connection.
pub(super) struct Handler {
    shared: Arc<Shared>,
    /// Resources that the client follows.
    followed: Arc<Mutex<BTreeSet<String>>>,
    level: Mutex<LoggingLevel>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Handler {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), followed: Arc::default(), level: Mutex::new(LoggingLevel::Info) }
    }

    fn backend(&self) -> &Arc<dyn Backend> {
        &self.shared.backend
    }

    async fn serve<F>(
        &self,
        arrival: Arrival,
        context: &RequestContext<RoleServer>,
        begin: F,
    ) -> Result<Step, ErrorData>
    where
        F: FnOnce(
            Arc<dyn Backend>,
            Client,
        ) -> futures_util::future::BoxFuture<'static, Result<Outcome, Refusal>>,
    {
        let backend = Arc::clone(self.backend());
        let level = *lock(&self.level);
        self.shared.calls.serve(arrival, context, level, move |client| begin(backend, client)).await
    }
}

fn arrival(request: &serde_json::Value, answers: Option<InputResponses>, state: Option<String>) -> Arrival {
    let answers: BTreeMap<_, _> = answers.unwrap_or_default();
    Arrival { request: request.to_string(), answers, state }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let backend = self.backend();
        wire::config(backend.identity(), backend.features(), backend.changes().is_some())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.backend().tools().into_iter().map(wire::tool).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.backend().tools().into_iter().find(|tool| tool.name == name).map(wire::tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call =
            ToolCall { name: request.name.into_owned(), arguments: request.arguments.unwrap_or_default() };
        if !self.backend().tools().iter().any(|tool| tool.name == call.name) {
            let shown = limits::shortened(&call.name, limits::NAME);
            return Err(ErrorData::invalid_params(format!("unknown tool \"{shown}\""), None));
        }
        let what = json!(["tool", call.name, call.arguments]);
        let arrival = arrival(&what, request.input_responses, request.request_state);
        let step = self.serve(arrival, &context, |backend, client| {
            Box::pin(async move { backend.call(call, client).await.map(Outcome::Tool) })
        });
        match step.await? {
            Step::Ask(questions) => Ok(questions.into()),
            Step::Done(Ok(Outcome::Tool(result))) => Ok(wire::result(result).into()),
            Step::Done(Ok(_)) => Err(mixed_up()),
            Step::Done(Err(refusal)) => Err(wire::refusal(refusal)),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let page = self.backend().resources(request.and_then(|request| request.cursor)).await;
        let page = page.map_err(wire::refusal)?;
        let mut list =
            ListResourcesResult::with_all_items(page.resources.into_iter().map(wire::resource).collect());
        list.next_cursor = page.next;
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.backend().resource_templates().into_iter().map(wire::template).collect();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let arrival = arrival(&json!(["resource", uri]), request.input_responses, request.request_state);
        let step = self.serve(arrival, &context, |backend, client| {
            Box::pin(async move { backend.read(uri, client).await.map(Outcome::Resource) })
        });
        match step.await? {
            Step::Ask(questions) => Ok(questions.into()),
            Step::Done(Ok(Outcome::Resource(bodies))) => {
                Ok(ReadResourceResult::new(bodies.into_iter().map(wire::body).collect()).into())
            }
            Step::Done(Ok(_)) => Err(mixed_up()),
            Step::Done(Err(refusal)) => Err(wire::refusal(refusal)),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.backend().prompts().into_iter().map(wire::prompt).collect();
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, arguments) = (request.name, request.arguments.unwrap_or_default());
        let what = json!(["prompt", name, arguments]);
        let arrival = arrival(&what, request.input_responses, request.request_state);
        let step = self.serve(arrival, &context, |backend, client| {
            Box::pin(async move { backend.prompt(name, arguments, client).await.map(Outcome::Prompt) })
        });
        match step.await? {
            Step::Ask(questions) => Ok(questions.into()),
            Step::Done(Ok(Outcome::Prompt(text))) => Ok(wire::prompt_text(text).into()),
            Step::Done(Ok(_)) => Err(mixed_up()),
            Step::Done(Err(refusal)) => Err(wire::refusal(refusal)),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let of = match &request.r#ref {
            Reference::Prompt(prompt) => prompt.name.clone(),
            Reference::Resource(template) => template.uri.clone(),
            _ => String::new(),
        };
        let mut values = self.backend().complete(&of, &request.argument.name, &request.argument.value);
        values.truncate(CompletionInfo::MAX_VALUES);
        let info = CompletionInfo::new(values).map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.backend().features().logging {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *lock(&self.level) = request.level;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.backend().features().subscriptions {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        }
        let mut followed = lock(&self.followed);
        if request.uri.len() > limits::URI || followed.len() >= limits::ENTRIES {
            return Err(ErrorData::invalid_params("too many subscriptions", None));
        }
        followed.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.backend().features().subscriptions {
            return Err(ErrorData::method_not_found::<UnsubscribeRequestMethod>());
        }
        lock(&self.followed).remove(&request.uri);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let shown = limits::shortened(&request.method, limits::NAME);
        Err(match METHODS.contains(&request.method.as_str()) {
            true => ErrorData::invalid_params(format!("the parameters are not valid for {shown}"), None),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method \"{shown}\""), None),
        })
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.backend().changes().map(|_| requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(mut changes) = self.backend().changes() else { return Ok(()) };
        let sink = context.sink().clone();
        let pass = async {
            loop {
                // What the client did not ask for is not sent by the SDK.
                let _ = match next(&mut changes).await {
                    None => return,
                    Some(Change::Tools) => sink.notify_tool_list_changed().await,
                    Some(Change::Prompts) => sink.notify_prompt_list_changed().await,
                    Some(Change::Resources) => sink.notify_resource_list_changed().await,
                    Some(Change::Resource(uri)) => sink.notify_resource_updated(uri).await,
                };
            }
        };
        tokio::select! {
            () = context.cancelled() => {}
            () = self.shared.calls.closing.cancelled() => {}
            () = pass => {}
        }
        Ok(())
    }

    /// Clients of the older revisions are told unasked.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Some(mut changes) = self.backend().changes() else { return };
        let (peer, followed) = (context.peer, Arc::clone(&self.followed));
        let closing = self.shared.calls.closing.clone();
        tokio::spawn(async move {
            loop {
                let change = tokio::select! {
                    change = next(&mut changes) => change,
                    () = closing.cancelled() => return,
                };
                let told = match change {
                    None => return,
                    Some(Change::Tools) => peer.notify_tool_list_changed().await,
                    Some(Change::Prompts) => peer.notify_prompt_list_changed().await,
                    Some(Change::Resources) => peer.notify_resource_list_changed().await,
                    Some(Change::Resource(uri)) if lock(&followed).contains(&uri) => {
                        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
                    }
                    Some(Change::Resource(_)) => continue,
                };
                if told.is_err() {
                    return;
                }
            }
        });
    }
}

fn mixed_up() -> ErrorData {
    ErrorData::internal_error("the backend answered another request", None)
}

/// The next change; those that came too fast are left out.
async fn next(changes: &mut broadcast::Receiver<Change>) -> Option<Change> {
    loop {
        match changes.recv().await {
            Ok(change) => return Some(change),
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return None,
        }
    }
}
