//! Which checkpoint is open. It lives in memory only: after a restart the conversation is there, the mark is not.

use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_agent::ToolError;

/// The checkpoint of a session, if one is open.
#[derive(Debug, Default)]
pub struct Checkpoints {
    state: Mutex<CheckpointState>,
}

#[derive(Debug, Default)]
enum CheckpointState {
    #[default]
    None,
    /// The tool has run; the results of its turn are not all in the conversation yet.
    Requested {
        started: String,
        report: Option<String>,
    },
    Open {
        mark: Mark,
        report: Option<String>,
    },
    /// The last one was rewound.
    Rewound,
}

/// The place that a rewind goes back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// How many messages the conversation had, with the result of the checkpoint.
    pub messages: usize,
    /// The last entry of the session.
    pub entry: Option<String>,
    /// ISO 8601.
    pub started: String,
}

/// A checkpoint that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewound {
    pub mark: Mark,
    /// What stands for the messages since then.
    pub report: String,
}

impl Checkpoints {
    pub(crate) fn request(&self, started: &str) -> Result<(), ToolError> {
        let mut state = self.lock();
        if matches!(*state, CheckpointState::Requested { .. } | CheckpointState::Open { .. }) {
            return Err(ToolError::new("Checkpoint already active."));
        }
        *state = CheckpointState::Requested { started: started.to_owned(), report: None };
        Ok(())
    }

    pub(crate) fn report(&self, text: &str) -> Result<(), ToolError> {
        let mut state = self.lock();
        let report = match &mut *state {
            CheckpointState::None => {
                return Err(ToolError::new(
                    "No active checkpoint. Create a checkpoint before calling rewind.",
                ));
            }
            CheckpointState::Rewound => return Err(repeated()),
            CheckpointState::Requested { report, .. } | CheckpointState::Open { report, .. } => report,
        };
        match text.trim() {
            "" => Err(ToolError::new("Report cannot be empty.")),
            _ if report.is_some() => Err(repeated()),
            text => {
                *report = Some(text.to_owned());
                Ok(())
            }
        }
    }

    /// The results of a turn are in the conversation: a checkpoint that was asked for in it begins here, after
    /// `messages` messages and the entry `entry`.
    pub fn begin(&self, messages: usize, entry: Option<&str>) {
        let mut state = self.lock();
        if let CheckpointState::Requested { started, report } = &mut *state {
            let mark = Mark { messages, entry: entry.map(str::to_owned), started: std::mem::take(started) };
            *state = CheckpointState::Open { mark, report: report.take() };
        }
    }

    /// The open checkpoint and its report, once the model has given one. The checkpoint is over.
    pub fn take_rewound(&self) -> Option<Rewound> {
        let mut state = self.lock();
        match std::mem::take(&mut *state) {
            CheckpointState::Open { mark, report: Some(report) } => {
                *state = CheckpointState::Rewound;
                Some(Rewound { mark, report })
            }
            other => {
                *state = other;
                None
            }
        }
    }

    /// Where the open checkpoint is, if the model owes a report.
    pub fn owes_report(&self) -> Option<Mark> {
        match &*self.lock() {
            CheckpointState::Open { mark, report: None } => Some(mark.clone()),
            _ => None,
        }
    }

    /// Another conversation begins.
    pub fn forget(&self) {
        *self.lock() = CheckpointState::None;
    }

    fn lock(&self) -> MutexGuard<'_, CheckpointState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn repeated() -> ToolError {
    ToolError::new(
        "No active checkpoint: the last one was already rewound. Continue from its report, which is in the \
         conversation, and do not call rewind again.",
    )
}
