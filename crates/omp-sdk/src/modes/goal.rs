//! The goal of a session.

use omp_agent::Prompt;
use omp_config::settings::keys;
use omp_modes::{PlanState, Ui, begin_goal, continue_goal};
use omp_types::Goal;

use super::error::ModeError;
use crate::session::Session;

/// The goal of a session: setting it, pausing and resuming the work on it, its budget.
#[derive(Clone, Copy)]
pub struct GoalMode<'s> {
    pub(crate) session: &'s Session,
}

impl GoalMode<'_> {
    /// The goal of the session, also one that has ended.
    pub fn current(self) -> Option<Goal> {
        self.session.modes.shared.goal.goal()
    }

    pub(super) fn may_start(self) -> Result<(), ModeError> {
        if !self.session.settings().get(keys::GOAL_ENABLED) {
            return Err(ModeError::GoalDisabled);
        }
        match self.session.plan().state() {
            PlanState::Off => Ok(()),
            _ => Err(ModeError::InPlan),
        }
    }

    /// Sets a goal. The prompt that comes back begins the work on it.
    pub async fn start(self, objective: &str, token_budget: Option<u64>) -> Result<Prompt, ModeError> {
        self.may_start()?;
        let goal = self.session.modes.shared.goal.create(objective, token_budget).map_err(ModeError::Goal)?;
        self.changed().await;
        Ok(begin_goal(&goal))
    }

    /// Stops the work on the goal until it is resumed.
    pub async fn pause(self) -> Result<Goal, ModeError> {
        let goal = self.session.modes.shared.goal.pause().map_err(ModeError::Goal)?;
        self.changed().await;
        Ok(goal)
    }

    /// Takes up a goal again. The prompt that comes back continues with the work.
    pub async fn resume(self) -> Result<Prompt, ModeError> {
        let goal = self.session.modes.shared.goal.resume().map_err(ModeError::Goal)?;
        self.changed().await;
        Ok(continue_goal(&goal))
    }

    /// Changes the budget, or takes it away. A goal that waited for one is active again.
    pub async fn set_budget(self, token_budget: Option<u64>) -> Result<Goal, ModeError> {
        let goal = self.session.modes.shared.goal.set_budget(token_budget).map_err(ModeError::Goal)?;
        self.changed().await;
        Ok(goal)
    }

    /// Gives the goal up, if the user means it. Returns whether that happened.
    pub async fn abandon(self, ui: &dyn Ui) -> Result<bool, ModeError> {
        if !self.session.modes.shared.goal.is_open() {
            return Err(ModeError::Goal("no goal to drop".to_owned()));
        }
        if !ui.confirm("Drop the goal? It cannot be resumed.").await {
            return Ok(false);
        }
        self.session.modes.shared.goal.drop_goal().map_err(ModeError::Goal)?;
        self.changed().await;
        Ok(true)
    }

    async fn changed(self) {
        self.session.modes.keep_goal();
        // During a run the loop passes it on.
        if !self.session.control().is_running() {
            self.session.mode_changes().tell().await;
        }
    }
}
