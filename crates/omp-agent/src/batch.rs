//! Runs the calls of one answer: side by side where allowed, interruptible, results in call order.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use omp_types::{AgentEvent, Message, ToolCall, ToolOutput, ToolResultMessage, UserBlock};
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::agent::Fixed;
use crate::config::InterruptMode;
use crate::correct::{ABORTED, SKIPPED};
use crate::parts::{Decision, Gate, PendingCall};
use crate::run::Run;
use crate::tool::{Invocation, Patience, Scheduling, Tool, ToolError, Updates};
use crate::validate::Validators;

/// How long something that was cancelled may take to end before it is dropped.
pub(crate) const CANCEL_GRACE: Duration = Duration::from_secs(2);

type CallResult = Result<ToolOutput, ToolError>;
/// Calls by index. One that was halted before it began has no result.
type Running<'a> = FuturesUnordered<BoxFuture<'a, (usize, Option<CallResult>)>>;

/// The calls of one answer.
struct Batch {
    slots: Vec<Slot>,
    /// Index of the first call that has not begun; all later ones have not begun either.
    waiting: usize,
    /// Results already in the conversation, in call order.
    delivered: Vec<Arc<Message>>,
    progress: Arc<Progress>,
    /// Calls that have not been polled yet do not begin after this fired.
    halt: CancellationToken,
}

/// One call on its way.
struct Slot {
    call: ToolCall,
    tool: Option<Arc<dyn Tool>>,
    scheduling: Scheduling,
    cancel: CancellationToken,
    /// There is an outcome, delivered or not.
    ended: bool,
    /// The outcome until every earlier call has one too.
    outcome: Option<Message>,
}

impl Slot {
    fn only_waits(&self) -> bool {
        self.tool.as_ref().is_some_and(|tool| tool.patience() == Patience::OnlyWaits)
    }
}

/// The newest progress of each running call; older values are replaced, so a chatty tool cannot fill memory.
#[derive(Default)]
struct Progress {
    latest: Mutex<BTreeMap<usize, ToolOutput>>,
    bell: Notify,
}

