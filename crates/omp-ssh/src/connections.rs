//! One connection to each machine, opened with the first command and shared by the next ones.
//!
//! A connection is an `ssh` process in the background, with a socket that the other `ssh` processes go through. It
//! lives in the session's scope, so that it ends with the session in whatever way that ends.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use omp_shell::{
    Ci, CommandOutcome, Ending, Environment, Limits, ProgramSpec, Scope, Snapshot, Spill, run_program,
};
use tokio_util::sync::CancellationToken;

use crate::arguments::Route;
use crate::cache::{Cache, fingerprint};
use crate::error::SshError;
use crate::exchange::{Patience, Tools, explain, waiting_for_disk};
use crate::host::Host;
use crate::key;
use crate::mount::{self, Mounted};
use crate::remote::{CompatShell, HostInfo, Os, QUESTION, SECOND_QUESTION, understand, understand_uname};
use crate::runtime::Runtime;

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
    /// By the fingerprint: a name may lead elsewhere after a while.
    known: Mutex<HashMap<String, HostInfo>>,
    links: Mutex<Links>,
    /// One connection is opened at a time.
    opening: tokio::sync::Mutex<()>,
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
        let fingerprint = fingerprint(host);
        if let Some(info) = lock(&self.known).get(&fingerprint) {
            return Some(*info);
        }
        let info = self.cache.load(host)?;
        lock(&self.known).insert(fingerprint, info);
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
        let Some(_one_at_a_time) = cancel.run_until_cancelled(self.opening.lock()).await else {
            return Err(SshError::Cancelled);
        };
        let link = self.link(host).await?;
        self.ensure_master(&link, &patience).await?;
        let info = self.info(&link, &patience).await?;
        let mounted = self.mount(&link, info, cancel).await;
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
            let _ = self.tools.run("ssh", link.route().exit(), FAREWELL, &CancellationToken::new()).await;
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
        let check = self.tools.talk(link.route().check(), patience).await?;
        if check.ending == Ending::Exited(0) {
            return Ok(());
        }
        let stale = link.socket.clone();
        // Mostly it is not there.
        let _ = waiting_for_disk(move || std::fs::remove_file(stale)).await?;
        let opened = self.tools.talk(link.route().master(), patience).await?;
        if opened.ending == Ending::Exited(0) {
            return Ok(());
        }
        let reason = match opened.output.text.trim() {
            "" => format!("ssh failed with {:?} and no message", opened.ending),
            text => text.to_owned(),
        };
        Err(SshError::Master { target: link.host.target(), reason })
    }

    /// What the machine is: known, remembered, or asked now.
    async fn info(&self, link: &Link, patience: &Patience<'_>) -> Result<HostInfo, SshError> {
        let fingerprint = fingerprint(&link.host);
        let known = lock(&self.known).get(&fingerprint).copied();
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
        lock(&self.known).insert(fingerprint, info);
        Ok(info)
    }

    async fn ask(&self, link: &Link, patience: &Patience<'_>) -> Result<HostInfo, SshError> {
        let answer = self.tools.talk(link.route().command(QUESTION), patience).await?;
        let mut info = match understand(&answer.output.text) {
            Some(info) => info,
            None => {
                let answer = self.tools.talk(link.route().command(SECOND_QUESTION), patience).await?;
                understand_uname(&answer.output.text)
            }
        };
        if info.os == Os::Windows && info.compat_shell.is_none() {
            for shell in [CompatShell::Bash, CompatShell::Sh] {
                let answer = self.tools.talk(link.route().command(&shell.question()), patience).await?;
                if shell.is_answer(&answer.output.text) {
                    info.compat_shell = Some(shell);
                    break;
                }
            }
        }
        Ok(info)
    }

    /// Tried once for each connection. A drive of Windows has no root to show.
    async fn mount(&self, link: &Link, info: HostInfo, cancel: &CancellationToken) -> Mounted {
        if let Some(mounted) = &link.mounted {
            return mounted.clone();
        }
        let mounted = match info.os {
            Os::Windows => Mounted::Unavailable,
            _ => mount::mount(&self.tools, link.route(), &link.mount_point, cancel).await,
        };
        if let Some(link) = lock(&self.links).open.get_mut(&link.host.name) {
            link.mounted = Some(mounted.clone());
        }
        mounted
    }
}

impl Link {
    fn route(&self) -> Route<'_> {
        Route { host: &self.host, socket: &self.socket }
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    // Valid after every statement, so a panic elsewhere does not spoil it.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
