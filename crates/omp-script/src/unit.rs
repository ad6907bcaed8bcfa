//! One unit: what it is made of, and the handle its owner keeps.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_shell::{Environment, Scope};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::error::ScriptError;
use crate::memory::Meter;
use crate::pulse::{Pulse, wait};
use crate::seal::CodeSeal;
use crate::worker::Message;

/// How many names of each kind [`UnitUsage`] keeps.
const TOUCHED: usize = 200;

/// Everything a unit asks of the program. JSON both ways; called on the engine's thread, so `call_now` must be quick.
pub trait Host: Send + Sync {
    fn call_now(&self, operation: &str, arguments: Value) -> Result<Value, String>;
    fn call(&self, operation: &str, arguments: Value) -> BoxFuture<'static, Result<Value, String>>;
}

/// A module that comes with the program: source in JavaScript, as an ES module. It may be known by several names; one that ends
/// in `/*` stands for all names below it.
#[derive(Clone, Debug)]
pub struct BuiltinModule {
    pub names: Vec<String>,
    pub source: Arc<str>,
}

impl BuiltinModule {
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>, source: impl Into<Arc<str>>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect(), source: source.into() }
    }

    /// The name that identifies it.
    pub(crate) fn name(&self) -> &str {
        self.names.first().map_or("omp:unnamed", String::as_str)
    }

    /// Does it stand for this name?
    pub fn answers_to(&self, name: &str) -> bool {
        self.names.iter().any(|own| match own.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => own == name,
        })
    }
}

/// What one unit may use. Each is enforced by the engine, and ends the unit when it is exceeded.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that its objects may take.
    pub memory: usize,
    /// The longest run of JavaScript without a pause, in time of the processor.
    pub turn: Duration,
    /// Bytes of the stack; more is a `RangeError` in the script, not the end of the unit. At most 8 MB.
    pub stack: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: 256 << 20, turn: Duration::from_secs(5), stack: 1 << 20 }
    }
}

/// What a unit is made of.
pub struct UnitOptions {
    /// How messages name it.
    pub name: String,
    pub cwd: PathBuf,
    pub host: Arc<dyn Host>,
    /// The first module to run; [`Unit::call`] reaches what it exports. It may `import(path)` modules of the user.
    pub prelude: BuiltinModule,
    pub builtins: Arc<[BuiltinModule]>,
    /// Whatever it starts ends with this scope, and with the unit.
    pub scope: Arc<Scope>,
    /// What its processes, and it itself, see of the environment.
    pub environment: Environment,
    pub limits: Limits,
    /// The files that it may load; without one, any.
    pub seal: Option<Arc<CodeSeal>>,
}

/// What a unit has used. The lists are bounded, and in the order of the alphabet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitUsage {
    /// Bytes that its objects take now.
    pub memory: usize,
    pub read: BTreeSet<String>,
    pub written: BTreeSet<String>,
    pub hosts: BTreeSet<String>,
    pub programs: BTreeSet<String>,
}

/// What the handles and the engine's thread share.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) meter: Arc<Meter>,
    /// Asked to end: waits on behalf of the script are cut short.
    pub(crate) ending: AtomicBool,
    ended: Mutex<Option<String>>,
    touched: Mutex<UnitUsage>,
}

/// What a unit touched.
#[derive(Clone, Copy)]
pub(crate) enum Touch {
    Read,
    Written,
    Host,
    Program,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(name: String, memory: usize) -> Arc<Self> {
        Arc::new(Self {
            name,
            meter: Meter::new(memory),
            ending: AtomicBool::new(false),
            ended: Mutex::new(None),
            touched: Mutex::new(UnitUsage::default()),
        })
    }

    pub(crate) fn touch(&self, what: Touch, name: &str) {
        let mut touched = lock(&self.touched);
        let list = match what {
            Touch::Read => &mut touched.read,
            Touch::Written => &mut touched.written,
            Touch::Host => &mut touched.hosts,
            Touch::Program => &mut touched.programs,
        };
        if list.len() < TOUCHED && !list.contains(name) {
            list.insert(name.to_owned());
        }
    }

    /// The first reason stands.
    pub(crate) fn finish(&self, reason: &str) {
        self.ending.store(true, Ordering::Relaxed);
        lock(&self.ended).get_or_insert_with(|| reason.to_owned());
    }

    pub(crate) fn ended(&self) -> Option<String> {
        lock(&self.ended).clone()
    }

    pub(crate) fn end_error(&self) -> ScriptError {
        let reason = self.ended().unwrap_or_else(|| "the script engine has stopped".to_owned());
        ScriptError::ended(&self.name, &reason)
    }
}

/// A running unit. Clones are the same unit; it ends with the last of them, or with [`Unit::end`].
#[derive(Clone)]
pub struct Unit(Arc<Handle>);

struct Handle {
    sender: mpsc::UnboundedSender<Message>,
    shared: Arc<Shared>,
    pulse: Arc<Pulse>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Relaxed);
        let _ = self.sender.send(Message::End { grace: Duration::ZERO, done: None });
    }
}

impl Unit {
    pub(crate) fn new(
        sender: mpsc::UnboundedSender<Message>,
        shared: Arc<Shared>,
        pulse: Arc<Pulse>,
    ) -> Self {
        Self(Arc::new(Handle { sender, shared, pulse }))
    }

    /// The thread is stuck in a unit, so this one is over too.
    fn lost(&self, stuck: &str) -> ScriptError {
        self.0.shared.finish(&format!("{stuck} got stuck in the script engine"));
        self.0.shared.end_error()
    }

    /// Calls a function that the prelude exports, and waits for its promise. `undefined` becomes `null`.
    pub async fn call(&self, function: &str, arguments: Value) -> Result<Value, ScriptError> {
        if self.0.shared.ended().is_some() {
            return Err(self.0.shared.end_error());
        }
        let (reply, answer) = oneshot::channel();
        let message = Message::Call { function: function.to_owned(), arguments, reply };
        if self.0.sender.send(message).is_err() {
            return Err(self.0.shared.end_error());
        }
        match wait(&self.0.pulse, answer).await {
            Ok(answer) => answer.unwrap_or_else(|_| Err(self.0.shared.end_error())),
            Err(stuck) => Err(self.lost(&stuck)),
        }
    }

    pub fn usage(&self) -> UnitUsage {
        let mut usage = lock(&self.0.shared.touched).clone();
        usage.memory = self.0.shared.meter.used();
        usage
    }

    /// Why it is over, if it is: a loop, memory, a crash, `process.exit`, [`Unit::end`].
    pub fn ended(&self) -> Option<String> {
        self.0.shared.ended()
    }

    /// Calls that are under way have `grace` to finish. Then everything it started ends.
    pub async fn end(&self, grace: Duration) {
        if grace.is_zero() {
            self.0.shared.ending.store(true, Ordering::Relaxed);
        }
        let (done, finished) = oneshot::channel();
        if self.0.sender.send(Message::End { grace, done: Some(done) }).is_ok()
            && let Err(stuck) = wait(&self.0.pulse, finished).await
        {
            self.lost(&stuck);
        }
    }
}
