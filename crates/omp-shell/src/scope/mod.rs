//! Process scopes: nothing outlives its owner.
//!
//! A [`Scope`] owns the processes started through it, with everything those start in turn. When the scope ends
//! (by [`Scope::end`], by `Drop`, or because this process died, even by SIGKILL), the whole tree ends.
//!
//! # How it works
//!
//! ```text
//! omp ──fork──► keeper ──fork──► guardian ──fork──► command ──► its children …
//!  │              ▲                  ▲
//!  └── requests ──┴──── lifeline ────┘        (each in a session of its own)
//! ```
//!
//! The **keeper** is a fork of this process, one for each scope, made with the first command. It executes nothing;
//! it forgets this program's memory and waits for requests. For each command it forks a **guardian**, which forks
//! the command itself. Three facts make that sufficient:
//!
//! 1. **The guardian is a child subreaper.** A descendant that loses its parent, also one that forked twice and
//!    called `setsid` to become a daemon, is re-parented to the guardian. So the tree of a command is exactly the
//!    set of the guardian's descendants, and the kernel's `ECHILD` is the proof that nothing is left of it.
//! 2. **It holds one end of a socket, the lifeline**, whose other end only this process holds. When this
//!    process dies in whatever way, the kernel closes that end and the guardian reads end-of-file.
//! 3. **It blocks every signal** and lives in a session of its own, so neither the terminal's Ctrl-C nor a
//!    `kill 0` in a script reaches it.
//!
//! To end a tree the guardian sends SIGTERM to every descendant, waits for the grace period (less if all are
//! gone before), then sends SIGKILL until `ECHILD`. It finds descendants by walking `/proc`.
//!
//! That is Linux. `sys::portable` says what other systems do instead of 1, of `/proc` and of `ECHILD`, and what is lost.
//!
//! # Why not something simpler
//!
//! - `PR_SET_PDEATHSIG` alone reaches only the direct child, and it fires when the *thread* that forked dies,
//!   which for a thread of an async runtime may be long before the process. Here it is an extra belt only: the
//!   command's parent is the guardian, which has a single thread, so the two deaths coincide. It covers the
//!   case that somebody SIGKILLs the guardian.
//! - A process group misses everything that calls `setsid`.
//! - Being a subreaper ourselves would mix the orphans of all commands, and does not help when we are killed.
//! - cgroups need rights that a user's program does not have everywhere.
//! - Without the keeper each guardian would be a fork of this process. That costs a copy of our page tables for
//!   every command (measured: 7 ms with 100 MB in memory, 28 ms with 500 MB), and a guardian that lives long keeps
//!   every page we change in memory twice. The keeper pays once and then weighs a few hundred kilobytes.
//!
//! Keeper and guardians run only async-signal-safe code, because a fork of a process with threads may hold any
//! lock in a locked state. That code is all in `forked`.
//!
//! # Limits
//!
//! Processes started by somebody else on the command's behalf (a container daemon, `systemd-run`, `at`) were
//! never our descendants. Processes of another user (`sudo`) may refuse our signals; the guardian then gives up
//! after a while instead of waiting for ever. If somebody SIGKILLs a guardian, the kernel ends the command and we
//! end the rest of its session at once; a daemon with its own session then falls to the keeper until the scope ends.

mod ender;
mod exchange;
mod forked;
mod front;
mod launch;

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::sys::socket::{MsgFlags, send};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::watch;

use omp_sandbox::proxy::{Hosts, serve};
use omp_sandbox::{Confinement, Prepared};

use crate::environment::Environment;
use crate::sys;
pub use ender::Ender;
pub(crate) use exchange::{Exchange, Named};
pub use front::run_in_front;
use launch::{Failure, Image, Launcher, Started};

/// How long a tree may take to end by itself after SIGTERM, before SIGKILL.
pub const GRACE: Duration = Duration::from_millis(200);

/// How long [`Scope::end`] waits for the guardians: their own limit, and a little more for a loaded machine.
const END_LIMIT: Duration = Duration::from_secs(7);

/// Owns processes. Everything started in a scope ends with it.
#[derive(Default)]
pub struct Scope {
    state: Mutex<ScopeState>,
    launcher: Launcher,
}

#[derive(Default)]
struct ScopeState {
    ended: bool,
    trees: Vec<Tree>,
}

