//! From a choice of shell to a process that waits for commands.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::request::{BASH_BOOT, POSIX_BOOT, Request};
use super::{Call, Life, ShellSession, ShellSpec};
use crate::command::CommandError;
use crate::scope::{Program, Scope, SpawnError, Stdio};

/// The first argument that turns our own binary into the embedded shell.
const EMBEDDED_ARGUMENT: &str = "__shell";

/// The user's own definitions take milliseconds to read.
const START_LIMIT: Duration = Duration::from_secs(5);

/// Which program runs commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A shell of the system.
    System(PathBuf),
    /// The embedded shell, inside this binary.
    Embedded(PathBuf),
}

/// How a shell is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// With the options that hold for every call.
    Bash {
        keep: String,
    },
    Posix,
    Embedded,
}

impl Engine {
    /// The program of the shell.
    pub fn path(&self) -> &Path {
        let (Self::System(path) | Self::Embedded(path)) = self;
        path
    }

    /// Is it bash, of the system?
    pub fn is_bash(&self) -> bool {
        matches!(self, Self::System(_)) && self.name().contains("bash")
    }

    /// `None` for a shell whose language is another, or that we know nothing of: it runs one command at a time.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        match self {
            Self::Embedded(_) => Some(Dialect::Embedded),
            Self::System(_) if self.is_bash() => Some(Dialect::Bash { keep: String::new() }),
            Self::System(_) => matches!(self.name(), "sh" | "dash" | "ash").then_some(Dialect::Posix),
        }
    }

    fn name(&self) -> &str {
        self.path().file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

impl Dialect {
    pub(super) fn encode(&self, request: &Request) -> Vec<u8> {
        match self {
            Self::Bash { keep } => request.for_bash(keep),
            Self::Posix => request.for_posix(),
            Self::Embedded => request.for_embedded(),
        }
    }

    /// A request to do nothing; the embedded shell needs none.
    pub(super) fn empty_request(&self) -> Option<&'static [u8]> {
        match self {
            Self::Bash { .. } => Some(b"\0"),
            Self::Posix => Some(b"\n"),
            Self::Embedded => None,
        }
    }

    fn arguments(&self) -> &'static [&'static str] {
        match self {
            Self::Bash { .. } => &["--noprofile", "--norc", "-c", BASH_BOOT],
            Self::Posix => &[],
            Self::Embedded => &[EMBEDDED_ARGUMENT],
        }
    }
}

/// Starts a shell in `cwd`, with what the user's start files define.
pub(super) async fn start(
    scope: &Scope,
    spec: &ShellSpec,
    dialect: Dialect,
    cwd: &Path,
    cancel: &CancellationToken,
) -> Result<ShellSession, CommandError> {
    let start = || spawn(scope, spec, dialect.clone(), cwd);
    let mut session = start()?;
    if let Some(files) = &spec.start_files
        && !files.text().is_empty()
    {
        match read(&mut session, files.text(), cancel).await {
            Ok(Life::Goes) => session.dialect = Dialect::Bash { keep: files.keep().to_owned() },
            // Definitions that end the shell are done without.
            Ok(Life::Ended) | Err(_) => session = start()?,
        }
    }
    Ok(session)
}

/// Starts a shell in `cwd` with what another one knew. Names that the shell owns refuse to be set, which is as well.
pub(super) async fn start_with(
    scope: &Scope,
    spec: &ShellSpec,
    dialect: Dialect,
    cwd: &Path,
    state: &str,
    cancel: &CancellationToken,
) -> Result<ShellSession, CommandError> {
    let mut session = start(scope, spec, dialect.clone(), cwd, cancel).await?;
    match read(&mut session, state, cancel).await {
        Ok(Life::Goes) => Ok(session),
        Ok(Life::Ended) | Err(_) => start(scope, spec, dialect, cwd, cancel).await,
    }
}

fn spawn(
    scope: &Scope,
    spec: &ShellSpec,
    dialect: Dialect,
    cwd: &Path,
) -> Result<ShellSession, CommandError> {
    let ShellSpec { engine, environment, .. } = spec;
    let prepare = |error| CommandError::Spawn(SpawnError::Prepare(error));
    let exchange = scope.exchange().map_err(prepare)?;
    let (ours, theirs) = UnixStream::pair().map_err(prepare)?;
    let stdout = match dialect {
        Dialect::Posix => Stdio::Fd(theirs.try_clone().map_err(prepare)?.into()),
        Dialect::Bash { .. } | Dialect::Embedded => Stdio::Null,
    };
    let program = Program {
        path: engine.path().to_owned(),
        arguments: dialect.arguments().iter().map(Into::into).collect(),
        cwd: cwd.to_owned(),
        environment: environment.clone(),
        stdin: Stdio::Fd(theirs.into()),
        stdout,
        stderr: Stdio::Null,
    };
    let child = match &spec.confined {
        Some(confined) => scope.spawn_confined(program, confined)?,
        None => scope.spawn(program)?,
    };
    if dialect == Dialect::Posix {
        (&ours).write_all(POSIX_BOOT.as_bytes()).map_err(prepare)?;
    }
    ours.set_nonblocking(true).map_err(prepare)?;
    let line = tokio::net::UnixStream::from_std(ours).map_err(prepare)?;
    Ok(ShellSession { child, line, dialect, cwd: cwd.to_owned(), busy: false, exchange })
}

/// Has the shell read definitions, from a file that only we name.
async fn read(
    session: &mut ShellSession,
    definitions: &str,
    cancel: &CancellationToken,
) -> Result<Life, CommandError> {
    let file = session.exchange.file(definitions).map_err(CommandError::Pipe)?;
    let call = Call { timeout: Some(START_LIMIT), ..Call::new(format!(". {}", file.path().display())) };
    let (_, life) = Box::pin(session.run(call, cancel, |_| {})).await?;
    Ok(life)
}
