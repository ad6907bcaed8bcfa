//! The modes of a session: entered, left and taken up again. What a mode is stands in `omp-modes`.

mod begin;
mod driver;
mod error;
mod executors;
mod goal;
mod guided;
mod plan;
mod planner;
mod prewalk;
mod reopen;
mod restore;
mod review;
mod yolo;

use omp_agent::{Conduct, Outcome};

use crate::session::Session;
pub(crate) use begin::{Beginning, for_tools, is_offered, of_session};
pub use driver::Driver;
pub use error::ModeError;

impl Session {
    /// What has to be done before a prompt goes to the model.
    pub(crate) async fn before_run(&self) {
        self.take_up_changes().await;
        self.settle_model().await;
        if let Some(note) = self.modes.begin_run() {
            self.control().next_prompt(note);
        }
    }

    /// What has to be done when a prompt has settled.
    pub(crate) async fn after_run(&self, outcome: &Outcome) {
        self.modes.end_run(outcome.interrupted);
        self.settle_prewalk().await;
        self.settle_files().await;
        self.tell_modes().await;
        self.settle_model().await;
    }

    /// Passes on what the modes have to tell between two runs.
    async fn tell_modes(&self) {
        let events = self.modes.events();
        if !events.is_empty() {
            // A session that has ended has nobody to tell.
            let _ = self.agent.tell(events).await;
        }
    }
}
