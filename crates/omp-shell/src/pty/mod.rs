//! One command on a pseudo-terminal: programs that draw, ask and read keys.
//!
//! ```text
//! a view ──keys, size──► Terminal ──► our end ═══ the command's end ──► command
//!    ▲ ◄──── Screen ──── emulator ◄──── bytes ◄──┘
//!                                        └──► line ends made plain ──► sink
//! ```
//!
//! The command is in a session of its own, whose controlling terminal this is, and in a [`Scope`] like every process.
//! Its output is handled like all output; beside it an emulator keeps the picture that a person would see.

mod device;
mod normalize;
mod screen;

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::unix::pipe;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::command::{CommandOutcome, Ending};
use crate::environment::Environment;
use crate::scope::{Child, Confined, Program, Scope, Stdio};
use crate::sink::{Limits, Sink, Spill};
use crate::stream::Output;

pub use device::Size;
pub use screen::{Color, Look, Screen, Span};

use device::Device;
use normalize::Normalizer;
use screen::Emulator;

/// Keys and answers that wait for the command. A command that does not read loses what comes after.
const MOST_KEYS: usize = 256;
/// The kind of terminal that the emulator is.
const TERM: &str = "xterm-256color";

/// What to run, and how.
pub struct PtySpec {
    pub command: String,
    pub shell: PathBuf,
    pub cwd: PathBuf,
    pub environment: Environment,
    pub size: Size,
    pub timeout: Option<Duration>,
    pub limits: Limits,
    /// Keeps the whole output if the limits hide a part of it.
    pub spill: Option<Box<dyn Spill>>,
    /// The sandbox it is in.
    pub confined: Option<Arc<Confined>>,
}

/// A terminal with a command on it, for those who show it and type. Cheap to clone.
#[derive(Clone)]
pub struct Terminal {
    shared: Arc<Shared>,
}

struct Shared {
    emulator: Mutex<Emulator>,
    changes: watch::Sender<()>,
    keys: mpsc::Sender<Vec<u8>>,
    /// Our end, to tell its size.
    device: OwnedFd,
    kill: CancellationToken,
}

impl fmt::Debug for Terminal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Terminal").finish_non_exhaustive()
    }
}

impl Terminal {
    /// What the terminal shows now.
    pub fn screen(&self) -> Screen {
        self.emulator().screen()
    }

    /// Types. What a command does not read for too long is lost.
    pub fn write(&self, keys: &[u8]) {
        let _ = self.shared.keys.try_send(keys.to_vec());
    }

    /// The place where the terminal is shown has another size now.
    pub fn resize(&self, size: Size) {
        let size = size.sane();
        self.emulator().resize(size);
        // It fails only after the end of the command.
        let _ = device::resize(&self.shared.device, size);
        self.shared.changes.send_replace(());
    }

    /// Ends the command and everything it started.
    pub fn kill(&self) {
        self.shared.kill.cancel();
    }

    /// Rings whenever the screen has changed.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.shared.changes.subscribe()
    }

    fn emulator(&self) -> MutexGuard<'_, Emulator> {
        self.shared.emulator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, bytes: &[u8]) {
        self.emulator().advance(bytes);
        self.shared.changes.send_replace(());
    }
}

