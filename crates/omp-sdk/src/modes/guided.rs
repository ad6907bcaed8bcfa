//! A goal that is found in an interview.

use std::sync::Arc;

use omp_agent::{Model, Prompt};
use omp_models::model_of_role;
use omp_modes::{Interview, Ui};
use tokio_util::sync::CancellationToken;

use super::error::ModeError;
use crate::modes::goal::GoalMode;

/// The roles that may lead the interview, the best first.
const ROLES: [&str; 2] = ["plan", "slow"];

impl GoalMode<'_> {
    /// Asks the user what is to be reached, at most six questions, lets the user change the objective that comes of it,
    /// and sets it as the goal. `None` if the user gave up.
    pub async fn interview(
        self,
        wish: &str,
        ui: &dyn Ui,
        cancel: CancellationToken,
    ) -> Result<Option<Prompt>, ModeError> {
        self.may_start()?;
        let model = self.interviewer()?;
        let interview = Interview { model: model.as_ref(), ui };
        let objective = interview.objective(wish, &cancel).await;
        let Some(objective) = objective.map_err(|error| ModeError::Goal(error.to_string()))? else {
            return Ok(None);
        };
        match ui.edit(&objective).await {
            Some(objective) => Ok(Some(self.start(&objective, None).await?)),
            None => Ok(None),
        }
    }

    /// The model of the role `plan`, else of `slow`, else the session's own.
    fn interviewer(self) -> Result<Arc<dyn Model>, ModeError> {
        let settings = self.session.settings();
        let role = ROLES.into_iter().find(|role| model_of_role(&settings, role).is_some());
        let model = match role {
            Some(role) => Arc::new(self.session.models().find(&format!("pi/{role}"))?.model),
            None => self.session.model(),
        };
        Ok(self.session.models.serve(model))
    }
}
