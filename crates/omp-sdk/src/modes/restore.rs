//! The mode that a conversation was left in.

use omp_modes::PlanState;
use omp_session::ModeChange;

use crate::session::Session;

impl Session {
    /// Takes up the mode of the conversation, with the model that belongs to it.
    pub(crate) async fn restore_mode(&self, mode: Option<&ModeChange>) -> Vec<String> {
        let warnings = self.modes.restore(mode);
        match self.plan_state() {
            PlanState::Planning => self.use_planner().await,
            _ => self.use_own_model().await,
        }
        warnings
    }
}
