//! A command that runs. It does not depend on who waits for it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{ToolError, Updates};
use omp_jobs::Running;
use omp_sandbox::{Denial, RunningCommand};
use omp_shell::session::{Answer, Call, CommandDirectory, Hold, ShellSpec};
use omp_shell::{Ending, Snapshot};
use omp_types::{ToolOutput, UserBlock};
use tokio_util::sync::CancellationToken;

use super::Timeout;
use super::minimize::Watch;
use super::report::{Report, SandboxReport};
use crate::sandbox::Confine;
use crate::{Commands, Context};

/// A command that is ready to run.
pub(super) struct Prepared {
    pub(super) shell: Arc<ShellSpec>,
    pub(super) call: Call,
    pub(super) watch: Option<Watch>,
    pub(super) timeout: Timeout,
    pub(super) confine: Confine,
    /// Learns what the sandbox refused.
    pub(super) denied: Arc<OnceLock<Denial>>,
    /// Kept while the command runs.
    pub(super) running: Option<RunningCommand>,
}

/// The shell that a command runs in.
pub(super) enum Which {
    /// The session's, or one of its own while that is busy.
    Sessions,
    /// One of its own, which begins there.
    Own(PathBuf),
}

/// A command that runs as long as this is polled; dropping it ends the command.
pub(super) struct Work {
    pub(super) future: BoxFuture<'static, Result<ToolOutput, ToolError>>,
    pub(super) cancel: CancellationToken,
    pub(super) audience: Arc<Audience>,
    pub(super) hold: Arc<Hold>,
}

impl Work {
    pub(super) fn begin(context: Arc<Context>, prepared: Prepared, which: Which) -> Self {
        let (cancel, audience) = (CancellationToken::new(), Arc::<Audience>::default());
        let hold = Arc::clone(&prepared.call.hold);
        let future = carry_out(context, prepared, which, cancel.clone(), Arc::clone(&audience)).boxed();
        Self { future, cancel, audience, hold }
    }

    /// The rest of the command, as the work of a job.
    pub(super) async fn go_on(mut self, running: Running) -> Result<String, String> {
        self.audience.hand_to(Viewer::Job(running.clone()));
        let result = tokio::select! {
            biased;
            result = &mut self.future => result,
            () = running.cancel.cancelled() => {
                self.cancel.cancel();
                self.future.await
            }
        };
        match result {
            Ok(output) => Ok(output.content.iter().filter_map(UserBlock::as_text).collect()),
            Err(error) => Err(error.message),
        }
    }
}

/// Who sees the output so far.
#[derive(Default)]
pub(super) struct Audience(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    viewer: Viewer,
    tail: String,
}

#[derive(Default)]
pub(super) enum Viewer {
    #[default]
    Nobody,
    Call(Updates),
    Job(Running),
}

impl Audience {
    /// From now on somebody else watches.
    pub(super) fn hand_to(&self, viewer: Viewer) {
        let mut seen = self.lock();
        if let Viewer::Job(running) = &viewer {
            running.report(&seen.tail);
        }
        seen.viewer = viewer;
    }

    /// The end of the output so far.
    pub(super) fn tail(&self) -> String {
        self.lock().tail.clone()
    }

    fn show(&self, snapshot: &Snapshot) {
        let mut seen = self.lock();
        seen.tail.clone_from(&snapshot.tail);
        match &seen.viewer {
            Viewer::Nobody => {}
            Viewer::Call(updates) => updates.send(ToolOutput::text(snapshot.tail.clone())),
            Viewer::Job(running) => running.report(&snapshot.tail),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the command to its end, and says what the model reads about it.
async fn carry_out(
    context: Arc<Context>,
    prepared: Prepared,
    which: Which,
    cancel: CancellationToken,
    audience: Arc<Audience>,
) -> Result<ToolOutput, ToolError> {
    let Prepared { shell, call, watch, timeout, confine, denied, running: _running } = prepared;
    let was = match &call.place {
        CommandDirectory::Current => shells_directory(&context, &shell),
        CommandDirectory::Once(directory) | CommandDirectory::Stay(directory) => directory.clone(),
    };
    let stays = matches!(which, Which::Sessions);
    context.commands.sandbox.hosts().take_refused(); // Those of earlier commands.
    let Commands { scope, shells, .. } = &context.commands;
    let show = |snapshot: &Snapshot| audience.show(snapshot);
    let answer = match which {
        Which::Sessions => shells.run(scope, &shell, call, &cancel, show).await,
        Which::Own(directory) => shells.run_alone(scope, &shell, directory, call, &cancel, show).await,
    };
    // Whatever it was, it may have written files.
    context.scans.clear();
    let mut answer = answer.map_err(|error| ToolError::new(error.to_string()))?;
    if stays {
        context.note_directory(&shell);
    }
    let denial = refused(&context, &confine, &answer, &was).await;
    let original = watch.and_then(|watch| watch.shorten(&context, &mut answer));
    let sandbox = SandboxReport { held: confine.summary(), denial };
    let report = Report { answer, original, timeout, fresh_directory: &shell.directory, sandbox: &sandbox };
    let result = report.into_result();
    if let Some(denial) = sandbox.denial {
        let _ = denied.set(denial);
    }
    result
}

fn shells_directory(context: &Context, shell: &ShellSpec) -> PathBuf {
    context.commands.shells.directory(shell)
}

/// What the sandbox refused a command that failed.
pub(super) async fn refused(
    context: &Context,
    confine: &Confine,
    answer: &Answer,
    cwd: &Path,
) -> Option<Denial> {
    match answer.outcome.ending {
        // It may not have noticed that a host was refused: what it got is not the host's answer.
        Ending::Exited(0) => context.refused_host(confine),
        Ending::TimedOut | Ending::Cancelled | Ending::Lost => None,
        Ending::Exited(_) | Ending::Signaled(_) => {
            context.denial(confine, &answer.outcome.output.text, cwd).await
        }
    }
}
