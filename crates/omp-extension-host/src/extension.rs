//! One extension: its unit, what it offers, what went wrong in it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use omp_agent::Updates;
use omp_script::{Unit, UnitUsage};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::event::EventName;
use crate::extensions::SessionFacts;
use crate::registered::Registered;

/// How long a handler may take while nobody is asked anything.
pub(crate) const HANDLER: Duration = Duration::from_secs(30);
/// The same when the program ends.
pub(crate) const AT_THE_END: Duration = Duration::from_secs(2);
/// Events that can be called off, counted for their signals.
static EVENTS: AtomicU64 = AtomicU64::new(1);
/// Problems that are remembered of one extension.
const PROBLEMS: usize = 50;
/// As much of a message as is kept.
const MESSAGE: usize = 4_000;

/// A module that is to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionSpec {
    pub name: String,
    pub path: PathBuf,
    pub form: ExtensionForm,
    pub source: ExtensionSource,
}

/// What a module is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtensionForm {
    Extension,
    /// It makes tools and nothing else.
    Tool,
    /// It makes commands whose answers become prompts.
    Command,
    /// It shares conversations, and is no extension otherwise.
    Share,
    /// A hook module; it hears about calls of one tool only, if its file is named after one.
    Hook(Option<String>),
}

impl ExtensionForm {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Extension => "extension",
            Self::Tool => "tool",
            Self::Command => "command",
            Self::Share => "share",
            Self::Hook(_) => "hook",
        }
    }
}

/// Who brought it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtensionSource {
    User,
    Project,
    CommandLine,
    Plugin(String),
}

impl ExtensionSource {
    pub fn name(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::CommandLine => "command line",
            Self::Plugin(_) => "plugin",
        }
    }
}

/// Something that failed in an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The event, or what was being done.
    pub event: String,
    pub message: String,
    pub stack: String,
}

/// What the host and the handle share.
#[derive(Default)]
pub(crate) struct ExtensionState {
    registered: Mutex<Registered>,
    interest: AtomicU64,
    problems: Mutex<VecDeque<Problem>>,
    /// Problems that nobody was told of.
    new: Mutex<Vec<Problem>>,
    /// Questions to a person that are open, and all that there ever were.
    pub(crate) open_dialogs: AtomicUsize,
    pub(crate) dialogs: AtomicUsize,
    /// Running calls of its tools that show progress.
    pub(crate) updates: Mutex<HashMap<String, Updates>>,
    /// Answers of models that it is giving.
    pub(crate) answers: Mutex<HashMap<String, mpsc::Sender<Value>>>,
    /// Channels of the bus that it listens to.
    pub(crate) channels: Mutex<HashSet<String>>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ExtensionState {
    pub(crate) fn registered(&self) -> Registered {
        lock(&self.registered).clone()
    }

    pub(crate) fn set_registered(&self, registered: Registered) {
        self.interest.store(registered.interest(), Ordering::Release);
        *lock(&self.registered) = registered;
    }

    /// Something that was registered while the session runs.
    pub(crate) fn add(&self, kind: &str, value: Value) -> Result<(), String> {
        let mut registered = lock(&self.registered);
        registered.add(kind, value)?;
        self.interest.store(registered.interest(), Ordering::Release);
        Ok(())
    }

    /// What went wrong since the last time.
    pub(crate) fn take_new(&self) -> Vec<Problem> {
        std::mem::take(&mut lock(&self.new))
    }

    pub(crate) fn note(&self, problem: Problem) {
        let mut problems = lock(&self.problems);
        if !problems.contains(&problem) && problem.event != "end" && problem.event != "load" {
            let mut new = lock(&self.new);
            if new.len() < PROBLEMS {
                new.push(problem.clone());
            }
        }
        if problems.len() == PROBLEMS {
            problems.pop_front();
        }
        problems.push_back(problem);
    }
}

/// The process that an extension runs in, where it cannot run inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostProcess {
    /// The program and its version.
    pub program: String,
    pub reason: String,
}

/// A loaded extension.
pub struct Extension {
    /// Tells it from all others of the program run, also from those of its name.
    pub id: u64,
    pub spec: ExtensionSpec,
    /// Nothing: it runs inside.
    pub process: Option<HostProcess>,
    pub(crate) unit: Unit,
    pub(crate) state: Arc<ExtensionState>,
}

