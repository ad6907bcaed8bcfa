//! Entering and leaving plan mode.

use omp_config::settings::keys;
use omp_modes::{PlanState, Ui};

use super::error::ModeError;
use crate::session::Session;

/// Plan mode: entering and leaving it, the model that plans, the review of a plan, and carrying it out.
#[derive(Clone, Copy)]
pub struct PlanMode<'s> {
    pub(crate) session: &'s Session,
}

impl PlanMode<'_> {
    /// Where plan mode stands.
    pub fn state(self) -> PlanState {
        self.session.modes.plan().state
    }

    /// Begins to plan. A plan that was paused is taken up again.
    pub async fn enter(self) -> Result<(), ModeError> {
        if !self.session.settings().get(keys::PLAN_ENABLED) {
            return Err(ModeError::PlanDisabled);
        }
        if self.session.modes.shared.goal.is_open() {
            return Err(ModeError::InGoal);
        }
        if self.state() == PlanState::Planning {
            return Ok(());
        }
        self.session.modes.begin_planning(false);
        self.session.modes.keep_plan();
        self.use_planner().await;
        Ok(())
    }

    /// Opens the working tree again and keeps the plan for later.
    pub async fn pause(self) {
        if self.state() == PlanState::Planning {
            self.stop(PlanState::Paused).await;
        }
    }

    /// Ends plan mode without an approved plan.
    pub async fn exit(self) {
        if self.state() != PlanState::Off {
            self.stop(PlanState::Off).await;
        }
    }

    /// What the key for plan mode does: begin; pause, after a question if there is a draft; end.
    pub async fn toggle(self, ui: &dyn Ui) -> Result<PlanState, ModeError> {
        match self.state() {
            PlanState::Off => self.enter().await?,
            PlanState::Planning => {
                let pause = !self.session.modes.has_draft()
                    || ui.confirm("Pause plan mode? The plan is kept, and files can be edited.").await;
                if pause {
                    self.pause().await;
                }
            }
            PlanState::Paused => self.exit().await,
        }
        Ok(self.state())
    }

    pub(super) async fn stop(self, state: PlanState) {
        self.session.modes.end_planning(state);
        self.session.modes.keep_plan();
        self.use_own_model().await;
    }
}