impl Progress {
    fn put(&self, index: usize, output: ToolOutput) {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).insert(index, output);
        self.bell.notify_one();
    }

    fn take(&self) -> BTreeMap<usize, ToolOutput> {
        std::mem::take(&mut self.latest.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Why the rest of a batch does not run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interruption {
    Steering,
    Abort,
}

impl Interruption {
    fn error(self) -> ToolError {
        ToolError::new(match self {
            Self::Steering => SKIPPED,
            Self::Abort => ABORTED,
        })
    }
}

impl<'a> Run<'a> {
    /// Runs the calls and puts their results into the conversation, in call order.
    pub(crate) async fn run_batch(&mut self, calls: Vec<ToolCall>) -> Vec<Arc<Message>> {
        let slot = |call: ToolCall| {
            let tool = self.state.tools.find(&call.name).cloned();
            let scheduling =
                tool.as_ref().map_or(Scheduling::Shared, |tool| tool.scheduling(&call.arguments));
            Slot { call, tool, scheduling, cancel: self.cancel.child_token(), ended: false, outcome: None }
        };
        let mut batch = Batch {
            slots: calls.into_iter().map(slot).collect(),
            waiting: 0,
            delivered: Vec::new(),
            progress: Arc::default(),
            halt: CancellationToken::new(),
        };
        if let Some(why) = self.drive(&mut batch).await {
            self.skip_rest(&mut batch, why);
        }
        batch.delivered
    }

    /// Starts calls as their turn comes and waits for them; `Some` when the batch was cut short.
    async fn drive(&mut self, batch: &mut Batch) -> Option<Interruption> {
        let mut running: Running<'a> = FuturesUnordered::new();
        let mut backlog = None;
        loop {
            // Looked at before anything is started: a call that is to be skipped must not have begun.
            if let Some(why) = self.interruption() {
                self.wind_down(batch, running).await;
                return Some(why);
            }
            self.start_ready(batch, &mut running);
            if running.is_empty() {
                return None;
            }
            let steering_matters = self.steering_matters(batch);
            tokio::select! {
                biased;
                Some((index, Some(result))) = running.next() => self.end_call(batch, index, result),
                () = self.cancel.cancelled() => {}
                () = self.shared.queues.steering_arrived(), if steering_matters => {
                    // In immediate mode the next look cuts the batch short anyway.
                    release_waiters(&batch.slots);
                }
                () = caught_up(&mut backlog), if backlog.is_some() => backlog = None,
                () = batch.progress.bell.notified(), if backlog.is_none() => {
                    self.report_progress(batch);
                    backlog = self.state.listener.backlog();
                }
            }
        }
    }

    fn interruption(&self) -> Option<Interruption> {
        if self.cancel.is_cancelled() {
            return Some(Interruption::Abort);
        }
        let immediate = self.shared.lock().interrupt_mode == InterruptMode::Immediate;
        (immediate && self.shared.queues.has_steering()).then_some(Interruption::Steering)
    }

    /// Steering cuts a batch short in immediate mode. In wait mode it only wakes tools that merely wait.
    fn steering_matters(&self, batch: &Batch) -> bool {
        let idle = |slot: &Slot| !slot.ended && !slot.cancel.is_cancelled() && slot.only_waits();
        self.shared.lock().interrupt_mode == InterruptMode::Immediate || batch.slots.iter().any(idle)
    }

    /// Starts every call whose turn has come. An exclusive call waits for all earlier ones and runs alone.
    fn start_ready(&mut self, batch: &mut Batch, running: &mut Running<'a>) {
        while let Some(slot) = batch.slots.get(batch.waiting) {
            let alone = slot.scheduling == Scheduling::Exclusive;
            let in_the_way = |busy: &Slot| !busy.ended && (alone || busy.scheduling == Scheduling::Exclusive);
            if batch.slots[..batch.waiting].iter().any(in_the_way) {
                return;
            }
            self.announce(&slot.call);
            running.push(run_call(self.fixed, batch, batch.waiting));
            batch.waiting += 1;
        }
    }

    /// Tells running tools to end and gives them a moment for it. One that had finished before keeps its result
    /// whatever it is; one that completes its work now keeps a success, because the model must know of it.
    async fn wind_down(&mut self, batch: &mut Batch, mut running: Running<'a>) {
        batch.halt.cancel();
        while let Some(Some((index, result))) = running.next().now_or_never() {
            if let Some(result) = result {
                self.end_call(batch, index, result);
            }
        }
        for slot in &batch.slots {
            slot.cancel.cancel();
        }
        let mut grace = self.fixed.clock.sleep(CANCEL_GRACE);
        loop {
            let (index, result) = tokio::select! {
                biased;
                ended = running.next() => match ended {
                    Some(ended) => ended,
                    None => return,
                },
                () = &mut grace => return,
            };
            if let Some(Ok(output)) = result {
                self.end_call(batch, index, Ok(output));
            }
        }
    }

    /// Calls that were cut off or never began report why.
    fn skip_rest(&mut self, batch: &mut Batch, why: Interruption) {
        for index in 0..batch.slots.len() {
            if batch.slots[index].ended {
                continue;
            }
            if index >= batch.waiting {
                self.announce(&batch.slots[index].call);
            }
            self.end_call(batch, index, Err(why.error()));
        }
    }

    /// Records the outcome of a call and delivers every result whose turn has come. Delivering early matters:
    /// a crash then loses only the calls that were still running.
    fn end_call(&mut self, batch: &mut Batch, index: usize, result: CallResult) {
        self.report_progress(batch);
        let slot = &mut batch.slots[index];
        slot.ended = true;
        slot.outcome = Some(self.outcome(&slot.call, result));
        while let Some(slot) = batch.slots.get_mut(batch.delivered.len())
            && let Some(outcome) = slot.outcome.take()
        {
            batch.delivered.push(self.add(outcome));
        }
    }

    /// A result for a call that is not run at all.
    pub(crate) fn refuse(&mut self, call: &ToolCall, reason: &str) -> Arc<Message> {
        self.announce(call);
        let outcome = self.outcome(call, Err(ToolError::new(reason)));
        self.add(outcome)
    }

    fn announce(&mut self, call: &ToolCall) {
        self.emit(AgentEvent::ToolExecutionStart {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: Value::Object(call.arguments.clone()),
            intent: call.intent.clone(),
        });
    }

    /// Passes on progress, except of calls that have ended: nothing follows their end.
    fn report_progress(&mut self, batch: &Batch) {
        for (index, partial_result) in batch.progress.take() {
            let slot = &batch.slots[index];
            if slot.ended {
                continue;
            }
            self.emit(AgentEvent::ToolExecutionUpdate {
                tool_call_id: slot.call.id.clone(),
                tool_name: slot.call.name.clone(),
                partial_result,
            });
        }
    }

    fn outcome(&mut self, call: &ToolCall, result: CallResult) -> Message {
        let (output, is_error) = match result {
            Ok(output) => (output, false),
            Err(error) => {
                (ToolOutput { content: vec![UserBlock::text(error.message)], details: error.details }, true)
            }
        };
        self.emit(AgentEvent::ToolExecutionEnd {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            result: output.clone(),
            is_error,
        });
        self.result_message(call, output, is_error)
    }

    pub(crate) fn result_message(&self, call: &ToolCall, output: ToolOutput, is_error: bool) -> Message {
        Message::ToolResult(ToolResultMessage {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            content: output.content,
            details: output.details,
            is_error,
            timestamp: self.fixed.clock.now_ms(),
        })
    }
}

fn release_waiters(slots: &[Slot]) {
    for slot in slots.iter().filter(|slot| slot.only_waits()) {
        slot.cancel.cancel();
    }
}

/// Waits for a slow listener; meanwhile progress is replaced instead of piling up.
async fn caught_up(backlog: &mut Option<BoxFuture<'static, ()>>) {
    if let Some(backlog) = backlog {
        backlog.await;
    }
}

/// One call from beginning to end, as a future that cannot fail or panic.
fn run_call<'a>(fixed: &'a Fixed, batch: &Batch, index: usize) -> BoxFuture<'a, (usize, Option<CallResult>)> {
    let slot = &batch.slots[index];
    let (call, tool, cancel) = (slot.call.clone(), slot.tool.clone(), slot.cancel.clone());
    let (halt, progress) = (batch.halt.clone(), Arc::clone(&batch.progress));
    let updates = Updates::new(move |output| progress.put(index, output));
    Box::pin(async move {
        if halt.is_cancelled() {
            return (index, None);
        }
        let work = async {
            match tool {
                Some(tool) => call_tool(&*fixed.gate, &fixed.validators, &tool, &call, cancel, updates).await,
                None => Err(ToolError::new(format!("Tool {} not found", call.name))),
            }
        };
        (index, Some(work.await))
    })
}

