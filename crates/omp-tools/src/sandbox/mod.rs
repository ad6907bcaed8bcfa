//! The sandbox of a session's commands: which policy holds now, what enforces it, and who runs outside.
//!
//! The gate decides whether a call runs, and tells here when a person let one out; the tools ask here, right before they
//! start something, what it is confined to. What they are told is what the kernel enforces.

mod ground;
mod probe;
mod repository;
mod run;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use omp_agent::ToolError;
use omp_sandbox::{
    Confinement, Denial, Escalation, HostBook, HostSources, Network, OtherHosts, Policy, Rung,
};
use omp_shell::{Confined, Environment, Scope};
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

pub(crate) use ground::Ground;
pub use probe::Choice;

use crate::Context;

/// `sandbox.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// Where the approval mode relies on it.
    #[default]
    Auto,
    /// In every mode, and nothing runs below a full rung.
    Required,
    Off,
}

/// `sandbox.network`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkSetting {
    Allow,
    /// Hosts that are not listed are asked about.
    #[default]
    Ask,
    Deny,
}

/// The settings of a sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    pub mode: SandboxMode,
    pub network: NetworkSetting,
    /// `sandbox.allowedHosts`.
    pub hosts: Vec<String>,
    /// `sandbox.rung`.
    pub rung: Choice,
}

/// The sandbox of one session.
#[derive(Default)]
pub struct Sandbox {
    settings: Mutex<SandboxSettings>,
    /// The approval mode runs everything as it is.
    free: AtomicBool,
    rung: OnceCell<Rung>,
    /// Calls that a person let out, with everything that was shown of them: a model may use an id twice.
    outside: Mutex<Vec<(String, Map<String, Value>)>>,
    book: Arc<HostBook>,
    learned: OnceCell<()>,
    escalation: OnceLock<Arc<dyn Escalation>>,
    /// Where the rung is remembered until the next boot.
    memory: Option<PathBuf>,
}

impl Sandbox {
    pub fn new(settings: SandboxSettings, memory: Option<PathBuf>) -> Self {
        Self { settings: Mutex::new(settings), memory, ..Self::default() }
    }

    /// A sandbox that confines nothing, for whoever has no session.
    pub fn off() -> Self {
        Self::new(SandboxSettings { mode: SandboxMode::Off, ..SandboxSettings::default() }, None)
    }

    /// The settings say something else now. What runs already is not changed by it.
    pub fn set(&self, settings: SandboxSettings) {
        *self.settings() = settings;
    }

    /// In the mode that runs everything, only a sandbox that is required is used.
    pub fn set_free(&self, free: bool) {
        self.free.store(free, Ordering::Release);
    }

    /// Is it the mode that runs everything?
    pub(crate) fn is_free(&self) -> bool {
        self.free.load(Ordering::Acquire)
    }

    /// Makes known who can let a command out.
    pub fn attach(&self, escalation: Arc<dyn Escalation>) {
        self.book.attach(Arc::clone(&escalation));
        let _ = self.escalation.set(escalation);
    }

    /// This call, with these arguments, runs outside: a person said so.
    pub fn let_out(&self, call: &str, arguments: &Map<String, Value>) {
        let mut outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        outside.push((call.to_owned(), arguments.clone()));
    }

    /// Whether the call was let out. Asked once.
    fn take_out(&self, call: &str, arguments: &Map<String, Value>) -> bool {
        let mut outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        let at = outside.iter().position(|(id, shown)| id == call && shown == arguments);
        at.map(|at| outside.swap_remove(at)).is_some()
    }

    pub fn hosts(&self) -> &Arc<HostBook> {
        &self.book
    }

    fn settings(&self) -> MutexGuard<'_, SandboxSettings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What this machine can enforce. Looked up with the first command.
    pub async fn rung(&self, scope: &Scope, environment: &Environment) -> Rung {
        let (mode, choice) = {
            let settings = self.settings();
            (settings.mode, settings.rung)
        };
        if mode == SandboxMode::Off {
            return Rung::None;
        }
        *self.rung.get_or_init(|| probe::rung(scope, environment, choice, self.memory.as_deref())).await
    }

