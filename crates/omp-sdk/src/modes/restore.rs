//! The mode that a conversation was left in.

use omp_modes::PlanState;
use omp_session::ModeChange;

use crate::modes::ModeChanges;

impl ModeChanges<'_> {
    /// Takes up the mode of the conversation, with the model that belongs to it.
    pub(crate) async fn restore(self, mode: Option<&ModeChange>) -> Vec<String> {
        let warnings = self.session.modes.restore(mode);
        match self.session.plan().state() {
            PlanState::Planning => self.session.plan().use_planner().await,
            _ => self.session.plan().use_own_model().await,
        }
        warnings
    }
}
