//! What a person does with the servers of a session.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omp_config::discovery::Level;
use omp_config::settings::Settings;
use omp_mcp::{CallError, CallOptions, Consent, LoginError, ServerState, ServerStatus, ToolResult};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::definitions::{ConfiguredServer, ServerUsage};
use crate::file::{self, McpFileError, mcp_file, remove_server, switch_server};
use crate::prompt_values::PromptOffer;
use crate::prompts::McpPromptCommand;
use crate::registry;
use crate::resources::Notifications;
use crate::session::{SessionMcp, untrusted};

/// How long a person waits for a server that is tested or connected.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it is waited for what a server has besides tools.
const LISTS: Duration = Duration::from_secs(5);
/// The provider whose files omp writes.
const NATIVE: &str = "native";

/// A server, with where it comes from and how it is doing.
#[derive(Clone, Debug)]
pub struct McpServerRow {
    /// What its file says.
    pub configured: ConfiguredServer,
    /// How it is doing; `None` for one that is not used.
    pub status: Option<ServerStatus>,
}

impl McpServerRow {
    /// Its state in a word or two.
    pub fn state(&self) -> &'static str {
        match (&self.configured.usage, &self.status) {
            (ServerUsage::Disabled, _) => "disabled",
            (ServerUsage::Untrusted(_), _) => "not trusted",
            (ServerUsage::Invalid(_), _) => "invalid",
            (ServerUsage::Active, Some(status)) => status.state.word(),
            (ServerUsage::Active, None) => "disconnected",
        }
    }

    /// Why it is not connected, if there is something to say.
    pub fn problem(&self) -> Option<String> {
        if let Some(reason) = self.configured.usage.reason() {
            return Some(reason.to_owned());
        }
        match &self.status.as_ref()?.state {
            ServerState::Failed { reason } | ServerState::Suspended { reason } => Some(reason.clone()),
            ServerState::Connecting { last_error, .. } => last_error.clone(),
            _ => None,
        }
    }
}

/// What became of a reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReloadedServers {
    /// Servers that are used now.
    pub servers: usize,
    /// What could not be read.
    pub warnings: Vec<String>,
}

/// The MCP servers of a session.
#[derive(Clone)]
pub struct McpServers<'s> {
    mcp: &'s Arc<SessionMcp>,
    settings: Arc<Settings>,
}

impl<'s> McpServers<'s> {
    /// The servers of a session under these settings.
    pub fn new(mcp: &'s Arc<SessionMcp>, settings: Arc<Settings>) -> Self {
        Self { mcp, settings }
    }

    fn mcp(&self) -> &Arc<SessionMcp> {
        self.mcp
    }

    /// Every server of every file, also those that are not used.
    pub fn list(&self) -> Vec<McpServerRow> {
        let configured = self.mcp().configured();
        let row = |server: &ConfiguredServer| McpServerRow {
            configured: server.clone(),
            status: self.mcp().servers.status_of(&server.name),
        };
        configured.servers.iter().map(row).collect()
    }

    /// How many of the servers that are used are connected, and how many there are.
    pub fn connected(&self) -> (usize, usize) {
        registry::connected(&self.mcp().servers.status())
    }

    /// What went wrong with servers, one sentence each.
    pub fn problems(&self) -> Vec<String> {
        self.mcp().problems()
    }

    /// The server of that name, if it can be used.
    fn usable(&self, name: &str) -> Result<ConfiguredServer, String> {
        let configured = self.mcp().configured();
        let Some(server) = configured.get(name) else { return Err(unknown(name, self.mcp())) };
        match &server.usage {
            ServerUsage::Active => Ok(server.clone()),
            ServerUsage::Disabled => {
                Err(format!("Server \"{name}\" is disabled. Run /mcp enable {name} first."))
            }
            ServerUsage::Untrusted(reason) | ServerUsage::Invalid(reason) => Err(reason.clone()),
        }
    }

    /// The server of that name.
    pub fn find(&self, name: &str) -> Result<McpServerRow, String> {
        let row = self.list().into_iter().find(|row| row.configured.name == name);
        row.ok_or_else(|| unknown(name, self.mcp()))
    }

