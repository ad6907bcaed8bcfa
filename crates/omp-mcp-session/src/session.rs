//! The servers of one session from its beginning to its end.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use omp_agent::Tool;
use omp_auth::{Environment, McpStore};
use omp_config::Directories;
use omp_config::discovery::Discovery;
use omp_config::settings::{Settings, keys};
use omp_guard::approval::Mode;
use omp_mcp::{Connector, ServerState, Servers, Surroundings};
use omp_replay::Deck;
use omp_shell::{Environment as ChildEnvironment, Scope};
use omp_tools::{Questioner, Spills};

use crate::definitions::{ConfiguredServer, ConfiguredServers, DefinitionSources, ServerUsage};
use crate::file;
use crate::host::McpHost;
use crate::kept::{KeptOffers, StoredTokens};
use crate::link::{ServerProject, ServerSession, SessionSlot, WantedTools};
use crate::output::{self, Shelter};
use crate::registry::{self, Registered};
use crate::resources::Notifications;

const INSTRUCTIONS: &str = include_str!("../prompts/instructions.md").trim_ascii();
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
pub struct SessionMcp {
    pub(crate) servers: Servers,
    pub(crate) offers: Arc<KeptOffers>,
    pub(crate) shelter: Arc<Shelter>,
    pub(crate) places: Places,
    configured: Mutex<Arc<ConfiguredServers>>,
    /// The files that the definitions come from, as they were then.
    stamps: Mutex<Vec<file::Stamp>>,
    pub(crate) registered: Mutex<Registered>,
    pub(crate) notifications: Mutex<Notifications>,
    /// Changes of resources that the model has not been told of.
    updates: Mutex<Vec<String>>,
    pub(crate) listens: AtomicBool,
    /// `None`: no tools at all.
    pub(crate) wanted: Option<WantedTools>,
    /// Somebody watches: servers are connected without being called.
    pub(crate) attended: bool,
    pub(crate) deck: Option<Deck>,
    pub(crate) live: SessionSlot,
}

/// Where definitions are looked for.
pub(crate) struct Places {
    pub(crate) directories: Directories,
    pub(crate) cwd: PathBuf,
    environment: Arc<dyn Environment>,
    pub(crate) project: Arc<dyn ServerProject>,
}

/// What the servers of a session are made of.
pub struct SessionMcpOptions {
    /// The directories of the program.
    pub directories: Directories,
    /// Where the session works.
    pub cwd: PathBuf,
    /// Directories that servers are told of, beside that one.
    pub roots: Vec<PathBuf>,
    /// Variables and keys.
    pub environment: Arc<dyn Environment>,
    /// The project.
    pub project: Arc<dyn ServerProject>,
    /// Ends the processes of servers with the session.
    pub scope: Arc<Scope>,
    /// What they see of the environment.
    pub child_environment: ChildEnvironment,
    /// How servers are reached over the network.
    pub connector: Connector,
    /// Who answers questions of servers.
    pub questioner: Option<Arc<dyn Questioner>>,
    /// Somebody can approve that a server has the model answer.
    pub has_asker: bool,
    /// The tools that the model may have; `None` for none at all.
    pub wanted: Option<WantedTools>,
    /// A recording of the session that is made or played.
    pub deck: Option<Deck>,
}