/// Our end of one guardian's lifeline, and what the guardian has told us.
#[derive(Clone)]
struct Tree {
    lifeline: Arc<UnixStream>,
    report: watch::Receiver<Report>,
}

/// What is known about one tree.
#[derive(Clone, Copy, Debug, Default)]
struct Report {
    /// The raw wait status of the main process, once it ended.
    status: Option<i32>,
    /// The guardian is gone, and with it the tree.
    gone: bool,
}

/// What to start.
pub struct Program {
    /// A name without a slash is looked up in the `PATH` of `environment`.
    pub path: PathBuf,
    pub arguments: Vec<OsString>,
    pub cwd: PathBuf,
    /// The complete environment: nothing is inherited besides it.
    pub environment: Environment,
    pub stdin: Stdio,
    pub stdout: Stdio,
    pub stderr: Stdio,
}

impl Program {
    /// A program without input that is asked for what it prints: see [`crate::answer()`].
    pub fn asked(
        path: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        cwd: impl Into<PathBuf>,
        environment: Environment,
    ) -> Self {
        Self {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            environment,
            stdin: Stdio::Null,
            stdout: Stdio::Piped,
            stderr: Stdio::Piped,
        }
    }
}

/// Where a standard stream of a child leads.
#[derive(Debug)]
pub enum Stdio {
    /// Nowhere.
    Null,
    /// To us, through [`Child`].
    Piped,
    Fd(OwnedFd),
}

/// A running program. Dropping the handle does not end the program; that is the scope's business.
pub struct Child {
    /// Our ends of the streams that are piped.
    pub stdin: Option<pipe::Sender>,
    pub stdout: Option<pipe::Receiver>,
    pub stderr: Option<pipe::Receiver>,
    pid: i32,
    tree: Tree,
}

/// How a main process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Exited(i32),
    Signaled(i32),
    /// Somebody killed the guardian, so nobody saw the end of the process.
    Lost,
}

