//! The thread that all units share.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinSet, LocalSet};

use crate::compile::Compiler;
use crate::error::ScriptError;
use crate::ops::Http;
use crate::pulse::{Pulse, wait};
use crate::state::Tools;
use crate::unit::{Shared, Unit, UnitOptions};
use crate::worker;

/// Stacks of scripts are a part of this one.
const THREAD_STACK: usize = 16 << 20;

/// Makes HTTP clients, with the certificates and the proxies of the program.
pub type Connector = Arc<dyn Fn() -> Result<reqwest::ClientBuilder, String> + Send + Sync>;

#[derive(Clone, Default)]
pub struct EngineOptions {
    /// Where compiled code is kept, by the hash of its source. Nothing is kept without it.
    pub cache: Option<PathBuf>,
    /// How `fetch` reaches the network. Without it, it does not.
    pub connector: Option<Connector>,
}

/// A cheap handle. The thread behind it starts with the first unit, and ends after the last handle and the last unit.
#[derive(Clone)]
pub struct Engine {
    options: EngineOptions,
    thread: Arc<Mutex<Option<Thread>>>,
}

/// A running thread.
struct Thread {
    starts: mpsc::UnboundedSender<Start>,
    pulse: Arc<Pulse>,
}

/// A unit to be started.
struct Start {
    options: UnitOptions,
    shared: Arc<Shared>,
    reply: oneshot::Sender<Result<Unit, ScriptError>>,
}

impl Engine {
    pub fn new(options: EngineOptions) -> Self {
        Self { options, thread: Arc::default() }
    }

    /// Starts a unit: it is there when its prelude has run.
    pub async fn load(&self, unit: UnitOptions) -> Result<Unit, ScriptError> {
        let shared = Shared::new(unit.name.clone(), unit.limits.memory);
        let (reply, answer) = oneshot::channel();
        let start = Start { options: unit, shared: shared.clone(), reply };
        let pulse = self.send(start)?;
        // Whoever stops waiting ends the unit.
        let mut guard = Abandoned(Some(shared));
        let unit = match wait(&pulse, answer).await {
            Ok(unit) => unit.unwrap_or_else(|_| Err(ScriptError::engine("the script engine has stopped"))),
            Err(stuck) => {
                Err(ScriptError::engine(format!("the script engine was lost: {stuck} got stuck in it")))
            }
        };
        guard.0 = None;
        unit
    }

    fn send(&self, start: Start) -> Result<Arc<Pulse>, ScriptError> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let start = match thread.as_ref().filter(|thread| !thread.pulse.is_lost()) {
            Some(own) => match own.starts.send(start) {
                Ok(()) => return Ok(own.pulse.clone()),
                // The thread is gone, which only a fault of ours can cause. The next one may fare better.
                Err(mpsc::error::SendError(start)) => start,
            },
            None => start,
        };
        let (sender, starts) = mpsc::unbounded_channel();
        let options = self.options.clone();
        let pulse = Pulse::new();
        let own = pulse.clone();
        std::thread::Builder::new()
            .name("script".to_owned())
            .stack_size(THREAD_STACK)
            .spawn(move || run(options, starts, own))
            .map_err(|error| ScriptError::engine(format!("cannot start the script engine: {error}")))?;
        let sent = sender.send(start);
        *thread = Some(Thread { starts: sender, pulse: pulse.clone() });
        sent.map(|()| pulse).map_err(|_| ScriptError::engine("the script engine has stopped"))
    }
}

/// Marks a unit as unwanted when its loading is no longer waited for.
struct Abandoned(Option<Arc<Shared>>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        if let Some(shared) = &self.0 {
            shared.finish("it was no longer wanted");
        }
    }
}

/// The life of the thread.
fn run(options: EngineOptions, mut starts: mpsc::UnboundedReceiver<Start>, pulse: Arc<Pulse>) {
    pulse.attach();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let http = Rc::new(Http::new(options.connector));
    let tools = Tools { compiler: Rc::new(Compiler::new(options.cache)), http, pulse };
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        let mut units = JoinSet::new();
        while let Some(Start { options, shared, reply }) = starts.recv().await {
            units.spawn_local(worker::run(options, shared, tools.clone(), reply));
            while units.try_join_next().is_some() {}
        }
        while units.join_next().await.is_some() {}
    });
    // A thread of a blocking operation may still read a file that never answers.
    runtime.shutdown_background();
}
