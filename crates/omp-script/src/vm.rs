//! The runtime of one unit and its limits: memory, stack, and the time of one turn.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rquickjs::qjs::JSContext;
use rquickjs::{Context, Ctx, Exception, Function, Object, Persistent, Runtime, Value};
use rustix::time::{ClockId, clock_gettime};

use crate::error::{ScriptError, first_place};
use crate::memory::Counted;
use crate::modules::Modules;
use crate::ops::{self, Outcome};
use crate::pulse::Pulse;
use crate::state::State;
use crate::unit::{Limits, Shared};

/// QuickJS measures its stack from where the runtime was made, and the thread has 16 MB.
const LARGEST_STACK: usize = 8 << 20;

/// What makes a script run.
pub(crate) enum Event<'e> {
    Load { number: u32, name: &'e str },
    Call { number: u32, function: &'e str, arguments: String },
    Complete { number: u32, outcome: Outcome },
    Timer { number: u32 },
    Exit,
}

/// Time of the processor that this thread has used: a script is not charged for what others do on the machine.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// When the running turn must be over.
pub(crate) struct Turn {
    deadline: Cell<Option<Duration>>,
    limit: Duration,
    unit: Arc<Shared>,
    pulse: Arc<Pulse>,
}

impl Turn {
    fn start(&self) {
        let now = thread_time();
        self.deadline.set(Some(now + self.limit));
        self.pulse.begin(&self.unit, self.limit, now);
    }

    fn stop(&self) {
        self.deadline.set(None);
        self.pulse.end();
    }

    fn is_over(&self) -> bool {
        self.deadline.get().is_some_and(|deadline| thread_time() > deadline)
    }
}

/// The functions of the bootstrap that the engine calls.
struct Entrances {
    dispatch: Persistent<Function<'static>>,
    flush: Persistent<Function<'static>>,
}

pub(crate) struct Vm {
    // In the order in which they must be dropped.
    entrances: Option<Entrances>,
    context: Option<Context>,
    runtime: Option<Runtime>,
    state: Rc<State>,
    turn: Rc<Turn>,
    crashed: Cell<bool>,
}

impl Vm {
    pub(crate) fn new(state: &Rc<State>, limits: Limits) -> Result<Self, ScriptError> {
        let failed =
            |error: rquickjs::Error| ScriptError::engine(format!("cannot create a script runtime: {error}"));
        let runtime = Runtime::new_with_alloc(Counted::new(state.shared.meter.clone())).map_err(failed)?;
        runtime.set_max_stack_size(limits.stack.clamp(64 << 10, LARGEST_STACK));
        let turn = Rc::new(Turn {
            deadline: Cell::new(None),
            limit: limits.turn,
            unit: state.shared.clone(),
            pulse: state.pulse.clone(),
        });
        let modules = Modules::new(state.clone());
        runtime.set_loader(modules.resolver(), modules.loader());
        let context = Context::full(&runtime).map_err(failed)?;
        let watch = Watch { state: Rc::downgrade(state), turn: turn.clone(), context: context.as_raw() };
        runtime.set_interrupt_handler(Some(Box::new(move || watch.must_stop())));
        let mut vm = Self {
            entrances: None,
            context: Some(context),
            runtime: Some(runtime),
            state: state.clone(),
            turn,
            crashed: Cell::default(),
        };
        let entrances = vm.guarded(|ctx| {
            let internal: Object = ops::install(ctx, state, &modules)?;
            Ok(Entrances {
                dispatch: Persistent::save(ctx, internal.get::<_, Function<'_>>("dispatch")?),
                flush: Persistent::save(ctx, internal.get::<_, Function<'_>>("flush")?),
            })
        });
        match entrances {
            Ok(entrances) => vm.entrances = Some(entrances),
            Err(reason) => return Err(ScriptError::engine(reason)),
        }
        vm.track_rejections()?;
        Ok(vm)
    }

    /// Runs the script for one event, and everything that follows from it without waiting. An error is the end of the unit.
    pub(crate) fn dispatch(&self, event: Event<'_>) -> Result<(), String> {
        let Some(entrances) = &self.entrances else { return Err("the script engine failed".to_owned()) };
        let dispatch = entrances.dispatch.clone();
        self.guarded(|ctx| {
            let dispatch = dispatch.restore(ctx)?;
            let done: rquickjs::Result<()> = match event {
                Event::Load { number, name } => dispatch.call(("load", number, name)),
                Event::Call { number, function, arguments } => {
                    dispatch.call(("call", number, function, arguments))
                }
                Event::Complete { number, outcome: Ok(reply) } => {
                    dispatch.call(("complete", number, true, reply.into_js(ctx)?))
                }
                Event::Complete { number, outcome: Err(error) } => {
                    dispatch.call(("complete", number, false, error.into_js(ctx)?))
                }
                Event::Timer { number } => dispatch.call(("timer", number)),
                Event::Exit => dispatch.call(("exit",)),
            };
            done
        })?;
        if self.state.rejected.take() {
            let flush = entrances.flush.clone();
            self.guarded(|ctx| flush.restore(ctx)?.call::<_, ()>(()))?;
        }
        Ok(())
    }

    /// Enters the VM with the limits armed, then runs what became ready.
    fn guarded<R>(&self, work: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<R>) -> Result<R, String> {
        let Some(context) = &self.context else { return Err("the script engine failed".to_owned()) };
        if self.crashed.get() {
            return Err("it crashed".to_owned());
        }
        self.turn.start();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let result = context.with(|ctx| work(&ctx).map_err(|error| self.describe(&ctx, &error)));
            self.run_jobs();
            result
        }));
        self.turn.stop();
        let result = outcome.unwrap_or_else(|panic| {
            self.crashed.set(true);
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(format!("it crashed the script engine: {text}"))
        });
        match self.verdict() {
            Some(reason) => Err(reason),
            None => result,
        }
    }

    /// Microtasks. Those may add further ones for ever, so the time is looked at here too.
    fn run_jobs(&self) {
        let Some(runtime) = &self.runtime else { return };
        let mut after = 0;
        while after < LAST_JOBS {
            after += usize::from(self.verdict_now().is_some());
            match runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => return,
                Err(failed) => failed.0.with(|ctx| self.note(&ctx.catch())),
            }
            if self.turn.is_over() {
                self.state.fail(LOOP);
            }
        }
    }

    fn verdict_now(&self) -> Option<String> {
        let meter = &self.state.shared.meter;
        if meter.was_refused() {
            self.state.fail(format!("it used more than its {} of memory", size(meter.limit())));
        }
        self.state.fatal.borrow().clone()
    }

    /// Why the unit must end, if it must, with the place.
    fn verdict(&self) -> Option<String> {
        let reason = self.verdict_now()?;
        Some(match self.state.place.borrow().as_deref() {
            Some(place) if !reason.contains(" (at ") => format!("{reason} (at {place})"),
            _ => reason,
        })
    }

    fn describe(&self, ctx: &Ctx<'_>, error: &rquickjs::Error) -> String {
        if !error.is_exception() {
            return error.to_string();
        }
        let value = ctx.catch();
        self.note(&value);
        let exception = value.as_exception();
        let message = exception.and_then(Exception::message).unwrap_or_else(|| "an unknown error".to_owned());
        match exception.and_then(Exception::stack).as_deref().and_then(first_place) {
            Some(place) => format!("{message} (at {place})"),
            None => message,
        }
    }

    fn note(&self, value: &Value<'_>) {
        note(&self.state, &self.turn, value);
    }

    /// Keeps track of rejected promises that nobody handles.
    fn track_rejections(&self) -> Result<(), ScriptError> {
        let (Some(runtime), Some(context)) = (&self.runtime, &self.context) else { return Ok(()) };
        let hook = context.with(|ctx| {
            let internal: Object = ctx.globals().get(ops::HANDOVER)?;
            ctx.globals().remove(ops::HANDOVER)?;
            rquickjs::Result::Ok(Persistent::save(&ctx, internal.get::<_, Function>("rejected")?))
        });
        let hook = hook.map_err(|error| ScriptError::engine(error.to_string()))?;
        context
            .with(|ctx| ctx.store_userdata(Hook(hook)).map(drop).map_err(drop))
            .map_err(|()| ScriptError::engine("cannot follow promises"))?;
        let (state, turn) = (self.state.clone(), self.turn.clone());
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
            state.rejected.set(true);
            note(&state, &turn, &reason);
            let hook = ctx.userdata::<Hook>().map(|hook| hook.0.clone());
            if let Some(hook) = hook.and_then(|hook| hook.restore(&ctx).ok()) {
                let _ = hook.call::<_, ()>((promise, reason, handled));
            }
        })));
        Ok(())
    }

    /// Frees what scripts hold. After a crash nothing is touched any more: the memory of the unit is lost, within its limit.
    pub(crate) fn drop_values(&mut self) {
        let parts = (self.entrances.take(), self.context.take(), self.runtime.take());
        if self.crashed.get() {
            std::mem::forget(parts);
        }
    }
}

