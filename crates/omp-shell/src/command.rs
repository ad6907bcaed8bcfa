//! One shell command, without a terminal: from its start to its end, its timeout or its cancellation.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::net::unix::pipe;
use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::scope::{Child, Exit, GRACE, Program, Scope, SpawnError, Stdio};
use crate::sink::{Captured, Limits, Sink, Spill};

/// How long a process that the command left behind may keep us waiting for the end of the output.
const DRAIN_LIMIT: Duration = Duration::from_millis(100);
/// How long we wait for a killed tree before we return without it.
const KILL_LIMIT: Duration = Duration::from_secs(2);
/// The least time between two progress reports, and the most text in one.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(100);
const SNAPSHOT_BYTES: usize = 8 * 1024;

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

/// The output so far, for somebody who watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The last lines, at most a few kilobytes.
    pub tail: String,
    pub total_bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("Cannot create a pipe for the output: {0}.")]
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
    mut spec: CommandSpec,
    cancel: &CancellationToken,
    on_output: impl FnMut(&Snapshot),
) -> Result<CommandOutcome, CommandError> {
    let started = Instant::now();
    let timeout = spec.timeout;
    let sink = Sink::new(spec.limits, spec.spill.take());
    let (mut child, pipe) = start(scope, spec)?;
    let mut output = Output { pipe, sink, reporter: Reporter::new(on_output) };
    let ending = output.follow(&mut child, timeout, cancel).await;
    let left_open = match ending {
        Ending::TimedOut | Ending::Cancelled => output.stop(&mut child).await,
        Ending::Exited(_) | Ending::Signaled(_) | Ending::Lost => output.drain(DRAIN_LIMIT).await,
    };
    let Output { pipe, sink, .. } = output;
    if left_open == Pipe::Open {
        tokio::spawn(discard(pipe));
    }
    Ok(CommandOutcome { ending, output: sink.finish(), wall_time: started.elapsed() })
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

fn start(scope: &Scope, spec: CommandSpec) -> Result<(Child, pipe::Receiver), CommandError> {
    let (reader, writer) = io::pipe().map_err(CommandError::Pipe)?;
    let reader = pipe::Receiver::from_owned_fd(OwnedFd::from(reader)).map_err(CommandError::Pipe)?;
    let stderr = writer.try_clone().map_err(CommandError::Pipe)?;
    let child = scope.spawn(Program {
        path: spec.shell,
        arguments: vec!["-c".into(), spec.command.into()],
        cwd: spec.cwd,
        environment: spec.environment,
        stdin: Stdio::Null,
        stdout: Stdio::Fd(writer.into()),
        stderr: Stdio::Fd(stderr.into()),
    })?;
    Ok((child, reader))
}

/// The output of a running command on its way into the sink.
struct Output<F> {
    pipe: pipe::Receiver,
    sink: Sink,
    reporter: Reporter<F>,
}

/// Whether somebody may still write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pipe {
    Open,
    Closed,
}

impl<F: FnMut(&Snapshot)> Output<F> {
    /// Collects output until the main process ends, the time is over or the call is cancelled.
    async fn follow(
        &mut self,
        child: &mut Child,
        timeout: Option<Duration>,
        cancel: &CancellationToken,
    ) -> Ending {
        let mut exit = std::pin::pin!(child.wait());
        let mut time_over = std::pin::pin!(sleep(timeout));
        let mut pipe = Pipe::Open;
        loop {
            tokio::select! {
                biased; // A flood of output must hold back neither the ways to stop it nor the reports.
                () = cancel.cancelled() => return Ending::Cancelled,
                () = &mut time_over => return Ending::TimedOut,
                exit = &mut exit => return exit.into(),
                () = self.reporter.due() => self.reporter.report(&self.sink),
                got = read(&self.pipe, |bytes| self.sink.push(bytes)), if pipe == Pipe::Open => match got {
                    Got::Output => {
                        self.reporter.note();
                        // A pipe that is never empty would keep every other task of this thread waiting.
                        tokio::task::yield_now().await;
                    }
                    Got::Nothing => {}
                    Got::End => pipe = Pipe::Closed,
                },
            }
        }
    }

    /// Ends the tree and collects what it had printed.
    async fn stop(&mut self, child: &mut Child) -> Pipe {
        child.terminate(GRACE);
        let ended = async { tokio::join!(child.gone(), self.drain(KILL_LIMIT)).1 };
        tokio::time::timeout(KILL_LIMIT, ended).await.unwrap_or(Pipe::Open)
    }

    /// Reads to the end of the stream, but not longer than `limit`.
    async fn drain(&mut self, limit: Duration) -> Pipe {
        let to_the_end = async {
            while read(&self.pipe, |bytes| self.sink.push(bytes)).await != Got::End {
                tokio::task::yield_now().await;
            }
        };
        match tokio::time::timeout(limit, to_the_end).await {
            Ok(()) => Pipe::Closed,
            Err(_) => Pipe::Open,
        }
    }
}

/// What one look at the pipe gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Got {
    Output,
    Nothing,
    End,
}

/// Waits for output and takes what is there.
async fn read(pipe: &pipe::Receiver, take: impl FnOnce(&[u8])) -> Got {
    if pipe.readable().await.is_err() {
        return Got::End;
    }
    let mut buffer = [0; 64 * 1024]; // A pipe holds that much. Not kept across the wait, so not in the future.
    match pipe.try_read(&mut buffer) {
        Ok(0) => Got::End,
        Ok(length) => {
            take(&buffer[..length]);
            Got::Output
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
            Got::Nothing
        }
        Err(_) => Got::End,
    }
}

/// Keeps a process that was left behind from dying of a closed pipe, until it or its scope ends.
async fn discard(pipe: pipe::Receiver) {
    while read(&pipe, |_| {}).await != Got::End {
        tokio::task::yield_now().await;
    }
}

async fn sleep(duration: Option<Duration>) {
    match duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}

/// Calls the watcher now and then, and only when there is news.
struct Reporter<F> {
    deliver: F,
    next: tokio::time::Instant,
    news: bool,
}

impl<F: FnMut(&Snapshot)> Reporter<F> {
    fn new(deliver: F) -> Self {
        Self { deliver, next: tokio::time::Instant::now(), news: false }
    }

    fn note(&mut self) {
        self.news = true;
    }

    /// Completes when a report is due; never without news.
    fn due(&self) -> impl Future<Output = ()> + use<F> {
        let (news, next) = (self.news, self.next);
        async move { if news { tokio::time::sleep_until(next).await } else { std::future::pending().await } }
    }

    fn report(&mut self, sink: &Sink) {
        self.news = false;
        self.next = tokio::time::Instant::now() + SNAPSHOT_INTERVAL;
        (self.deliver)(&Snapshot { tail: sink.tail(SNAPSHOT_BYTES), total_bytes: sink.total_bytes() });
    }
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
