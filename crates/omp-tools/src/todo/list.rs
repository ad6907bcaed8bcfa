//! The list and its operations, without anything around it.

use serde::{Deserialize, Serialize};

/// A group of tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    pub name: String,
    pub tasks: Vec<Task>,
}

/// Something to do. Its text is its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub content: String,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Pending,
    InProgress,
    Completed,
    Abandoned,
}

impl Status {
    /// Is there still something to do?
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }
}

impl Task {
    pub(super) fn new(content: &str) -> Self {
        Self { content: content.to_owned(), status: Status::Pending, notes: Vec::new() }
    }
}

/// One change of the list. Which fields it needs depends on the word.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Operation {
    op: Word,
    list: Option<Vec<Listed>>,
    task: Option<String>,
    phase: Option<String>,
    items: Option<Vec<String>>,
    text: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Init,
    Start,
    Done,
    Rm,
    Drop,
    Append,
    Note,
}

#[derive(Clone, Debug, Deserialize)]
struct Listed {
    phase: String,
    items: Vec<String>,
}

/// Applies all operations, then sees to it that one open task is active. What fails is said, and the rest still runs.
pub(super) fn apply(phases: &mut Vec<Phase>, operations: &[Operation]) -> Vec<String> {
    let mut errors = Vec::new();
    for operation in operations {
        if let Err(error) = operation.apply(phases) {
            errors.push(error);
        }
    }
    normalise(phases);
    errors
}

/// One active task if any is open: the first that is marked, else the first that waits.
pub(super) fn normalise(phases: &mut [Phase]) {
    let mut active = false;
    for task in tasks(phases).filter(|task| task.status == Status::InProgress) {
        if std::mem::replace(&mut active, true) {
            task.status = Status::Pending;
        }
    }
    if !active && let Some(next) = tasks(phases).find(|task| task.status == Status::Pending) {
        next.status = Status::InProgress;
    }
}

fn tasks(phases: &mut [Phase]) -> impl Iterator<Item = &mut Task> {
    phases.iter_mut().flat_map(|phase| &mut phase.tasks)
}

impl Operation {
    fn apply(&self, phases: &mut Vec<Phase>) -> Result<(), String> {
        match self.op {
            Word::Init => self.init(phases),
            Word::Start => self.start(phases),
            Word::Done => self.mark(phases, Status::Completed),
            Word::Drop => self.mark(phases, Status::Abandoned),
            Word::Rm => self.remove(phases),
            Word::Append => self.append(phases),
            Word::Note => self.note(phases),
        }
    }

    fn init(&self, phases: &mut Vec<Phase>) -> Result<(), String> {
        let list = self.list.as_ref().ok_or("Missing list for init operation")?;
        let phase = |listed: &Listed| Phase {
            name: listed.phase.clone(),
            tasks: listed.items.iter().map(|item| Task::new(item)).collect(),
        };
        *phases = list.iter().map(phase).collect();
        Ok(())
    }

    fn start(&self, phases: &mut [Phase]) -> Result<(), String> {
        let (phase, task) = find(phases, self.task.as_deref())?;
        for other in tasks(phases).filter(|task| task.status == Status::InProgress) {
            other.status = Status::Pending;
        }
        phases[phase].tasks[task].status = Status::InProgress;
        Ok(())
    }

    fn mark(&self, phases: &mut [Phase], status: Status) -> Result<(), String> {
        match self.target(phases)? {
            Target::Task(phase, task) => phases[phase].tasks[task].status = status,
            Target::Phase(phase) => phases[phase].tasks.iter_mut().for_each(|task| task.status = status),
            Target::Everything => tasks(phases).for_each(|task| task.status = status),
        }
        Ok(())
    }

    fn remove(&self, phases: &mut [Phase]) -> Result<(), String> {
        match self.target(phases)? {
            Target::Task(phase, task) => {
                phases[phase].tasks.remove(task);
            }
            Target::Phase(phase) => phases[phase].tasks.clear(),
            Target::Everything => phases.iter_mut().for_each(|phase| phase.tasks.clear()),
        }
        Ok(())
    }

    fn append(&self, phases: &mut Vec<Phase>) -> Result<(), String> {
        let name = self.phase.as_ref().filter(|name| !name.trim().is_empty());
        let name = name.ok_or("Missing phase name for append operation")?;
        let items = self.items.as_ref().filter(|items| !items.is_empty());
        let items = items.ok_or("Missing items for append operation")?;
        let at = phases.iter().position(|phase| phase.name == *name).unwrap_or_else(|| {
            phases.push(Phase { name: name.clone(), tasks: Vec::new() });
            phases.len() - 1
        });
        let mut known = Vec::new();
        for item in items {
            let exists = phases.iter().flat_map(|phase| &phase.tasks).any(|task| task.content == *item);
            match exists {
                true => known.push(format!("Task \"{item}\" already exists")),
                false => phases[at].tasks.push(Task::new(item)),
            }
        }
        if known.is_empty() { Ok(()) } else { Err(known.join("; ")) }
    }

    fn note(&self, phases: &mut [Phase]) -> Result<(), String> {
        let (phase, task) = find(phases, self.task.as_deref())?;
        let text = self.text.as_deref().map(str::trim_end).filter(|text| !text.is_empty());
        let text = text.ok_or("Missing text for note operation")?;
        phases[phase].tasks[task].notes.push(text.to_owned());
        Ok(())
    }

    /// A task before a phase before everything. A name that is there but empty is a mistake, not everything.
    fn target(&self, phases: &[Phase]) -> Result<Target, String> {
        if let Some(task) = &self.task {
            return find(phases, Some(task)).map(|(phase, task)| Target::Task(phase, task));
        }
        let Some(name) = &self.phase else { return Ok(Target::Everything) };
        if name.trim().is_empty() {
            return Err("Missing phase name".to_owned());
        }
        let found = phases.iter().position(|phase| phase.name == *name);
        found.map(Target::Phase).ok_or_else(|| format!("Phase \"{name}\" not found"))
    }
}

/// What `done`, `drop` and `rm` are about, by position.
enum Target {
    Task(usize, usize),
    Phase(usize),
    Everything,
}

/// The first task with this text.
fn find(phases: &[Phase], content: Option<&str>) -> Result<(usize, usize), String> {
    let content = content.filter(|content| !content.trim().is_empty()).ok_or("Missing task content")?;
    for (at, phase) in phases.iter().enumerate() {
        if let Some(task) = phase.tasks.iter().position(|task| task.content == content) {
            return Ok((at, task));
        }
    }
    let hint = if phases.iter().all(|phase| phase.tasks.is_empty()) {
        " (the list is empty; start with init)"
    } else {
        ""
    };
    Err(format!("Task \"{content}\" not found{hint}"))
}
