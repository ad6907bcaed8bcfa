//! One job, and what others see of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The longest text that is kept of a job. Starters bound their texts themselves; this only guards the memory.
const MOST_TEXT: usize = 64 * 1024;
/// The longest tail of the output so far.
const MOST_PROGRESS: usize = 8 * 1024;
const CUT: &str = "\n[cut: the text was too long]";

/// What is to be registered.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// A name of the starter's choice; without one the job gets a name of its own.
    pub id: Option<String>,
    /// What kind of work it is, as lists show it: `bash`, `task`.
    pub kind: &'static str,
    /// What people and models recognise it by.
    pub label: String,
    /// The agent that started it, who alone sees it and gets its result.
    pub owner: String,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Running,
    Completed,
    Failed,
    /// It was told to stop. It stays so, whatever its work says later.
    Cancelled,
}

impl Status {
    /// The word of lists and session files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A job at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub id: String,
    pub kind: &'static str,
    pub label: String,
    pub status: Status,
    /// Until now, or until it ended.
    pub duration: Duration,
    /// What it produced.
    pub result: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// The end of what it has said so far, while it runs.
    pub progress: String,
}

/// A result on its way to the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub id: String,
    pub kind: &'static str,
    pub label: String,
    pub status: Status,
    pub duration: Duration,
    /// What it produced, or why it failed.
    pub text: String,
}

/// What a request to stop led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It was running, and was told to stop.
    Now,
    /// It had ended before.
    AlreadyCompleted,
    /// The caller has no such job.
    NotFound,
}

impl Cancelled {
    /// The word of results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Now => "cancelled",
            Self::AlreadyCompleted => "already_completed",
            Self::NotFound => "not_found",
        }
    }
}

/// What the work itself knows of its job.
#[derive(Clone)]
pub struct Running {
    pub id: String,
    /// Fires when the job is told to stop.
    pub cancel: CancellationToken,
    progress: Arc<Mutex<String>>,
}

impl Running {
    pub(crate) fn new(id: String) -> Self {
        Self { id, cancel: CancellationToken::new(), progress: Arc::default() }
    }

    /// Replaces the end of the output so far.
    pub fn report(&self, tail: &str) {
        let start = tail.ceil_char_boundary(tail.len().saturating_sub(MOST_PROGRESS));
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.clear();
        progress.push_str(&tail[start..]);
    }
}

/// A job in the list.
pub(crate) struct JobEntry {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) label: String,
    pub(crate) owner: String,
    pub(crate) status: Status,
    pub(crate) started: Instant,
    pub(crate) ended: Option<Instant>,
    pub(crate) running: Running,
    pub(crate) result: Option<String>,
    pub(crate) error: Option<String>,
    /// How many are waiting for it to show its result.
    pub(crate) watchers: usize,
    /// Its end was shown, or is nothing to tell.
    pub(crate) seen: bool,
    /// The task that does the work.
    pub(crate) task: Option<AbortHandle>,
}

impl JobEntry {
    pub(crate) fn new(new: NewJob, running: Running) -> Self {
        Self {
            id: running.id.clone(),
            kind: new.kind,
            label: new.label,
            owner: new.owner,
            status: Status::Running,
            started: Instant::now(),
            ended: None,
            running,
            result: None,
            error: None,
            watchers: 0,
            seen: false,
            task: None,
        }
    }

    /// Keeps what the work said at its end. A job that was told to stop stays cancelled.
    pub(crate) fn settle(&mut self, outcome: Result<String, String>) {
        let status = match outcome {
            Ok(text) => {
                self.result = Some(bounded(text));
                Status::Completed
            }
            Err(text) => {
                self.error = Some(bounded(text));
                Status::Failed
            }
        };
        self.task = None;
        if self.status == Status::Running {
            self.end(status);
        }
    }

    pub(crate) fn end(&mut self, status: Status) {
        self.status = status;
        self.ended = Some(Instant::now());
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let progress = match self.status {
            Status::Running => self.running.progress.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            _ => String::new(),
        };
        Snapshot {
            id: self.id.clone(),
            kind: self.kind,
            label: self.label.clone(),
            status: self.status,
            duration: self.duration(),
            result: self.result.clone(),
            error: self.error.clone(),
            progress,
        }
    }

    /// The result as its owner reads it; `None` while there is none, or when nobody needs it.
    pub(crate) fn settled(&self) -> Option<Settled> {
        let text = match self.status {
            Status::Completed => self.result.clone(),
            Status::Failed => self.error.clone(),
            Status::Running | Status::Cancelled => None,
        };
        Some(Settled {
            id: self.id.clone(),
            kind: self.kind,
            label: self.label.clone(),
            status: self.status,
            duration: self.duration(),
            text: text?,
        })
    }

    fn duration(&self) -> Duration {
        self.ended.unwrap_or_else(Instant::now).saturating_duration_since(self.started)
    }
}

fn bounded(mut text: String) -> String {
    if text.len() > MOST_TEXT {
        text.truncate(text.floor_char_boundary(MOST_TEXT));
        text.push_str(CUT);
    }
    text
}