impl SessionMcp {
    /// Reads definitions and what is kept of their servers. Starts nothing.
    pub fn new(
        options: SessionMcpOptions,
        discovery: &Discovery,
        settings: &Settings,
        warnings: &mut Vec<String>,
    ) -> Arc<Self> {
        let store = McpStore::new(options.directories.agent.join("agent.db"));
        let attended = options.has_asker || options.questioner.is_some();
        let live = SessionSlot::default();
        let host = McpHost::new(&options, Arc::clone(&live));
        let servers = Servers::new(Surroundings {
            scope: options.scope,
            environment: options.child_environment,
            cwd: options.cwd.clone(),
            confined: None,
            connector: options.connector,
            host: Arc::new(host),
            tokens: Arc::new(StoredTokens(store.clone())),
            timeout: timeout(options.environment.as_ref(), warnings),
            park_after: Some(PARK_AFTER),
            client_name: "omp".to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            client_metadata_url: None,
        });
        let places = Places {
            directories: options.directories,
            cwd: options.cwd,
            environment: options.environment,
            project: options.project,
        };
        let this = Self {
            servers,
            offers: Arc::new(KeptOffers::new(store)),
            shelter: Arc::default(),
            places,
            configured: Mutex::default(),
            stamps: Mutex::default(),
            registered: Mutex::default(),
            notifications: Mutex::new(Notifications::of(settings)),
            updates: Mutex::default(),
            listens: AtomicBool::new(false),
            wanted: options.wanted,
            attended,
            deck: options.deck,
            live,
        };
        let played = matches!(this.deck, Some(Deck::Play(_)));
        if !played && this.wanted.is_some() {
            let configured = this.read(discovery, settings);
            warnings.extend(configured.warnings.iter().cloned());
            warnings.extend(untrusted(&configured));
            this.configure(configured);
        }
        Arc::new(this)
    }

    /// What the files say now. Waits for the disk.
    fn read(&self, discovery: &Discovery, settings: &Settings) -> ConfiguredServers {
        let Places { directories, cwd, environment, project } = &self.places;
        let never_asks = settings.get(keys::TOOLS_APPROVAL_MODE) == Mode::Yolo.word();
        let sources = DefinitionSources {
            discovery,
            directories,
            cwd,
            settings,
            environment: environment.as_ref(),
            trusts: &|want| if never_asks { Ok(()) } else { project.may_start(want) },
        };
        let configured = sources.load();
        let stamps = file::stamps(directories, cwd, &configured);
        *self.stamps.lock().unwrap_or_else(PoisonError::into_inner) = stamps;
        configured
    }

    pub(crate) fn read_again(&self, settings: &Settings) -> ConfiguredServers {
        self.read(&self.places.project.discovery(settings), settings)
    }

    /// Are the files other than when they were read?
    pub(crate) fn files_changed(&self) -> bool {
        let known = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().any(file::Stamp::is_stale)
    }

    pub(crate) fn notifications(&self) -> Notifications {
        *self.notifications.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn updates(&self) -> MutexGuard<'_, Vec<String>> {
        self.updates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn configured(&self) -> Arc<ConfiguredServers> {
        Arc::clone(&self.configured.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes these the servers of the session, with the tools that they are known for.
    pub(crate) fn configure(&self, configured: ConfiguredServers) {
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
    pub fn tools(&self, warnings: &mut Vec<String>) -> Vec<Arc<dyn Tool>> {
        let update = self.registered().update(self);
        warnings.extend(update.notices);
        update.arrived
    }

    /// What servers with tools in `offered` want models to know.
    pub fn prompt_section(&self, offered: &[Arc<dyn Tool>]) -> Option<String> {
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
        joined(&notes)
    }

    /// One server's notes.
    pub(crate) fn note(&self, server: &ConfiguredServer, text: &str) -> Option<String> {
        let wanted = server.definition.as_ref().is_some_and(|definition| definition.instructions);
        let text = output::plain(text);
        let mut end = text.len().min(NOTES_OF_ONE);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (wanted && !text.trim().is_empty()).then(|| format!("## {}\n{}", server.name, text[..end].trim()))
    }

    /// Lets the session hear of its servers.
    pub fn attach(&self, session: Arc<dyn ServerSession>, spills: Arc<dyn Spills>) {
        self.shelter.set(spills);
        // A session is put together once.
        let _ = self.live.set(session);
    }

    /// Connects, in the background. A run that nobody attends gives servers that were never seen a moment; what is wrong with
    /// them is said.
    pub async fn begin(self: &Arc<Self>) -> Vec<String> {
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
        matches!(state, Some(ServerState::Connecting { .. }))
    }

    /// Ends all connections.
    pub async fn close(&self) {
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
pub(crate) fn untrusted(configured: &ConfiguredServers) -> Option<String> {
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
pub(crate) fn joined(notes: &[String]) -> Option<String> {
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