/// The script's function that hears of rejections. It lives in the runtime, which drops it before its own end.
struct Hook(Persistent<Function<'static>>);

#[allow(unsafe_code, reason = "a persistent value has no lifetime")]
// SAFETY: the type does not change with the lifetime.
unsafe impl<'js> rquickjs::JsLifetime<'js> for Hook {
    type Changed<'to> = Hook;
}

/// Jobs that still run when the unit is over: they carry the error that stopped it to whoever knows its stack.
const LAST_JOBS: usize = 50;

const LOOP: &str = "it ran too long without a pause";

/// Remembers where a script was stopped: the error that stopped it knows.
fn note(state: &State, turn: &Turn, value: &Value<'_>) {
    if state.is_over() {
        // Reading a stack runs a getter, which the limits must not stop.
        turn.stop();
        state.note(value.as_exception().and_then(Exception::stack).as_deref());
        turn.start();
    }
}

/// Asked by QuickJS every few thousand steps: stop?
struct Watch {
    state: Weak<State>,
    turn: Rc<Turn>,
    context: NonNull<JSContext>,
}

impl Watch {
    fn must_stop(&self) -> bool {
        let Some(state) = self.state.upgrade() else { return true };
        if self.turn.deadline.get().is_none() {
            return false;
        }
        if self.turn.is_over() {
            state.fail(LOOP);
        } else if state.shared.ending.load(Ordering::Relaxed) {
            state.fail("it was ended");
        }
        let stops = state.is_over();
        if stops && state.place.borrow().is_none() {
            self.note_place(&state);
        }
        stops
    }

    /// The script is in the middle of something: an error made now knows in which function. The error that stops it knows the
    /// line too, but need not reach us.
    #[allow(unsafe_code, reason = "the handler is given no context")]
    fn note_place(&self, state: &State) {
        // SAFETY: the handler is only called by this context's runtime while it runs a script, on its thread, and the
        // engine is about to make an error of its own at this very place.
        let ctx = unsafe { Ctx::from_raw(self.context) };
        if let Ok(error) = Exception::from_message(ctx.clone(), "") {
            note(state, &self.turn, error.as_object());
        }
        drop(ctx.catch());
    }
}

fn size(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MB", bytes >> 20) } else { format!("{} KB", bytes >> 10) }
}
