//! Runs the calls of one answer: side by side where allowed, interruptible, results in call order.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use omp_types::{AgentEvent, Message, ToolCall, ToolOutput, ToolResultMessage, UserBlock};
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::agent::Fixed;
use crate::config::InterruptMode;
use crate::correct::{ABORTED, SKIPPED};
use crate::parts::Decision;
use crate::run::Run;
use crate::tool::{Invocation, Patience, Scheduling, Tool, ToolError, Updates};

/// How long a cancelled tool may take to end what it started before it is dropped.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

type CallResult = Result<ToolOutput, ToolError>;
type Running<'a> = FuturesUnordered<BoxFuture<'a, (usize, CallResult)>>;

/// One call on its way.
struct Slot {
    call: ToolCall,
    tool: Option<Arc<dyn Tool>>,
    cancel: CancellationToken,
    outcome: Option<Message>,
}

impl Slot {
    fn scheduling(&self) -> Scheduling {
        self.tool.as_ref().map_or(Scheduling::Shared, |tool| tool.scheduling(&self.call.arguments))
    }
}

/// The newest progress of each running call; older values are replaced, so a chatty tool cannot fill memory.
#[derive(Default)]
struct Progress {
    latest: Mutex<HashMap<usize, ToolOutput>>,
    bell: Notify,
}

impl Progress {
    fn put(&self, index: usize, output: ToolOutput) {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).insert(index, output);
        self.bell.notify_one();
    }

    fn take(&self) -> HashMap<usize, ToolOutput> {
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
    fn text(self) -> &'static str {
        match self {
            Self::Steering => SKIPPED,
            Self::Abort => ABORTED,
        }
    }
}

