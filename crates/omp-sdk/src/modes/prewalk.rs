//! A dear model finds the way, a cheap one walks it.

use std::sync::Arc;

use omp_modes::Prewalk;

use crate::error::SessionError;
use crate::session::models::SessionModels;

impl SessionModels<'_> {
    /// Lets another model take over with the first change of a file from now on, in the middle of a run if need be.
    pub async fn prewalk(self, into: &str) -> Result<(), SessionError> {
        let then = self.find(into)?;
        let cheap = Arc::new(then.model.clone());
        let thinking =
            cheap.clamp_level(then.thinking.unwrap_or_else(|| self.session.preferences.effort.start()));
        let walk = Prewalk::new(then);
        let first = self.session.models.serve_conversation(self.session.model());
        let walking =
            walk.model(&self.session.modes, first, self.session.models.serve_conversation(cheap), thinking);
        let level = self.session.agent.thinking().await;
        self.session.agent.set_model(walking, level).await?;
        self.session.modes.set_prewalk(walk);
        Ok(())
    }

    /// The run is over: whoever took over in it is the session's model now.
    pub(super) async fn settle_prewalk(self) {
        let Some(walk) = self.session.modes.take_prewalk() else { return };
        if let Err(error) = self.switch_for_now(walk.selection()).await {
            self.session.modes.notice(format!("Could not switch models: {error}"));
        }
    }
}
