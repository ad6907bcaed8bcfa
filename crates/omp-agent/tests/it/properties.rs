//! What holds for every run, whatever the model, the tools and the user do.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use omp_agent::{AgentError, Chain, Control, InterruptMode, Outcome, Prompt, QueueMode, ToolError};
use omp_types::{AgentEvent, FailureKind, Message, ModelRequest, StopReason, ToolOutput};
use proptest::prelude::*;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::common::{Answer, FakeTool, Script, World, words, world};

/// Events are well nested: one run, turns in it, messages and calls in the turns, every pair closed.
pub(crate) fn check_events(events: &[AgentEvent]) {
    assert!(matches!(events.first(), Some(AgentEvent::AgentStart)), "agent_start comes first");
    assert!(matches!(events.last(), Some(AgentEvent::AgentEnd { .. })), "agent_end comes last");
    let (mut turn, mut message, mut retrying, mut announced) = (false, false, false, 0);
    let mut calls: BTreeSet<&str> = BTreeSet::new();
    for (at, event) in events.iter().enumerate() {
        let in_run = at > 0 && at + 1 < events.len();
        match event {
            AgentEvent::AgentStart => assert_eq!(at, 0),
            AgentEvent::AgentEnd { messages } => {
                assert!(
                    !in_run && !turn && !message && !retrying && calls.is_empty(),
                    "the run ends with something open"
                );
                assert_eq!(messages.len(), announced, "agent_end has every message");
            }
            AgentEvent::TurnStart => {
                assert!(in_run && !std::mem::replace(&mut turn, true), "turns do not nest");
            }
            AgentEvent::TurnEnd { .. } => {
                assert!(
                    std::mem::replace(&mut turn, false) && !message && calls.is_empty(),
                    "a turn ends too early"
                );
            }
            AgentEvent::MessageStart { .. } => assert!(turn && !std::mem::replace(&mut message, true)),
            AgentEvent::MessageUpdate(_) => assert!(message),
            AgentEvent::MessageEnd { .. } => {
                assert!(turn && std::mem::replace(&mut message, false));
                announced += 1;
            }
            AgentEvent::ToolExecutionStart { tool_call_id, .. } => {
                assert!(turn && !message && calls.insert(tool_call_id), "{tool_call_id} begins twice");
            }
            AgentEvent::ToolExecutionUpdate { tool_call_id, .. } => {
                assert!(calls.contains(tool_call_id.as_str()));
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, .. } => {
                assert!(
                    turn && calls.remove(tool_call_id.as_str()),
                    "{tool_call_id} ends without a beginning"
                );
            }
            AgentEvent::AutoRetryStart { attempt, .. } => {
                assert_eq!(std::mem::replace(&mut retrying, true), *attempt > 1, "attempt {attempt}");
            }
            AgentEvent::AutoRetryEnd { .. } => assert!(std::mem::replace(&mut retrying, false)),
            _ => assert!(in_run),
        }
    }
}

/// Any wire accepts the conversation: every call has exactly one result, directly after its answer and in call
/// order, and no result stands alone.
pub(crate) fn check_context(messages: &[Arc<Message>]) {
    let mut expected: Vec<String> = Vec::new();
    for message in messages {
        match &**message {
            Message::ToolResult(result) => {
                assert!(!expected.is_empty(), "the result of {} stands alone", result.tool_call_id);
                assert_eq!(expected.remove(0), result.tool_call_id);
            }
            other => {
                assert!(expected.is_empty(), "{expected:?} have no results");
                if let Some(answer) = other.as_assistant() {
                    expected = answer.tool_calls().map(|call| call.id.clone()).collect();
                }
            }
        }
    }
    assert!(expected.is_empty(), "{expected:?} have no results");
}

/// History only grows: each request continues the one before. Failed and empty answers were never part of it.
fn check_requests(requests: &[ModelRequest]) {
    for pair in requests.windows(2) {
        let (earlier, later) = (&pair[0].messages, &pair[1].messages);
        let shared = earlier.iter().zip(later).take_while(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, earlier.len(), "a request does not begin with the one before it");
    }
    for request in requests {
        check_context(&request.messages);
    }
}

const TOOLS: [&str; 7] = ["quick", "slow", "exclusive", "job", "failing", "panicking", "deaf"];

