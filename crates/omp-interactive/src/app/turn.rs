//! What is running: the turn, a command of the user, and what waits for them.

use std::collections::VecDeque;
use std::time::Duration;

use omp_sdk::Prompt;
use omp_view::working::Activity;
use tokio_util::sync::CancellationToken;

use super::commands::model_change::Change;
use super::compacting::Compacting;
use super::spinner::{Spinner, TurnClock};
use crate::blocks::{Bang, Shared};

/// A prompt or command that is under way.
pub(super) struct Run {
    pub(super) cancel: CancellationToken,
    pub(super) begun: Duration,
    pub(super) what: &'static str,
}

/// The turn that is running, and what comes after it.
#[derive(Default)]
pub(crate) struct Turn {
    pub(super) run: Option<Run>,
    /// How many turns there were: the end of one that was left behind means nothing.
    pub(super) runs: u64,
    /// A failed request waits for its next try.
    pub(super) retrying: Option<Activity>,
    pub(super) compacting: Compacting,
    pub(super) spinner: Spinner,
    pub(super) clock: TurnClock,
    /// A command of the user that runs.
    pub(super) shell: Option<(CancellationToken, Shared<Bang>)>,
    /// Prompts that wait for the one before.
    pub(super) waiting: VecDeque<Prompt>,
    /// A goal of the command line, until it is begun.
    pub(super) objective: Option<String>,
    /// Changes of the model that wait for the end of the turn.
    pub(super) changes: Vec<Change>,
}

impl Turn {
    /// Is what runs a compaction that was asked for?
    pub(super) fn is_compacting(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.what == Run::COMPACTING)
    }
}

impl Run {
    /// What a compaction is called.
    pub(super) const COMPACTING: &str = "Compacting";
}