impl Extension {
    pub fn registered(&self) -> Registered {
        self.state.registered()
    }

    /// What it calls itself, else the name of its file.
    pub fn label(&self) -> String {
        self.registered().label.unwrap_or_else(|| self.spec.name.clone())
    }

    pub(crate) fn is_hook(&self) -> bool {
        matches!(self.spec.form, ExtensionForm::Hook(_))
    }

    /// What it has used so far.
    pub fn usage(&self) -> UnitUsage {
        self.unit.usage()
    }

    /// Why it is over, if it is.
    pub fn ended(&self) -> Option<String> {
        self.unit.ended()
    }

    pub fn problems(&self) -> Vec<Problem> {
        lock(&self.state.problems).iter().cloned().collect()
    }

    pub fn listens(&self, event: EventName) -> bool {
        self.state.interest.load(Ordering::Acquire) & event.bit() != 0
    }

    pub(crate) fn interest(&self) -> u64 {
        self.state.interest.load(Ordering::Acquire)
    }

    /// Calls a function of the prelude. The error is a sentence without the extension's name.
    pub(crate) async fn call(
        &self,
        function: &str,
        arguments: Value,
        limit: Option<Duration>,
    ) -> Result<Value, String> {
        let mut call = pin!(self.unit.call(function, arguments));
        let Some(limit) = limit else { return call.await.map_err(|error| error.to_string()) };
        let mut dialogs = self.state.dialogs.load(Ordering::Relaxed);
        loop {
            tokio::select! {
                answer = &mut call => return answer.map_err(|error| error.to_string()),
                () = tokio::time::sleep(limit) => {
                    let now = self.state.dialogs.load(Ordering::Relaxed);
                    // Whoever waits for a person is not late.
                    if self.state.open_dialogs.load(Ordering::Relaxed) == 0 && now == dialogs {
                        return Err(format!("it took longer than {} s", limit.as_secs()));
                    }
                    dialogs = now;
                }
            }
        }
    }

    /// Calls one of its tools. The error is what the script threw.
    pub(crate) async fn run_tool(&self, arguments: Value) -> Result<Value, String> {
        self.unit.call("runTool", arguments).await.map_err(|error| error.message)
    }

    /// Runs its handlers of an event; what they made of it together.
    pub(crate) async fn emit(
        &self,
        event: EventName,
        payload: &Value,
        session: &SessionFacts,
        limit: Duration,
    ) -> Result<Value, String> {
        let arguments = json!({"event": payload, "session": session.value()});
        self.heard(event, self.call("emit", arguments, Some(limit)).await)
    }

    /// The same for an event that can be called off: handlers have a signal, and do not hold up whoever called it off.
    pub(crate) async fn emit_until(
        &self,
        event: EventName,
        payload: &Value,
        session: &SessionFacts,
        cancel: &CancellationToken,
    ) -> Result<Value, String> {
        let id = format!("event-{}", EVENTS.fetch_add(1, Ordering::Relaxed));
        let arguments = json!({"event": payload, "session": session.value(), "id": id});
        let mut run = pin!(self.call("emit", arguments, Some(HANDLER)));
        let answer = tokio::select! {
            answer = &mut run => answer,
            () = cancel.cancelled() => {
                let stopped = async {
                    let _ = self.call("abort", json!({"id": id}), Some(AT_THE_END)).await;
                    run.await
                };
                tokio::time::timeout(AT_THE_END, stopped).await.unwrap_or(Ok(Value::Null))
            }
        };
        self.heard(event, answer)
    }

    fn heard(&self, event: EventName, answer: Result<Value, String>) -> Result<Value, String> {
        let mut answer = answer.inspect_err(|error| self.fail(event.name(), error))?;
        for problem in answer["problems"].as_array().into_iter().flatten() {
            self.state.note(read_problem(problem));
        }
        Ok(answer["result"].take())
    }

    /// Something of it failed.
    pub(crate) fn fail(&self, event: &str, message: &str) {
        let (event, message) = (event.to_owned(), clipped(message));
        self.state.note(Problem { event, message, stack: String::new() });
    }
}

pub(crate) fn read_problem(problem: &Value) -> Problem {
    let text = |name: &str| clipped(problem[name].as_str().unwrap_or_default());
    Problem { event: text("event"), message: text("message"), stack: text("stack") }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MESSAGE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
