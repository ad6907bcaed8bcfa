//! The model that plans, and the one that it stands in for.

use std::sync::Arc;

use omp_llm::registry::Selection;
use omp_models::model_of_role;
use omp_modes::PlannedBy;

use crate::modes::plan::PlanMode;

/// The role of the model that plans.
const ROLE: &str = "plan";

impl PlanMode<'_> {
    /// The model of the role `plan` takes over, if there is one.
    pub(super) async fn use_planner(self) {
        let settings = self.session.settings();
        if model_of_role(&settings, ROLE).is_none() {
            return;
        }
        let selection = match self.session.models().find(&format!("pi/{ROLE}")) {
            Ok(selection) => selection,
            Err(error) => {
                self.session.modes.notice(format!("Cannot use the model of the role `plan`: {error}"));
                return self.session.mode_changes().tell().await;
            }
        };
        let planner = selection.model.selector();
        if planner == self.session.model_selector() {
            return;
        }
        {
            let mut plan = self.session.modes.plan();
            plan.before = Some(PlannedBy { own: self.session.model(), thinking: None, planner });
            plan.moving = Some(selection);
        }
        self.settle_model().await;
    }

    /// The model from before returns, unless the user has chosen another one since.
    pub(super) async fn use_own_model(self) {
        {
            let mut plan = self.session.modes.plan();
            let Some(PlannedBy { own, thinking, planner }) = plan.before.take() else { return };
            let waiting = plan.moving.take().is_some();
            if waiting || self.session.model_selector() != planner {
                return;
            }
            let model = own.as_ref().clone();
            plan.moving = Some(Selection { model, thinking, warnings: Vec::new() });
        }
        self.settle_model().await;
    }

    /// Carries out a change of the model that was asked for; one that is asked for during an answer waits for its end.
    pub(crate) async fn settle_model(self) {
        if self.session.control().is_running() {
            return;
        }
        let Some(selection) = self.session.modes.plan().moving.take() else { return };
        let thinking = self.session.agent.thinking().await;
        if let Some(before) = &mut self.session.modes.plan().before {
            before.thinking.get_or_insert(thinking);
        }
        if let Err(error) = self.session.models().switch_for_now(selection).await {
            self.session.modes.notice(format!("Could not switch models: {error}"));
        }
    }

    /// The model that carries out a plan.
    pub(super) fn executor(self) -> Arc<omp_llm::Model> {
        let chosen = self.session.modes.plan().executor.as_ref().map(|chosen| Arc::new(chosen.model.clone()));
        chosen.unwrap_or_else(|| self.own_model())
    }

    /// The model that the session has when nobody plans.
    pub(super) fn own_model(self) -> Arc<omp_llm::Model> {
        let own = self.session.modes.plan().before.as_ref().map(|before| Arc::clone(&before.own));
        own.unwrap_or_else(|| self.session.model())
    }
}