fn behaving_tools(builder: crate::common::Builder) -> crate::common::Builder {
    let sleep = |ms| tokio::time::sleep(Duration::from_millis(ms));
    let waits = move |call: omp_agent::Invocation| async move {
        call.updates.send(ToolOutput::text("…"));
        tokio::select! {
            () = call.cancel.cancelled() => Err(ToolError::new("cancelled")),
            () = sleep(40) => Ok(ToolOutput::text("slept")),
        }
    };
    builder
        .tool(FakeTool::quick("quick"))
        .tool(FakeTool::new("slow", waits))
        .tool(FakeTool::new("exclusive", waits).exclusive())
        .tool(FakeTool::new("job", waits).only_waits())
        .tool(FakeTool::new("failing", |_| std::future::ready(Err(ToolError::new("no")))))
        .tool(FakeTool::new("panicking", |_| async { std::panic::resume_unwind(Box::new("oops")) }))
        .tool(FakeTool::new("deaf", move |_| async move {
            sleep(10_000).await;
            Ok(ToolOutput::text("at last"))
        }))
}

/// One scripted answer, still without the ids of its calls.
#[derive(Clone, Debug)]
struct Plan {
    text: bool,
    thinking: bool,
    /// Indices of tools; one past the end is an unknown tool.
    calls: Vec<usize>,
    /// The last call stays unfinished.
    open: bool,
    delay_ms: u64,
    end: PlannedEnd,
}

#[derive(Clone, Copy, Debug)]
enum PlannedEnd {
    Complete,
    Length,
    Pause,
    Failed(FailureKind),
    Silence,
    Deaf,
}

fn plan() -> impl Strategy<Value = Plan> {
    let kinds = prop::sample::select(vec![
        FailureKind::Transient,
        FailureKind::RateLimit,
        FailureKind::UsageLimit,
        FailureKind::StaleState,
        FailureKind::Refusal,
        FailureKind::ContextOverflow,
        FailureKind::Fatal,
    ]);
    let end = prop_oneof![
        8 => Just(PlannedEnd::Complete),
        1 => Just(PlannedEnd::Length),
        1 => Just(PlannedEnd::Pause),
        3 => kinds.prop_map(PlannedEnd::Failed),
        1 => Just(PlannedEnd::Silence),
        1 => Just(PlannedEnd::Deaf),
    ];
    let calls = prop::collection::vec(0..=TOOLS.len(), 0..4);
    (any::<bool>(), any::<bool>(), calls, prop::bool::weighted(0.1), 0..30_u64, end).prop_map(
        |(text, thinking, calls, open, delay_ms, end)| Plan { text, thinking, calls, open, delay_ms, end },
    )
}

fn answer(at: usize, plan: &Plan) -> Answer {
    let mut answer = Answer::new();
    if plan.thinking {
        answer = answer.and_thinking("hm");
    }
    if plan.text {
        answer = answer.and_text("words");
    }
    answer = answer.delay(plan.delay_ms);
    for (nth, tool) in plan.calls.iter().enumerate() {
        answer = answer.and_call(&format!("{at}.{nth}"), TOOLS.get(*tool).unwrap_or(&"unknown"), json!({}));
    }
    if plan.open {
        answer = answer.and_open_call(&format!("{at}.open"), "quick", json!({})).end(StopReason::ToolUse);
    }
    match plan.end {
        PlannedEnd::Complete => answer,
        PlannedEnd::Length => answer.end(StopReason::Length),
        PlannedEnd::Pause => answer.end(StopReason::Pause),
        PlannedEnd::Failed(kind) => answer.fail(kind, "failed"),
        PlannedEnd::Silence => answer.silence(),
        PlannedEnd::Deaf => answer.deaf(),
    }
}

/// What a user does in the moment of a certain event, or at a certain time.
#[derive(Clone, Copy, Debug)]
enum Act {
    Steer,
    FollowUp,
    Aside,
    Abort,
    AbortRetry,
    SetWait,
    TakeBack,
}

#[derive(Clone, Copy, Debug)]
enum When {
    AtEvent(usize),
    AfterMs(u64),
}

fn deed() -> impl Strategy<Value = (When, Act)> {
    let when = prop_oneof![(0..120_usize).prop_map(When::AtEvent), (0..400_u64).prop_map(When::AfterMs)];
    let act = prop_oneof![
        4 => Just(Act::Steer),
        2 => Just(Act::FollowUp),
        2 => Just(Act::Aside),
        1 => Just(Act::Abort),
        1 => Just(Act::AbortRetry),
        1 => Just(Act::SetWait),
        1 => Just(Act::TakeBack),
    ];
    (when, act)
}

