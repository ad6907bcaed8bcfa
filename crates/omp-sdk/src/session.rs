//! A session: one conversation, its model, its tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_agent::{
    Agent, AgentConfig, AgentError, Control, Fallbacks, Listener, OpenGate, Outcome, Parts, Prompt, Tool,
};
use omp_config::Directories;
use omp_llm::registry::{Availability, Registry, SelectError, Selection, Wanted};
use omp_llm::{Api, Client, ClientError, discovery};
use omp_session::{
    Context, Continue, ForkError, Header, NewSession, OpenError, ResolveError, SessionInfo, SessionWriter,
    Sessions,
};
use omp_shell::{Environment as ChildEnvironment, Scope, SecretNames};
use omp_types::{ParallelTools, RequestOptions, ThinkingLevel};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::adapt::{ClientModel, FixedSetup, RegistryModels, SystemClock};
use crate::environment::{Environment, EnvironmentLookup, client_options};
use crate::prompt::{self, PromptOptions};
use crate::record::{Record, Recorder};

/// What a session is built from. Everything left at its default is discovered.
pub struct SessionOptions {
    pub cwd: PathBuf,
    pub directories: Directories,
    pub environment: Arc<dyn Environment>,
    pub model: Option<String>,
    pub provider: Option<String>,
    pub api_key: Option<String>,
    pub thinking: Option<ThinkingLevel>,
    pub prompt: PromptOptions,
    pub tools: ToolFilter,
    pub service_tier: Option<String>,
    pub provider_session_id: Option<String>,
    pub prompt_cache_key: Option<String>,
    /// Models that take over when the chosen one fails.
    pub fallbacks: Fallbacks,
    pub persistence: Persistence,
    /// One directory for the sessions of all projects.
    pub session_dir: Option<PathBuf>,
    /// Identifies the terminal, so that `--continue` finds what was done in it.
    pub terminal: Option<String>,
}

/// Where the conversation begins and whether it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Persistence {
    /// A new session, saved with its first answer.
    #[default]
    New,
    /// Nothing is written.
    Off,
    /// The last session of this terminal or project, or a new one.
    Continue,
    /// An id, the beginning of one, or a path.
    Resume(String),
    /// A copy of that session, in this project.
    Fork(String),
}

/// Which built-in tools the model gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolFilter {
    #[default]
    All,
    None,
    /// Names in lower case; unknown ones become warnings.
    Only(Vec<String>),
}

#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("{source}")]
    Model {
        #[source]
        source: SelectError,
        models_file: PathBuf,
    },
    #[error("--api-key needs a model to go with: name one with --model, --provider and --model, or --models")]
    KeyWithoutModel,
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Fork(#[from] ForkError),
}

impl SessionError {
    /// What the user can do about it.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Model { source, models_file } => {
                let file = models_file.display();
                match source {
                    SelectError::MissingKey { variables, .. } if variables.is_empty() => {
                        vec![format!("Set \"apiKey\" for the provider in {file}.")]
                    }
                    SelectError::MissingKey { .. } => {
                        vec![format!(
                            "Set the variable, pass --api-key, or give the provider an \"apiKey\" in {file}."
                        )]
                    }
                    SelectError::KeyCommandFailed { .. } => {
                        vec![format!("Check the provider's \"apiKey\" in {file}.")]
                    }
                    _ => vec![
                        "Run 'omp models' to see what is there.".to_owned(),
                        format!("Other providers and models are described in {file}."),
                    ],
                }
            }
            Self::Resolve(_) | Self::Open(_) | Self::Fork(_) => {
                vec!["Run 'omp session list' to see what --resume and --fork can name here.".to_owned()]
            }
            Self::KeyWithoutModel | Self::Client(_) | Self::Agent(_) => Vec::new(),
        }
    }
}

/// A conversation ready to be prompted.
pub struct Session {
    agent: Agent,
    scope: Arc<Scope>,
    record: Record,
    model: Arc<omp_llm::Model>,
    /// The user named a model or a provider.
    chosen: bool,
    warnings: Vec<String>,
}

