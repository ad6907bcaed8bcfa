//! The model that plans, and the one that it stands in for.

use std::sync::Arc;

use omp_llm::registry::Selection;
use omp_models::model_of_role;
use omp_modes::PlannedBy;

use crate::session::Session;

/// The role of the model that plans.
const ROLE: &str = "plan";

impl Session {
    /// The model of the role `plan` takes over, if there is one.
    pub(super) async fn use_planner(&self) {
        let settings = self.settings();
        if model_of_role(&settings, ROLE).is_none() {
            return;
        }
        let selection = match self.find_model(&format!("pi/{ROLE}")) {
            Ok(selection) => selection,
            Err(error) => {
                self.modes.notice(format!("The model of the role `plan` cannot be used: {error}"));
                return self.tell_modes().await;
            }
        };
        let planner = selection.model.selector();
        if planner == self.model_selector() {
            return;
        }
        {
            let mut plan = self.modes.plan();
            plan.before = Some(PlannedBy { own: self.model(), thinking: None, planner });
            plan.moving = Some(selection);
        }
        self.settle_model().await;
    }

    /// The model from before returns, unless the user has chosen another one since.
    pub(super) async fn use_own_model(&self) {
        {
            let mut plan = self.modes.plan();
            let Some(PlannedBy { own, thinking, planner }) = plan.before.take() else { return };
            let waiting = plan.moving.take().is_some();
            if waiting || self.model_selector() != planner {
                return;
            }
            let model = own.as_ref().clone();
            plan.moving = Some(Selection { model, thinking, warnings: Vec::new() });
        }
        self.settle_model().await;
    }

    /// Carries out a change of the model that was asked for; one that is asked for during an answer waits for its end.
    pub(crate) async fn settle_model(&self) {
        if self.control().is_running() {
            return;
        }
        let Some(selection) = self.modes.plan().moving.take() else { return };
        let thinking = self.agent.thinking().await;
        if let Some(before) = &mut self.modes.plan().before {
            before.thinking.get_or_insert(thinking);
        }
        if let Err(error) = self.switch_for_now(selection).await {
            self.modes.notice(format!("The model was not changed: {error}"));
        }
    }

    /// The model that carries out a plan.
    pub(super) fn executor(&self) -> Arc<omp_llm::Model> {
        let chosen = self.modes.plan().executor.as_ref().map(|chosen| Arc::new(chosen.model.clone()));
        chosen.unwrap_or_else(|| self.own_model())
    }

    /// The model that the session has when nobody plans.
    pub(super) fn own_model(&self) -> Arc<omp_llm::Model> {
        let own = self.modes.plan().before.as_ref().map(|before| Arc::clone(&before.own));
        own.unwrap_or_else(|| self.model())
    }
}