/// Runs one call as a run does: validate, hooks, approval, placeholders, run, hooks. A tool that crashes fails its call,
/// not the session.
pub async fn call_tool(
    gate: &dyn Gate,
    validators: &Validators,
    tool: &Arc<dyn Tool>,
    call: &ToolCall,
    cancel: CancellationToken,
    updates: Updates,
) -> Result<ToolOutput, ToolError> {
    let before = prepare(gate, validators, tool, call);
    let work = async {
        // Hooks and people may take any time before the tool begins, so an abort does not wait for them.
        let arguments = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ToolError::new(ABORTED)),
            arguments = before => arguments?,
        };
        let result =
            tool.run(Invocation { id: call.id.clone(), arguments, cancel: cancel.clone(), updates }).await;
        gate.after(call, result).await
    };
    let result = AssertUnwindSafe(work).catch_unwind().await;
    result.unwrap_or_else(|panic| Err(crashed(&*panic)))
}

/// What happens to a call before its tool begins; gives the arguments that the tool gets.
async fn prepare(
    gate: &dyn Gate,
    validators: &Validators,
    tool: &Arc<dyn Tool>,
    call: &ToolCall,
) -> Result<Map<String, Value>, ToolError> {
    if let Some(raw) = &call.invalid_arguments {
        return Err(ToolError::new(not_json(&call.name, raw)));
    }
    let checked = validators.check(tool.as_ref(), call.arguments.clone());
    let arguments = checked.map_err(|error| ToolError::new(error.0))?;
    let said = arguments.clone();
    let mut arguments = gate.before(tool, call, arguments).await?;
    if arguments != said {
        let checked = validators.check(tool.as_ref(), arguments);
        arguments = checked.map_err(|error| ToolError::new(error.0))?;
    }
    match gate.approve(&PendingCall::new(tool, call, &arguments)).await {
        Decision::Allow => Ok(gate.restore(arguments)),
        Decision::Deny(reason) => Err(ToolError::new(reason)),
    }
}

fn not_json(tool: &str, raw: &str) -> String {
    let cause = match serde_json::from_str::<Value>(raw) {
        Ok(_) => "they are not a JSON object".to_owned(),
        Err(error) => error.to_string(),
    };
    format!(
        "Invalid arguments for {tool}: {cause}. Call the tool again with one JSON object that matches its schema."
    )
}

fn crashed(panic: &(dyn std::any::Any + Send)) -> ToolError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    ToolError::new(format!("The tool crashed: {}", text.unwrap_or("no reason given")))
}