impl Run<'_> {
    /// Runs the calls and returns their results in call order.
    pub(crate) async fn run_batch(&mut self, calls: Vec<ToolCall>) -> Vec<Message> {
        let tools = self.offered_tools();
        let slot = |call: ToolCall| {
            let tool = tools.iter().find(|tool| tool.definition().name == call.name).cloned();
            Slot { call, tool, cancel: self.cancel.child_token(), outcome: None }
        };
        let mut slots: Vec<Slot> = calls.into_iter().map(slot).collect();
        let interrupted = self.drive(&mut slots).await;
        if let Some(why) = interrupted {
            for index in 0..slots.len() {
                if slots[index].outcome.is_none() {
                    self.record(&mut slots, index, Err(ToolError::new(why.text())));
                }
            }
        }
        slots.into_iter().filter_map(|slot| slot.outcome).collect()
    }

    /// Starts calls as their turn comes and waits for them; `Some` when the batch was cut short.
    async fn drive(&mut self, slots: &mut [Slot]) -> Option<Interruption> {
        let fixed = self.fixed;
        let progress = Arc::new(Progress::default());
        let mut running: Running<'_> = FuturesUnordered::new();
        let mut waiting: VecDeque<usize> = (0..slots.len()).collect();
        let mut exclusive = false;
        loop {
            while let Some(&next) = waiting.front() {
                let alone = slots[next].scheduling() == Scheduling::Exclusive;
                if exclusive || (alone && !running.is_empty()) {
                    break;
                }
                exclusive = alone;
                waiting.pop_front();
                self.announce(&slots[next].call);
                running.push(run_call(fixed, &slots[next], next, Arc::clone(&progress)));
            }
            if running.is_empty() {
                return None;
            }
            let steering = self.steering_interrupts(slots);
            tokio::select! {
                biased;
                Some((index, result)) = running.next() => {
                    self.report_progress(&progress, slots);
                    self.record(slots, index, result);
                    exclusive = false;
                }
                () = self.cancel.cancelled() => {
                    return Some(self.wind_down(running, slots, Interruption::Abort).await);
                }
                () = self.shared.queues.steering_arrived(), if steering != OnSteering::Ignore => {
                    if steering == OnSteering::CutShort {
                        return Some(self.wind_down(running, slots, Interruption::Steering).await);
                    }
                    release_waiters(slots);
                }
                () = progress.bell.notified() => self.report_progress(&progress, slots),
            }
        }
    }

    /// Steering cuts a batch short in immediate mode. In wait mode it only wakes tools that merely wait.
    fn steering_interrupts(&self, slots: &[Slot]) -> OnSteering {
        if self.shared.lock().interrupt_mode == InterruptMode::Immediate {
            return OnSteering::CutShort;
        }
        let idle = |slot: &Slot| {
            slot.outcome.is_none()
                && !slot.cancel.is_cancelled()
                && slot.tool.as_ref().is_some_and(|tool| tool.patience() == Patience::OnlyWaits)
        };
        if slots.iter().any(idle) { OnSteering::WakeWaiters } else { OnSteering::Ignore }
    }

    /// Tells running tools to end and gives them a moment for it. What they return now is not shown.
    async fn wind_down(&self, mut running: Running<'_>, slots: &[Slot], why: Interruption) -> Interruption {
        for slot in slots {
            slot.cancel.cancel();
        }
        let all_ended = async { while running.next().await.is_some() {} };
        tokio::select! {
            () = all_ended => {}
            () = self.fixed.clock.sleep(CANCEL_GRACE) => {}
        }
        why
    }

    fn announce(&mut self, call: &ToolCall) {
        self.emit(AgentEvent::ToolExecutionStart {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: Value::Object(call.arguments.clone()),
            intent: call.intent.clone(),
        });
    }

    fn report_progress(&mut self, progress: &Progress, slots: &[Slot]) {
        for (index, partial_result) in progress.take() {
            let call = &slots[index].call;
            self.emit(AgentEvent::ToolExecutionUpdate {
                tool_call_id: call.id.clone(),
                tool_name: call.name.clone(),
                partial_result,
            });
        }
    }

    fn record(&mut self, slots: &mut [Slot], index: usize, result: CallResult) {
        let call = slots[index].call.clone();
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
        slots[index].outcome = Some(self.result_message(&call, output, is_error));
    }

    /// A result for a call that is not run at all.
    pub(crate) fn refuse(&mut self, call: &ToolCall, reason: &str) -> Message {
        self.announce(call);
        let output = ToolOutput::text(reason);
        self.emit(AgentEvent::ToolExecutionEnd {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            result: output.clone(),
            is_error: true,
        });
        self.result_message(call, output, true)
    }

    fn result_message(&self, call: &ToolCall, output: ToolOutput, is_error: bool) -> Message {
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum OnSteering {
    Ignore,
    WakeWaiters,
    CutShort,
}

fn release_waiters(slots: &[Slot]) {
    for slot in slots {
        if slot.tool.as_ref().is_some_and(|tool| tool.patience() == Patience::OnlyWaits) {
            slot.cancel.cancel();
        }
    }
}

/// The way of one call: validate, hooks, approval, placeholders, run, hooks.
fn run_call<'a>(fixed: &'a Fixed, slot: &Slot, index: usize, progress: Arc<Progress>) -> BoxFuture<'a, (usize, CallResult)> {
    let (call, tool, cancel) = (slot.call.clone(), slot.tool.clone(), slot.cancel.clone());
    let work = async move {
        let Some(tool) = tool else { return Err(ToolError::new(format!("Tool {} not found", call.name))) };
        if let Some(raw) = &call.invalid_arguments {
            return Err(ToolError::new(not_json(&call.name, raw)));
        }
        let checked = fixed.validators.check(tool.as_ref(), call.arguments.clone());
        let arguments = checked.map_err(|error| ToolError::new(error.0))?;
        let arguments = fixed.gate.before(&call, arguments).await?;
        if let Decision::Deny(reason) = fixed.gate.approve(&call, &arguments).await {
            return Err(ToolError::new(reason));
        }
        let arguments = fixed.gate.restore(arguments);
        let updates = Updates::new(move |output| progress.put(index, output));
        let result = tool.run(Invocation { id: call.id.clone(), arguments, cancel, updates }).await;
        fixed.gate.after(&call, result).await
    };
    Box::pin(async move {
        // A tool that crashes fails its call, not the session.
        let result = AssertUnwindSafe(work).catch_unwind().await;
        (index, result.unwrap_or_else(|panic| Err(ToolError::new(format!("The tool crashed: {}", panic_text(&*panic))))))
    })
}

fn not_json(tool: &str, raw: &str) -> String {
    let cause = match serde_json::from_str::<Value>(raw) {
        Ok(_) => "they are not a JSON object".to_owned(),
        Err(error) => error.to_string(),
    };
    format!("Invalid arguments for {tool}: {cause}. Call the tool again with one JSON object that matches its schema.")
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given")
}
