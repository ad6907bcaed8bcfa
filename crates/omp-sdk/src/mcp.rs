//! The session's side of its MCP servers (`omp-mcp-session`): which tools they may add, what they may ask.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use omp_agent::{Clock as _, Control, Tool};
use omp_config::discovery::Discovery;
use omp_config::settings::Settings;
use omp_config::{Directories, TrustError};
use omp_extension_host::{EventName, Extensions};
use omp_guard::question::Question;
use omp_guard::trust::Want;
use omp_llm::Client;
use omp_mcp::host::{SamplingAnswer, SamplingRequest};
use omp_mcp_session::{
    ServerProject, ServerSession, SessionMcp, SessionMcpOptions, WantedTools, conversation, plain,
};
use omp_modes::SessionModes;
use omp_shell::{Environment as ChildEnvironment, Scope};
use omp_types::{
    Approval, ApprovalDetail, CustomMessage, Message, ModelRequest, RequestOptions, StreamEvent,
    ThinkingLevel, ToolChoice, UserContent,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use omp_mcp_session::{
    CallOptions, Callback, CallbackWanted, ConfiguredServer, ConfiguredServers, Consent, Content, LoginError,
    McpFileError, McpPromptCommand, McpServerRow, McpServers, PersonConsent, PromptOffer, ReloadedServers,
    ServerEvent, ServerState, ServerStatus, ServerTool, ServerUsage, ToolResult, add_server, form, mcp_file,
    remove_server, switch_server,
};

use crate::clock::SystemClock;
use crate::guard::trust::ProjectTrust;
use crate::guard::{ApprovalRequest, Guard};
use crate::prompt::knowledge;
use crate::request::model_pool::ModelPool;
use crate::session::builder::SessionBuilder;
use crate::session::live_config::LiveConfig;
use crate::session::options::ToolFilter;
use crate::session::setup::SessionSetup;
use crate::session::tell_model::send;

/// As much as a model may answer to a server.
const MOST_TOKENS: u32 = 8 * 1024;

struct TrustedProject {
    trust: ProjectTrust,
    directories: Directories,
    cwd: PathBuf,
}

impl ServerProject for TrustedProject {
    fn discovery(&self, settings: &Settings) -> Discovery {
        knowledge::discovery(&self.directories, &self.cwd, settings)
    }

    fn may_start(&self, want: &Want) -> Result<(), String> {
        self.trust.mcp_server(want)
    }

    fn agree(&self, server: &ConfiguredServer) -> Result<(), TrustError> {
        self.trust.agree_to_mcp_server(server)
    }
}

fn wanted(filter: &ToolFilter) -> Option<WantedTools> {
    match filter.clone() {
        ToolFilter::None => None,
        ToolFilter::All => Some(Arc::new(|_: &str| true)),
        ToolFilter::Only(names) => Some(Arc::new(move |tool: &str| {
            names.iter().any(|spelling| omp_mcp_session::is_named(spelling, tool))
        })),
    }
}

/// The servers of the session that is being built. Starts none.
pub(crate) fn of_session(
    builder: &mut SessionBuilder,
    discovery: &Discovery,
    scope: &Arc<Scope>,
    environment: &ChildEnvironment,
    client: &Client,
) -> Arc<SessionMcp> {
    let trust = builder.trust();
    let options = &builder.options;
    let (directories, cwd) = (options.directories.clone(), options.cwd.clone());
    let client = client.clone();
    let options = SessionMcpOptions {
        project: Arc::new(TrustedProject { trust, directories: directories.clone(), cwd: cwd.clone() }),
        directories,
        cwd,
        roots: options.roots.clone(),
        environment: Arc::clone(&options.environment),
        scope: Arc::clone(scope),
        child_environment: environment.clone(),
        connector: Arc::new(move || client.stranger_builder().map_err(|error| error.to_string())),
        questioner: options.people.questioner.clone(),
        has_asker: options.people.asker.is_some(),
        wanted: wanted(&options.tools),
        deck: options.deck.clone(),
    };
    SessionMcp::new(options, discovery, &builder.settings, &mut builder.warnings)
}

/// What servers reach of the session, as long as it is there.
pub(crate) struct SessionLink {
    pub(crate) setup: Weak<SessionSetup>,
    pub(crate) modes: Weak<SessionModes>,
    pub(crate) control: Control,
    pub(crate) models: Weak<ModelPool>,
    pub(crate) live: Weak<LiveConfig>,
    pub(crate) guard: Weak<Guard>,
    pub(crate) project: PathBuf,
    pub(crate) extensions: Option<Arc<Extensions>>,
}

impl ServerSession for SessionLink {
    fn offered(&self) -> Vec<Arc<dyn Tool>> {
        self.setup.upgrade().map(|setup| setup.offered()).unwrap_or_default()
    }

    fn admit(&self, tools: Vec<Arc<dyn Tool>>) {
        if let Some(setup) = self.setup.upgrade() {
            setup.admit(tools);
        }
    }

    fn withdraw(&self, names: &[String]) {
        if let Some(setup) = self.setup.upgrade() {
            setup.withdraw(names);
        }
    }

    fn notice(&self, message: String) {
        if let Some(modes) = self.modes.upgrade() {
            modes.notice(message);
        }
    }

    fn tell_model(&self, custom_type: &str, text: String, display: bool) {
        let message = CustomMessage {
            custom_type: custom_type.to_owned(),
            content: UserContent::Text(text),
            display,
            details: None,
            timestamp: SystemClock.now_ms(),
        };
        send(&self.control, message);
    }

    fn hears_notifications(&self) -> bool {
        self.extensions.as_ref().is_some_and(|set| set.listens(EventName::McpNotification))
    }

    fn notified(&self, server: &str, method: &str, params: Value) {
        if let Some(set) = &self.extensions {
            set.mcp_notification(server, method, params);
        }
    }

    fn stop_turn(&self) {
        if let Some(guard) = self.guard.upgrade() {
            guard.stop_turn();
        }
    }

    fn sample(
        &self,
        server: String,
        request: SamplingRequest,
    ) -> BoxFuture<'_, Result<SamplingAnswer, String>> {
        Box::pin(async move { self.ask_model(&server, request).await })
    }
}

