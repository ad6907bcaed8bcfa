//! All extensions of a program run.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use omp_script::{BuiltinModule, CodeSeal, Connector, Engine, EngineOptions, HostProgram, Limits};
use omp_shell::{Environment, Scope};
use serde_json::{Map, Value, json};
use tokio::sync::{OnceCell, mpsc};

use crate::announce::{self, Announcement};
use crate::builtins;
use crate::event::EventName;
use crate::extension::{AT_THE_END, Extension, ExtensionForm, ExtensionSpec, HANDLER, Problem, lock};
use crate::host::BusEvent;
use crate::ports::Port;
use crate::registered::{CommandSpec, FlagSpec};
use crate::starting;

/// Sessions that are over and can still be read.
const OLD_SESSIONS: usize = 4;
/// Lines of the log that are kept.
const LOG: usize = 1_000;
/// Events on the bus that wait to be delivered.
const BUS: usize = 1_000;
/// How a program is told that what extensions offer has changed.
const CHANGED: &str = "extensions.changed";

/// What waits to be shown.
const NOTICES: usize = 100;

/// What extensions are told of the program.
pub struct ProgramFacts {
    pub version: String,
    /// The user's directory for the agent.
    pub agent_directory: PathBuf,
    pub parse_yaml: fn(&str) -> Option<Value>,
}

/// What extensions run in.
pub struct ExtensionsOptions {
    pub cwd: PathBuf,
    pub scope: Arc<Scope>,
    pub environment: Environment,
    /// Where compiled code is kept.
    pub cache: Option<PathBuf>,
    /// Values of the flags that extensions register, as far as they are known.
    pub flags: Map<String, Value>,
    /// Names that no command of an extension can have.
    pub reserved_commands: Vec<String>,
    pub limits: Limits,
    /// The code that an extension may load, by its path; one that is not listed may load any.
    pub seals: HashMap<PathBuf, Arc<CodeSeal>>,
    /// How `fetch` reaches the network.
    pub connector: Option<Connector>,
    pub program: ProgramFacts,
}

/// A module that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFailure {
    pub spec: ExtensionSpec,
    pub reason: String,
}

/// What handlers are told of the session that they run in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFacts {
    /// Which one of the program's sessions it is, counted from one.
    pub number: u64,
    /// `tui`, `rpc`, `json` or `print`.
    pub mode: &'static str,
    /// Can somebody be asked?
    pub has_ui: bool,
    pub cwd: PathBuf,
}

impl SessionFacts {
    pub(crate) fn value(&self) -> Value {
        json!({"number": self.number, "mode": self.mode, "hasUI": self.has_ui, "cwd": self.cwd})
    }
}

/// A session that extensions act on, or have acted on.
#[derive(Clone)]
struct Attached {
    facts: SessionFacts,
    port: Arc<dyn Port>,
}

/// The extensions of a program run. They stay when one session follows another.
pub struct Extensions {
    list: Mutex<Vec<Arc<Extension>>>,
    failures: Mutex<Vec<LoadFailure>>,
    pub(crate) shared: Arc<Shared>,
}

/// What all units of a program share.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) options: ExtensionsOptions,
    /// What runs extensions that cannot run inside; looked for when one is met.
    pub(crate) program_for_processes: OnceCell<Result<HostProgram, String>>,
    sessions: Mutex<VecDeque<Attached>>,
    program: Mutex<Option<Arc<dyn Port>>>,
    flags: Mutex<Map<String, Value>>,
    log: Mutex<VecDeque<String>>,
    notices: Mutex<Vec<String>>,
    pub(crate) bus: mpsc::Sender<BusEvent>,
    announcements: mpsc::Sender<Announcement>,
    /// What is offered is another list than before.
    changed: AtomicBool,
}

impl Shared {
    /// The session that a context speaks of, and whether it is the current one.
    pub(crate) fn session(&self, number: Option<u64>) -> Option<(Arc<dyn Port>, bool)> {
        let sessions = lock(&self.sessions);
        let current = sessions.back()?;
        match number {
            None | Some(0) => Some((Arc::clone(&current.port), true)),
            Some(number) if number == current.facts.number => Some((Arc::clone(&current.port), true)),
            Some(number) => {
                let old = sessions.iter().find(|session| session.facts.number == number);
                Some((Arc::clone(&old.unwrap_or(current).port), false))
            }
        }
    }

    pub(crate) fn program(&self) -> Option<Arc<dyn Port>> {
        lock(&self.program).clone()
    }

    pub(crate) fn flag(&self, name: &str) -> Option<Value> {
        lock(&self.flags).get(name).cloned()
    }

    pub(crate) fn facts(&self) -> &ProgramFacts {
        &self.options.program
    }

    pub(crate) fn log(&self, line: String) {
        let mut log = lock(&self.log);
        if log.len() == LOG {
            log.pop_front();
        }
        log.push_back(line);
    }