    /// Reads all files again. With `from_scratch` everything is disconnected first.
    pub async fn reload(&self, from_scratch: bool) -> Result<ReloadedServers, String> {
        let (mcp, settings) = (Arc::clone(self.mcp()), Arc::clone(&self.settings));
        let read = tokio::task::spawn_blocking({
            let (mcp, settings) = (Arc::clone(&mcp), Arc::clone(&settings));
            move || mcp.read_again(&settings)
        });
        let configured = read.await.map_err(|error| error.to_string())?;
        if from_scratch {
            mcp.servers.close().await;
        }
        let warnings = configured.warnings.iter().cloned().chain(untrusted(&configured)).collect();
        let active = |server: &&ConfiguredServer| server.usage == ServerUsage::Active;
        let servers = configured.servers.iter().filter(active).count();
        mcp.set_notifications(Notifications::of(&settings));
        mcp.configure(configured);
        mcp.sync();
        registry::listen(&mcp);
        if mcp.attended || from_scratch {
            mcp.servers.start_all();
        }
        Ok(ReloadedServers { servers, warnings })
    }

    /// Reads the files again if they have changed since; what a person should know about it.
    pub async fn notice_changes(&self) -> Option<String> {
        let mcp = self.mcp();
        if mcp.deck.is_some() || !mcp.files_changed() {
            return None;
        }
        let reloaded = self.reload(false).await.ok()?;
        let servers = if reloaded.servers == 1 { "server is" } else { "servers are" };
        let mut notice = format!("MCP configuration changed: {} {servers} in use", reloaded.servers);
        for warning in reloaded.warnings {
            notice.push_str(&format!("\n{warning}"));
        }
        Some(notice)
    }

    /// Adds a server to the user's file or the project's, and connects to it.
    pub async fn add(&self, name: &str, config: Map<String, Value>, level: Level) -> Result<PathBuf, String> {
        let file = mcp_file(&self.mcp().places.directories, &self.mcp().places.cwd, level);
        let (path, owned) = (file.clone(), name.to_owned());
        self.change(move || file::add_server(&path, &owned, config)).await?;
        if level == Level::Project {
            // Who writes it agrees to it.
            self.trust(name).await?;
        }
        Ok(file)
    }

    /// Takes a server out of the file that omp wrote it to.
    pub async fn remove(&self, name: &str) -> Result<PathBuf, String> {
        let server = self.find(name)?.configured;
        if server.provider != NATIVE {
            return Err(format!(
                "{} is not a file of omp and is left as it is. To switch the server off: /mcp disable {name}",
                server.file.display()
            ));
        }
        let (file, owned) = (server.file.clone(), name.to_owned());
        self.change(move || remove_server(&file, &owned)).await?;
        Ok(server.file)
    }

    /// Switches a server on or off, for this and later sessions. Says in which file.
    pub async fn switch(&self, name: &str, enabled: bool) -> Result<PathBuf, String> {
        let server = self.find(name)?.configured;
        let own = (server.provider == NATIVE).then(|| server.file.clone());
        let (directories, owned) = (self.mcp().places.directories.clone(), name.to_owned());
        self.change(move || switch_server(&directories, &owned, own.as_deref(), enabled)).await
    }