impl Session {
    /// Chooses the model, builds prompt and tools. Touches the network only to look for local servers, and only
    /// when nothing else can serve.
    pub async fn open(options: SessionOptions, listener: Box<dyn Listener>) -> Result<Self, SessionError> {
        let mut warnings = Vec::new();
        let client = Client::new(client_options(options.environment.as_ref()))?;
        let mut registry = load_registry(&options.directories, &mut warnings);
        let chosen = options.model.is_some() || options.provider.is_some();
        let (context, mut writer) = open_session(&options, &mut warnings)?;
        let selection = select(&client, &mut registry, &options, &context, &mut warnings).await?;
        warnings.extend(selection.warnings);
        let model = Arc::new(selection.model);

        let scope = Arc::new(Scope::new());
        let tools = build_tools(&options, &scope, &mut warnings);
        let now = jiff::Zoned::now();
        let system = prompt::build(&options.prompt, &options.cwd, &now.strftime("%Y-%m-%d").to_string());
        let restored = context.thinking_level.as_deref().and_then(ThinkingLevel::parse);
        let thinking =
            options.thinking.or(selection.thinking).or(restored).unwrap_or_else(|| default_thinking(&model));
        note_choice(&mut writer, &context, &model, thinking);
        let session_id = writer.header().id.clone();
        let record = Record::new(writer);
        let config = AgentConfig {
            request: RequestOptions {
                thinking,
                parallel_tools: ParallelTools::Allowed,
                service_tier: options.service_tier,
                session_id: options.provider_session_id.clone().or_else(|| session_key(&model, &session_id)),
                prompt_cache_key: options.prompt_cache_key,
                ..RequestOptions::default()
            },
            fallbacks: options.fallbacks,
            // The tour has no reasons to give.
            intent_tracing: model.api != Api::Demo,
            ..AgentConfig::default()
        };
        let parts = Parts {
            model: Arc::new(ClientModel { client: client.clone(), model: Arc::clone(&model) }),
            models: Arc::new(RegistryModels { client, registry, environment: options.environment }),
            setup: Arc::new(FixedSetup { system, tools }),
            gate: Arc::new(OpenGate),
            clock: Arc::new(SystemClock),
            listener: Box::new(Recorder { record: record.clone(), inner: listener }),
            todos: None,
        };
        let agent = Agent::new(parts, config);
        if !context.messages.is_empty() {
            agent.load(context.messages).await?;
        }
        Ok(Self { agent, scope, record, model, chosen, warnings })
    }

    /// The first line of the session: who, when, where.
    pub fn header(&self) -> Header {
        self.record.lock().header().clone()
    }

    /// The session's file, once there is one.
    pub fn file(&self) -> Option<PathBuf> {
        let writer = self.record.lock();
        writer.path().filter(|_| writer.is_saved()).map(Path::to_path_buf)
    }

    /// Things the user should know, collected while the session was built.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn model_selector(&self) -> String {
        self.model.selector()
    }

    /// Did the session end up with the built-in tour because nothing else was there?
    pub fn fell_back_to_demo(&self) -> bool {
        self.model.api == Api::Demo && !self.chosen
    }

    pub fn control(&self) -> Control {
        self.agent.control()
    }

    /// Runs one prompt until everything has settled.
    pub async fn prompt(&self, prompt: Prompt, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        self.agent.prompt(prompt, cancel).await
    }

    /// Ends every process the session started and makes sure that the conversation is on disk. What could not be
    /// saved is said.
    pub async fn close(self) -> Option<String> {
        self.scope.end().await;
        let mut writer = self.record.lock();
        writer.flush();
        writer.take_report()
    }
}

/// The store of the user's sessions.
fn sessions(directories: &Directories, session_dir: Option<&Path>) -> Sessions {
    let sessions = Sessions::new(&directories.agent, &directories.home, &std::env::temp_dir());
    match session_dir {
        Some(directory) => sessions.in_directory(directory),
        None => sessions,
    }
}

