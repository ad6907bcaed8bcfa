//! MCP servers of a session: which ones there are ([`definitions`], [`file`]), their tools in the session's list ([`tool`],
//! [`registry`]), what they may ask of the session ([`host`]), their resources and prompts, and what is kept of them
//! ([`kept`]).
//!
//! Nobody waits for a server. What a server offered last time is offered from the start; a call connects it. Servers that were
//! never seen are connected in the background, and their tools join the session's list when they are known.

mod consent;
mod controls;
pub(crate) mod definitions;
pub(crate) mod file;
mod host;
mod kept;
mod output;
mod prompt_values;
mod prompts;
mod registry;
mod resources;
mod tool;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use omp_agent::{Control, Tool};
use omp_auth::{Environment, McpStore};
use omp_config::Directories;
use omp_config::discovery::Discovery;
use omp_config::settings::{Settings, keys};
use omp_guard::approval::Mode;
use omp_llm::Client;
use omp_mcp::{Servers, Surroundings};
use omp_modes::SessionModes;
use omp_replay::Deck;
use omp_shell::{Environment as ChildEnvironment, Scope};
use omp_tools::Spills;

pub use omp_mcp::{
    CallOptions, Callback, CallbackWanted, Consent, Content, LoginError, ServerEvent, ServerState,
    ServerStatus, Tool as ServerTool, ToolResult, form,
};

pub use consent::PersonConsent;
pub use controls::{McpServerRow, McpServers, ReloadedServers};
pub use definitions::{ConfiguredServer, ConfiguredServers, ServerUsage};
pub use file::{McpFileError, add_server, mcp_file, remove_server, switch_server};
pub(crate) use host::McpHost;
pub use prompt_values::PromptOffer;
pub use prompts::McpPromptCommand;
pub(crate) use resources::McpScheme;

use crate::guard::trust::ProjectTrust;
use crate::prompt::Section;
use crate::prompt::knowledge;
use crate::session::builder::SessionBuilder;
use crate::session::options::ToolFilter;
use crate::session::setup::SessionSetup;
use definitions::DefinitionSources;
use kept::{KeptOffers, StoredTokens};
use output::Shelter;
use registry::Registered;
pub(crate) use registry::is_named;
use resources::Notifications;

const INSTRUCTIONS: &str = include_str!("../../prompts/mcp-instructions.md").trim_ascii();
/// What the notes of one server, and of all of them, may take of every prompt.
const NOTES_OF_ONE: usize = 2 * 1024;
const NOTES_OF_ALL: usize = 8 * 1024;
/// How long a run that nobody attends waits for servers that were never seen.
const FIRST_LOOK: Duration = Duration::from_millis(250);
/// When servers that did not answer last time are tried again in such a run.
const SECOND_CHANCE: Duration = Duration::from_millis(500);
/// The variable with a time limit for all servers, in milliseconds.
const TIMEOUT: &str = "OMP_MCP_TIMEOUT_MS";
/// A connection that nobody used for so long is closed until the next call.
const PARK_AFTER: Duration = Duration::from_secs(30 * 60);

/// The servers of one session.
pub(crate) struct SessionMcp {
    pub(crate) servers: Servers,
    pub(crate) host: Arc<McpHost>,
    offers: Arc<KeptOffers>,
    shelter: Arc<Shelter>,
    places: Places,
    configured: Mutex<Arc<ConfiguredServers>>,
    /// The files that the definitions come from, as they were then.
    stamps: Mutex<Vec<file::Stamp>>,
    registered: Mutex<Registered>,
    notifications: Mutex<Notifications>,
    /// Changes of resources that the model has not been told of.
    updates: Mutex<Vec<String>>,
    listens: AtomicBool,
    filter: ToolFilter,
    /// Somebody watches: servers are connected without being called.
    attended: bool,
    deck: Option<Deck>,
    live: OnceLock<Live>,
}

/// Where definitions are looked for.
struct Places {
    directories: Directories,
    cwd: PathBuf,
    environment: Arc<dyn Environment>,
    trust: ProjectTrust,
}

/// The parts of the session that hear of servers, once they exist.
struct Live {
    setup: Weak<SessionSetup>,
    modes: Weak<SessionModes>,
    control: Control,
}

