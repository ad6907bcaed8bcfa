//! Short exchanges with `ssh` and its helpers.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_shell::{
    CommandError, CommandOutcome, Ending, Environment, Limits, ProgramSpec, Scope, SpawnError, run_program,
};
use tokio_util::sync::CancellationToken;

use crate::error::SshError;

/// What `ssh` says about itself is short.
const TALK: Limits =
    Limits { inline_bytes: 8 * 1024, head_bytes: 0, tail_bytes: 4 * 1024, tail_lines: 40, max_columns: 768 };

/// Starts programs.
pub(crate) struct Tools {
    pub(crate) scope: Arc<Scope>,
    pub(crate) environment: Environment,
    pub(crate) cwd: PathBuf,
}

/// How long a call may take as a whole, and who may stop it.
pub(crate) struct Patience<'a> {
    pub(crate) until: Instant,
    pub(crate) seconds: f64,
    pub(crate) target: String,
    pub(crate) cancel: &'a CancellationToken,
}

impl Tools {
    pub(crate) fn spec(&self, program: &str, arguments: Vec<OsString>) -> ProgramSpec {
        ProgramSpec {
            path: program.into(),
            arguments,
            cwd: self.cwd.clone(),
            environment: self.environment.clone(),
            timeout: None,
            limits: TALK,
            spill: None,
            confined: None,
        }
    }

    /// Asks `ssh` something, as part of a call.
    pub(crate) async fn talk(
        &self,
        arguments: Vec<OsString>,
        patience: &Patience<'_>,
    ) -> Result<CommandOutcome, SshError> {
        let timeout = patience.until.saturating_duration_since(Instant::now());
        let outcome = self.run("ssh", arguments, timeout, patience.cancel).await.map_err(explain)?;
        match outcome.ending {
            Ending::Cancelled => Err(SshError::Cancelled),
            Ending::TimedOut => {
                Err(SshError::TimedOut { target: patience.target.clone(), seconds: patience.seconds })
            }
            Ending::Exited(_) | Ending::Signaled(_) | Ending::Lost => Ok(outcome),
        }
    }

    /// Runs a program that says little and is not waited for long.
    pub(crate) async fn run(
        &self,
        program: &str,
        arguments: Vec<OsString>,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<CommandOutcome, CommandError> {
        let spec = ProgramSpec { timeout: Some(timeout), ..self.spec(program, arguments) };
        run_program(&self.scope, spec, cancel, |_| {}).await
    }
}

/// Why `ssh` could not be started.
pub(crate) fn explain(error: CommandError) -> SshError {
    if is_missing(&error) { SshError::Missing } else { SshError::Run(error) }
}

/// Is the program not there at all?
pub(crate) fn is_missing(error: &CommandError) -> bool {
    matches!(error, CommandError::Spawn(SpawnError::Start { source, .. })
        if source.kind() == std::io::ErrorKind::NotFound)
}

/// Work for the disk, where it holds up nobody.
pub(crate) async fn waiting_for_disk<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SshError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| SshError::Run(CommandError::Pipe(error.into())))
}
