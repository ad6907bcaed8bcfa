//! The goal of a session.

use omp_agent::Prompt;
use omp_config::settings::keys;
use omp_modes::{PlanState, Ui, begin_goal, continue_goal};
use omp_types::Goal;

use super::error::ModeError;
use crate::session::Session;

impl Session {
    /// The goal of the session, also one that has ended.
    pub fn goal(&self) -> Option<Goal> {
        self.modes.shared.goal.goal()
    }

    pub(super) fn may_have_goal(&self) -> Result<(), ModeError> {
        if !self.settings().get(keys::GOAL_ENABLED) {
            return Err(ModeError::GoalDisabled);
        }
        match self.plan_state() {
            PlanState::Off => Ok(()),
            _ => Err(ModeError::InPlan),
        }
    }

    /// Sets a goal. The prompt that comes back begins the work on it.
    pub async fn start_goal(&self, objective: &str, token_budget: Option<u64>) -> Result<Prompt, ModeError> {
        self.may_have_goal()?;
        let goal = self.modes.shared.goal.create(objective, token_budget).map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(begin_goal(&goal))
    }

    /// Stops the work on the goal until it is resumed.
    pub async fn pause_goal(&self) -> Result<Goal, ModeError> {
        let goal = self.modes.shared.goal.pause().map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(goal)
    }

    /// Takes up a goal again. The prompt that comes back goes on with the work.
    pub async fn resume_goal(&self) -> Result<Prompt, ModeError> {
        let goal = self.modes.shared.goal.resume().map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(continue_goal(&goal))
    }

    /// Changes the budget, or takes it away. A goal that waited for one is active again.
    pub async fn set_goal_budget(&self, token_budget: Option<u64>) -> Result<Goal, ModeError> {
        let goal = self.modes.shared.goal.set_budget(token_budget).map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(goal)
    }

    /// Gives the goal up, if the user means it. Returns whether that happened.
    pub async fn drop_goal(&self, ui: &dyn Ui) -> Result<bool, ModeError> {
        if !self.modes.shared.goal.is_open() {
            return Err(ModeError::Goal("No open goal to drop.".to_owned()));
        }
        if !ui.confirm("Drop the goal? It cannot be resumed.").await {
            return Ok(false);
        }
        self.modes.shared.goal.drop_goal().map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(true)
    }

    async fn goal_changed(&self) {
        self.modes.keep_goal();
        // During a run the loop passes it on.
        if !self.control().is_running() {
            self.tell_modes().await;
        }
    }
}
