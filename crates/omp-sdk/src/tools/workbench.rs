//! The tools of a session without a conversation and without a model, for people who want to use them by hand.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use omp_agent::{Invocation, Tool, ToolError, Updates};
use omp_auth::client_options;
use omp_config::settings::{Settings, keys};
use omp_llm::Client;
use omp_models::load_registry;
use omp_resources::SessionFolder;
use omp_session::SessionWriter;
use omp_shell::{CommandError, Environment as ChildEnvironment, Scope, SecretNames, Snapshot};
use omp_tools::{SandboxStatus, UserCommand};
use omp_types::ToolOutput;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::error::SessionError;
use crate::mcp::{self, McpServers};
use crate::prompt::knowledge::{self, CurrentKnowledge, Knowledge};
use crate::session::builder::SessionBuilder;
use crate::session::options::SessionOptions;
use omp_mcp_session::SessionMcp;

/// Tools that a person uses.
pub struct Workbench {
    tools: Vec<Arc<dyn Tool>>,
    context: Arc<omp_tools::Context>,
    scope: Arc<Scope>,
    mcp: Arc<SessionMcp>,
    settings: Arc<Settings>,
    warnings: Vec<String>,
}

impl Workbench {
    /// Builds the tools as a session with these options would have them. Asks no model and saves nothing.
    pub fn open(options: SessionOptions) -> Result<Self, SessionError> {
        let mut builder = SessionBuilder::new(options)?;
        let client = Client::new(client_options(builder.options.environment.as_ref()))?;
        let registry = load_registry(&builder.options.directories, &builder.settings, &mut builder.warnings);
        let secrets = SecretNames::default().and(registry.key_variables());
        let discovery =
            knowledge::discovery(&builder.options.directories, &builder.options.cwd, &builder.settings);
        let known = Knowledge::load(&discovery, &builder.settings, &builder.options);
        let scope = Arc::new(Scope::new());
        let folder = SessionFolder::of(&SessionWriter::in_memory(&builder.options.cwd));
        let known = Arc::new(CurrentKnowledge::new(known));
        let environment = ChildEnvironment::inherited().without(&secrets);
        let mcp = mcp::of_session(&mut builder, &discovery, &scope, &environment, &client);
        let (tools, context) = builder.build_tools(&known, &scope, &secrets, &folder, &client, Some(&mcp));
        context.commands.sandbox.set_free(builder.settings.get(keys::TOOLS_APPROVAL_MODE) == "yolo");
        let settings = Arc::new(builder.settings);
        Ok(Self { tools, context, scope, mcp, settings, warnings: builder.warnings })
    }

    /// The MCP servers. None is connected before it is asked for.
    pub fn mcp(&self) -> McpServers<'_> {
        McpServers::new(&self.mcp, Arc::clone(&self.settings))
    }

    /// What the user should know.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What a tool gives the model. A tool that the settings leave out is an error like any other of a tool.
    pub async fn run(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        cancel: CancellationToken,
    ) -> Result<ToolOutput, ToolError> {
        let found = self.tools.iter().find(|known| known.definition().name == tool);
        let found = found.ok_or_else(|| ToolError::new(format!("the tool {tool} is disabled")))?;
        found
            .run(Invocation { id: "by-hand".to_owned(), arguments, cancel, updates: Updates::ignored() })
            .await
    }

    /// Runs a command in the shell that all commands of this bench share.
    pub async fn run_command(
        &self,
        command: &str,
        timeout: Option<Duration>,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<UserCommand, CommandError> {
        self.context.run_command(command, timeout, cancel, on_output).await
    }

    /// What confines commands here, in the approval mode of the settings.
    pub async fn sandbox_status(&self, planning: bool) -> Result<SandboxStatus, String> {
        self.context.modes.planning.set(planning);
        self.context.sandbox_status().await.map_err(|error| error.message)
    }

    /// Runs a program with our own streams, confined as a session's commands are; the exit code. `stop` ends it.
    pub async fn run_confined(
        &self,
        words: &[String],
        planning: bool,
        stop: impl Future<Output = ()>,
    ) -> Result<u8, String> {
        self.context.modes.planning.set(planning);
        self.context.run_confined(words, stop).await.map_err(|error| error.message)
    }

    /// Ends every process that was started.
    pub async fn close(self) {
        self.mcp.close().await;
        self.scope.end().await;
    }
}
