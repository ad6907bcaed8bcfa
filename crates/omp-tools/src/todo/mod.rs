//! `todo`: the list of tasks that the user watches.

mod list;
mod markdown;
mod summary;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use omp_agent::{Invocation, Scheduling, ToolError};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Context;
use crate::uniform::UniformTool;
pub use list::{Phase, Status, Task};
pub use markdown::{from_markdown, to_markdown};

pub(crate) const TOOL: &BuiltinTool = &builtin::TODO;

/// Where the list lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// In the session's file, with the results of the calls.
    Session,
    #[default]
    Memory,
}

/// How long finished tasks stay in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearDelay {
    After(Duration),
    Never,
}

impl ClearDelay {
    /// `tasks.todoClearDelay`: seconds; negative for never.
    pub fn from_seconds(seconds: f64) -> Self {
        Duration::try_from_secs_f64(seconds).map_or(Self::Never, Self::After)
    }
}

/// The list of a session.
pub struct TodoList {
    state: Mutex<TodoState>,
    storage: Storage,
    delay: ClearDelay,
    now: fn() -> SystemTime,
}

#[derive(Default)]
struct TodoState {
    phases: Vec<Phase>,
    /// When each finished task was first seen so, by phase and text.
    finished: HashMap<(String, String), SystemTime>,
}

impl Default for TodoList {
    fn default() -> Self {
        Self::new(Storage::Memory, ClearDelay::After(Duration::from_secs(60)), SystemTime::now)
    }
}

impl TodoList {
    pub fn new(storage: Storage, delay: ClearDelay, now: fn() -> SystemTime) -> Self {
        Self { state: Mutex::default(), storage, delay, now }
    }

    /// Takes up the list of a conversation: what was finished in it is history.
    pub fn restore(&self, phases: &Value) {
        let Ok(mut phases) = Vec::<Phase>::deserialize(phases) else { return };
        for phase in &mut phases {
            phase.tasks.retain(|task| task.status.is_open());
        }
        phases.retain(|phase| !phase.tasks.is_empty());
        *self.lock() = TodoState { phases, finished: HashMap::new() };
    }

    /// The list as it is now.
    pub fn phases(&self) -> Vec<Phase> {
        self.lock().phases.clone()
    }

    /// The state without tasks that were finished long enough ago.
    fn lock(&self) -> MutexGuard<'_, TodoState> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let ClearDelay::After(delay) = self.delay else { return state };
        let now = (self.now)();
        let TodoState { phases, finished } = &mut *state;
        finished.retain(|(phase, content), since| {
            let over = now.duration_since(*since).is_ok_and(|age| age >= delay);
            if over && let Some(phase) = phases.iter_mut().find(|other| other.name == *phase) {
                phase.tasks.retain(|task| task.status.is_open() || task.content != *content);
            }
            !over
        });
        state
    }

    /// Puts another list in the place of this one, with one active task if any is open, and returns it.
    pub fn replace(&self, mut phases: Vec<Phase>) -> Vec<Phase> {
        list::normalise(&mut phases);
        let mut state = self.lock();
        self.take_up(&mut state, &phases);
        phases
    }

    /// Changes the list; what went wrong is said.
    fn change(&self, operations: &[list::Operation]) -> Change {
        let mut state = self.lock();
        let before = std::mem::take(&mut state.phases);
        let mut phases = before.clone();
        let errors = list::apply(&mut phases, operations);
        let completed = completed(&before, &phases);
        self.take_up(&mut state, &phases);
        Change { phases, errors, completed }
    }

    /// Remembers the list, and since when what is finished in it is finished.
    fn take_up(&self, state: &mut TodoState, phases: &[Phase]) {
        let now = (self.now)();
        let done = |phase: &Phase| {
            let finished = phase.tasks.iter().filter(|task| !task.status.is_open());
            finished.map(|task| (phase.name.clone(), task.content.clone())).collect::<Vec<_>>()
        };
        let since = std::mem::take(&mut state.finished);
        let finished = phases.iter().flat_map(done);
        state.finished = finished.map(|key| (key.clone(), since.get(&key).copied().unwrap_or(now))).collect();
        state.phases = phases.to_vec();
    }
}

impl omp_agent::Todos for TodoList {
    fn open(&self) -> Vec<String> {
        let state = self.lock();
        let tasks = state.phases.iter().flat_map(|phase| &phase.tasks);
        tasks.filter(|task| task.status.is_open()).map(|task| task.content.clone()).collect()
    }
}

/// What one call did.
struct Change {
    phases: Vec<Phase>,
    errors: Vec<String>,
    /// Phase and text of tasks that became completed.
    completed: Vec<(String, String)>,
}

fn completed(before: &[Phase], after: &[Phase]) -> Vec<(String, String)> {
    let is_done = |phases: &[Phase], phase: &str, content: &str| {
        let tasks = phases.iter().filter(|other| other.name == phase).flat_map(|phase| &phase.tasks);
        tasks.filter(|task| task.content == content).any(|task| task.status == Status::Completed)
    };
    let mut found = Vec::new();
    for phase in after {
        for task in phase.tasks.iter().filter(|task| task.status == Status::Completed) {
            if !is_done(before, &phase.name, &task.content) {
                found.push((phase.name.clone(), task.content.clone()));
            }
        }
    }
    found
}

pub(crate) struct Todo {
    todos: Arc<TodoList>,
}

#[derive(Deserialize)]
struct Arguments {
    ops: Vec<list::Operation>,
}

impl Todo {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { todos: Arc::clone(&context.todos) }
    }

    fn update(&self, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let Arguments { ops } = crate::arguments(arguments)?;
        let list = &self.todos;
        let Change { phases, errors, completed } = list.change(&ops);
        let text = summary::summary(&phases, &errors);
        let storage = match list.storage {
            Storage::Session => "session",
            Storage::Memory => "memory",
        };
        let mut details = json!({ "phases": phases, "storage": storage });
        if !completed.is_empty() {
            let task = |(phase, content): &(String, String)| json!({ "phase": phase, "content": content });
            details["completedTasks"] = completed.iter().map(task).collect();
        }
        match errors.is_empty() {
            true => Ok(ToolOutput::text(text).with_details(details)),
            false => Err(ToolError::new(text).with_details(details)),
        }
    }
}

impl UniformTool for Todo {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");
    const SCHEDULING: Scheduling = Scheduling::Exclusive;

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        self.update(call.arguments)
    }
}