    /// Changes a file, then reads all of them again.
    async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, McpFileError> + Send + 'static,
    ) -> Result<T, String> {
        let done = tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?;
        let done = done.map_err(|error| error.to_string())?;
        self.reload(false).await?;
        Ok(done)
    }

    /// Agrees to a server that the project brings, as it is now.
    pub async fn trust(&self, name: &str) -> Result<(), String> {
        let server = self.find(name)?.configured;
        if server.level != Level::Project {
            return Err(format!("{name} is your own server and needs no trust"));
        }
        let project = Arc::clone(&self.mcp().places.project);
        let agreed = tokio::task::spawn_blocking(move || project.agree(&server));
        agreed.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        self.reload(false).await?;
        Ok(())
    }

    /// Connects again, also to a server that was given up, and waits for it.
    pub async fn reconnect(&self, name: &str) -> Result<McpServerRow, String> {
        self.usable(name)?;
        registry::listen(self.mcp());
        self.mcp().servers.reconnect(name).map_err(|error| error.to_string())?;
        self.wait_for(name).await
    }

    /// Connects if that has not happened yet, and says how the server is doing.
    pub async fn test(&self, name: &str) -> Result<McpServerRow, String> {
        self.usable(name)?;
        registry::listen(self.mcp());
        let ready = self.find(name)?.status.is_some_and(|status| status.state == ServerState::Ready);
        if !ready {
            self.mcp().servers.reconnect(name).map_err(|error| error.to_string())?;
        }
        self.wait_for(name).await
    }

    async fn wait_for(&self, name: &str) -> Result<McpServerRow, String> {
        // The attempt begins on another task.
        let wait = async {
            loop {
                let row = self.find(name)?;
                let state = row.status.as_ref().map(|status| status.state.clone());
                match state {
                    Some(ServerState::Ready) => {
                        self.mcp().servers.listed(LISTS).await;
                        self.mcp().sync();
                        return self.find(name);
                    }
                    Some(ServerState::Connecting { last_error: Some(reason), .. }) => {
                        return Err(connection_failed(name, &reason));
                    }
                    Some(ServerState::NeedsLogin) => {
                        return Err(connection_failed(name, "the server requires a login"));
                    }
                    Some(ServerState::Failed { reason } | ServerState::Suspended { reason }) => {
                        return Err(connection_failed(name, &reason));
                    }
                    _ => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            }
        };
        let late = || Err(connection_failed(name, "no answer within 60 s"));
        tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| late())
    }

    /// Logs in to a server and connects with it.
    pub async fn login(&self, name: &str, consent: &dyn Consent) -> Result<(), String> {
        self.usable(name)?;
        registry::listen(self.mcp());
        let done: Result<(), LoginError> = self.mcp().servers.login(name, consent).await;
        done.map_err(|error| error.to_string())
    }

    /// Forgets the login of a server.
    pub async fn logout(&self, name: &str) -> Result<(), String> {
        self.find(name)?;
        self.mcp().servers.logout(name).await.map_err(|error| error.to_string())
    }

    /// Calls a tool by hand. The person who calls it needs no approval.
    pub async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
        cancel: CancellationToken,
    ) -> Result<ToolResult, String> {
        self.usable(server)?;
        let options = CallOptions { cancel, ..CallOptions::default() };
        let called: Result<ToolResult, CallError> =
            self.mcp().servers.call_tool(server, tool, arguments, &options).await;
        called.map_err(|error| error.to_string())
    }

    /// Reads a resource for a person. With its text come sentences about what was cut.
    pub async fn read(&self, server: &str, uri: &str, cancel: CancellationToken) -> Result<String, String> {
        self.usable(server)?;
        let options = CallOptions { cancel, ..CallOptions::default() };
        let read = self.mcp().servers.read_resource(server, uri, &options).await;
        let (bodies, notes) = read.map_err(|error| error.to_string())?;
        let texts = bodies.iter().map(omp_mcp::ResourceBody::text);
        Ok(texts.chain(notes.into_iter().map(|note| format!("[{note}]"))).collect::<Vec<_>>().join("\n"))
    }

    /// What happens to servers from now on.
    pub fn events(&self) -> tokio::sync::broadcast::Receiver<omp_mcp::ServerEvent> {
        self.mcp().servers.events()
    }

    /// The settings say something else about whether the model is told when resources change.
    pub fn apply_notifications(&self) {
        let notifications = Notifications::of(&self.settings);
        self.mcp().set_notifications(notifications);
        for status in self.mcp().servers.status() {
            if status.state == ServerState::Ready {
                self.mcp().subscribe(&status.definition.name, notifications.enabled);
            }
        }
    }

    /// Is the model told when resources change?
    pub fn notifies(&self) -> bool {
        self.mcp().notifications().enabled
    }

    /// Prompts of connected servers, as commands.
    pub fn prompts(&self) -> Vec<McpPromptCommand> {
        self.mcp().prompt_commands()
    }

    /// Is this (`<server>:<prompt>`) the name of a prompt?
    pub fn is_prompt(&self, command: &str) -> bool {
        self.mcp().prompt(command).is_some()
    }

    /// What can be typed next behind the name of a prompt (`<server>:<prompt>`), of which `text` is typed. Values come from the
    /// server, within seconds or not at all; the request is cancelled when this is dropped.
    pub async fn prompt_offers(&self, command: &str, text: &str) -> Vec<PromptOffer> {
        self.mcp().offers_for_prompt(command, text).await
    }
}

impl SessionMcp {
    fn set_notifications(&self, notifications: Notifications) {
        *self.notifications.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = notifications;
    }
}

fn unknown(name: &str, mcp: &SessionMcp) -> String {
    let configured = mcp.configured();
    let known: Vec<&str> = configured.servers.iter().map(|server| server.name.as_str()).collect();
    match known.is_empty() {
        true => format!("no server named \"{name}\": no MCP server is configured"),
        false => format!("no server named \"{name}\"; configured: {}", known.join(", ")),
    }
}

/// What a failed connection is told as, with what helps.
fn connection_failed(name: &str, reason: &str) -> String {
    let lower = reason.to_ascii_lowercase();
    let help = if lower.contains("login") || lower.contains("401") || lower.contains("403") {
        format!("\nThe server wants a login: run /mcp reauth {name}, or set a token in its headers.")
    } else if lower.contains("no answer within") || lower.contains("timed out") {
        "\nThe server may need longer to start: set \"timeout\" (milliseconds) in its definition, or OMP_MCP_TIMEOUT_MS."
            .to_owned()
    } else {
        String::new()
    };
    format!("Failed to connect to \"{name}\": {reason}{help}")
}