/// Runs a command on a terminal to its end, its timeout or its cancellation. `open` gets the terminal before the command
/// begins.
///
/// A terminal that fails is not an error of the call: the output says so, and there is no exit status.
pub async fn run(
    scope: &Scope,
    mut spec: PtySpec,
    cancel: &CancellationToken,
    open: impl FnOnce(Terminal),
) -> CommandOutcome {
    let begun = Instant::now();
    let mut sink = Sink::new(spec.limits, spec.spill.take());
    let started = match start(scope, spec, cancel.child_token()) {
        Ok(started) => started,
        Err(error) => {
            sink.push(format!("PTY error: {error}\n").as_bytes());
            return CommandOutcome {
                ending: Ending::Lost,
                output: sink.finish(),
                wall_time: begun.elapsed(),
            };
        }
    };
    let Started { mut child, reader, writer, keys, terminal, theirs, timeout } = started;
    open(terminal.clone());
    let kill = terminal.shared.kill.clone();
    let mut normalizer = Normalizer::default();
    let filter = move |bytes: &[u8]| {
        terminal.show(bytes);
        normalizer.push(bytes)
    };
    let mut output = Output::new(reader, sink, |_: &_| {}).through(Box::new(filter));
    let end = async {
        tokio::select! {
            exit = child.wait() => exit.into(),
            never = type_keys(&writer, keys) => match never {},
        }
    };
    let ending = output.follow(end, timeout, &kill).await;
    drop(theirs); // From here on the terminal ends with its last user.
    let left_open = match ending {
        Ending::TimedOut | Ending::Cancelled => output.stop(&mut child, ending).await,
        Ending::Exited(_) | Ending::Signaled(_) | Ending::Lost => output.drain().await,
    };
    CommandOutcome { ending, output: output.finish(left_open), wall_time: begun.elapsed() }
}

/// A command that runs on a terminal.
struct Started {
    child: Child,
    reader: pipe::Receiver,
    writer: pipe::Sender,
    keys: mpsc::Receiver<Vec<u8>>,
    terminal: Terminal,
    /// The command's end, open as long as the command runs. A terminal that everybody has left counts as closed for ever to
    /// the runtime, which then calls it writable without end while the kernel calls it full; and the command may come
    /// back to it through `/dev/tty`.
    theirs: OwnedFd,
    timeout: Option<Duration>,
}

/// Why there is not a command on a terminal.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("cannot open a pseudo-terminal: {0}")]
    Device(#[from] io::Error),
    #[error(transparent)]
    Spawn(#[from] crate::scope::SpawnError),
}

fn start(scope: &Scope, spec: PtySpec, kill: CancellationToken) -> Result<Started, StartError> {
    let size = spec.size.sane();
    let Device { ours, theirs } = Device::open(size)?;
    let (sender, keys) = mpsc::channel(MOST_KEYS);
    // A terminal is read and written like a pipe, without its end of file.
    let writer = pipe::Sender::from_owned_fd_unchecked(ours.try_clone()?)?;
    let device = ours.try_clone()?;
    let reader = pipe::Receiver::from_owned_fd_unchecked(ours)?;
    let mut environment = spec.environment;
    environment.set("TERM", TERM);
    environment.set("PWD", &spec.cwd);
    let program = Program {
        path: spec.shell,
        arguments: vec!["-c".into(), spec.command.into()],
        cwd: spec.cwd,
        environment,
        stdin: Stdio::Fd(theirs.try_clone()?),
        stdout: Stdio::Fd(theirs.try_clone()?),
        stderr: Stdio::Fd(theirs.try_clone()?),
    };
    let child = match &spec.confined {
        Some(confined) => scope.spawn_confined(program, confined)?,
        None => scope.spawn(program)?,
    };
    let emulator = Mutex::new(Emulator::new(size, sender.clone()));
    let shared = Shared { emulator, changes: watch::Sender::new(()), keys: sender, device, kill };
    let terminal = Terminal { shared: Arc::new(shared) };
    Ok(Started { child, reader, writer, keys, terminal, theirs, timeout: spec.timeout })
}

/// Passes keys on for ever, in their order.
async fn type_keys(writer: &pipe::Sender, mut keys: mpsc::Receiver<Vec<u8>>) -> std::convert::Infallible {
    while let Some(keys) = keys.recv().await {
        let mut left = keys.as_slice();
        while !left.is_empty() {
            match writer.writable().await.and_then(|()| writer.try_write(left)) {
                Ok(written) => left = &left[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => break, // The command has gone; so will this, in a moment.
            }
        }
    }
    std::future::pending().await
}