impl SessionMcp {
    /// Reads definitions and what is kept of their servers. Starts nothing.
    pub(crate) fn of_session(
        builder: &mut SessionBuilder,
        discovery: &Discovery,
        scope: &Arc<Scope>,
        environment: &ChildEnvironment,
        client: &Client,
    ) -> Arc<Self> {
        let options = &builder.options;
        let places = Places {
            directories: options.directories.clone(),
            cwd: options.cwd.clone(),
            environment: Arc::clone(&options.environment),
            trust: builder.trust(),
        };
        let store = McpStore::new(options.directories.agent.join("agent.db"));
        let host = Arc::new(McpHost::new(options));
        let client = client.clone();
        let servers = Servers::new(Surroundings {
            scope: Arc::clone(scope),
            environment: environment.clone(),
            cwd: options.cwd.clone(),
            confined: None,
            connector: Arc::new(move || client.stranger_builder().map_err(|error| error.to_string())),
            host: Arc::clone(&host) as Arc<dyn omp_mcp::Host>,
            tokens: Arc::new(StoredTokens(store.clone())),
            timeout: timeout(options.environment.as_ref(), &mut builder.warnings),
            park_after: Some(PARK_AFTER),
            client_name: "omp".to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            client_metadata_url: None,
        });
        let attended = options.people.asker.is_some() || options.people.questioner.is_some();
        let this = Self {
            servers,
            host,
            offers: Arc::new(KeptOffers::new(store)),
            shelter: Arc::default(),
            places,
            configured: Mutex::default(),
            stamps: Mutex::default(),
            registered: Mutex::default(),
            notifications: Mutex::new(Notifications::of(&builder.settings)),
            updates: Mutex::default(),
            listens: AtomicBool::new(false),
            filter: options.tools.clone(),
            attended,
            deck: options.deck.clone(),
            live: OnceLock::new(),
        };
        let played = matches!(this.deck, Some(Deck::Play(_)));
        if !played && this.filter != ToolFilter::None {
            let configured = this.read(discovery, &builder.settings);
            builder.warnings.extend(configured.warnings.iter().cloned());
            builder.warnings.extend(untrusted(&configured));
            this.configure(configured);
        }
        Arc::new(this)
    }

    /// What the files say now. Waits for the disk.
    fn read(&self, discovery: &Discovery, settings: &Settings) -> ConfiguredServers {
        let Places { directories, cwd, environment, trust } = &self.places;
        let never_asks = settings.get(keys::TOOLS_APPROVAL_MODE) == Mode::Yolo.word();
        let sources = DefinitionSources {
            discovery,
            directories,
            cwd,
            settings,
            environment: environment.as_ref(),
            trusts: &|want| if never_asks { Ok(()) } else { trust.mcp_server(want) },
        };
        let configured = sources.load();
        let stamps = file::stamps(directories, cwd, &configured);
        *self.stamps.lock().unwrap_or_else(PoisonError::into_inner) = stamps;
        configured
    }

    fn read_again(&self, settings: &Settings) -> ConfiguredServers {
        let discovery = knowledge::discovery(&self.places.directories, &self.places.cwd, settings);
        self.read(&discovery, settings)
    }

    /// Are the files other than when they were read?
    fn files_changed(&self) -> bool {
        let known = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().any(file::Stamp::is_stale)
    }