/// The conversation to go on with, if any, and the file to write to.
fn open_session(
    options: &SessionOptions,
    warnings: &mut Vec<String>,
) -> Result<(Context, SessionWriter), SessionError> {
    let store = sessions(&options.directories, options.session_dir.as_deref());
    let cwd = options.cwd.as_path();
    let new = || (Context::default(), store.create(cwd, NewSession::default()));
    let (context, mut writer) = match &options.persistence {
        Persistence::Off => return Ok((Context::default(), SessionWriter::in_memory(cwd))),
        Persistence::New => new(),
        Persistence::Continue => match store.continue_recent(cwd, options.terminal.as_deref()) {
            Continue::Resume(path) => reopen(&store, &path, cwd, warnings)?,
            Continue::Move(path) => {
                let (loaded, writer) = store.fork(&path, cwd)?;
                (loaded.context(), writer)
            }
            Continue::New => new(),
        },
        Persistence::Resume(value) => {
            let path = store.resolve(cwd, value)?.without_asking(value)?;
            reopen(&store, &path, cwd, warnings)?
        }
        Persistence::Fork(value) => {
            let (loaded, writer) = store.fork(&store.resolve(cwd, value)?.path, cwd)?;
            (loaded.context(), writer)
        }
    };
    if let Some(terminal) = &options.terminal {
        store.leave_breadcrumb(terminal, &mut writer);
    }
    Ok((context, writer))
}

fn reopen(
    store: &Sessions,
    path: &Path,
    cwd: &Path,
    warnings: &mut Vec<String>,
) -> Result<(Context, SessionWriter), SessionError> {
    let (loaded, writer) = store.open(path, cwd)?;
    if let Some(old) = &loaded.set_aside {
        warnings.push(format!("{} was not a session; it is kept as {}.", path.display(), old.display()));
    }
    Ok((loaded.context(), writer))
}

/// The file says which model answered, so that a resumed session goes on with it.
fn note_choice(
    writer: &mut SessionWriter,
    context: &Context,
    model: &omp_llm::Model,
    thinking: ThinkingLevel,
) {
    let selector = model.selector();
    if context.model.as_deref() != Some(selector.as_str()) {
        writer.append_model_change(&selector, None);
    }
    if context.thinking_level.as_deref() != Some(thinking.name()) {
        writer.append_thinking_level(thinking.name());
    }
}

/// Some providers route and cache by session; the others would only be confused by an unknown field.
fn session_key(model: &omp_llm::Model, id: &str) -> Option<String> {
    (model.api == Api::OpenAiResponses && model.key.is_some()).then(|| id.to_owned())
}

fn default_thinking(model: &omp_llm::Model) -> ThinkingLevel {
    if model.reasoning { ThinkingLevel::High } else { ThinkingLevel::Off }
}

/// A file that cannot be read or understood leaves the built-in providers working.
fn load_registry(directories: &Directories, warnings: &mut Vec<String>) -> Registry {
    let path = directories.models_file();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            warnings.push(format!(
                "{} cannot be read ({error}); only built-in models are available.",
                path.display()
            ));
            None
        }
    };
    let registry = Registry::new(text.as_deref());
    if let Some(error) = registry.error() {
        warnings.push(format!(
            "{}: {error} Only built-in models are available until this is fixed.",
            path.display()
        ));
    }
    registry
}

/// Providers that live on this machine and are looked for only when needed.
const LOCAL_PROVIDERS: [&str; 3] = ["ollama", "lm-studio", "llama.cpp"];

