//! The servers of one session: each is started when it is first needed, and again after it has crashed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use omp_shell::{Environment, Scope};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::LspError;
use crate::client::{Client, Editor, Limit, Start};
use crate::config::{Config, Places, Server, Trust};
use crate::mux::{Mux, MuxState};

/// How often idle servers are looked for.
const SWEEP: Duration = Duration::from_secs(60);
/// A server that crashed this often within the time below is left alone for the rest of it.
const MOST_CRASHES: usize = 4;
const CRASHES_WITHIN: Duration = Duration::from_secs(3 * 60);
/// How long a server may take to get ready before anybody needs it.
const WARM_UP: Duration = Duration::from_secs(5);

/// Names directories. Waits for the disk.
pub type Directories = Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

/// May code of the project run now? The error says why not and what to do. Waits for the disk.
pub type Consent = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// What servers are started with.
pub struct Surroundings {
    /// Owns the processes.
    pub scope: Arc<Scope>,
    pub environment: Environment,
    pub cwd: PathBuf,
    /// Finds the directories with configuration files, the least important first, when they are needed.
    pub directories: Directories,
    /// Servers and checkers execute a project's code: build scripts, plugins, configuration.
    pub consent: Consent,
}

/// All servers of a session.
pub struct Servers {
    scope: Arc<Scope>,
    environment: Environment,
    places: Places,
    directories: Arc<Directories>,
    consent: Arc<Consent>,
    /// Why programs were not started that somebody wanted.
    refusal: Mutex<Option<String>>,
    /// Read once; changes of the files need another session.
    config: OnceCell<Arc<Config>>,
    slots: Mutex<HashMap<String, Arc<Slot>>>,
    editor: OnceLock<Arc<dyn Editor>>,
    mux: Mux,
    sweeps: OnceLock<()>,
}

/// What is known of a server's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// It was not needed yet, or we have ended it.
    Stopped,
    /// It has not answered `initialize` yet.
    Starting,
    Running,
    /// It could not be started, or ended by itself, the last time. Says why.
    Failed(String),
}

/// The place of one process.
#[derive(Default)]
struct Slot {
    /// Held while the process is being started, so that there is only one.
    client: tokio::sync::Mutex<Option<Arc<Client>>>,
    /// The same process, for those who do not wait for one that is being started.
    started: Mutex<Weak<Client>>,
    /// Why it could not be started the last time.
    failure: Mutex<Option<String>>,
    times: Mutex<Times>,
}

#[derive(Default)]
struct Times {
    used: Option<Instant>,
    started: Vec<Instant>,
}

impl Servers {
    /// Nothing is read or started before somebody asks.
    pub fn new(surroundings: Surroundings) -> Arc<Self> {
        let Surroundings { scope, environment, cwd, directories, consent } = surroundings;
        let path = environment.get("PATH").map(ToOwned::to_owned);
        Arc::new(Self {
            scope,
            environment,
            places: Places { cwd, directories: Vec::new(), path, trust: Trust::Project },
            directories: Arc::new(directories),
            consent: Arc::new(consent),
            refusal: Mutex::default(),
            config: OnceCell::new(),
            slots: Mutex::default(),
            editor: OnceLock::new(),
            mux: Mux::default(),
            sweeps: OnceLock::new(),
        })
    }

    /// Whoever makes the changes that servers ask for. Only the first one counts.
    pub fn set_editor(&self, editor: Arc<dyn Editor>) {
        let _ = self.editor.set(editor);
    }

    /// The directory that the servers work for.
    pub fn cwd(&self) -> &Path {
        &self.places.cwd
    }

    /// The servers of the project, whether they may be started or not.
    pub async fn config(&self) -> Arc<Config> {
        let load = || async {
            let (mut places, directories) = (self.places.clone(), Arc::clone(&self.directories));
            let load = move || {
                places.directories = directories();
                Config::load(&places)
            };
            let loaded = tokio::task::spawn_blocking(load).await;
            Arc::new(loaded.unwrap_or_default())
        };
        Arc::clone(self.config.get_or_init(load).await)
    }

