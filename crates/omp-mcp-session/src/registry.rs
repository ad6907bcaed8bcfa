//! The tools of servers in the session's list: what has arrived, what has changed, what is gone.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use omp_agent::Tool;
use omp_mcp::name::{Names, canonical};
use omp_mcp::{ServerEvent, ServerState, ServerStatus};
use tokio::sync::broadcast::error::RecvError;

use crate::definitions::{ConfiguredServer, ConfiguredServers, ServerUsage};
use crate::session::{SessionMcp, joined};
use crate::tool::{McpTool, ToolSurroundings};

/// The kind of the message with a server's notes in session files.
const NOTES: &str = "mcp-instructions";

/// The tools that the session has been told of.
#[derive(Default)]
pub(crate) struct Registered {
    tools: BTreeMap<String, Arc<McpTool>>,
    /// Servers whose notes the model has.
    noted: HashSet<String>,
    /// What the user has been told.
    told: HashSet<String>,
}

/// What became of the list.
#[derive(Default)]
pub(crate) struct Update {
    /// New tools and tools that changed, in the order of their servers.
    pub(crate) arrived: Vec<Arc<dyn Tool>>,
    gone: Vec<String>,
    /// What a person should know.
    pub(crate) notices: Vec<String>,
}

impl Registered {
    /// Compares with what the servers offer now.
    pub(crate) fn update(&mut self, mcp: &SessionMcp) -> Update {
        let configured = mcp.configured();
        let active = |name: &str| configured.get(name).filter(|server| server.usage == ServerUsage::Active);
        let offered: Vec<omp_mcp::Tool> = mcp
            .servers
            .tools()
            .into_iter()
            .filter(|tool| {
                active(&tool.server).is_some()
                    && mcp.wanted.as_ref().is_some_and(|wanted| wanted(&tool.model_name()))
            })
            .collect();
        let names = Names::assign(offered.iter().map(|tool| (tool.server.as_str(), tool.name.as_str())));
        let mut update = Update::default();
        for collision in &names.collisions {
            update.notices.extend(self.tell(format!("two MCP tools have the same name: {collision}")));
        }
        let mut current = HashSet::new();
        for tool in offered {
            let name = tool.model_name();
            let is_it = names.get(&name) == Some((tool.server.as_str(), tool.name.as_str()));
            let Some(server) = active(&tool.server).filter(|_| is_it) else { continue };
            current.insert(name.clone());
            if self.tools.get(&name).is_some_and(|known| known.is_same(&tool)) {
                continue;
            }
            let tool = Arc::new(McpTool::new(tool, surroundings(mcp, server)));
            self.tools.insert(name, Arc::clone(&tool));
            update.arrived.push(mcp.taped(tool));
        }
        update.gone = self.tools.keys().filter(|name| !current.contains(*name)).cloned().collect();
        self.tools.retain(|name, _| current.contains(name));
        update
    }

    /// The model has the notes of these servers.
    pub(crate) fn note(&mut self, configured: &ConfiguredServers, has: impl Fn(&ConfiguredServer) -> bool) {
        let noted = configured.servers.iter().filter(|server| has(server));
        self.noted.extend(noted.map(|server| server.name.clone()));
    }

    /// Says something once.
    pub(crate) fn tell(&mut self, sentence: String) -> Option<String> {
        self.told.insert(sentence.clone()).then_some(sentence)
    }
}

fn surroundings(mcp: &SessionMcp, server: &ConfiguredServer) -> ToolSurroundings {
    ToolSurroundings {
        servers: mcp.servers.clone(),
        offers: Arc::clone(&mcp.offers),
        shelter: Arc::clone(&mcp.shelter),
        hash: server.hash.clone(),
    }
}

/// Does `spelling` (`mcp__server_tool`, `mcp__server__tool`, `mcp__server__*`, `mcp__*`) mean the tool?
pub fn is_named(spelling: &str, tool: &str) -> bool {
    match spelling.strip_suffix('*') {
        Some("mcp__") => true,
        Some(beginning) if beginning.starts_with("mcp__") => {
            let server = canonical(beginning.trim_end_matches('_')).unwrap_or_default();
            tool.strip_prefix(server.as_str()).is_some_and(|rest| rest.starts_with('_'))
        }
        Some(_) => false,
        None => canonical(spelling).as_deref() == Some(tool),
    }
}