impl SessionLink {
    /// Has the session's model answer, if the user approves.
    async fn ask_model(&self, server: &str, request: SamplingRequest) -> Result<SamplingAnswer, String> {
        let (Some(models), Some(live), Some(guard)) =
            (self.models.upgrade(), self.live.upgrade(), self.guard.upgrade())
        else {
            return Err("sampling is not available".to_owned());
        };
        let model = live.model();
        let said = conversation(&request);
        let approval = Approval::EXEC;
        let details = vec![
            ApprovalDetail { label: "Server", value: server.to_owned() },
            ApprovalDetail { label: "Model", value: model.selector() },
            ApprovalDetail { label: "Request", value: said.clone() },
        ];
        let question = Question::new("MCP sampling", &approval, true, details);
        let asked = ApprovalRequest {
            call_id: format!("mcp-sampling-{server}"),
            question,
            always: None,
            project: self.project.clone(),
        };
        if !guard.never_asks() && !guard.put(&asked).await.is_some_and(|reply| reply.allows()) {
            return Err("the user declined".to_owned());
        }
        let system = request.system_prompt.as_deref().map(plain);
        let request = ModelRequest {
            system: system.into_iter().collect(),
            tools: Arc::default(),
            messages: vec![Arc::new(Message::user(said, SystemClock.now_ms()))],
            options: RequestOptions {
                thinking: model.clamp_level(ThinkingLevel::Off),
                tool_choice: ToolChoice::None,
                max_tokens: Some(request.max_tokens.clamp(1, MOST_TOKENS)),
                ..RequestOptions::default()
            },
        };
        let selector = model.selector();
        let mut stream = models.serve(model).stream(request, CancellationToken::new());
        while let Some(batch) = stream.next().await {
            for event in batch {
                match event {
                    StreamEvent::Done { message, .. } => {
                        let text: String = message.texts().collect();
                        let stop_reason = "endTurn".to_owned();
                        return Ok(SamplingAnswer { model: selector, text, stop_reason });
                    }
                    StreamEvent::Error { failure, .. } => return Err(failure.message),
                    _ => {}
                }
            }
        }
        Err("the model's answer was cut off".to_owned())
    }
}