#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("cannot start a process: the session has ended")]
    ScopeEnded,
    #[error("cannot prepare to start a process: {0}")]
    Prepare(#[source] io::Error),
    #[error("cannot start {}: {source}", path.display())]
    Start { path: PathBuf, source: io::Error },
    #[error("cannot change to the directory {}: {source}", path.display())]
    Cwd { path: PathBuf, source: io::Error },
    #[error("cannot set up the sandbox ({part}): {source}")]
    Confine { part: &'static str, source: io::Error },
}

/// How a program is kept from what it must not do.
#[derive(Clone)]
pub struct Confined {
    pub confinement: Confinement,
    /// Whoever decides about hosts, where that is decided one by one.
    pub hosts: Option<Arc<dyn Hosts>>,
}

/// Two are the same that allow the same.
impl PartialEq for Confined {
    fn eq(&self, other: &Self) -> bool {
        self.confinement == other.confinement
    }
}

impl Eq for Confined {}

impl Scope {
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts `program` under a guardian. Must be called within a tokio runtime. Returns when the program has been
    /// executed, which takes a millisecond or two; the first call of a scope takes longer.
    pub fn spawn(&self, program: Program) -> Result<Child, SpawnError> {
        self.start(program, &Prepared::default(), None)
    }

    /// Starts `program` in a sandbox. What the sandbox protects is looked up now.
    pub fn spawn_confined(&self, mut program: Program, confined: &Confined) -> Result<Child, SpawnError> {
        let mut prepared = self.admit(&confined.confinement).prepare();
        if let Some(wrap) = prepared.wrap.take() {
            let inner = std::mem::replace(&mut program.path, wrap.program);
            // The wrapper itself would be that.
            let own = || std::env::current_exe().unwrap_or_else(|_| inner.clone());
            let inner = if inner == sys::own_program() { own() } else { inner.clone() };
            let inner = inner.into_os_string();
            let rest = std::mem::replace(&mut program.arguments, wrap.arguments);
            program.arguments.push(inner);
            program.arguments.extend(rest);
        }
        for (name, value) in confined.confinement.variables() {
            program.environment.set(name, value);
        }
        self.start(program, &prepared, confined.hosts.clone())
    }

    /// Can this confinement be had here? Starts nothing.
    pub fn probe(&self, confinement: &Confinement) -> Result<(), SpawnError> {
        let nowhere = Program {
            path: PathBuf::new(),
            arguments: Vec::new(),
            cwd: PathBuf::from("/"),
            environment: Environment::default(),
            stdin: Stdio::Null,
            stdout: Stdio::Null,
            stderr: Stdio::Null,
        };
        self.start(nowhere, &self.admit(confinement).prepare(), None).map(drop)
    }

    /// The same confinement, and the directory where we meet our shells.
    fn admit(&self, confinement: &Confinement) -> Confinement {
        let mut confinement = confinement.clone();
        if let Ok(exchange) = self.launcher.exchange() {
            confinement.policy.writable.push(exchange.path().to_owned());
        }
        confinement
    }

    /// Where we meet the shells of this scope.
    pub(crate) fn exchange(&self) -> io::Result<Arc<Exchange>> {
        self.launcher.exchange()
    }

    fn start(
        &self,
        program: Program,
        prepared: &Prepared,
        hosts: Option<Arc<dyn Hosts>>,
    ) -> Result<Child, SpawnError> {
        if self.lock().ended {
            return Err(SpawnError::ScopeEnded);
        }
        let stdin = Ends::input(program.stdin).map_err(SpawnError::Prepare)?;
        let stdout = Ends::output(program.stdout).map_err(SpawnError::Prepare)?;
        let stderr = Ends::output(program.stderr).map_err(SpawnError::Prepare)?;
        let streams = [&stdin.theirs, &stdout.theirs, &stderr.theirs].map(AsFd::as_fd);
        let image = Image {
            program: &program.path,
            arguments: &program.arguments,
            cwd: &program.cwd,
            environment: &program.environment,
            plan: prepared.plan.bytes(),
        };
        let Started { lifeline, pid, listener } =
            self.launcher.start(&image, streams).map_err(|failure| match failure {
                Failure::Program(source) => SpawnError::Start { path: program.path.clone(), source },
                Failure::Cwd(source) => SpawnError::Cwd { path: program.cwd.clone(), source },
                Failure::Confine(part, source) => SpawnError::Confine { part, source },
                Failure::Prepare(source) => SpawnError::Prepare(source),
            })?;
        let tree = Tree::watch(UnixStream::from_std(lifeline).map_err(SpawnError::Prepare)?, pid);
        self.adopt(tree.clone())?;
        if let (Some(listener), Some(hosts)) = (listener, hosts) {
            tokio::spawn(attend(listener.into(), hosts, tree.clone()));
        }
        Ok(Child {
            stdin: stdin.ours.map(pipe::Sender::from_owned_fd).transpose().map_err(SpawnError::Prepare)?,
            stdout: stdout
                .ours
                .map(pipe::Receiver::from_owned_fd)
                .transpose()
                .map_err(SpawnError::Prepare)?,
            stderr: stderr
                .ours
                .map(pipe::Receiver::from_owned_fd)
                .transpose()
                .map_err(SpawnError::Prepare)?,
            pid,
            tree,
        })
    }

    /// Ends every process of the scope and waits until they are gone. Later calls find nothing left to do.
    pub async fn end(&self) {
        let trees = self.close();
        let all_gone = async {
            for mut tree in trees {
                tree.gone().await;
            }
        };
        // A process nobody may kill must not keep us from ending; its guardian has given up by then.
        let _ = tokio::time::timeout(END_LIMIT, all_gone).await;
    }

    /// How many trees still have a living process.
    pub fn living(&self) -> usize {
        self.lock().trees.iter().filter(|tree| !tree.report.borrow().gone).count()
    }

    fn adopt(&self, tree: Tree) -> Result<(), SpawnError> {
        let mut state = self.lock();
        if state.ended {
            tree.terminate(GRACE);
            self.launcher.stop();
            return Err(SpawnError::ScopeEnded);
        }
        state.trees.retain(|tree| !tree.report.borrow().gone);
        state.trees.push(tree);
        Ok(())
    }

    /// Refuses further spawns and asks every guardian to end its tree.
    fn close(&self) -> Vec<Tree> {
        let mut state = self.lock();
        state.ended = true;
        let trees = std::mem::take(&mut state.trees);
        for tree in &trees {
            tree.terminate(GRACE);
        }
        self.launcher.stop();
        trees
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ScopeState> {
        // The state is valid after every statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Scope {
    /// Does not block: the guardians do the work, and do it even if this process is gone a moment later.
    fn drop(&mut self) {
        self.close();
    }
}

/// The way out of a sandbox's network, as long as somebody is in it.
async fn attend(listener: std::net::TcpListener, hosts: Arc<dyn Hosts>, mut tree: Tree) {
    tokio::select! {
        _ = serve(listener, hosts) => {}
        () = tree.gone() => {}
    }
}

/// The two ends of a child's stream.
struct Ends {
    theirs: OwnedFd,
    ours: Option<OwnedFd>,
}

impl Ends {
    fn input(stdio: Stdio) -> io::Result<Self> {
        match stdio {
            Stdio::Null => {
                Ok(Self { theirs: OpenOptions::new().read(true).open("/dev/null")?.into(), ours: None })
            }
            Stdio::Fd(theirs) => Ok(Self { theirs, ours: None }),
            Stdio::Piped => {
                let (reader, writer) = io::pipe()?;
                Ok(Self { theirs: reader.into(), ours: Some(writer.into()) })
            }
        }
    }

    fn output(stdio: Stdio) -> io::Result<Self> {
        match stdio {
            Stdio::Null => {
                Ok(Self { theirs: OpenOptions::new().write(true).open("/dev/null")?.into(), ours: None })
            }
            Stdio::Fd(theirs) => Ok(Self { theirs, ours: None }),
            Stdio::Piped => {
                let (reader, writer) = io::pipe()?;
                Ok(Self { theirs: writer.into(), ours: Some(reader.into()) })
            }
        }
    }
}

impl Child {
    /// The process id of the main process.
    pub fn id(&self) -> i32 {
        self.pid
    }

    /// The end of the main process. Others of its tree may live on.
    pub async fn wait(&mut self) -> Exit {
        match self.tree.report.wait_for(|report| report.status.is_some() || report.gone).await {
            Ok(report) => report.status.map_or(Exit::Lost, Exit::from_wait_status),
            Err(_) => Exit::Lost,
        }
    }

    pub fn ender(&self) -> Ender {
        Ender(self.tree.clone())
    }

    /// Asks for the end of the whole tree: SIGTERM now, SIGKILL for what is left after `grace`.
    pub fn terminate(&self, grace: Duration) {
        self.tree.terminate(grace);
    }

    /// Completes when no process of the tree is left.
    pub async fn gone(&mut self) {
        self.tree.gone().await;
    }
}

impl Tree {
    /// Follows the guardian's reports until it is gone.
    fn watch(lifeline: UnixStream, main: i32) -> Self {
        let lifeline = Arc::new(lifeline);
        let (sender, report) = watch::channel(Report::default());
        tokio::spawn(follow(lifeline.clone(), main, sender));
        Self { lifeline, report }
    }

    fn terminate(&self, grace: Duration) {
        let grace = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        // By hand: the runtime refuses to write before it has polled the socket for the first time. It fails only
        // if the guardian is gone, which is what we want. Four bytes always fit.
        let flags = MsgFlags::MSG_DONTWAIT | sys::send_flags();
        let _ = send(self.lifeline.as_raw_fd(), &grace.to_ne_bytes(), flags);
    }

    async fn gone(&mut self) {
        // An error means that the follower ended, which it does when the guardian is gone.
        let _ = self.report.wait_for(|report| report.gone).await;
    }
}

/// The guardian reports the wait status of the command, and hangs up when nothing is left.
async fn follow(lifeline: Arc<UnixStream>, main: i32, sender: watch::Sender<Report>) {
    let status = next_number(&lifeline).await;
    sender.send_modify(|report| report.status = status);
    if status.is_none() {
        // Somebody killed the guardian before its time. The kernel ended the command; its children are ours.
        sys::kill_session(main);
    }
    while next_number(&lifeline).await.is_some() {}
    sender.send_modify(|report| report.gone = true);
}

/// The next number the guardian sends; `None` when it is gone.
async fn next_number(lifeline: &UnixStream) -> Option<i32> {
    let mut bytes = [0; 4];
    loop {
        lifeline.readable().await.ok()?;
        match lifeline.try_read(&mut bytes) {
            // The guardian sends each number with one call, so a short read does not happen.
            Ok(4) => return Some(i32::from_ne_bytes(bytes)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(_) | Err(_) => return None,
        }
    }
}

impl Exit {
    fn from_wait_status(status: i32) -> Self {
        if libc::WIFSIGNALED(status) {
            Self::Signaled(libc::WTERMSIG(status))
        } else {
            Self::Exited(libc::WEXITSTATUS(status))
        }
    }
}
