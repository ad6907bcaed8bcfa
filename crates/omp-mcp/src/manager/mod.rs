//! All servers of a session. Nothing is connected before it is asked for, and nobody waits for a server that is not
//! needed.

mod life;
mod server;
mod storm;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Map, Value};
use tokio::sync::broadcast;

use crate::auth::{Consent, LoginError};
use crate::connection::{CallOptions, Connection, PartialArgument, PromptTurn, ServerInfo};
use crate::content::{ResourceBody, ToolResult};
use crate::definition::ServerDefinition;
use crate::error::CallError;
use crate::items::{Offer, Tool};
use crate::log::Log;
use crate::surroundings::{Surroundings, Wires};
use server::Server;

/// News that wait for a reader.
const NEWS: usize = 256;

/// How a server is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServerState {
    /// Switched off in its definition.
    Disabled,
    /// Nobody has asked for it.
    #[default]
    Idle,
    /// The first attempt is number 1.
    Connecting {
        attempt: u32,
        last_error: Option<String>,
    },
    Ready,
    NeedsLogin,
    /// The connection failed, and a retry would not help.
    Failed {
        reason: String,
    },
    /// Too many failed attempts; retried only on request.
    Suspended {
        reason: String,
    },
    /// Closed because nobody used it; the next call wakes it.
    Parked,
}

impl ServerState {
    /// One word for lists.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Idle | Self::Failed { .. } | Self::Suspended { .. } => "disconnected",
            Self::Connecting { .. } => "connecting",
            Self::Ready => "connected",
            Self::NeedsLogin => "needs login",
            Self::Parked => "parked",
        }
    }
}

/// All about one server.
#[derive(Clone, Debug)]
pub struct ServerStatus {
    pub definition: ServerDefinition,
    pub state: ServerState,
    pub info: Option<ServerInfo>,
    pub offer: Offer,
    /// From the start until the tools were known.
    pub connected_in: Option<Duration>,
    /// Of the last call.
    pub latency: Option<Duration>,
    /// Resources and prompts are known, too; tools come first.
    pub listed: bool,
    pub log: Log,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEvent {
    State {
        server: String,
        state: ServerState,
    },
    Tools {
        server: String,
    },
    Resources {
        server: String,
    },
    Prompts {
        server: String,
    },
    /// A subscribed resource has new content.
    Updated {
        server: String,
        uri: String,
    },
}

/// Servers by name. Clones are the same servers; when the last one is dropped, all connections end.
#[derive(Clone)]
pub struct Servers(Arc<Shared>);

struct Shared {
    wires: Arc<Wires>,
    servers: Mutex<Vec<Arc<Server>>>,
    news: broadcast::Sender<ServerEvent>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        for server in self.servers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            server.stop();
        }
    }
}

impl Servers {
    /// No servers. Costs nothing.
    pub fn new(surroundings: Surroundings) -> Self {
        let (news, _) = broadcast::channel(NEWS);
        Self(Arc::new(Shared { wires: Arc::new(Wires::new(surroundings)), servers: Mutex::default(), news }))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Server>>> {
        self.0.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, name: &str) -> Option<Arc<Server>> {
        self.lock().iter().find(|server| server.name() == name).cloned()
    }

    fn get(&self, name: &str) -> Result<Arc<Server>, CallError> {
        self.find(name).ok_or_else(|| CallError::Unknown(name.to_owned()))
    }

    /// Replaces the definitions. Servers whose definition is unchanged stay connected; others are stopped, and started
    /// again if they ran before.
    pub fn configure(&self, definitions: Vec<ServerDefinition>) {
        let mut servers = self.lock();
        let mut old = std::mem::take(&mut *servers);
        for definition in definitions {
            let at = old.iter().position(|server| server.name() == definition.name);
            let before = at.map(|at| old.remove(at));
            match before {
                Some(same) if !definition.differs_from(same.definition()) => servers.push(same),
                before => {
                    let server = Server::new(definition, Arc::clone(&self.0.wires), self.0.news.clone());
                    if let Some(before) = before {
                        let wanted = before.is_wanted();
                        before.stop();
                        if wanted {
                            server.start();
                        }
                    }
                    servers.push(server);
                }
            }
        }
        for gone in old {
            gone.stop();
            let _ = self.0.news.send(ServerEvent::Tools { server: gone.name().to_owned() });
        }
    }

    /// Connects to all of them, in the background.
    pub fn start_all(&self) {
        for server in self.lock().iter() {
            server.start();
        }
    }

    /// Connects to one, in the background.
    pub fn start(&self, name: &str) -> Result<(), CallError> {
        self.get(name)?.start();
        Ok(())
    }

    /// Reconnects, also after it was suspended.
    pub fn reconnect(&self, name: &str) -> Result<(), CallError> {
        self.0.wires.resolver.forget();
        self.get(name)?.reconnect();
        Ok(())
    }

    /// Ends a connection and keeps it ended.
    pub fn stop(&self, name: &str) -> Result<(), CallError> {
        self.get(name)?.stop();
        Ok(())
    }

    /// Ends all connections and waits a moment for it: processes get the time to end by themselves.
    pub async fn close(&self) {
        let servers = self.lock().clone();
        let connections: Vec<_> = servers.iter().filter_map(|server| server.current()).collect();
        for server in &servers {
            server.stop();
        }
        let all = connections.iter().map(|connection| connection.closed());
        let _ = tokio::time::timeout(Duration::from_secs(3), futures_util::future::join_all(all)).await;
    }

    /// Waits until every server that was asked for is ready or has failed, but not longer than `limit`.
    pub async fn settled(&self, limit: Duration) {
        let servers = self.lock().clone();
        let all = servers.iter().map(|server| server.settled());
        let _ = tokio::time::timeout(limit, futures_util::future::join_all(all)).await;
    }

    /// Waits until every connected server has said what it has besides tools, but not longer than `limit`.
    pub async fn listed(&self, limit: Duration) {
        let mut events = self.events();
        let wait = async {
            loop {
                let missing = |status: &ServerStatus| status.state == ServerState::Ready && !status.listed;
                if !self.status().iter().any(missing) {
                    return;
                }
                let _ = events.recv().await;
            }
        };
        let _ = tokio::time::timeout(limit, wait).await;
    }

    /// What happens from now on. A reader who is slow misses some of it.
    pub fn events(&self) -> broadcast::Receiver<ServerEvent> {
        self.0.news.subscribe()
    }

    /// Everything about every server, in the order of their definitions.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.lock().iter().map(|server| server.status()).collect()
    }