    /// May a program be started that executes code of the project? Everything that starts one asks here first: servers,
    /// linters and checkers. A sandbox that confines them can answer yes where there is no consent.
    pub async fn may_run(&self, program: &str) -> Result<(), LspError> {
        self.consent().await.map_err(|reason| {
            *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.clone());
            LspError::Refused { server: program.to_owned(), reason }
        })
    }

    /// Why programs were not started that somebody wanted, if that happened.
    pub fn refusal(&self) -> Option<String> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Did the user agree that code of the project runs? The error says why not.
    pub async fn consent(&self) -> Result<(), String> {
        let consent = Arc::clone(&self.consent);
        let asked = tokio::task::spawn_blocking(move || consent()).await;
        asked.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// Whether servers are shared with other programs.
    pub async fn mux(&self) -> MuxState {
        let trust = match self.consent().await {
            Ok(()) => Trust::Project,
            Err(_) => Trust::User,
        };
        let places = Places { trust, ..self.places.clone() };
        self.mux.state(&places, &self.scope, &self.environment).await
    }

    /// The scope and the environment for programs that are not servers.
    pub fn surroundings(&self) -> (&Arc<Scope>, &Environment) {
        (&self.scope, &self.environment)
    }

    /// A program of the project or of the system.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        crate::config::find_program(name, &self.places)
    }

    /// The running server, which is started if need be.
    pub async fn client(
        self: &Arc<Self>,
        server: &Server,
        limit: Limit<'_>,
    ) -> Result<Arc<Client>, LspError> {
        let slot = Arc::clone(self.slots().entry(server.program.to_string_lossy().into_owned()).or_default());
        let gave_up = || match limit.cancel.is_cancelled() {
            true => LspError::Cancelled,
            false => LspError::Start { server: server.name.clone(), reason: "it timed out".to_owned() },
        };
        let mut current = limit.wait(slot.client.lock()).await.ok_or_else(gave_up)?;
        slot.times().used = Some(Instant::now());
        if let Some(client) = current.as_ref().filter(|client| client.is_alive()) {
            return Ok(Arc::clone(client));
        }
        *current = None;
        self.may_run(&server.name).await?;
        slot.may_start(server)?;
        let (program, arguments) =
            self.mux.command(server, &self.places, &self.scope, &self.environment).await;
        let start = Start {
            server,
            program,
            arguments,
            scope: &self.scope,
            environment: self.environment.clone(),
            cwd: &self.places.cwd,
            editor: self.editor.get().cloned(),
        };
        let started = Client::start(start, limit).await;
        slot.note(started.as_ref().err());
        let client = Arc::new(started?);
        *current = Some(Arc::clone(&client));
        *slot.started() = Arc::downgrade(&client);
        drop(current);
        self.sweep_later().await;
        Ok(client)
    }

    /// Starts a server before anybody needs it.
    pub async fn warm_up(self: &Arc<Self>, server: &Server) -> Result<(), LspError> {
        let budget = server.warmup_timeout_ms.map_or(WARM_UP, Duration::from_millis);
        let never = CancellationToken::new();
        self.client(server, Limit::after(budget, &never)).await.map(drop)
    }

    /// The server, if it runs.
    pub async fn running(&self, server: &Server) -> Option<Arc<Client>> {
        let slot = self.slots().get(server.program.to_string_lossy().as_ref()).cloned()?;
        let client = slot.client.lock().await.clone();
        client.filter(|client| client.is_alive())
    }

    /// What is known of the server's process. Starts nothing and waits for nobody.
    pub fn state(&self, server: &Server) -> ServerState {
        let slot = self.slots().get(server.program.to_string_lossy().as_ref()).cloned();
        slot.map_or(ServerState::Stopped, |slot| slot.state())
    }

    /// The running servers that want to hear about changes of files.
    pub fn watching(&self) -> Vec<Arc<Client>> {
        let slots = self.slots();
        let running = slots.values().filter_map(|slot| slot.started().upgrade());
        running.filter(|client| client.is_alive() && client.watches()).collect()
    }

    /// Forgets how often a server crashed, because somebody wants it tried again.
    pub fn forgive(&self, server: &Server) {
        if let Some(slot) = self.slots().get(server.program.to_string_lossy().as_ref()) {
            slot.times().started.clear();
        }
    }

    /// Ends all servers.
    pub async fn close(&self) {
        let slots: Vec<Arc<Slot>> = self.slots().drain().map(|(_, slot)| slot).collect();
        let ends = slots.iter().map(|slot| async {
            // One that is being started ends with the scope.
            if let Ok(mut client) = slot.client.try_lock()
                && let Some(client) = client.take()
            {
                client.close().await;
            }
        });
        futures_util::future::join_all(ends).await;
    }

    fn slots(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the configuration says so, ends servers that nobody uses.
    async fn sweep_later(self: &Arc<Self>) {
        let Some(idle) = self.config().await.idle_timeout_ms else { return };
        if self.sweeps.set(()).is_ok() {
            tokio::spawn(sweep(Arc::downgrade(self), Duration::from_millis(idle)));
        }
    }
}

impl Slot {
    fn times(&self) -> std::sync::MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn started(&self) -> std::sync::MutexGuard<'_, Weak<Client>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failure(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers how a start went. One that somebody called off says nothing about the server.
    fn note(&self, error: Option<&LspError>) {
        match error {
            None => *self.failure() = None,
            Some(LspError::Cancelled) => {}
            Some(LspError::Start { reason, .. }) => *self.failure() = Some(reason.clone()),
            Some(other) => *self.failure() = Some(other.to_string()),
        }
    }

    fn state(&self) -> ServerState {
        let client = self.started().upgrade();
        match (client, self.failure().clone()) {
            (Some(client), _) if client.is_alive() => ServerState::Running,
            _ if self.client.try_lock().is_err() => ServerState::Starting,
            (_, Some(reason)) => ServerState::Failed(reason),
            (Some(client), None) => client.failure().map_or(ServerState::Stopped, ServerState::Failed),
            (None, None) => ServerState::Stopped,
        }
    }

    /// Refuses to start what crashes again and again.
    fn may_start(&self, server: &Server) -> Result<(), LspError> {
        let mut times = self.times();
        times.started.retain(|started| started.elapsed() < CRASHES_WITHIN);
        if times.started.len() >= MOST_CRASHES {
            let reason = format!(
                "it crashed {MOST_CRASHES} times within {} seconds; use action \"reload\" to try again",
                CRASHES_WITHIN.as_secs()
            );
            return Err(LspError::Start { server: server.name.clone(), reason });
        }
        times.started.push(Instant::now());
        Ok(())
    }
}

async fn sweep(servers: Weak<Servers>, idle: Duration) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let Some(servers) = servers.upgrade() else { return };
        let slots: Vec<Arc<Slot>> = servers.slots().values().cloned().collect();
        for slot in slots {
            let rests = slot.times().used.is_some_and(|used| used.elapsed() >= idle);
            // Somebody who starts it uses it.
            let Ok(mut client) = slot.client.try_lock() else { continue };
            // Somebody who holds it uses it, too.
            if rests
                && client.as_ref().is_some_and(|client| Arc::strong_count(client) == 1)
                && let Some(client) = client.take()
            {
                slot.times().started.clear();
                client.close().await;
            }
        }
    }
}
