//! Hands out shells: the same one for the same owner, never one to two commands at a time.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::hold::{Given, Hold, Legacy};
use super::start::{Dialect, Engine, start, start_with};
use super::start_files::StartFiles;
use super::{Call, CommandDirectory, Life, ShellSession};
use crate::command::{self, CommandError, CommandOutcome, CommandSpec, Snapshot};
use crate::environment::Environment;
use crate::scope::{Confined, Scope};

/// Shells that wait. With one more the longest unused is closed.
const MOST: usize = 16;

/// What tells shells apart: a command gets a shell only if everything here is the same.
#[derive(Clone, PartialEq, Eq)]
pub struct ShellSpec {
    /// Different owners never share a shell.
    pub owner: String,
    pub engine: Engine,
    /// Stands before every command.
    pub prefix: Option<String>,
    /// The environment that the shell starts with.
    pub environment: Environment,
    /// What the user's start files define.
    pub start_files: Option<Arc<StartFiles>>,
    /// Where a fresh shell begins.
    pub directory: PathBuf,
    /// The sandbox that the shell and all its commands are in.
    pub confined: Option<Arc<Confined>>,
}

impl ShellSpec {
    /// A shell without an owner, a prefix, start files or a sandbox.
    pub fn new(engine: Engine, environment: Environment, directory: impl Into<PathBuf>) -> Self {
        Self {
            owner: String::new(),
            engine,
            prefix: None,
            environment,
            start_files: None,
            directory: directory.into(),
            confined: None,
        }
    }

    fn prefixed(&self, mut call: Call) -> Call {
        if let Some(prefix) = &self.prefix {
            call.command = format!("{prefix} {}", call.command);
        }
        call
    }
}

/// The shells of a program.
#[derive(Default)]
pub struct Shells {
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    /// The last used is at the end.
    list: Vec<Slot>,
    next_id: u64,
}

struct Slot {
    id: u64,
    spec: ShellSpec,
    state: SlotState,
}

enum SlotState {
    Waiting(Box<ShellSession>),
    /// With the directory in which it was when it got its command.
    Busy(PathBuf),
    /// None yet: the one before was given away. The next begins there, with what is known of it.
    Vacant(Legacy),
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub outcome: CommandOutcome,
    pub after: After,
    /// The shell was in this directory, which is gone; the command ran where a fresh shell begins.
    pub lost_directory: Option<PathBuf>,
}

/// What became of the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// It waits for the next command.
    Kept,
    /// It ended with the command; what it knew from earlier ones is lost.
    Ended,
    /// The command had a shell of its own: the other was busy, or the shell ended with its first command.
    Isolated,
}

