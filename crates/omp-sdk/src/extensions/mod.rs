//! Extensions of a session: which ones are loaded, what they do at its boundaries, and what they can reach of it.
//!
//! They belong to the program run. The session that follows another one takes them over, so what an extension knows is not lost
//! when the user switches.

mod asking;
mod consent;
mod conversation;
mod found;
mod loading;
mod models;
mod port;
mod reading;
mod survey;
mod tools;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use omp_agent::{Conduct, Gate, Listener, Prompt, Tool};
use omp_extension_host::RequestWatch;
use omp_extension_host::listener::Settling;
use omp_guard::secrets::Outbound;
use omp_llm::Interceptor;
use omp_llm::registry::Registry;
use omp_session::SharedWriter;
use omp_types::UserContent;
use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;

pub use omp_extension_host::{
    CommandSpec, Completion, Drawing, EventName, Extension, ExtensionForm, ExtensionSource, ExtensionSpec,
    ExtensionSurvey, Extensions, FlagKind, FlagSpec, HostProcess, InputAnswer, PartRequest, Port, Problem,
    Registered, ScanReport, SessionFacts, ShortcutSpec, SurveyedExtension, UnitUsage,
};

use crate::extensions::port::SessionPort;
use crate::session::Session;
use crate::session::options::Persistence;

pub(crate) use asking::Asked;
pub(crate) use consent::ExtensionCode;
pub(crate) use conversation::prepare;
pub use found::RefusedExtension;
pub(crate) use found::of_project;
pub use loading::{ExtensionSurroundings, LoadedExtensions};

/// Prompts of extensions that may wait.
const OUTBOX: usize = 100;

/// Which extensions a session has.
#[derive(Clone, Default)]
pub struct ExtensionChoice {
    /// Files and directories that were named for this run.
    pub named: Vec<PathBuf>,
    /// Those of them that are loaded without asking, also where they belong to the project.
    pub trusted: Vec<PathBuf>,
    /// Extensions that nobody named are not looked for.
    pub only_named: bool,
    /// Values of the flags that extensions register, as far as they were typed.
    pub flags: Map<String, Value>,
    /// Names of commands that are built in: no extension can have them.
    pub reserved_commands: Vec<String>,
    /// Those of the session before.
    pub carried: Option<Arc<Extensions>>,
    /// Those that were loaded for this session before there was one.
    pub loaded: Option<LoadedExtensions>,
    /// `tui`, `rpc`, `json` or `print`.
    pub mode: Option<&'static str>,
    /// The program around the session.
    pub program: Option<Arc<dyn Port>>,
}

