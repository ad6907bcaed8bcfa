//! One connection to each machine, opened with the first command and shared by the next ones.
//!
//! A connection is an `ssh` process in the background, with a socket that the other `ssh` processes go through. It
//! lives in the session's scope, so that it ends with the session in whatever way that ends.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use omp_shell::{
    Ci, CommandError, CommandOutcome, Ending, Environment, Limits, ProgramSpec, Scope, Snapshot, Spill,
    run_program,
};
use tokio_util::sync::CancellationToken;

use crate::arguments::Route;
use crate::cache::{Cache, fingerprint};
use crate::error::SshError;
use crate::host::Host;
use crate::mount::{self, Mounted, is_missing};
use crate::remote::{CompatShell, HostInfo, Os, QUESTION, SECOND_QUESTION, understand, understand_uname};
use crate::runtime::Runtime;
use crate::key;

/// What `ssh` says about itself is short.
const TALK: Limits =
    Limits { inline_bytes: 8 * 1024, head_bytes: 0, tail_bytes: 4 * 1024, tail_lines: 40, max_columns: 768 };
/// A connection that does not end soon is left to the scope.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a session lends to its connections.
pub struct Surroundings {
    pub scope: Arc<Scope>,
    /// What `ssh` sees; it finds its agent and its own files by it.
    pub environment: Environment,
    pub cwd: PathBuf,
    /// Where to remember what was found out about machines.
    pub cache: PathBuf,
}

/// A command for a machine.
pub struct Order {
    /// As the machine's shell will read it.
    pub command: String,
    pub timeout: Duration,
    pub limits: Limits,
    pub spill: Option<Box<dyn Spill>>,
}

/// A machine that can be talked to now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connected {
    pub info: HostInfo,
    pub mounted: Mounted,
}

/// The connections of one session.
pub struct Connections {
    tools: Tools,
    cache: Cache,
    known: Mutex<HashMap<String, HostInfo>>,
    links: Mutex<Links>,
    /// One connection is opened at a time.
    opening: tokio::sync::Mutex<()>,
}

/// Starts programs.
pub(crate) struct Tools {
    scope: Arc<Scope>,
    environment: Environment,
    cwd: PathBuf,
}

#[derive(Default)]
struct Links {
    runtime: Option<Arc<Runtime>>,
    /// By the host's name.
    open: HashMap<String, Link>,
}

#[derive(Clone)]
struct Link {
    host: Host,
    socket: PathBuf,
    mount_point: PathBuf,
    mounted: Option<Mounted>,
}

/// How long the whole call may take, and who may stop it.
struct Patience<'a> {
    until: Instant,
    seconds: f64,
    target: String,
    cancel: &'a CancellationToken,
}

impl Connections {
    pub fn new(surroundings: Surroundings) -> Self {
        let Surroundings { scope, environment, cwd, cache } = surroundings;
        let environment = environment.unattended(Ci::Inherited);
        Self {
            tools: Tools { scope, environment, cwd },
            cache: Cache { directory: cache },
            known: Mutex::default(),
            links: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
        }
    }

    /// What is known about a machine without asking it. May wait for the disk.
    pub fn known(&self, host: &Host) -> Option<HostInfo> {
        if let Some(info) = lock(&self.known).get(&host.name) {
            return Some(*info);
        }
        let info = self.cache.load(host)?;
        lock(&self.known).insert(host.name.clone(), info);
        Some(info)
    }