impl Shells {
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a command in the shell of `spec`, or in one of its own while that is busy. Standard input is empty;
    /// standard output and error are one stream.
    ///
    /// Processes that the command leaves behind live on in the scope, and what they still print is discarded. After
    /// a timeout or a cancellation nothing of the shell is left.
    pub async fn run(
        &self,
        scope: &Scope,
        spec: &ShellSpec,
        call: Call,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<Answer, CommandError> {
        let mut call = spec.prefixed(call);
        let Some(dialect) = spec.engine.dialect() else {
            return run_once(scope, spec, call, cancel, on_output).await;
        };
        let (taken, id) = self.take(spec);
        let directory = match taken {
            Taken::Busy(directory) => {
                return isolated(scope, spec, dialect, directory, call, cancel, on_output).await;
            }
            Taken::Waiting(_) | Taken::Nothing => spec.directory.clone(),
            Taken::Vacant(ref legacy) => existing(legacy.directory.clone(), spec),
        };
        let mut reserved = Reserved { shells: self, id, back: None };
        let knows_something = !matches!(taken, Taken::Nothing);
        let mut session = match taken {
            Taken::Waiting(session) => *session,
            Taken::Vacant(Legacy { state: Some(state), .. }) => {
                start_with(scope, spec, dialect, &directory, &state, cancel).await?
            }
            _ => start(scope, spec, dialect, &directory, cancel).await?,
        };
        call.hold.fill(id, knows_something, session.saves_to());
        let lost_directory = find_place(&mut call, &mut session, spec);
        let hold = Arc::clone(&call.hold);
        let (outcome, life) = session.run(call, cancel, on_output).await?;
        let after = match life {
            _ if hold.take().is_none() => After::Isolated, // It was given away.
            Life::Goes => {
                reserved.back = Some(session);
                After::Kept
            }
            Life::Ended if knows_something => After::Ended,
            Life::Ended => After::Isolated,
        };
        Ok(Answer { outcome, after, lost_directory })
    }

    /// Runs a command in a shell that nobody else gets, in `directory`. It ends with the command.
    pub async fn run_alone(
        &self,
        scope: &Scope,
        spec: &ShellSpec,
        directory: PathBuf,
        call: Call,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<Answer, CommandError> {
        let mut call = spec.prefixed(call);
        match spec.engine.dialect() {
            Some(dialect) => isolated(scope, spec, dialect, directory, call, cancel, on_output).await,
            None => {
                if call.place == CommandDirectory::Current {
                    call.place = CommandDirectory::Stay(directory);
                }
                run_once(scope, spec, call, cancel, on_output).await
            }
        }
    }

    /// The command that holds a shell keeps it for itself, and the next command gets a fresh one: in `directory`, or
    /// where the shell was. The shell ends with its command.
    pub fn give_away(&self, hold: &Hold, directory: Option<PathBuf>) -> Given {
        let Some(held) = hold.take() else { return Given::Nothing };
        let mut slots = self.lock();
        let id = slots.fresh_id();
        let Some(slot) = slots.list.iter_mut().find(|slot| slot.id == held.id) else { return Given::Nothing };
        let directory = directory.unwrap_or_else(|| slot.directory());
        let state = held.state();
        let given = match (held.knows_something, &state) {
            (false, _) => Given::Nothing,
            (true, Some(_)) => Given::Copied(directory.clone()),
            (true, None) => Given::State(directory.clone()),
        };
        slot.id = id;
        slot.state = SlotState::Vacant(Legacy { directory, state });
        given
    }

    /// Where the next command of `spec` would run.
    pub fn directory(&self, spec: &ShellSpec) -> PathBuf {
        let slots = self.lock();
        let slot = slots.list.iter().find(|slot| slot.spec == *spec);
        slot.map_or_else(|| spec.directory.clone(), Slot::directory)
    }

    /// Lets go of every shell; the next commands get fresh ones. What runs is not disturbed.
    pub fn close(&self) {
        self.lock().list.clear();
    }

    fn take(&self, spec: &ShellSpec) -> (Taken, u64) {
        let mut slots = self.lock();
        let found = slots.list.iter().position(|slot| slot.spec == *spec);
        let Some(index) = found else { return (Taken::Nothing, slots.add(spec)) };
        let mut slot = slots.list.remove(index);
        let (id, directory) = (slot.id, slot.directory());
        let taken = match std::mem::replace(&mut slot.state, SlotState::Busy(directory)) {
            SlotState::Waiting(session) => Taken::Waiting(session),
            SlotState::Busy(directory) => Taken::Busy(directory),
            SlotState::Vacant(legacy) => Taken::Vacant(legacy),
        };
        slots.list.push(slot);
        (taken, id)
    }

    /// Undoes [`Self::take`]. Its place may be gone meanwhile.
    fn release(&self, id: u64, session: Option<ShellSession>) {
        let mut slots = self.lock();
        let Some(index) = slots.list.iter().position(|slot| slot.id == id) else { return };
        match session {
            Some(session) => slots.list[index].state = SlotState::Waiting(Box::new(session)),
            None => {
                slots.list.remove(index);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        // The list is valid after every statement, so a panic elsewhere does not spoil it.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slots {
    fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// A place for a shell that is being started.
    fn add(&mut self, spec: &ShellSpec) -> u64 {
        let id = self.fresh_id();
        self.list.push(Slot { id, spec: spec.clone(), state: SlotState::Busy(spec.directory.clone()) });
        let waiting = |slot: &Slot| matches!(slot.state, SlotState::Waiting(_));
        if self.list.len() > MOST
            && let Some(oldest) = self.list.iter().position(waiting)
        {
            self.list.remove(oldest);
        }
        id
    }
}

impl Slot {
    fn directory(&self) -> PathBuf {
        match &self.state {
            SlotState::Waiting(session) => session.cwd.clone(),
            SlotState::Busy(directory) | SlotState::Vacant(Legacy { directory, .. }) => directory.clone(),
        }
    }
}

enum Taken {
    Waiting(Box<ShellSession>),
    Nothing,
    Busy(PathBuf),
    Vacant(Legacy),
}

/// The place of a shell that runs a command. It is free again when the command has ended, in whatever way.
struct Reserved<'a> {
    shells: &'a Shells,
    id: u64,
    /// The shell, if it can take another command.
    back: Option<ShellSession>,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.shells.release(self.id, self.back.take());
    }
}

/// A directory that is gone is no place to run: then the shell goes where a fresh one begins.
fn find_place(call: &mut Call, session: &mut ShellSession, spec: &ShellSpec) -> Option<PathBuf> {
    if session.cwd.is_dir() {
        return None;
    }
    let lost = std::mem::replace(&mut session.cwd, spec.directory.clone());
    match call.place {
        CommandDirectory::Current => call.place = CommandDirectory::Stay(spec.directory.clone()),
        CommandDirectory::Once(_) => {}
        CommandDirectory::Stay(_) => return None, // It is left anyway.
    }
    Some(lost)
}

/// The directory, or where a fresh shell begins if it is gone.
fn existing(directory: PathBuf, spec: &ShellSpec) -> PathBuf {
    if directory.is_dir() { directory } else { spec.directory.clone() }
}

async fn isolated(
    scope: &Scope,
    spec: &ShellSpec,
    dialect: Dialect,
    directory: PathBuf,
    call: Call,
    cancel: &CancellationToken,
    on_output: impl FnMut(&Snapshot),
) -> Result<Answer, CommandError> {
    let directory = existing(directory, spec);
    let mut session = start(scope, spec, dialect, &directory, cancel).await?;
    let (outcome, _) = session.run(call, cancel, on_output).await?;
    Ok(Answer { outcome, after: After::Isolated, lost_directory: None })
}

/// A shell that takes one command in its arguments.
async fn run_once(
    scope: &Scope,
    spec: &ShellSpec,
    call: Call,
    cancel: &CancellationToken,
    on_output: impl FnMut(&Snapshot),
) -> Result<Answer, CommandError> {
    let mut environment = spec.environment.clone();
    let cwd = match call.place {
        CommandDirectory::Current => spec.directory.clone(),
        CommandDirectory::Once(directory) | CommandDirectory::Stay(directory) => directory,
    };
    environment.set("PWD", &cwd);
    environment.extend(call.env);
    let command = CommandSpec {
        command: call.command,
        shell: spec.engine.path().to_owned(),
        cwd,
        environment,
        timeout: call.timeout,
        limits: call.limits,
        spill: call.spill,
        confined: spec.confined.clone(),
    };
    let outcome = command::run(scope, command, cancel, on_output).await?;
    Ok(Answer { outcome, after: After::Isolated, lost_directory: None })
}
