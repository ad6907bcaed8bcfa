//! The modes of a session: entered, left and taken up again. What a mode is stands in `omp-modes`.

mod driver;
mod error;
mod executors;
pub(crate) mod goal;
mod guided;
pub(crate) mod plan;
mod planner;
mod prewalk;
mod reopen;
mod restore;
mod review;
mod startup;
mod yolo;

use omp_agent::{Conduct, Outcome};

use crate::session::Session;
pub use driver::Driver;
pub use error::ModeError;
pub(crate) use startup::{Beginning, for_tools, is_offered, of_session};

/// What the modes of a session do at its start, around every run and after a jump in the conversation.
#[derive(Clone, Copy)]
pub(crate) struct ModeChanges<'s> {
    pub(crate) session: &'s Session,
}

impl ModeChanges<'_> {
    /// What has to be done before a prompt goes to the model.
    pub(crate) async fn before_run(self) {
        self.session.configuration().take_up_changes().await;
        self.session.plan().settle_model().await;
        if let Some(note) = self.session.modes.begin_run() {
            self.session.control().next_prompt(note);
        }
    }

    /// What has to be done when a prompt has settled.
    pub(crate) async fn after_run(self, outcome: &Outcome) {
        self.session.modes.end_run(outcome.interrupted);
        self.session.models().settle_prewalk().await;
        self.session.file_history().settle().await;
        self.tell().await;
        self.session.plan().settle_model().await;
    }

    /// Passes on what the modes have to tell between two runs.
    async fn tell(self) {
        let events = self.session.modes.events();
        if !events.is_empty() {
            // A session that has ended has nobody to tell.
            let _ = self.session.agent.tell(events).await;
        }
    }
}
