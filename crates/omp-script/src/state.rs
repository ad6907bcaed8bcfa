//! What the event loop of a unit, its VM and its operations share. It holds no values of JavaScript, so that everything can be
//! dropped in any order.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::FutureExt as _;
use omp_shell::scope::GRACE;
use omp_shell::{Ender, Environment, Scope};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::compile::Compiler;
use crate::error::{ScriptError, first_place};
use crate::ops::{Http, OpError, Outcome};
use crate::pulse::Pulse;
use crate::seal::CodeSeal;
use crate::unit::{BuiltinModule, Host, Shared, Unit, UnitOptions};
use crate::worker::Message;

/// Who waits for a call that is under way in the script.
pub(crate) enum Waiting {
    Load(oneshot::Sender<Result<Unit, ScriptError>>),
    Call(oneshot::Sender<Result<Value, ScriptError>>),
}

/// Something that outlives one operation: a child process, a server. Dropping it ends it.
pub(crate) type Resource = Rc<dyn Any>;

/// What all units of an engine share.
#[derive(Clone)]
pub(crate) struct Tools {
    pub(crate) compiler: Rc<Compiler>,
    pub(crate) http: Rc<Http>,
    pub(crate) pulse: Arc<Pulse>,
}

pub(crate) struct State {
    pub(crate) shared: Arc<Shared>,
    pub(crate) cwd: RefCell<PathBuf>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) environment: Environment,
    pub(crate) prelude: BuiltinModule,
    pub(crate) builtins: Arc<[BuiltinModule]>,
    pub(crate) compiler: Rc<Compiler>,
    pub(crate) seal: Option<Arc<CodeSeal>>,
    pub(crate) sender: mpsc::UnboundedSender<Message>,
    pub(crate) timers: RefCell<BTreeSet<(Instant, u32)>>,
    /// Why the unit must end, as soon as somebody knows.
    pub(crate) fatal: RefCell<Option<String>>,
    /// Where the script was when it had to end.
    pub(crate) place: RefCell<Option<String>>,
    /// A promise was rejected in this turn and nobody has looked yet.
    pub(crate) rejected: Cell<bool>,
    pub(crate) http: Rc<Http>,
    pub(crate) pulse: Arc<Pulse>,
    children: RefCell<Vec<Ender>>,
    calls: RefCell<HashMap<u32, Waiting>>,
    resources: RefCell<HashMap<u32, Resource>>,
    tasks: RefCell<HashMap<u32, AbortHandle>>,
    next: Cell<u32>,
}

impl State {
    pub(crate) fn new(
        options: UnitOptions,
        shared: Arc<Shared>,
        tools: Tools,
        sender: mpsc::UnboundedSender<Message>,
    ) -> Rc<Self> {
        Rc::new(Self {
            shared,
            cwd: RefCell::new(options.cwd),
            host: options.host,
            scope: options.scope,
            environment: options.environment,
            prelude: options.prelude,
            builtins: options.builtins,
            compiler: tools.compiler,
            seal: options.seal,
            sender,
            timers: RefCell::default(),
            fatal: RefCell::default(),
            place: RefCell::default(),
            rejected: Cell::default(),
            http: tools.http,
            pulse: tools.pulse,
            children: RefCell::default(),
            calls: RefCell::default(),
            resources: RefCell::default(),
            tasks: RefCell::default(),
            next: Cell::new(1),
        })
    }

    /// A number that nothing else has in this unit.
    pub(crate) fn number(&self) -> u32 {
        let number = self.next.get();
        self.next.set(number.wrapping_add(1));
        number
    }