fn perform(control: &Control, act: Act) {
    match act {
        Act::Steer => drop(control.steer(words("steering"))),
        Act::FollowUp => drop(control.follow_up(words("follow-up"))),
        Act::Aside => control.aside(Box::new(|| None)),
        Act::Abort => control.abort(),
        Act::AbortRetry => control.abort_retry(),
        Act::SetWait => control.set_interrupt_mode(InterruptMode::Wait),
        Act::TakeBack => drop(control.take_queued()),
    }
}

fn build(plans: &[Plan], deeds: &[(When, Act)], (drain, todos, chain): (bool, bool, bool)) -> World {
    let answers = plans.iter().enumerate().map(|(at, plan)| answer(at, plan));
    let mut builder = behaving_tools(world(answers));
    if drain {
        builder = builder.config(|config| config.steering_mode = QueueMode::All);
    }
    if todos {
        builder = builder.todos(|| vec!["something".to_owned()]);
    }
    if chain {
        let stand_in = Script::new("b/two", [Answer::text("ok"), Answer::call("two", "slow", json!({}))]);
        builder = builder.other(&Arc::new(stand_in), None).config(|config| {
            let (role, primary) = ("default".to_owned(), "test/primary".to_owned());
            config.fallbacks.chains = vec![Chain { role, primary, candidates: vec!["b/two".to_owned()] }];
        });
    }
    let world = builder.build();
    let (control, count, deeds) = (world.control.clone(), AtomicUsize::new(0), deeds.to_vec());
    world.recorder.react(move |_| {
        let now = count.fetch_add(1, Ordering::Relaxed);
        for (when, act) in &deeds {
            if matches!(when, When::AtEvent(at) if *at == now) {
                perform(&control, *act);
            }
        }
    });
    world
}

async fn act_in_time(world: &World, deeds: &[(When, Act)]) {
    let mut timed: Vec<(u64, Act)> = Vec::new();
    for (when, act) in deeds {
        if let When::AfterMs(ms) = when {
            timed.push((*ms, *act));
        }
    }
    timed.sort_by_key(|(ms, _)| *ms);
    for (ms, act) in timed {
        let wait = ms.saturating_sub(world.clock.elapsed_ms());
        tokio::time::sleep(Duration::from_millis(wait)).await;
        perform(&world.control, act);
    }
}

/// A deaf model ends with an abort only, so there is one after a day of virtual time.
async fn abort_after_a_day(world: &World) {
    tokio::time::sleep(Duration::from_secs(86_400)).await;
    world.control.abort();
    tokio::time::sleep(Duration::from_secs(86_400)).await;
    panic!("the run does not end");
}

/// Runs once, with everything the user does meanwhile, and looks at the run and at what it leaves.
async fn check_run(
    world: &World,
    deeds: &[(When, Act)],
    run: impl Future<Output = Result<Outcome, AgentError>>,
) {
    let (already, asked) = (world.events().len(), world.script.requests().len());
    let outcome = tokio::select! {
        biased;
        (outcome, ()) = async { tokio::join!(run, act_in_time(world, deeds)) } => outcome,
        () = abort_after_a_day(world) => unreachable!(),
    };
    if outcome.is_ok() {
        check_events(&world.events().split_off(already));
    }
    check_context(&world.agent.messages().await);
    check_requests(&world.script.requests().split_off(asked));
    assert!(!world.control.is_running());
}

/// A prompt, one that its caller drops, one after that, and a repeat of whatever can be repeated.
async fn check_world(world: &World, deeds: &[(When, Act)], dropped_after_ms: u64) {
    let prompt = |text| world.agent.prompt(Prompt::text(text), CancellationToken::new());
    check_run(world, deeds, prompt("first")).await;
    let _ = tokio::time::timeout(Duration::from_millis(dropped_after_ms), prompt("dropped")).await;
    check_run(world, deeds, prompt("second")).await;
    check_run(world, &[], world.agent.retry(CancellationToken::new())).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_is_well_formed(
        plans in prop::collection::vec(plan(), 1..10),
        deeds in prop::collection::vec(deed(), 0..6),
        variant in (any::<bool>(), any::<bool>(), any::<bool>()),
        dropped_after_ms in 0..200_u64,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = build(&plans, &deeds, variant);
            check_world(&world, &deeds, dropped_after_ms).await;
        });
    }
}