/// The extensions of one session.
#[derive(Default)]
pub(crate) struct SessionExtensions {
    pub(crate) set: Option<Arc<Extensions>>,
    requests: OnceLock<Arc<RequestWatch>>,
    /// Found and not loaded, with the reason.
    refused: Vec<RefusedExtension>,
    /// Tools of ours, as they are without extensions.
    pub(crate) own_tools: Vec<Arc<dyn Tool>>,
    /// Tools that are there and that no model has until somebody activates them.
    pub(crate) dormant: Mutex<Vec<Arc<dyn Tool>>>,
    /// What approves the calls that an extension makes of our own tools.
    pub(crate) own_gate: Option<Arc<dyn Gate>>,
    choice: ExtensionChoice,
    /// How the session came about.
    how: Began,
    /// Another session of the program had them before.
    carried: bool,
    settling: Mutex<Option<Settling>>,
    port: Mutex<Option<Arc<SessionPort>>>,
    starting: Mutex<Option<JoinHandle<()>>>,
    /// What extensions want to be sent when the model has time for it.
    outbox: Mutex<VecDeque<Prompt>>,
    outgoing: tokio::sync::Notify,
    /// Messages on their way into the conversation.
    noting: Mutex<Vec<JoinHandle<()>>>,
    /// What extensions were asked about before it became a prompt.
    heard: Mutex<Option<UserContent>>,
    began: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SessionExtensions {
    /// The same with what is known once the session is there.
    pub(crate) fn of_session(self, own_gate: Arc<dyn Gate>, choice: ExtensionChoice, how: Began) -> Self {
        Self { own_gate: Some(own_gate), choice, how, ..self }
    }

    /// The tools that extensions have registered. One that wraps a tool of ours stands in its place.
    pub(crate) fn add_tools(&mut self, tools: &mut Vec<Arc<dyn Tool>>, warnings: &mut Vec<String>) {
        if let Some(set) = &self.set {
            self.own_tools.clone_from(tools);
            let dormant = tools::add(set, tools, warnings);
            *lock(&self.dormant) = dormant;
        }
    }

    pub(crate) fn gate(&self, inner: Arc<dyn Gate>) -> Arc<dyn Gate> {
        match &self.set {
            Some(set) => omp_extension_host::gate::gate(inner, set),
            None => inner,
        }
    }

    pub(crate) fn conduct(&self, inner: Arc<dyn Conduct>) -> Arc<dyn Conduct> {
        match &self.set {
            Some(set) => omp_extension_host::conduct::conduct(inner, set),
            None => inner,
        }
    }

    /// Adds the providers of extensions; what cannot be used is said.
    pub(crate) fn register_providers(&self, registry: &mut Registry) -> Vec<String> {
        self.set.as_ref().map(|set| set.register_providers(registry)).unwrap_or_default()
    }

    /// What shows extensions the requests of the session.
    pub(crate) fn interceptor(&self) -> Option<Arc<dyn Interceptor>> {
        let set = self.set.as_ref()?;
        let watch = self.requests.get_or_init(|| RequestWatch::new(Arc::clone(set)));
        Some(Arc::clone(watch) as Arc<dyn Interceptor>)
    }

    /// What must not be sent is known from now on.
    pub(crate) fn hide(&self, outbound: Option<&Arc<Outbound>>) {
        if let (Some(requests), Some(outbound)) = (self.requests.get(), outbound) {
            requests.hide(Arc::clone(outbound.secrets()));
        }
    }

    pub(crate) fn listener(&self, inner: Box<dyn Listener>) -> Box<dyn Listener> {
        let Some(set) = &self.set else { return inner };
        let (listener, settling) = omp_extension_host::listener::listener(inner, set);
        *lock(&self.settling) = Some(settling);
        listener
    }

    /// Sends something as soon as the session has nothing else to do.
    pub(crate) fn send(&self, prompt: Prompt) {
        let mut outbox = lock(&self.outbox);
        if outbox.len() < OUTBOX {
            outbox.push_back(prompt);
        }
        self.outgoing.notify_one();
    }

    /// What extensions added to the conversation stands in it before the next run begins.
    pub(crate) async fn noted(&self) {
        let noting = std::mem::take(&mut *lock(&self.noting));
        for task in noting {
            let _ = task.await;
        }
    }

    /// Everything that happened so far has been heard.
    async fn settled(&self) {
        let settling = lock(&self.settling).clone();
        if let Some(settling) = settling {
            settling.settled().await;
        }
    }

    /// The session does not begin to work before extensions have heard of it.
    pub(crate) async fn started(&self) {
        let starting = lock(&self.starting).take();
        if let Some(starting) = starting {
            let _ = starting.await;
        }
    }

    /// The session ends: what it was can still be read.
    pub(crate) fn keep(&self, record: &SharedWriter) {
        if let Some(port) = &*lock(&self.port) {
            port.keep(record);
        }
    }

    /// Does an extension want to hear of it?
    pub(crate) fn hear(&self, event: EventName) -> bool {
        self.set.as_ref().is_some_and(|set| set.listens(event))
    }

    /// What a person should know.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        self.set.as_ref().map(|set| set.take_notices()).unwrap_or_default()
    }
}

/// The extensions of a session.
#[derive(Clone, Copy)]
pub struct SessionExtensionList<'s> {
    pub(crate) session: &'s Session,
}

impl<'s> SessionExtensionList<'s> {
    /// In the order in which they were loaded.
    pub fn loaded(self) -> Vec<Arc<Extension>> {
        self.session.extensions.set.as_ref().map(|set| set.list()).unwrap_or_default()
    }

    /// Those that could not be loaded, with the reason.
    pub fn failed(self) -> Vec<(ExtensionSpec, String)> {
        let failures = self.session.extensions.set.as_ref().map(|set| set.failures()).unwrap_or_default();
        failures.into_iter().map(|failure| (failure.spec, failure.reason)).collect()
    }

    /// Those that may not be loaded.
    pub fn refused(self) -> &'s [RefusedExtension] {
        &self.session.extensions.refused
    }

    /// Commands that extensions have registered. Of two with one name the later counts; names of our own are reserved.
    pub fn commands(self) -> Vec<CommandSpec> {
        let Some(set) = self.set() else { return Vec::new() };
        set.commands().into_iter().map(|(_, command)| command).collect()
    }

    /// Runs the command that a line calls, if an extension has one of that name. What fails in it is said.
    pub async fn run_command(self, line: &str) -> Option<Result<(), String>> {
        let set = self.set()?;
        let (name, arguments) =
            line.strip_prefix('/')?.split_once(char::is_whitespace).unwrap_or((line.strip_prefix('/')?, ""));
        self.session.extensions.started().await;
        set.run_command(name, arguments.trim()).await
    }

    /// What an extension wants to be sent next, if it waits already. The program sends it with [`Session::prompt`].
    pub fn take_prompt(self) -> Option<Prompt> {
        lock(&self.session.extensions.outbox).pop_front()
    }

    /// Waits until an extension wants something to be sent.
    pub async fn prompt_waiting(self) {
        while lock(&self.session.extensions.outbox).is_empty() {
            self.session.extensions.outgoing.notified().await;
        }
    }

    /// Is there anything to load again?
    pub fn are_there(self) -> bool {
        let extensions = &self.session.extensions;
        let (directories, cwd) = (self.session.directories(), &self.session.places.cwd);
        extensions.set.is_some()
            || !extensions.refused.is_empty()
            || found::is_any(directories, cwd, &self.session.settings())
    }

    /// Waits until extensions have heard of everything that happened so far.
    pub async fn settled(self) {
        self.session.extensions.started().await;
        self.session.extensions.settled().await;
    }

    /// What extensions printed, oldest first.
    pub fn log(self) -> Vec<String> {
        self.session.extensions.set.as_ref().map(|set| set.log()).unwrap_or_default()
    }

    /// All of them together, if there are any.
    pub fn set(self) -> Option<&'s Arc<Extensions>> {
        self.session.extensions.set.as_ref()
    }
}