    /// Are commands confined at all, in the mode that holds now?
    pub fn applies(&self, planning: bool) -> bool {
        match self.settings().mode {
            SandboxMode::Off => false,
            SandboxMode::Required => true,
            SandboxMode::Auto => planning || !self.is_free(),
        }
    }
}

/// What people are told about the sandbox.
#[derive(Clone, Debug)]
pub struct SandboxStatus {
    /// The best that this machine has.
    pub rung: Rung,
    pub summary: String,
    /// What commands are confined to; `None` if they are not.
    pub policy: Option<Policy>,
    /// Hosts that need no question.
    pub hosts: Vec<String>,
}

/// What a command is confined to.
#[derive(Clone)]
pub(crate) enum Confine {
    /// Nothing, because the mode wants it so or a person let it out.
    Free(&'static str),
    /// Nothing, because nothing can be had.
    Unable,
    In(Arc<Confined>),
}

impl Confine {
    pub(crate) fn confined(&self) -> Option<Arc<Confined>> {
        match self {
            Self::In(confined) => Some(Arc::clone(confined)),
            Self::Free(_) | Self::Unable => None,
        }
    }

    /// For `details.sandbox` of a result.
    pub(crate) fn summary(&self) -> String {
        match self {
            Self::Free(why) => format!("off ({why})"),
            Self::Unable => "none: no sandbox is available on this system".to_owned(),
            Self::In(confined) => confined.confinement.summary(),
        }
    }
}

impl Context {
    /// What holds for a command that is about to run.
    pub(crate) async fn confine(
        &self,
        call: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Confine, ToolError> {
        let planning = self.modes.planning.is_on();
        if self.commands.sandbox.take_out(call, arguments) && !planning {
            return Ok(Confine::Free("approved to run outside the sandbox"));
        }
        self.confine_now(planning).await
    }

    /// What would enforce the sandbox of a command now; nothing where none is used.
    pub async fn rung_now(&self) -> Rung {
        match self.commands.sandbox.applies(self.modes.planning.is_on()) {
            true => self.commands.sandbox.rung(&self.commands.scope, &self.commands.environment).await,
            false => Rung::None,
        }
    }

    /// The same, if it is known without looking.
    pub fn known_rung(&self) -> Option<Rung> {
        match self.commands.sandbox.applies(self.modes.planning.is_on()) {
            true => self.commands.sandbox.rung.get().copied(),
            false => Some(Rung::None),
        }
    }

    /// What holds for commands now, as text.
    pub async fn sandbox_status(&self) -> Result<SandboxStatus, ToolError> {
        let confine = self.confine_now(self.modes.planning.is_on()).await?;
        let rung = self.commands.sandbox.rung(&self.commands.scope, &self.commands.environment).await;
        let policy = match &confine {
            Confine::In(confined) => Some(confined.confinement.policy.clone()),
            Confine::Free(_) | Confine::Unable => None,
        };
        Ok(SandboxStatus {
            rung,
            summary: confine.summary(),
            policy,
            hosts: self.commands.sandbox.book.allowed(),
        })
    }

    /// What holds for commands in general.
    pub(crate) async fn confine_now(&self, planning: bool) -> Result<Confine, ToolError> {
        if !self.commands.sandbox.applies(planning) {
            return Ok(Confine::Free("approval mode yolo, or sandbox.mode off"));
        }
        let rung = self.commands.sandbox.rung(&self.commands.scope, &self.commands.environment).await;
        let required = self.commands.sandbox.settings().mode == SandboxMode::Required;
        if required && !rung.is_full() {
            return Err(ToolError::new(format!(
                "sandbox.mode is \"required\", but only {rung} can be enforced here, so the command did not \
                 run."
            )));
        }
        if rung == Rung::None {
            return Ok(Confine::Unable);
        }
        let policy = self.policy(planning).await;
        let hosts = Arc::clone(&self.commands.sandbox.book) as Arc<dyn omp_sandbox::proxy::Hosts>;
        let confinement = Confinement::new(policy, rung);
        let hosts = confinement.filters().then_some(hosts);
        Ok(Confine::In(Arc::new(Confined { confinement, hosts })))
    }

    async fn policy(&self, planning: bool) -> Policy {
        let ground = self.ground();
        if !planning {
            self.learn_hosts(&ground).await;
        }
        let network = match self.commands.sandbox.settings().network {
            NetworkSetting::Allow => Network::Open,
            NetworkSetting::Ask | NetworkSetting::Deny => Network::Filtered,
        };
        let make = move || if planning { ground.planning() } else { ground.working(network) };
        // Looking at the disk; without a thread for it nothing is allowed.
        tokio::task::spawn_blocking(make).await.unwrap_or_default()
    }

    async fn learn_hosts(&self, ground: &Ground) {
        let learn = || async {
            let (network, listed) = {
                let settings = self.commands.sandbox.settings();
                (settings.network, settings.hosts.clone())
            };
            let others = if network == NetworkSetting::Deny { OtherHosts::Deny } else { OtherHosts::Ask };
            let variable = |name: &str| {
                self.commands.environment.get(name).map(|value| value.to_string_lossy().into_owned())
            };
            let sources = HostSources {
                home: ground.home.as_deref(),
                projects: &ground.workspace,
                listed,
                variable: &variable,
            };
            self.commands.sandbox.book.learn(others, &sources);
        };
        self.commands.sandbox.learned.get_or_init(learn).await;
    }

    /// What the session has around it.
    pub(crate) fn ground(&self) -> Ground {
        let temporary =
            self.commands.environment.get("TMPDIR").filter(|path| !path.is_empty()).map(PathBuf::from);
        let temporary = vec![real(&temporary.unwrap_or_else(|| PathBuf::from("/tmp")))];
        let mut workspace = self.borders.workspace();
        workspace.retain(|root| !temporary.contains(root));
        Ground {
            workspace,
            home: self.borders.home().map(Path::to_owned),
            own: self.borders.own().to_vec(),
            temporary,
            scratch: self.scratch(),
        }
    }

    /// The session's own area, which stays writable while a plan is made. Then it is made if it is missing.
    fn scratch(&self) -> Option<PathBuf> {
        let inside = self.file("local://scratch").ok()?;
        let area = inside.parent()?;
        if self.modes.planning.is_on() {
            std::fs::create_dir_all(area).ok()?;
        }
        Some(real(area))
    }

    /// What the sandbox refused a command that failed, if it was the sandbox.
    pub(crate) async fn denial(&self, confine: &Confine, output: &str, cwd: &Path) -> Option<Denial> {
        let Confine::In(confined) = confine else { return None };
        if let Some(denial) = self.refused_host(confine) {
            return Some(denial);
        }
        let (confined, output, cwd) = (Arc::clone(confined), output.to_owned(), cwd.to_owned());
        let look = move || {
            let policy = &confined.confinement.policy;
            omp_sandbox::denied(policy, &output, &cwd, &crate::real_path, &could_write)
        };
        tokio::task::spawn_blocking(look).await.ok().flatten()
    }

    /// The host that a command was refused.
    pub(crate) fn refused_host(&self, confine: &Confine) -> Option<Denial> {
        let Confine::In(_) = confine else { return None };
        self.commands.sandbox.book.take_refused().into_iter().next().map(Denial::Host)
    }

    /// Asks whether a command that the sandbox has stopped may run outside. About hosts somebody was asked already.
    pub(crate) async fn ask_to_leave(&self, call: &str, command: &str, denial: &Denial) -> bool {
        if matches!(denial, Denial::Host(_)) {
            return false;
        }
        match self.commands.sandbox.escalation.get() {
            Some(escalation) if !self.modes.planning.is_on() => {
                escalation.outside(call, command, denial).await
            }
            _ => false,
        }
    }
}

fn real(path: &Path) -> PathBuf {
    crate::real_path(path)
}

/// Could the user write there, were it not for the sandbox? What does not exist would be made in its directory.
fn could_write(path: &Path) -> bool {
    let existing = path.ancestors().find(|path| path.symlink_metadata().is_ok());
    existing.is_some_and(|path| nix::unistd::access(path, nix::unistd::AccessFlags::W_OK).is_ok())
}