    fn notifications(&self) -> Notifications {
        *self.notifications.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn updates(&self) -> MutexGuard<'_, Vec<String>> {
        self.updates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn configured(&self) -> Arc<ConfiguredServers> {
        Arc::clone(&self.configured.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes these the servers of the session, with the tools that they are known for.
    fn configure(&self, configured: ConfiguredServers) {
        let active: Vec<&ConfiguredServer> =
            configured.servers.iter().filter(|server| server.usage == ServerUsage::Active).collect();
        if !active.is_empty() {
            self.offers.load(&active.iter().map(|server| server.hash.clone()).collect::<Vec<_>>());
        }
        self.servers.configure(configured.definitions());
        for server in active {
            if let Some(tools) = self.offers.get(&server.hash).and_then(|offer| offer.tools) {
                // It was configured a moment ago.
                let _ = self.servers.preload(&server.name, tools);
            }
        }
        *self.configured.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(configured);
    }

    /// The tools that are known from last time.
    pub(crate) fn tools(&self, warnings: &mut Vec<String>) -> Vec<Arc<dyn Tool>> {
        let update = self.registered().update(self);
        warnings.extend(update.notices);
        update.arrived
    }

    /// What servers with tools in `offered` want models to know.
    pub(crate) fn section(&self, offered: &[Arc<dyn Tool>]) -> Option<Section> {
        let of_server = |name: &str| {
            offered.iter().any(|tool| {
                let origin = tool.origin().and_then(|origin| origin.mcp.as_ref());
                origin.is_some_and(|origin| origin.server == name)
            })
        };
        let configured = self.configured();
        let mut notes = Vec::new();
        for server in configured.servers.iter().filter(|server| of_server(&server.name)) {
            let kept = self.offers.get(&server.hash).and_then(|offer| offer.instructions);
            if let Some(note) = kept.and_then(|text| self.note(server, &text)) {
                notes.push(note);
            }
        }
        self.registered().note(&configured, |server| of_server(&server.name));
        joined(&notes).map(|text| Section::new("MCP servers", text))
    }

    /// One server's notes.
    fn note(&self, server: &ConfiguredServer, text: &str) -> Option<String> {
        let wanted = server.definition.as_ref().is_some_and(|definition| definition.instructions);
        let text = output::plain(text);
        let mut end = text.len().min(NOTES_OF_ONE);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (wanted && !text.trim().is_empty()).then(|| format!("## {}\n{}", server.name, text[..end].trim()))
    }

    /// Lets the session hear of its servers.
    pub(crate) fn attach(
        &self,
        setup: &Arc<SessionSetup>,
        modes: &Arc<SessionModes>,
        control: Control,
        spills: Arc<dyn Spills>,
    ) {
        self.shelter.set(spills);
        let live = Live { setup: Arc::downgrade(setup), modes: Arc::downgrade(modes), control };
        // A session is put together once.
        let _ = self.live.set(live);
    }

    /// Connects, in the background. A run that nobody attends gives servers that were never seen a moment; what is wrong with
    /// them is said.
    pub(crate) async fn begin(self: &Arc<Self>) -> Vec<String> {
        let configured = self.configured();
        let active: Vec<&ConfiguredServer> =
            configured.servers.iter().filter(|server| server.usage == ServerUsage::Active).collect();
        if active.is_empty() || matches!(self.deck, Some(Deck::Play(_))) {
            return Vec::new();
        }
        registry::listen(self);
        if self.attended {
            self.servers.start_all();
            return Vec::new();
        }
        // Known servers are connected by the first call of one of their tools.
        let offer = |server: &&&ConfiguredServer| self.offers.get(&server.hash);
        let new: Vec<_> = active.iter().filter(|server| offer(server).is_none()).collect();
        let silent = active.iter().filter(|server| offer(server).is_some_and(|offer| offer.tools.is_none()));
        for server in &new {
            let _ = self.servers.start(&server.name);
        }
        if !new.is_empty() {
            self.servers.settled(FIRST_LOOK).await;
            for server in &new {
                if self.is_connecting(&server.name) {
                    self.offers.keep(&server.hash, None, None);
                }
            }
            self.sync();
        }
        let problems =
            self.problems().into_iter().filter_map(|problem| self.registered().tell(problem)).collect();
        let silent: Vec<String> = silent.map(|server| server.name.clone()).collect();
        if !silent.is_empty() {
            self.start_later(silent);
        }
        problems
    }

    /// Servers that did not answer last time get another chance, but not at the expense of the first request.
    fn start_later(self: &Arc<Self>, names: Vec<String>) {
        let mcp = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(SECOND_CHANCE).await;
            let Some(mcp) = mcp.upgrade() else { return };
            for name in names {
                // It may have been removed meanwhile.
                let _ = mcp.servers.start(&name);
            }
        });
    }

    fn is_connecting(&self, server: &str) -> bool {
        let state = self.servers.status_of(server).map(|status| status.state);
        matches!(state, Some(omp_mcp::ServerState::Connecting { .. }))
    }

    /// Ends all connections.
    pub(crate) async fn close(&self) {
        self.servers.close().await;
        self.offers.flush().await;
    }

    /// What went wrong with servers, one sentence each.
    pub(crate) fn problems(&self) -> Vec<String> {
        let all = self.servers.status();
        all.iter().filter_map(|status| registry::problem(&status.definition.name, &status.state)).collect()
    }
}

/// What the user should know about servers that are not started.
fn untrusted(configured: &ConfiguredServers) -> Option<String> {
    let waiting =
        configured.servers.iter().filter(|server| matches!(server.usage, ServerUsage::Untrusted(_)));
    let names: Vec<&str> = waiting.map(|server| server.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    let (servers, them) = match names.len() {
        1 => ("MCP server is", "it"),
        _ => ("MCP servers are", "them"),
    };
    Some(format!(
        "the project's {servers} not started until you trust {them}: {}. To allow: /mcp trust <name>, or omp mcp trust <name>",
        names.join(", ")
    ))
}

/// Notes under one heading, as many as there is room for.
fn joined(notes: &[String]) -> Option<String> {
    let mut text = String::new();
    for note in notes {
        if text.len() + note.len() <= NOTES_OF_ALL {
            text.push_str("\n\n");
            text.push_str(note);
        }
    }
    (!text.is_empty()).then(|| format!("# MCP servers\n{INSTRUCTIONS}{text}"))
}

/// The limit for all servers; zero stands for none.
fn timeout(environment: &dyn Environment, warnings: &mut Vec<String>) -> Option<Duration> {
    let text = environment.var(TIMEOUT).filter(|text| !text.trim().is_empty())?;
    let number = text.trim().parse::<u64>().ok();
    if number.is_none() {
        warnings.push(format!("{TIMEOUT} is ignored: \"{text}\" is not a number of milliseconds"));
    }
    number.map(Duration::from_millis)
}
