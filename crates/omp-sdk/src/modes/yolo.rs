//! A plan that is made and carried out without a person in between.

use omp_agent::Outcome;
use tokio_util::sync::CancellationToken;

use super::error::ModeError;
use crate::modes::plan::PlanMode;

impl PlanMode<'_> {
    /// Begins to plan. The first plan that is handed in is approved at once and carried out by the model of the selector,
    /// else by the session's own.
    pub async fn plan_and_go(self, into: Option<&str>) -> Result<(), ModeError> {
        let executor = into.map(|selector| self.session.models().find(selector)).transpose()?;
        self.enter().await?;
        let mut plan = self.session.modes.plan();
        plan.executor = executor;
        plan.goes = true;
        Ok(())
    }

    /// Carries out the plan that was handed in, if nobody is to be asked about it. `None` if there is no such plan.
    pub async fn carry_out(self, cancel: CancellationToken) -> Result<Option<Outcome>, ModeError> {
        {
            let mut plan = self.session.modes.plan();
            if !plan.goes || plan.handed_in.is_none() {
                return Ok(None);
            }
            plan.goes = false;
        }
        self.session.modes.notice("Plan approved automatically; executing it".to_owned());
        match self.has_room().await {
            true => self.keep_context(cancel).await,
            false => self.compact_context(cancel).await,
        }
    }
}
