//! omp behind the protocol: its tools, its saved sessions, and a whole turn of its agent.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_mcp::items::{Tool, ToolHints};
use omp_mcp::server::{Backend, Change, Client, Features, Identity, Refusal, ResourcePage, ToolCall};
use omp_mcp::{Content, Progress, ResourceBody, ResourceTemplate, ToolResult};
use omp_sdk::settings::Settings;
use omp_sdk::{Asker, GatedTools, People, SessionOptions, ToolError, ToolFilter, load_settings};
use omp_types::{
    BuiltinTool, Tier, ToolDefinition, ToolOffer, ToolOutput, ToolTier, ToolTrait, UserBlock, builtin,
    builtin_tool,
};
use serde_json::{Map, Value};
use tokio::sync::{Semaphore, broadcast};

use super::approvals::{CallAsker, Clients};
use super::run_tool::{self, RUN};
use super::session_resources::{self, SessionResources};
use crate::VERSION;
use crate::command_context::CommandContext;
use crate::output;

/// For the client's model.
const INSTRUCTIONS: &str = include_str!("../../prompts/mcp-instructions.md");
/// Turns of the agent at once.
const RUNS: usize = 4;
/// Between two reports of how a tool gets on.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// What is offered.
pub(super) struct Offer {
    /// What flags say about settings.
    pub(super) overrides: Map<String, Value>,
    /// The model of turns that name none.
    pub(super) model: Option<String>,
    /// `None` is all of them.
    pub(super) tools: Option<Vec<String>>,
    pub(super) run: bool,
}

pub(super) struct OmpBackend {
    pub(super) context: CommandContext,
    pub(super) cwd: PathBuf,
    pub(super) offer: Offer,
    tools: GatedTools,
    clients: Clients,
    next_call: AtomicU64,
    pub(super) runs: Semaphore,
    pub(super) changes: broadcast::Sender<Change>,
}

impl OmpBackend {
    pub(super) fn open(offer: Offer, context: CommandContext, cwd: PathBuf) -> Result<Self, String> {
        let clients: Clients = Arc::new(Mutex::new(HashMap::new()));
        let (changes, _) = broadcast::channel(16);
        let settings = settings(&offer, &context, &cwd)?;
        settings.warnings().iter().for_each(|warning| output::warn(warning));
        let asker: Arc<dyn Asker> = Arc::new(CallAsker { clients: Arc::clone(&clients) });
        let options = SessionOptions {
            settings: Some(settings),
            people: People { asker: Some(asker), ..People::default() },
            tools: offer.tools.clone().map_or(ToolFilter::All, ToolFilter::Only),
            embedded_shell: Some(omp_shell::own_program()),
            ..SessionOptions::new(cwd.clone(), context.directories.clone(), Arc::clone(&context.environment))
        };
        let tools = GatedTools::open(options).map_err(|error| error.to_string())?;
        tools.warnings().iter().for_each(|warning| output::warn(warning));
        let next_call = AtomicU64::new(1);
        Ok(Self { context, cwd, offer, tools, clients, next_call, runs: Semaphore::new(RUNS), changes })
    }

    /// As they are now.
    pub(super) fn settings(&self) -> Result<Settings, String> {
        settings(&self.offer, &self.context, &self.cwd)
    }

    pub(super) async fn close(&self) {
        self.tools.close().await;
    }

    async fn call_builtin(&self, call: ToolCall, client: Client) -> ToolResult {
        let id = format!("mcp-{}", self.next_call.fetch_add(1, Ordering::Relaxed));
        let _registered = Registered::new(&self.clients, &id, &client);
        let cancel = client.cancelled().clone();
        let reports = Reports::new(client);
        let progress = move |line: &str| reports.report(line);
        result(self.tools.call(&id, &call.name, call.arguments, cancel, progress).await)
    }

    fn sessions(&self) -> Result<SessionResources, Refusal> {
        self.session_ids().map_err(Refusal::Failed)
    }

    pub(super) fn session_ids(&self) -> Result<SessionResources, String> {
        Ok(SessionResources::new(&self.context, &self.cwd, &self.settings()?))
    }
}

fn settings(offer: &Offer, context: &CommandContext, cwd: &std::path::Path) -> Result<Settings, String> {
    let environment = context.environment.as_ref();
    let loaded = load_settings(&context.directories, cwd, environment, &[], offer.overrides.clone());
    loaded.map_err(|error| error.to_string())
}

/// The client of a call can be asked while the call runs.
struct Registered<'a> {
    clients: &'a Clients,
    id: &'a str,
}

impl<'a> Registered<'a> {
    fn new(clients: &'a Clients, id: &'a str, client: &Client) -> Self {
        super::approvals::lock(clients).insert(id.to_owned(), client.clone());
        Self { clients, id }
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        super::approvals::lock(self.clients).remove(self.id);
    }
}

