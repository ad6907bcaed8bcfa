//! One program, without a terminal: from its start to its end, its timeout or its cancellation.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::unix::pipe;
use tokio_util::sync::CancellationToken;

use crate::command::{CommandError, CommandOutcome, Ending, Snapshot};
use crate::environment::Environment;
use crate::scope::{Child, Confined, Program, Scope, Stdio};
use crate::sink::{Limits, Sink, Spill};
use crate::stream::Output;

/// Which program to run, and how.
pub struct ProgramSpec {
    /// A name without a slash is looked up in the `PATH` of `environment`.
    pub path: PathBuf,
    pub arguments: Vec<OsString>,
    pub cwd: PathBuf,
    pub environment: Environment,
    pub timeout: Option<Duration>,
    pub limits: Limits,
    /// Keeps the whole output if the limits hide a part of it.
    pub spill: Option<Box<dyn Spill>>,
    /// The sandbox it is in.
    pub confined: Option<Arc<Confined>>,
}

/// Runs a program in `scope`. Standard input is empty; standard output and error are one stream.
///
/// Processes that the program leaves behind live on in the scope, and what they still print is discarded. After a
/// timeout or a cancellation nothing of it is left, however it tried to detach itself.
pub async fn run_program(
    scope: &Scope,
    mut spec: ProgramSpec,
    cancel: &CancellationToken,
    on_output: impl FnMut(&Snapshot),
) -> Result<CommandOutcome, CommandError> {
    let started = Instant::now();
    let timeout = spec.timeout;
    let sink = Sink::new(spec.limits, spec.spill.take());
    let (mut child, pipe) = start(scope, spec)?;
    let mut output = Output::new(pipe, sink, on_output);
    let ending = output.follow(async { child.wait().await.into() }, timeout, cancel).await;
    let left_open = match ending {
        Ending::TimedOut | Ending::Cancelled => output.stop(&mut child, ending).await,
        Ending::Exited(_) | Ending::Signaled(_) | Ending::Lost => output.drain().await,
    };
    Ok(CommandOutcome { ending, output: output.finish(left_open), wall_time: started.elapsed() })
}

fn start(scope: &Scope, spec: ProgramSpec) -> Result<(Child, pipe::Receiver), CommandError> {
    let (reader, writer) = io::pipe().map_err(CommandError::Pipe)?;
    let reader = pipe::Receiver::from_owned_fd(OwnedFd::from(reader)).map_err(CommandError::Pipe)?;
    let stderr = writer.try_clone().map_err(CommandError::Pipe)?;
    let program = Program {
        path: spec.path,
        arguments: spec.arguments,
        cwd: spec.cwd,
        environment: spec.environment,
        stdin: Stdio::Null,
        stdout: Stdio::Fd(writer.into()),
        stderr: Stdio::Fd(stderr.into()),
    };
    let child = match &spec.confined {
        Some(confined) => scope.spawn_confined(program, confined)?,
        None => scope.spawn(program)?,
    };
    Ok((child, reader))
}