    /// Makes sure that the machine can be talked to, and finds out what it is.
    pub async fn connect(
        &self,
        host: &Host,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Connected, SshError> {
        let patience = Patience {
            until: Instant::now() + timeout,
            seconds: timeout.as_secs_f64(),
            target: host.target(),
            cancel,
        };
        if let Some(key) = host.key.clone() {
            waiting_for_disk(move || key::check(&key)).await??;
        }
        let _one_at_a_time = self.opening.lock().await;
        let link = self.link(host).await?;
        self.ensure_master(&link, &patience).await?;
        let info = self.info(&link, &patience).await?;
        let mounted = self.mount(&link, info).await;
        Ok(Connected { info, mounted })
    }

    /// Runs a command on a machine that [`Self::connect`] reached.
    pub async fn run(
        &self,
        host: &Host,
        order: Order,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<CommandOutcome, SshError> {
        let link = self.link(host).await?;
        let spec = ProgramSpec {
            timeout: Some(order.timeout),
            limits: order.limits,
            spill: order.spill,
            ..self.tools.spec("ssh", link.route().command(&order.command))
        };
        run_program(&self.tools.scope, spec, cancel, on_output).await.map_err(explain)
    }

    /// Ends every connection. The next command opens its own again.
    pub async fn close(&self) {
        let Links { runtime, open } = std::mem::take(&mut *lock(&self.links));
        for link in open.into_values() {
            if let Some(Mounted::At(directory)) = &link.mounted {
                mount::unmount(&self.tools, directory).await;
            }
            // What does not end in time ends with the scope.
            let _ = self.tools.run("ssh", link.route().exit(), FAREWELL).await;
        }
        drop(runtime);
    }

    /// The place of the host's connection. A name that leads elsewhere than before gets another one.
    async fn link(&self, host: &Host) -> Result<Link, SshError> {
        if let Some(link) = lock(&self.links).open.get(&host.name).filter(|link| link.host == *host) {
            return Ok(link.clone());
        }
        let runtime = self.runtime().await?;
        let fingerprint = fingerprint(host);
        let link = Link {
            socket: runtime.socket(&fingerprint),
            mount_point: runtime.mount_point(&fingerprint),
            host: host.clone(),
            mounted: None,
        };
        lock(&self.links).open.insert(host.name.clone(), link.clone());
        Ok(link)
    }

    async fn runtime(&self) -> Result<Arc<Runtime>, SshError> {
        if let Some(runtime) = &lock(&self.links).runtime {
            return Ok(Arc::clone(runtime));
        }
        let bases: Vec<PathBuf> = ["XDG_RUNTIME_DIR", "TMPDIR"]
            .iter()
            .filter_map(|name| self.tools.environment.get(name).map(PathBuf::from))
            .collect();
        let runtime = Arc::new(waiting_for_disk(move || Runtime::create(&bases)).await??);
        Ok(Arc::clone(lock(&self.links).runtime.get_or_insert(runtime)))
    }

    /// A connection that somebody ended leaves its socket behind; it is opened again.
    async fn ensure_master(&self, link: &Link, patience: &Patience<'_>) -> Result<(), SshError> {
        let check = self.talk(link.route().check(), patience).await?;
        if check.ending == Ending::Exited(0) {
            return Ok(());
        }
        let stale = link.socket.clone();
        // Mostly it is not there.
        let _ = waiting_for_disk(move || std::fs::remove_file(stale)).await?;
        let opened = self.talk(link.route().master(), patience).await?;
        if opened.ending == Ending::Exited(0) {
            return Ok(());
        }
        let reason = match opened.output.text.trim() {
            "" => format!("ssh ended with {:?} and gave no reason", opened.ending),
            text => text.to_owned(),
        };
        Err(SshError::Master { target: link.host.target(), reason })
    }

    /// What the machine is: known, remembered, or asked now.
    async fn info(&self, link: &Link, patience: &Patience<'_>) -> Result<HostInfo, SshError> {
        let known = lock(&self.known).get(&link.host.name).copied();
        if let Some(info) = known {
            return Ok(info);
        }
        let (cache, host) = (self.cache.clone(), link.host.clone());
        let info = match waiting_for_disk(move || cache.load(&host)).await? {
            Some(info) => info,
            None => {
                let info = self.ask(link, patience).await?;
                if info.os != Os::Unknown {
                    let (cache, host) = (self.cache.clone(), link.host.clone());
                    waiting_for_disk(move || cache.save(&host, info)).await?;
                }
                info
            }
        };
        lock(&self.known).insert(link.host.name.clone(), info);
        Ok(info)
    }

    async fn ask(&self, link: &Link, patience: &Patience<'_>) -> Result<HostInfo, SshError> {
        let answer = self.talk(link.route().command(QUESTION), patience).await?;
        let mut info = match understand(&answer.output.text) {
            Some(info) => info,
            None => {
                let answer = self.talk(link.route().command(SECOND_QUESTION), patience).await?;
                understand_uname(&answer.output.text)
            }
        };
        if info.os == Os::Windows && info.compat_shell.is_none() {
            for shell in [CompatShell::Bash, CompatShell::Sh] {
                let answer = self.talk(link.route().command(&shell.question()), patience).await?;
                if shell.is_answer(&answer.output.text) {
                    info.compat_shell = Some(shell);
                    break;
                }
            }
        }
        Ok(info)
    }

    /// Tried once for each connection. A drive of Windows has no root to show.
    async fn mount(&self, link: &Link, info: HostInfo) -> Mounted {
        if let Some(mounted) = &link.mounted {
            return mounted.clone();
        }
        let mounted = match info.os {
            Os::Windows => Mounted::Unavailable,
            _ => mount::mount(&self.tools, link.route(), &link.mount_point).await,
        };
        if let Some(link) = lock(&self.links).open.get_mut(&link.host.name) {
            link.mounted = Some(mounted.clone());
        }
        mounted
    }

    /// A short exchange, as part of a call.
    async fn talk(
        &self,
        arguments: Vec<OsString>,
        patience: &Patience<'_>,
    ) -> Result<CommandOutcome, SshError> {
        let timeout = patience.until.saturating_duration_since(Instant::now());
        let spec = ProgramSpec { timeout: Some(timeout), ..self.tools.spec("ssh", arguments) };
        let outcome =
            run_program(&self.tools.scope, spec, patience.cancel, |_| {}).await.map_err(explain)?;
        match outcome.ending {
            Ending::Cancelled => Err(SshError::Cancelled),
            Ending::TimedOut => {
                Err(SshError::TimedOut { target: patience.target.clone(), seconds: patience.seconds })
            }
            Ending::Exited(_) | Ending::Signaled(_) | Ending::Lost => Ok(outcome),
        }
    }
}

impl Link {
    fn route(&self) -> Route<'_> {
        Route { host: &self.host, socket: &self.socket }
    }
}

impl Tools {
    fn spec(&self, program: &str, arguments: Vec<OsString>) -> ProgramSpec {
        ProgramSpec {
            path: program.into(),
            arguments,
            cwd: self.cwd.clone(),
            environment: self.environment.clone(),
            timeout: None,
            limits: TALK,
            spill: None,
        }
    }

    /// Runs a helper that nobody waits for long.
    pub(crate) async fn run(
        &self,
        program: &str,
        arguments: Vec<OsString>,
        timeout: Duration,
    ) -> Result<CommandOutcome, CommandError> {
        let spec = ProgramSpec { timeout: Some(timeout), ..self.spec(program, arguments) };
        run_program(&self.scope, spec, &CancellationToken::new(), |_| {}).await
    }
}

fn explain(error: CommandError) -> SshError {
    if is_missing(&error) { SshError::Missing } else { SshError::Run(error) }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    // Valid after every statement, so a panic elsewhere does not spoil it.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Work for the disk, where it holds up nobody.
async fn waiting_for_disk<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, SshError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| SshError::Run(CommandError::Pipe(error.into())))
}