    /// What is offered is another list than before.
    pub(crate) fn changed(&self) {
        self.changed.store(true, Ordering::Release);
        if let Some(program) = self.program() {
            let _ = program.call_now(CHANGED, Value::Null);
        }
    }

    /// A program with an interface shows it at once; else it is said with the next turn.
    pub(crate) fn notice(&self, notice: String) {
        if let Some(program) = self.program() {
            let shown = program.call_now("ui.notify", json!({"message": notice, "type": "warning"}));
            if shown.is_ok() {
                return;
            }
        }
        let mut notices = lock(&self.notices);
        if notices.len() < NOTICES {
            notices.push(notice);
        }
    }
}

impl Extensions {
    /// Loads modules, one after the other. One that fails is reported, and the others load.
    pub async fn load(mut options: ExtensionsOptions, specs: Vec<ExtensionSpec>) -> Arc<Self> {
        let engine =
            Engine::new(EngineOptions { cache: options.cache.clone(), connector: options.connector.clone() });
        let (bus, events) = mpsc::channel(BUS);
        let (announcements, waiting) = mpsc::channel(announce::WAITING);
        let flags = std::mem::take(&mut options.flags);
        let shared = Arc::new(Shared {
            engine,
            options,
            program_for_processes: OnceCell::new(),
            flags: Mutex::new(flags),
            sessions: Mutex::default(),
            program: Mutex::default(),
            log: Mutex::default(),
            notices: Mutex::default(),
            bus,
            announcements,
            changed: AtomicBool::new(false),
        });
        let extensions = Arc::new(Self { list: Mutex::default(), failures: Mutex::default(), shared });
        tokio::spawn(deliver(Arc::downgrade(&extensions), events));
        tokio::spawn(announce::deliver(Arc::downgrade(&extensions), waiting));
        let builtins: Arc<[BuiltinModule]> = builtins::modules().into();
        for spec in specs {
            extensions.add(spec, &builtins).await;
        }
        extensions
    }

    async fn add(&self, spec: ExtensionSpec, builtins: &Arc<[BuiltinModule]>) {
        match starting::start(self, &spec, builtins).await {
            Ok(extension) => lock(&self.list).push(Arc::new(extension)),
            Err(reason) => lock(&self.failures).push(LoadFailure { spec, reason }),
        }
    }

    pub(crate) fn is_reserved(&self, name: &str) -> bool {
        let own = &self.shared.options.reserved_commands;
        // Skills have commands of their own.
        name.starts_with("skill:") || own.iter().any(|reserved| reserved == name)
    }

    /// In the order in which they were loaded.
    pub fn list(&self) -> Vec<Arc<Extension>> {
        lock(&self.list).clone()
    }

    pub fn failures(&self) -> Vec<LoadFailure> {
        lock(&self.failures).clone()
    }

    pub fn is_empty(&self) -> bool {
        lock(&self.list).is_empty()
    }

    /// What extensions printed, oldest first.
    pub fn log(&self) -> Vec<String> {
        lock(&self.shared.log).iter().cloned().collect()
    }

    /// What the user should know since the last time.
    pub fn take_notices(&self) -> Vec<String> {
        // One that ran out of memory ends a moment after its handler has failed.
        self.list().iter().for_each(|extension| self.say_if_ended(extension));
        std::mem::take(&mut *lock(&self.shared.notices))
    }

    /// Has something been registered or withdrawn since the last time?
    pub fn take_changed(&self) -> bool {
        self.shared.changed.swap(false, Ordering::AcqRel)
    }

    /// The flags that they have registered. Of two with one name the later counts.
    pub fn flags(&self) -> Vec<FlagSpec> {
        let mut flags: Vec<FlagSpec> = Vec::new();
        for flag in self.list().iter().flat_map(|extension| extension.registered().flags) {
            flags.retain(|other| other.name != flag.name);
            flags.push(flag);
        }
        flags
    }

    /// What was typed for them, where the command line could be read only when they were known.
    pub fn set_flags(&self, values: Map<String, Value>) {
        *lock(&self.shared.flags) = values;
    }

    /// The program around the sessions: the interface, and switching from one session to another.
    pub fn set_program(&self, port: Arc<dyn Port>) {
        *lock(&self.shared.program) = Some(port);
    }

    /// From now on this is the session. What spoke of the one before can still be read.
    pub fn attach(
        &self,
        port: Arc<dyn Port>,
        mode: &'static str,
        has_ui: bool,
        cwd: PathBuf,
    ) -> SessionFacts {
        let mut sessions = lock(&self.shared.sessions);
        let number = sessions.back().map_or(1, |session| session.facts.number + 1);
        let facts = SessionFacts { number, mode, has_ui, cwd };
        sessions.push_back(Attached { facts: facts.clone(), port });
        while sessions.len() > OLD_SESSIONS {
            sessions.pop_front();
        }
        facts
    }

    /// Lets extensions act. Before there is a session they cannot.
    pub async fn activate(&self) {
        for extension in self.list() {
            if let Err(reason) = extension.call("activate", Value::Null, Some(HANDLER)).await {
                extension.fail("activate", &reason);
            }
        }
    }

