//! Changes that were shown and wait for a decision.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_agent::ToolError;
use omp_types::ToolOutput;
use serde_json::{Map, Value};

/// What a decision comes with.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// Why the model decided so.
    pub reason: String,
    /// Whatever else it said.
    pub extra: Option<Map<String, Value>>,
}

/// Carries out a change, or takes note that it is not wanted. May wait for the disk.
pub type Handler = Box<dyn Fn(&Decision) -> Result<ToolOutput, ToolError> + Send + Sync>;

/// A change that was shown.
pub struct PendingAction {
    /// What it would do, in a few words.
    pub label: String,
    /// The tool that showed it.
    pub source: String,
    /// The files that it changes.
    pub files: Vec<PathBuf>,
    pub apply: Handler,
    /// Without it a discarded change is simply forgotten.
    pub reject: Option<Handler>,
}

/// The changes that wait, the oldest first, and what a mode wants to hear about when there are none.
#[derive(Default)]
pub struct Pending {
    state: Mutex<PendingState>,
}

#[derive(Default)]
struct PendingState {
    queue: VecDeque<Arc<PendingAction>>,
    standing: Option<Arc<PendingAction>>,
}

impl Pending {
    /// Adds a change; the model is asked about it before it continues.
    pub fn push(&self, action: PendingAction) {
        self.lock().queue.push_back(Arc::new(action));
    }

    /// What a decision means while no change waits, such as the approval of a plan.
    pub fn set_standing(&self, action: Option<PendingAction>) {
        self.lock().standing = action.map(Arc::new);
    }

    /// The change that the next decision is about.
    pub(crate) fn next(&self) -> Option<Arc<PendingAction>> {
        let state = self.lock();
        state.queue.front().or(state.standing.as_ref()).cloned()
    }

    /// Does a change wait? A standing handler does not: nobody has to decide it now.
    pub(crate) fn first_label(&self) -> Option<String> {
        self.lock().queue.front().map(|action| action.label.clone())
    }

    /// The files that the first of the waiting changes would change.
    pub(crate) fn first_files(&self) -> Vec<PathBuf> {
        self.lock().queue.front().map(|action| action.files.clone()).unwrap_or_default()
    }

    /// The decision was carried out.
    pub(crate) fn settle(&self, action: &Arc<PendingAction>) {
        self.lock().queue.retain(|one| !Arc::ptr_eq(one, action));
    }

    fn lock(&self) -> MutexGuard<'_, PendingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
