//! One read, on a thread where it may wait for the disk.

use std::sync::Arc;

use omp_agent::ToolError;
use omp_types::ToolOutput;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::resources::aborted;

/// What a read needs to know of its call.
///
/// A plain file or a directory is done in a moment, and its content is worth more than the word that it was aborted:
/// such reads are finished whatever happens. Every other kind calls [`Job::slow`] first, and is given up when the
/// call is cancelled.
pub(super) struct Job {
    pub(super) context: Arc<Context>,
    /// Fires when nobody wants the answer any more; for work that can stop in the middle.
    pub(super) cancel: CancellationToken,
    slow: Notify,
}

impl Job {
    /// Runs `work` on a blocking thread.
    pub(super) async fn run(
        context: Arc<Context>,
        cancel: CancellationToken,
        work: impl FnOnce(&Self) -> Result<ToolOutput, ToolError> + Send + 'static,
    ) -> Result<ToolOutput, ToolError> {
        let job = Arc::new(Self { context, cancel, slow: Notify::new() });
        let worker = Arc::clone(&job);
        let given_up = async {
            job.slow.notified().await;
            job.cancel.cancelled().await;
        };
        tokio::select! {
            biased;
            result = crate::blocking(move || work(&worker)) => result,
            () = given_up => Err(ToolError::new(aborted())),
        }
    }

    /// A read of nobody's.
    #[cfg(test)]
    pub(super) fn in_directory(cwd: &std::path::Path) -> Self {
        let scope = Arc::new(omp_shell::Scope::new());
        let environment = omp_shell::Environment::default();
        let context = Arc::new(Context::new(cwd.to_owned(), None, scope, environment));
        Self { context, cancel: CancellationToken::new(), slow: Notify::new() }
    }

    /// From here on the read may take long.
    pub(super) fn slow(&self) -> Result<(), ToolError> {
        if self.cancel.is_cancelled() {
            return Err(ToolError::new(aborted()));
        }
        self.slow.notify_one();
        Ok(())
    }
}
