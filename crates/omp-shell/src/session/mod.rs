//! Shells that live through many commands.
//!
//! A [`ShellSession`] is one process: the system's bash, another POSIX shell, or our own embedded shell. What a command
//! changes in it (directory, variables, functions) is there for the next. [`Shells`] hands them out, so that two
//! commands never share one at the same time.
//!
//! ```text
//! we ──── requests ───► shell ──► command ──► its children …
//!  ▲ ◄─── reports ────────┘          │
//!  └────── output, a pipe per command ┘
//! ```
//!
//! The line to the shell is a socket that its children do not inherit. A command writes into a pipe of its own, which
//! the shell opens by its name in a directory that only the two of us use. So the end of a command is a report, not the end of a stream: a process
//! left behind may keep the pipe and holds up nobody, and what it prints later cannot get into another command's
//! output. A command that ends the shell itself (`exit`, `exec`, a signal) ends with the exit status of the process;
//! the next one gets a fresh shell.
//!
//! A shell is started in a [`Scope`], like every process. To stop a command its whole shell is ended.

mod hold;
mod line;
mod pool;
mod request;
mod start;
mod start_files;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio_util::sync::CancellationToken;

use crate::command::{CommandError, CommandOutcome, Ending, Snapshot};
use crate::scope::{Child, Exchange, GRACE};
use crate::sink::{Limits, Sink, Spill};
use crate::stream::Output;

pub use hold::{Given, Hold};
pub use pool::{After, Answer, ShellSpec, Shells};
pub use request::{Report, Request};
pub use start::Engine;
pub use start_files::StartFiles;

use line::{Told, exchange};
use start::Dialect;

/// One command for a shell.
pub struct Call {
    pub command: String,
    /// Variables of this command only.
    pub env: Vec<(String, String)>,
    pub place: CommandDirectory,
    pub timeout: Option<Duration>,
    pub limits: Limits,
    /// Keeps the whole output if the limits hide a part of it.
    pub spill: Option<Box<dyn Spill>>,
    /// Which shell it got, for [`Shells::give_away`].
    pub hold: Arc<Hold>,
}

impl Call {
    /// A command where the shell is, without a timeout, whose output is bounded as usual.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            env: Vec::new(),
            place: CommandDirectory::Current,
            timeout: None,
            limits: Limits::default(),
            spill: None,
            hold: Arc::default(),
        }
    }
}

/// Where a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandDirectory {
    /// Where the shell is.
    Current,
    /// There; the shell returns afterwards.
    Once(PathBuf),
    /// There, and the shell stays.
    Stay(PathBuf),
}

/// A shell that waits for commands.
pub struct ShellSession {
    child: Child,
    line: UnixStream,
    dialect: Dialect,
    /// Where the shell said it is.
    cwd: PathBuf,
    /// A command runs in it.
    busy: bool,
    /// Where the pipes of its commands are.
    exchange: Arc<Exchange>,
}

/// Whether a shell can take another command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Goes,
    Ended,
}

impl fmt::Debug for ShellSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ShellSession").field("pid", &self.child.id()).field("cwd", &self.cwd).finish()
    }
}

impl ShellSession {
    /// Runs a command to its end, its timeout or its cancellation; after the last two the shell is gone.
    async fn run(
        &mut self,
        call: Call,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<(CommandOutcome, Life), CommandError> {
        let started = Instant::now();
        self.busy = true;
        let named = self.exchange.pipe().map_err(CommandError::Pipe)?;
        let reader = pipe::OpenOptions::new().open_receiver(named.path()).map_err(CommandError::Pipe)?;
        let writer = pipe::OpenOptions::new().open_sender(named.path()).map_err(CommandError::Pipe)?;
        let request = self.dialect.encode(&self.request(&call, named.path().to_owned()));
        let mut output = Output::new(reader, Sink::new(call.limits, call.spill), on_output);
        let mut report = None;
        let told = async {
            match exchange(&self.line, &self.dialect, &request).await {
                Told::Report(told) => Some(Ending::Exited(report.insert(told).status)),
                // It was told to execute nothing any more, which it did well.
                Told::Deaf => Some(Ending::Exited(0)),
                Told::Nothing => None,
            }
        };
        let end = async {
            tokio::select! {
                biased; // A shell that reports and dies has reported.
                Some(ending) = told => ending,
                exit = self.child.wait() => exit.into(),
            }
        };
        let ending = output.follow(end, call.timeout, cancel).await;
        drop((writer, named)); // Until here the pipe had a writer, whether the shell had opened it or not.
        let left_open = match ending {
            Ending::TimedOut | Ending::Cancelled => output.stop(&mut self.child, ending).await,
            Ending::Exited(_) | Ending::Signaled(_) | Ending::Lost => output.drain().await,
        };
        let life = match report {
            Some(Report { cwd, .. }) => {
                if cwd != Path::new("") {
                    self.cwd = cwd; // Somebody may have unset the variable that tells it.
                }
                self.busy = false;
                Life::Goes
            }
            None => Life::Ended,
        };
        let output = output.finish(left_open);
        Ok((CommandOutcome { ending, output, wall_time: started.elapsed() }, life))
    }

    fn request(&self, call: &Call, output: PathBuf) -> Request {
        let (enter, leave_to) = match &call.place {
            CommandDirectory::Current => (None, None),
            CommandDirectory::Once(directory) => (Some(directory.clone()), Some(self.cwd.clone())),
            CommandDirectory::Stay(directory) => (Some(directory.clone()), None),
        };
        let save = call.hold.save_to();
        Request { output, command: call.command.clone(), env: call.env.clone(), enter, leave_to, save }
    }

    /// Where it can write down what it knows, if it can.
    fn saves_to(&self) -> Option<&Exchange> {
        matches!(self.dialect, Dialect::Bash { .. }).then_some(self.exchange.as_ref())
    }
}

impl Drop for ShellSession {
    /// A shell that waits reads the end of its line and ends; one in the middle of a command is ended with it.
    fn drop(&mut self) {
        if self.busy {
            self.child.terminate(GRACE);
        }
    }
}