/// Reports in growing order, and not more than a client can read.
struct Reports {
    client: Client,
    state: Mutex<(u32, Option<std::time::Instant>)>,
}

impl Reports {
    fn new(client: Client) -> Self {
        Self { client, state: Mutex::new((0, None)) }
    }

    fn report(&self, line: &str) {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if state.1.is_some_and(|last| last.elapsed() < REPORT_EVERY) {
            return;
        }
        *state = (state.0 + 1, Some(std::time::Instant::now()));
        let message = Some(output::name(line)).filter(|line| !line.is_empty());
        self.client.progress(Progress { progress: state.0.into(), total: None, message });
    }
}

/// Does a tool make sense without a conversation?
fn is_served(row: &BuiltinTool) -> bool {
    let belongs_to_session = row.has(ToolTrait::SessionOnly) && row.offer == ToolOffer::Named;
    row.offer != ToolOffer::ByMode
        && !belongs_to_session
        && !row.has(ToolTrait::AsksPerson)
        // It asks a model, which a server has only while a turn runs.
        && row.name != builtin::INSPECT_IMAGE.name
}

fn hints(row: &BuiltinTool) -> ToolHints {
    let only_reads = match row.tier {
        ToolTier::Always(Tier::Read) => row.changes.starts_with("nothing"),
        ToolTier::Always(_) => false,
        ToolTier::PerCall => row.changes == "nothing",
    };
    ToolHints {
        read_only: Some(only_reads),
        destructive: (!only_reads).then_some(true),
        idempotent: only_reads.then_some(true),
        open_world: None,
    }
}

fn tool(definition: &ToolDefinition, row: &BuiltinTool) -> Tool {
    Tool {
        server: run_tool::SERVER.to_owned(),
        name: definition.name.clone(),
        title: None,
        description: Some(definition.description.clone()),
        input_schema: Arc::new(definition.parameters.as_object().cloned().unwrap_or_default()),
        output_schema: None,
        hints: hints(row),
    }
}

fn result(result: Result<ToolOutput, ToolError>) -> ToolResult {
    match result {
        Ok(output) => {
            ToolResult { content: output.content.into_iter().map(content).collect(), ..ToolResult::default() }
        }
        Err(error) => failed(error.message),
    }
}

fn content(block: UserBlock) -> Content {
    match block {
        UserBlock::Text(text) => Content::Text(text.text),
        UserBlock::Image(image) => Content::Image { mime_type: image.mime_type, data: image.data },
    }
}

pub(super) fn failed(message: String) -> ToolResult {
    ToolResult { content: vec![Content::Text(message)], is_error: true, ..ToolResult::default() }
}

impl Backend for OmpBackend {
    fn identity(&self) -> Identity {
        Identity {
            name: run_tool::SERVER.to_owned(),
            title: "omp".to_owned(),
            version: VERSION.to_owned(),
            instructions: Some(INSTRUCTIONS.trim_end().to_owned()),
        }
    }

    fn features(&self) -> Features {
        Features { resources: true, completions: true, ..Features::default() }
    }

    fn tools(&self) -> Vec<Tool> {
        let served = |definition: &ToolDefinition| {
            let row = builtin_tool(&definition.name).filter(|row| is_served(row))?;
            Some(tool(definition, row))
        };
        let run = self.offer.run.then(run_tool::tool);
        self.tools.definitions().filter_map(served).chain(run).collect()
    }

    fn call(&self, call: ToolCall, client: Client) -> BoxFuture<'_, Result<ToolResult, Refusal>> {
        Box::pin(async move {
            match call.name.as_str() {
                RUN => self.run(&call.arguments, client).await,
                _ => Ok(self.call_builtin(call, client).await),
            }
        })
    }

    fn resources(&self, cursor: Option<String>) -> BoxFuture<'_, Result<ResourcePage, Refusal>> {
        Box::pin(async move {
            let sessions = self.sessions()?;
            let listed = tokio::task::spawn_blocking(move || sessions.page(cursor.as_deref())).await;
            listed.unwrap_or_else(|error| Err(Refusal::Failed(error.to_string())))
        })
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        vec![session_resources::template()]
    }

    fn read(&self, uri: String, _: Client) -> BoxFuture<'_, Result<Vec<ResourceBody>, Refusal>> {
        Box::pin(async move {
            let sessions = self.sessions()?;
            let read = tokio::task::spawn_blocking(move || sessions.read(&uri)).await;
            read.unwrap_or_else(|error| Err(Refusal::Failed(error.to_string()))).map(|body| vec![body])
        })
    }

    fn complete(&self, of: &str, _: &str, typed: &str) -> Vec<String> {
        match self.sessions() {
            Ok(sessions) if of == session_resources::TEMPLATE => sessions.ids(typed),
            _ => Vec::new(),
        }
    }

    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        Some(self.changes.subscribe())
    }
}