impl Session {
    /// The extensions of a session.
    pub fn extensions(&self) -> SessionExtensionList<'_> {
        SessionExtensionList { session: self }
    }

    /// Lets extensions act on this session from now on, and tells them that it has begun. The program that owns the session
    /// calls it once.
    pub fn begin_extensions(self: &Arc<Self>) {
        let Some(set) = self.extensions.set.clone() else { return };
        if self.extensions.began.swap(true, Ordering::AcqRel) {
            return;
        }
        let port = Arc::new(SessionPort::new(self));
        let choice = &self.extensions.choice;
        if let Some(program) = &choice.program {
            set.set_program(Arc::clone(program));
        }
        if let Some(vault) = self.models.environment.vault() {
            let set = Arc::downgrade(&set);
            vault.on_disabled(Arc::new(move |provider: &str, cause: &str| {
                if let Some(set) = set.upgrade() {
                    set.credential_disabled(provider, cause);
                }
            }));
        }
        let mode = choice.mode.unwrap_or("print");
        let has_ui = choice.program.is_some() && matches!(mode, "tui" | "rpc");
        set.attach(Arc::clone(&port) as Arc<dyn Port>, mode, has_ui, self.cwd());
        *lock(&self.extensions.port) = Some(port);
        let carried = self.extensions.carried;
        let began = self.extensions.how.clone();
        let task = tokio::spawn(async move {
            set.activate().await;
            match carried {
                false => {
                    let event = EventName::SessionStart;
                    set.tell(event, &json!({"type": event.name(), "reason": began.reason()})).await;
                }
                true => {
                    let event = began.switched();
                    let reason = began.reason();
                    let previous = began.previous.as_deref();
                    let payload =
                        json!({"type": event.name(), "reason": reason, "previousSessionFile": previous});
                    set.tell(event, &payload).await;
                }
            }
        });
        *lock(&self.extensions.starting) = Some(task);
    }

    /// The program ends, and extensions with it.
    pub async fn end_extensions(&self) {
        if let Some(set) = &self.extensions.set {
            self.extensions.started().await;
            self.extensions.settled().await;
            set.end().await;
        }
    }

    /// The extensions that a session in that directory continues with.
    pub(crate) fn extensions_for(&self, cwd: &Path) -> Option<Arc<Extensions>> {
        self.extensions.set.clone().filter(|_| self.places.cwd == cwd)
    }

    /// May another session follow this one? `false` when an extension does not want it.
    pub(crate) async fn may_leave(&self, how: BeganHow, next: &Persistence) -> bool {
        let reason = Began { how, previous: None }.reason();
        let target = match next {
            Persistence::Resume(path) if how == BeganHow::Resume => Some(path.as_str()),
            _ => None,
        };
        match how {
            // Asked before the branch was made.
            BeganHow::Branch | BeganHow::Reload => true,
            _ => {
                let payload = match target {
                    Some(target) => json!({"reason": reason, "targetSessionFile": target}),
                    None => json!({"reason": reason}),
                };
                self.extensions_allow(EventName::SessionBeforeSwitch, payload).await
            }
        }
    }

    /// A run is over, and everything that followed from it.
    pub(crate) async fn extensions_settle(&self, aborted: bool) {
        let Some(set) = &self.extensions.set else { return };
        self.extensions.settled().await;
        let event = EventName::AgentSettled;
        if set.listens(event) {
            set.tell(event, &json!({"type": event.name(), "aborted": aborted})).await;
        }
    }
}

/// How a session began, for extensions.
#[derive(Clone, Debug, Default)]
pub struct Began {
    /// By what.
    pub how: BeganHow,
    /// The file of the session before.
    pub previous: Option<PathBuf>,
}

/// By what a session came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BeganHow {
    /// The program started with it.
    #[default]
    Startup,
    /// Another one was begun.
    New,
    /// An earlier one was resumed.
    Resume,
    /// It is a copy.
    Fork,
    /// It is a branch.
    Branch,
    /// It is the same one, with extensions that were loaded again.
    Reload,
}

impl Began {
    fn reason(&self) -> &'static str {
        match self.how {
            BeganHow::Startup => "startup",
            BeganHow::New => "new",
            BeganHow::Resume => "resume",
            BeganHow::Fork | BeganHow::Branch => "fork",
            BeganHow::Reload => "reload",
        }
    }

    fn switched(&self) -> EventName {
        match self.how {
            BeganHow::Branch => EventName::SessionBranch,
            _ => EventName::SessionSwitch,
        }
    }
}