    /// The first reason stands.
    pub(crate) fn fail(&self, reason: impl Into<String>) {
        let mut fatal = self.fatal.borrow_mut();
        if fatal.is_none() {
            *fatal = Some(reason.into());
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.fatal.borrow().is_some() || self.shared.meter.was_refused()
    }

    /// The stack of an error. If it is what stopped the script, it says where that was.
    pub(crate) fn note(&self, stack: Option<&str>) {
        if self.is_over()
            && let Some(place) = stack.and_then(first_place)
        {
            *self.place.borrow_mut() = Some(place.to_string());
        }
    }

    pub(crate) fn expect(&self, waiting: Waiting) -> u32 {
        let number = self.number();
        self.calls.borrow_mut().insert(number, waiting);
        number
    }

    pub(crate) fn has_calls(&self) -> bool {
        !self.calls.borrow().is_empty()
    }

    /// A call of the program has its answer.
    pub(crate) fn settle(&self, number: u32, result: Result<Value, ScriptError>) {
        let Some(waiting) = self.calls.borrow_mut().remove(&number) else { return };
        match (waiting, result) {
            (Waiting::Call(reply), result) => drop(reply.send(result)),
            (Waiting::Load(reply), Ok(_)) => {
                let unit = Unit::new(self.sender.clone(), self.shared.clone(), self.pulse.clone());
                // Nobody waits any more: the handle in the message is dropped, which ends the unit.
                drop(reply.send(Ok(unit)));
            }
            (Waiting::Load(reply), Err(error)) => {
                self.fail(format!("it did not load: {error}"));
                drop(reply.send(Err(error)));
            }
        }
    }

    /// Nothing will be answered any more.
    pub(crate) fn settle_all(&self) {
        for (_, waiting) in std::mem::take(&mut *self.calls.borrow_mut()) {
            match waiting {
                Waiting::Call(reply) => drop(reply.send(Err(self.shared.end_error()))),
                Waiting::Load(reply) => drop(reply.send(Err(self.shared.end_error()))),
            }
        }
    }

    pub(crate) fn keep(&self, resource: Resource) -> u32 {
        let number = self.number();
        self.resources.borrow_mut().insert(number, resource);
        number
    }

    pub(crate) fn resource<T: 'static>(&self, number: u32) -> Option<Rc<T>> {
        self.resources.borrow().get(&number).cloned()?.downcast().ok()
    }

    pub(crate) fn resources_of<T: 'static>(&self) -> Vec<Rc<T>> {
        self.resources.borrow().values().filter_map(|resource| resource.clone().downcast().ok()).collect()
    }

    /// A tree that must not outlive the unit.
    pub(crate) fn adopt(&self, child: Ender) {
        self.children.borrow_mut().push(child);
    }

    /// Ends an operation; nobody hears of it any more.
    pub(crate) fn abort(&self, number: u32) {
        if let Some(task) = self.tasks.borrow_mut().remove(&number) {
            task.abort();
        }
    }

    pub(crate) fn release(&self, number: u32) -> Option<Resource> {
        self.resources.borrow_mut().remove(&number)
    }

    /// Runs an operation beside the script; its outcome comes back as a message.
    pub(crate) fn spawn(&self, number: u32, work: impl Future<Output = Outcome> + 'static) {
        let sender = self.sender.clone();
        let task = tokio::task::spawn_local(async move {
            // A script that waits must hear of it, whatever happens.
            let outcome = AssertUnwindSafe(work).catch_unwind().await;
            let outcome = outcome.unwrap_or_else(|_| Err(OpError::new("the operation failed")));
            let _ = sender.send(Message::Complete { number, outcome });
        });
        self.tasks.borrow_mut().insert(number, task.abort_handle());
    }

    pub(crate) fn finished(&self, number: u32) {
        self.tasks.borrow_mut().remove(&number);
    }

    /// Stops everything that runs on behalf of the script. What it started is asked to end, and must be waited for.
    pub(crate) fn stop(&self) -> Vec<Ender> {
        for (_, task) in std::mem::take(&mut *self.tasks.borrow_mut()) {
            task.abort();
        }
        // Outside the borrow: dropping one may reach here again.
        let resources = std::mem::take(&mut *self.resources.borrow_mut());
        drop(resources);
        self.timers.borrow_mut().clear();
        let children = std::mem::take(&mut *self.children.borrow_mut());
        for child in &children {
            child.terminate(GRACE);
        }
        children
    }
}