impl SessionMcp {
    pub(crate) fn registered(&self) -> MutexGuard<'_, Registered> {
        self.registered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A recording has the calls of tools that arrive late, too.
    fn taped(&self, tool: Arc<McpTool>) -> Arc<dyn Tool> {
        match &self.deck {
            Some(deck) if self.live.get().is_some() => {
                deck.tools(vec![Arc::clone(&tool) as Arc<dyn Tool>]).pop().unwrap_or(tool)
            }
            _ => tool,
        }
    }

    /// Brings the session's list up to date.
    pub(crate) fn sync(&self) {
        self.keep_offers();
        let Some(live) = self.live.get() else { return };
        let update = self.registered().update(self);
        if !update.gone.is_empty() {
            live.withdraw(&update.gone);
        }
        if !update.arrived.is_empty() {
            live.admit(update.arrived);
        }
        update.notices.into_iter().for_each(|notice| live.notice(notice));
        self.send_notes(&live.offered());
    }

    /// Keeps what connected servers offer, for the next start.
    fn keep_offers(&self) {
        let configured = self.configured();
        for status in self.servers.status() {
            if status.state != ServerState::Ready {
                continue;
            }
            let Some(server) = configured.get(&status.definition.name) else { continue };
            let instructions = status.info.as_ref().and_then(|info| info.instructions.as_deref());
            self.offers.keep(&server.hash, Some(&status.offer.tools), instructions);
        }
    }

    /// Notes of servers that came too late for the system prompt go with the next prompt.
    fn send_notes(&self, offered: &[Arc<dyn Tool>]) {
        let (configured, Some(live)) = (self.configured(), self.live.get()) else { return };
        let has_tools = |name: &str| {
            let of = |tool: &Arc<dyn Tool>| Some(tool.origin()?.mcp.as_ref()?.server == name);
            offered.iter().any(|tool| of(tool) == Some(true))
        };
        let mut registered = self.registered();
        let mut notes = Vec::new();
        for status in self.servers.status() {
            let name = &status.definition.name;
            let instructions = status.info.as_ref().and_then(|info| info.instructions.as_deref());
            let (Some(server), Some(text)) = (configured.get(name), instructions) else { continue };
            if !has_tools(name) || !registered.noted.insert(name.clone()) {
                continue;
            }
            notes.extend(self.note(server, text));
        }
        drop(registered);
        if let Some(text) = joined(&notes) {
            live.tell_model(NOTES, text, false);
        }
    }

    fn heard(self: &Arc<Self>, event: &ServerEvent) {
        match event {
            ServerEvent::Tools { .. } => self.sync(),
            ServerEvent::State { server, state } => {
                if *state == ServerState::Ready {
                    self.sync();
                }
                let Some(session) = self.live.get() else { return };
                let problem = problem(server, state);
                if let Some(notice) = problem.and_then(|problem| self.registered().tell(problem)) {
                    session.notice(notice);
                }
            }
            ServerEvent::Updated { server, uri } => self.resource_updated(server, uri),
            ServerEvent::Resources { server } => self.resources_changed(server),
            ServerEvent::Prompts { .. } => {}
        }
    }
}

/// Follows what happens to the servers until the session is gone.
pub(crate) fn listen(mcp: &Arc<SessionMcp>) {
    if mcp.listens.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut events = mcp.servers.events();
    let mcp = Arc::downgrade(mcp);
    tokio::spawn(async move {
        loop {
            let event = events.recv().await;
            let Some(mcp) = mcp.upgrade() else { return };
            match event {
                Ok(event) => mcp.heard(&event),
                Err(RecvError::Lagged(_)) => mcp.sync(),
                Err(RecvError::Closed) => return,
            }
        }
    });
}

/// What is wrong with a server, where a person has to do something about it.
pub(crate) fn problem(server: &str, state: &ServerState) -> Option<String> {
    match state {
        ServerState::Failed { reason } => Some(format!("MCP server {server}: {reason}")),
        ServerState::Suspended { reason } => Some(format!(
            "MCP server {server} was given up after too many failures: {reason}. To try again: /mcp reconnect {server}"
        )),
        ServerState::NeedsLogin => {
            Some(format!("MCP server {server} requires a login: run /mcp reauth {server}"))
        }
        _ => None,
    }
}

/// Which servers are in which state, for status lines: connected, of all that are used.
pub(crate) fn connected(all: &[ServerStatus]) -> (usize, usize) {
    let used = all.iter().filter(|status| status.state != ServerState::Disabled);
    let ready =
        used.clone().filter(|status| matches!(status.state, ServerState::Ready | ServerState::Parked));
    (ready.count(), used.count())
}