    /// The current session, as handlers are told of it.
    pub fn facts(&self) -> Option<SessionFacts> {
        lock(&self.shared.sessions).back().map(|session| session.facts.clone())
    }

    /// Does anybody want to hear of it?
    pub fn listens(&self, event: EventName) -> bool {
        lock(&self.list).iter().any(|extension| extension.interest() & event.bit() != 0)
    }

    /// Those who want to hear of it.
    pub(crate) fn listeners(&self, event: EventName) -> Vec<Arc<Extension>> {
        let list = lock(&self.list);
        list.iter().filter(|extension| extension.listens(event)).cloned().collect()
    }

    /// Tells everybody, one after the other. What they return does not count.
    pub async fn tell(&self, event: EventName, payload: &Value) {
        let limit = if event == EventName::SessionShutdown { AT_THE_END } else { HANDLER };
        let Some(facts) = self.facts() else { return };
        for extension in self.listeners(event) {
            if extension.ended().is_none() {
                let _ = extension.emit(event, payload, &facts, limit).await;
                self.say_problems(&extension);
                self.say_if_ended(&extension);
            }
        }
    }

    /// What failed in handlers is told of, the same thing once.
    pub(crate) fn say_problems(&self, extension: &Extension) {
        let new = extension.state.take_new();
        // How one ended is said by itself.
        if extension.ended().is_some() {
            return;
        }
        for Problem { event, message, .. } in new {
            self.shared.notice(format!("extension {}: {event}: {message}", extension.spec.name));
        }
    }

    /// The user should know this.
    pub(crate) fn say(&self, notice: String) {
        self.shared.notice(notice);
    }

    /// An extension that ended by itself is told of once.
    pub(crate) fn say_if_ended(&self, extension: &Extension) {
        let Some(reason) = extension.ended() else { return };
        let sentence = format!("the extension {} has ended: {reason}", extension.spec.name);
        let problems = extension.problems();
        if !problems.iter().any(|problem| problem.event == "end") {
            extension.fail("end", &reason);
            self.shared.notice(sentence);
        }
    }

    /// The commands of all extensions, each with the one that has it. Of two with one name the later counts.
    pub fn commands(&self) -> Vec<(Arc<Extension>, CommandSpec)> {
        let mut commands: Vec<(Arc<Extension>, CommandSpec)> = Vec::new();
        for extension in self.list() {
            if extension.ended().is_some() {
                continue;
            }
            for command in extension.registered().commands {
                if self.is_reserved(&command.name) {
                    continue;
                }
                let known = commands.iter().find(|(_, other)| other.name == command.name);
                // Of hooks the first counts, and a code command is a command where no extension has one.
                let code = |extension: &Extension| extension.spec.form == ExtensionForm::Command;
                if known.is_some_and(|(other, _)| match extension.is_hook() {
                    true => other.is_hook(),
                    false => code(&extension) && !code(other),
                }) {
                    continue;
                }
                commands.retain(|(_, other)| other.name != command.name);
                commands.push((Arc::clone(&extension), command));
            }
        }
        commands
    }

    /// Runs a command; `None` if no extension has it. The error is for the person who typed it.
    pub async fn run_command(&self, name: &str, arguments: &str) -> Option<Result<(), String>> {
        let (extension, _) = self.commands().into_iter().find(|(_, command)| command.name == name)?;
        let facts = self.facts()?;
        let given = json!({"name": name, "args": arguments, "session": facts.value()});
        let done = extension.call("runCommand", given, None).await.map(drop);
        self.say_if_ended(&extension);
        Some(done.map_err(|reason| {
            extension.fail(&format!("/{name}"), &reason);
            format!("/{name} failed: {reason}")
        }))
    }

    pub(crate) fn announcements(&self) -> &mpsc::Sender<Announcement> {
        &self.shared.announcements
    }

    /// The program ends, and with it everything that extensions started.
    pub async fn end(&self) {
        self.announced().await;
        self.tell(EventName::SessionShutdown, &json!({"type": EventName::SessionShutdown.name()})).await;
        let list = std::mem::take(&mut *lock(&self.list));
        for extension in list {
            extension.unit.end(Duration::ZERO).await;
        }
    }
}

/// Brings what one extension says on the bus to the others, in order.
async fn deliver(extensions: Weak<Extensions>, mut events: mpsc::Receiver<BusEvent>) {
    while let Some(BusEvent { channel, data }) = events.recv().await {
        let Some(extensions) = extensions.upgrade() else { return };
        for extension in extensions.list() {
            if !lock(&extension.state.channels).contains(&channel) {
                continue;
            }
            let arguments = json!({"channel": channel, "data": data});
            if let Err(reason) = extension.call("busEvent", arguments, Some(HANDLER)).await {
                extension.fail(&format!("event {channel:?}"), &reason);
            }
        }
    }
}
