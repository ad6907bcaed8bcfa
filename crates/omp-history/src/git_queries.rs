//! Asking git, as long as it answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use omp_workspace::repository::first_risk;
use tokio::runtime::Handle;

use crate::error::HistoryError;
use crate::git::{Git, Status};
use crate::history::History;
use crate::options::Options;

impl History {
    /// What git says now. Where it fails, that is said once, and it continues without git.
    pub(crate) async fn fresh_status(self: &Arc<Self>) -> Result<Option<Status>, HistoryError> {
        let history = Arc::clone(self);
        let runtime = Handle::current();
        let asked = tokio::task::spawn_blocking(move || history.status(&runtime)).await;
        self.heard(asked.map_err(|_| HistoryError::Interrupted)?)
    }

    pub(crate) fn heard(
        &self,
        said: Option<Result<Status, HistoryError>>,
    ) -> Result<Option<Status>, HistoryError> {
        match said {
            Some(Err(HistoryError::Interrupted)) => Err(HistoryError::Interrupted),
            Some(Err(error)) => {
                self.git_failed(&error);
                Ok(None)
            }
            said => said.transpose(),
        }
    }

    /// What git says now; `None` where there is no repository, or git is too slow for it.
    pub(crate) fn status(&self, runtime: &Handle) -> Option<Result<Status, HistoryError>> {
        if self.slow.load(Ordering::Acquire) {
            return None;
        }
        let git = self.git.get_or_init(|| self.find_git(runtime)).as_ref()?;
        Some(git.status())
    }

    fn find_git(&self, runtime: &Handle) -> Option<Git> {
        let Options { cwd, environment, .. } = &self.options;
        let cwd = std::fs::canonicalize(cwd).ok()?;
        // Where there is no repository, nobody has to be asked.
        cwd.ancestors().find(|above| above.join(".git").exists())?;
        if let Some(risk) = first_risk(&cwd).filter(|_| !(self.options.is_trusted)()) {
            self.git_failed(&HistoryError::Risky { risk });
            return None;
        }
        let (runtime, cancel) = (runtime.clone(), self.cancel.clone());
        let git = Git::around(&cwd, environment, runtime, cancel, self.limits.patience);
        git.map_err(|error| self.git_failed(&error)).ok()
    }

    pub(crate) fn known_git(&self) -> Option<&Git> {
        self.git.get().and_then(Option::as_ref).filter(|_| !self.slow.load(Ordering::Acquire))
    }
}
