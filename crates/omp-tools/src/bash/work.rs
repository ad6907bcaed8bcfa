//! A command that runs. It does not care who waits for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{ToolError, Updates};
use omp_jobs::Running;
use omp_shell::Snapshot;
use omp_shell::session::{Call, Hold, ShellSpec};
use omp_types::{ToolOutput, UserBlock};
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

use super::Timeout;
use super::minimize::Watch;
use super::report::Report;
use crate::Context;

/// A command that is ready to run.
pub(super) struct Prepared {
    pub(super) shell: Arc<ShellSpec>,
    pub(super) call: Call,
    pub(super) watch: Option<Watch>,
    pub(super) timeout: Timeout,
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
    let Prepared { shell, call, watch, timeout } = prepared;
    let Context { scope, shells, .. } = context.as_ref();
    let show = |snapshot: &Snapshot| audience.show(snapshot);
    let answer = match which {
        Which::Sessions => shells.run(scope, &shell, call, &cancel, show).await,
        Which::Own(directory) => shells.run_alone(scope, &shell, directory, call, &cancel, show).await,
    };
    // Whatever it was, it may have written files.
    context.scans.clear();
    let mut answer = answer.map_err(|error| ToolError::new(error.to_string()))?;
    let original = watch.and_then(|watch| watch.shorten(&context, &mut answer));
    Report { answer, original, timeout, fresh_directory: &shell.directory }.into_result()
}
