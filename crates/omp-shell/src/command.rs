//! One shell command, without a terminal: from its start to its end, its timeout or its cancellation.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::program::{ProgramSpec, run_program};
use crate::scope::{Confined, Exit, Scope, SpawnError};
use crate::sink::{Captured, Limits, Spill};

/// What to run, and how.
pub struct CommandSpec {
    pub command: String,
    /// See [`find_shell`].
    pub shell: PathBuf,
    pub cwd: PathBuf,
    pub environment: Environment,
    pub timeout: Option<Duration>,
    pub limits: Limits,
    /// Keeps the whole output if the limits hide a part of it.
    pub spill: Option<Box<dyn Spill>>,
    /// The sandbox it is in.
    pub confined: Option<Arc<Confined>>,
}

impl CommandSpec {
    /// A command without a timeout or a sandbox, whose output is bounded as usual.
    pub fn new(
        command: impl Into<String>,
        shell: impl Into<PathBuf>,
        cwd: impl Into<PathBuf>,
        environment: Environment,
    ) -> Self {
        Self {
            command: command.into(),
            shell: shell.into(),
            cwd: cwd.into(),
            environment,
            timeout: None,
            limits: Limits::default(),
            spill: None,
            confined: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutcome {
    pub ending: Ending,
    pub output: Captured,
    pub wall_time: Duration,
}

/// How a command came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Exited(i32),
    Signaled(i32),
    TimedOut,
    Cancelled,
    /// Nobody saw the exit status.
    Lost,
}

/// The output so far, for a watcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The last lines, at most a few kilobytes.
    pub tail: String,
    pub total_bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("cannot create a pipe for the output: {0}")]
    Pipe(#[source] io::Error),
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

/// Runs a command in `scope`. Standard input is empty; standard output and error are one stream.
///
/// Processes that the command leaves behind live on in the scope, and what they still print is discarded. After a
/// timeout or a cancellation nothing of the command is left, however it tried to detach itself.
pub async fn run(
    scope: &Scope,
    spec: CommandSpec,
    cancel: &CancellationToken,
    on_output: impl FnMut(&Snapshot),
) -> Result<CommandOutcome, CommandError> {
    let CommandSpec { command, shell, cwd, environment, timeout, limits, spill, confined } = spec;
    let arguments = vec!["-c".into(), command.into()];
    let program = ProgramSpec { path: shell, arguments, cwd, environment, timeout, limits, spill, confined };
    run_program(scope, program, cancel, on_output).await
}

/// The shell for commands: bash if there is one, else the shell every Unix has.
pub fn find_shell(environment: &Environment) -> PathBuf {
    let path = environment.get("PATH").unwrap_or_default();
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join("bash"))
        .chain([PathBuf::from("/bin/bash")])
        .find(|candidate| is_executable(candidate))
        .unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).is_ok()
}

impl From<Exit> for Ending {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Exited(code) => Self::Exited(code),
            Exit::Signaled(signal) => Self::Signaled(signal),
            Exit::Lost => Self::Lost,
        }
    }
}
