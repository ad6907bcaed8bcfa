//! Commands that a person runs in the session's shell, beside the model.

use std::time::Duration;

use omp_shell::{CommandError, Snapshot};
use omp_tools::UserCommand;
use tokio_util::sync::CancellationToken;

use crate::session::Session;

impl Session {
    /// Runs a command as it was typed, in the shell that the model's commands run in, or in one of its own while that is
    /// busy. No rule refuses or changes it, it is never a job and never on a terminal, and `bash.enabled` does not matter.
    /// That it was stopped is part of the answer; an error means that no shell could be started.
    pub async fn run_command(
        &self,
        command: &str,
        timeout: Option<Duration>,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<UserCommand, CommandError> {
        self.tools.run_command(command, timeout, cancel, on_output).await
    }
}
