//! A plan that was reviewed already is shown once more.

use omp_modes::PlanState;
use tokio_util::sync::CancellationToken;

use super::driver::Driver;
use super::error::ModeError;
use crate::modes::plan::PlanMode;

impl PlanMode<'_> {
    /// Puts the newest plan up for a decision again, as it is in its file now.
    async fn reopen(self) -> Result<(), ModeError> {
        if self.state() != PlanState::Planning {
            return Err(ModeError::NotPlanning);
        }
        let modes = self.session.modes.clone();
        let found = tokio::task::spawn_blocking(move || modes.find_plan()).await;
        let plan = found.map_err(|error| ModeError::Plan(error.to_string()))?.map_err(ModeError::Plan)?;
        self.session.modes.plan().handed_in = Some(plan);
        Ok(())
    }
}

impl Driver {
    /// Shows the newest plan again and does what the person decides about it, with everything that follows.
    pub async fn review_plan(&self, cancel: CancellationToken) -> Result<(), ModeError> {
        self.session().plan().reopen().await?;
        match self.review(&cancel).await? {
            Some(outcome) => self.settle(outcome, &cancel).await.map(drop),
            None => Ok(()),
        }
    }
}
