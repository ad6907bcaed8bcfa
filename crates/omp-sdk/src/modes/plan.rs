//! Entering and leaving plan mode.

use omp_config::settings::keys;
use omp_modes::{PlanState, Ui};

use super::error::ModeError;
use crate::session::Session;

impl Session {
    /// Where plan mode stands.
    pub fn plan_state(&self) -> PlanState {
        self.modes.plan().state
    }

    /// Begins to plan. A plan that was paused is taken up again.
    pub async fn enter_plan(&self) -> Result<(), ModeError> {
        if !self.settings().get(keys::PLAN_ENABLED) {
            return Err(ModeError::PlanDisabled);
        }
        if self.modes.shared.goal.is_open() {
            return Err(ModeError::InGoal);
        }
        if self.plan_state() == PlanState::Planning {
            return Ok(());
        }
        self.modes.begin_planning(false);
        self.modes.keep_plan();
        self.use_planner().await;
        Ok(())
    }

    /// Opens the working tree again and keeps the plan for later.
    pub async fn pause_plan(&self) {
        if self.plan_state() == PlanState::Planning {
            self.stop_planning(PlanState::Paused).await;
        }
    }

    /// Ends plan mode without an approved plan.
    pub async fn leave_plan(&self) {
        if self.plan_state() != PlanState::Off {
            self.stop_planning(PlanState::Off).await;
        }
    }

    /// What the key for plan mode does: begin; pause, after a question if there is a draft; end.
    pub async fn toggle_plan(&self, ui: &dyn Ui) -> Result<PlanState, ModeError> {
        match self.plan_state() {
            PlanState::Off => self.enter_plan().await?,
            PlanState::Planning => {
                let pause = !self.modes.has_draft()
                    || ui.confirm("Pause plan mode? The plan is kept, and files can be changed.").await;
                if pause {
                    self.pause_plan().await;
                }
            }
            PlanState::Paused => self.leave_plan().await,
        }
        Ok(self.plan_state())
    }

    pub(super) async fn stop_planning(&self, state: PlanState) {
        self.modes.end_planning(state);
        self.modes.keep_plan();
        self.use_own_model().await;
    }
}