    /// Everything about one.
    pub fn status_of(&self, name: &str) -> Option<ServerStatus> {
        self.find(name).map(|server| server.status())
    }

    /// All tools that are known, also of servers that are not connected at the moment.
    pub fn tools(&self) -> Vec<Tool> {
        self.lock().iter().flat_map(|server| server.offer().tools.as_ref().clone()).collect()
    }

    /// Makes tools known before their server is connected, from what it offered last time. A call connects it.
    pub fn preload(&self, name: &str, tools: Vec<Tool>) -> Result<(), CallError> {
        self.get(name)?.preload(tools);
        Ok(())
    }

    /// Calls a tool. The server is connected if it is not; a connection that breaks is made again, once.
    pub async fn call_tool(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
        options: &CallOptions,
    ) -> Result<ToolResult, CallError> {
        let server = self.get(server)?;
        let call = |connection: Arc<Connection>| {
            let arguments = arguments.clone();
            async move { connection.call_tool(tool, arguments, options).await }.boxed()
        };
        server.with_connection(&options.cancel, call).await
    }

    /// Reads a resource. With it come sentences about what was cut.
    pub async fn read_resource(
        &self,
        server: &str,
        uri: &str,
        options: &CallOptions,
    ) -> Result<(Vec<ResourceBody>, Vec<String>), CallError> {
        let server = self.get(server)?;
        let read =
            |connection: Arc<Connection>| async move { connection.read_resource(uri, options).await }.boxed();
        server.with_connection(&options.cancel, read).await
    }

    pub async fn get_prompt(
        &self,
        server: &str,
        name: &str,
        arguments: Map<String, Value>,
        options: &CallOptions,
    ) -> Result<Vec<PromptTurn>, CallError> {
        let server = self.get(server)?;
        let get = |connection: Arc<Connection>| {
            let arguments = arguments.clone();
            async move { connection.get_prompt(name, arguments, options).await }.boxed()
        };
        server.with_connection(&options.cancel, get).await
    }

    /// Values that an argument of a prompt may have.
    pub async fn complete_prompt(
        &self,
        server: &str,
        prompt: &str,
        argument: &PartialArgument,
    ) -> Result<Vec<String>, CallError> {
        self.complete(server, rmcp::model::Reference::for_prompt(prompt), argument).await
    }

    /// Values that a variable of a resource template may have.
    pub async fn complete_template(
        &self,
        server: &str,
        template: &str,
        variable: &PartialArgument,
    ) -> Result<Vec<String>, CallError> {
        self.complete(server, rmcp::model::Reference::for_resource(template), variable).await
    }

    async fn complete(
        &self,
        server: &str,
        of: rmcp::model::Reference,
        argument: &PartialArgument,
    ) -> Result<Vec<String>, CallError> {
        let server = self.get(server)?;
        let complete = |connection: Arc<Connection>| {
            let of = of.clone();
            async move { connection.complete(of, argument).await }.boxed()
        };
        server.with_connection(&CallOptions::default().cancel, complete).await
    }

    /// Wants to hear of new content of these resources, and of no others.
    pub async fn subscribe(&self, server: &str, uris: Vec<String>) -> Result<(), CallError> {
        self.get(server)?.subscribe(uris).await
    }

    /// Logs in, and connects with it.
    pub async fn login(&self, server: &str, consent: &dyn Consent) -> Result<(), LoginError> {
        let found = self.find(server).ok_or_else(|| LoginError::Unknown(server.to_owned()))?;
        found.login(consent).await
    }

    /// Forgets the login and ends the connection.
    pub async fn logout(&self, server: &str) -> Result<(), LoginError> {
        let found = self.find(server).ok_or_else(|| LoginError::Unknown(server.to_owned()))?;
        found.logout().await
    }

    pub async fn is_logged_in(&self, server: &str) -> bool {
        match self.find(server) {
            Some(server) => server.is_logged_in().await,
            None => false,
        }
    }
}