async fn select(
    client: &Client,
    registry: &mut Registry,
    options: &SessionOptions,
    context: &Context,
    warnings: &mut Vec<String>,
) -> Result<Selection, SessionError> {
    let chosen = options.model.is_some() || options.provider.is_some();
    if options.api_key.is_some() && !chosen {
        return Err(SessionError::KeyWithoutModel);
    }
    let wanted = Wanted {
        pattern: options.model.as_deref(),
        provider: options.provider.as_deref(),
        api_key: options.api_key.as_deref(),
    };
    let lookup = EnvironmentLookup(options.environment.as_ref());
    if let Some(model) = context.model.as_deref().filter(|_| !chosen) {
        match registry.select(Wanted { pattern: Some(model), ..Wanted::default() }, &lookup) {
            Ok(selection) => return Ok(selection),
            Err(error) => {
                warnings
                    .push(format!("the session's model {model} cannot be used ({error}); using another."));
            }
        }
    }
    let first = registry.select(wanted, &lookup);
    let names_local = |text: Option<&str>| {
        text.is_some_and(|text| {
            LOCAL_PROVIDERS.iter().any(|local| text == *local || text.starts_with(&format!("{local}/")))
        })
    };
    let local_may_help = match &first {
        Ok(_) => false,
        Err(SelectError::NothingAvailable) => true,
        Err(_) => names_local(wanted.pattern) || names_local(wanted.provider),
    };
    let result = if local_may_help {
        let servers = discovery::LocalServers::from_env(|name| options.environment.var(name));
        registry.add_local(discovery::probe(client, &servers).await);
        registry.select(wanted, &lookup)
    } else {
        first
    };
    match result {
        Err(SelectError::NothingAvailable) => Ok(Registry::demo()),
        Err(source) => Err(SessionError::Model { source, models_file: options.directories.models_file() }),
        Ok(selection) => Ok(selection),
    }
}

fn build_tools(
    options: &SessionOptions,
    scope: &Arc<Scope>,
    warnings: &mut Vec<String>,
) -> Vec<Arc<dyn Tool>> {
    let environment = ChildEnvironment::inherited().without(&SecretNames::default());
    let home = Some(options.directories.home.clone());
    let context = omp_tools::Context::new(options.cwd.clone(), home, Arc::clone(scope), environment);
    let all = omp_tools::builtin(Arc::new(context));
    match &options.tools {
        ToolFilter::All => all,
        ToolFilter::None => Vec::new(),
        ToolFilter::Only(names) => {
            let unknown = names.iter().filter(|name| !omp_tools::NAMES.contains(&name.as_str()));
            warnings.extend(unknown.map(|name| {
                format!(
                    "--tools: there is no tool \"{name}\"; known tools are {}.",
                    omp_tools::NAMES.join(", ")
                )
            }));
            all.into_iter().filter(|tool| names.contains(&tool.definition().name)).collect()
        }
    }
}

/// One line of `omp models`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    pub selector: String,
    pub provider: String,
    pub id: String,
    pub name: String,
    pub api: &'static str,
    pub context_window: u64,
    pub max_tokens: u32,
    pub reasoning: bool,
    pub available: bool,
}

/// Every known model and what went wrong while reading the user's file. Offline.
pub fn list_models(directories: &Directories, environment: &dyn Environment) -> (Vec<ModelRow>, Vec<String>) {
    let mut warnings = Vec::new();
    let registry = load_registry(directories, &mut warnings);
    let rows =
        registry.list(&EnvironmentLookup(environment)).into_iter().map(|(model, availability)| ModelRow {
            selector: model.selector(),
            provider: model.provider.clone(),
            id: model.id.clone(),
            name: model.name.clone(),
            api: model.api.name(),
            context_window: model.context_window,
            max_tokens: model.max_tokens,
            reasoning: model.reasoning,
            available: availability == Availability::Ready,
        });
    (rows.collect(), warnings)
}

/// Which sessions are meant.
#[derive(Clone, Copy, Debug)]
pub enum SessionScope<'a> {
    Folder(&'a Path),
    AllFolders,
}

/// One line of `omp session list`.
#[derive(Clone, Debug, Serialize)]
pub struct SessionRow {
    pub id: String,
    pub name: String,
    pub cwd: PathBuf,
    pub path: PathBuf,
    /// Local time, to the minute.
    pub modified: String,
}

/// Saved sessions, newest first.
pub fn list_sessions(directories: &Directories, scope: SessionScope<'_>) -> Vec<SessionRow> {
    let store = sessions(directories, None);
    let found = match scope {
        SessionScope::Folder(cwd) => store.list(cwd),
        SessionScope::AllFolders => store.list_all(),
    };
    found.into_iter().map(session_row).collect()
}

fn session_row(info: SessionInfo) -> SessionRow {
    let modified = jiff::Timestamp::try_from(info.modified).unwrap_or_default();
    let modified = modified.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
    SessionRow { name: info.name(), id: info.id, cwd: info.cwd, path: info.path, modified }
}
