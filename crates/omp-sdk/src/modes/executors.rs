//! Who carries out a plan: the model of the session, or that of a role.

use omp_llm::registry::Selection;
use omp_models::model_of_role;
use omp_models::role_names;

use crate::error::SessionError;
use crate::modes::plan::PlanMode;

/// The role that stands for the session's own model.
const OWN: &str = "default";

impl PlanMode<'_> {
    /// The roles that could carry out the plan, with their models: the session's own first, as `default`, then those that
    /// were given a model that can be used.
    pub fn executors(self) -> Vec<(String, String)> {
        let settings = self.session.settings();
        let given = |role: &String| role != OWN && model_of_role(&settings, role).is_some();
        let others = role_names(&settings).into_iter().filter(given).filter_map(|role| {
            let model = self.session.models().find(&format!("pi/{role}")).ok()?.model.selector();
            Some((role, model))
        });
        std::iter::once((OWN.to_owned(), self.own_model().selector())).chain(others).collect()
    }

    /// Lets the model of a role carry out the plan that is being decided about.
    pub fn choose_executor(self, role: &str) -> Result<(), SessionError> {
        let chosen = match role {
            OWN => None,
            role => Some(self.session.models().find(&format!("pi/{role}"))?),
        };
        self.session.modes.plan().executor = chosen;
        Ok(())
    }

    /// The plan is carried out here: the chosen model takes over.
    pub(super) async fn use_executor(self) {
        let Some(chosen) = self.take_executor() else { return };
        if let Err(error) = self.session.models().switch_for_now(chosen).await {
            self.session.modes.notice(format!(
                "The chosen model cannot execute the plan, so the current one does: {error}"
            ));
        }
    }

    /// The chosen model; the next plan begins without a choice.
    pub(super) fn take_executor(self) -> Option<Selection> {
        self.session.modes.plan().executor.take()
    }
}
