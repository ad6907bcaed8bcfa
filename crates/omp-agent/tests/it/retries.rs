//! Automatic retry: when, how long, how often, and who can stop it.

use omp_agent::{AccountAnswer, AgentError};
use omp_types::{AgentEvent, FailureKind, StopReason};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::common::{Answer, FakeTool, World, kind, short, world};

fn busy() -> Answer {
    Answer::failed(FailureKind::Transient, "overloaded")
}

/// Announced retries: attempt and delay.
fn starts(world: &World) -> Vec<(u32, u64)> {
    let start = |event| match event {
        AgentEvent::AutoRetryStart { attempt, delay_ms, max_attempts, .. } => {
            assert_eq!(max_attempts, 10);
            Some((attempt, delay_ms))
        }
        _ => None,
    };
    world.events().into_iter().filter_map(start).collect()
}

/// How retries ended: success, attempts, error.
fn ends(world: &World) -> Vec<(bool, u32, Option<String>)> {
    let end = |event| match event {
        AgentEvent::AutoRetryEnd { success, attempt, final_error } => Some((success, attempt, final_error)),
        _ => None,
    };
    world.events().into_iter().filter_map(end).collect()
}

/// Attempts are announced with their delay and waited for, and the end says that it worked.
#[tokio::test(start_paused = true)]
async fn a_transient_failure_is_tried_again() {
    let hint = Answer::failed(FailureKind::RateLimit, "slow down").retry_after(2500);
    let world = world([busy(), hint, Answer::text("done")]).build();
    world.prompt("go").await;
    assert_eq!((starts(&world), ends(&world)), (vec![(1, 500), (2, 2500)], vec![(true, 2, None)]));
    assert_eq!(world.clock.sleeps()[1..], [500, 2500], "the first wait is for the agent itself");
    assert_eq!(world.clock.elapsed_ms(), 3000);
    let first = world.events().into_iter().find_map(|event| match event {
        AgentEvent::AutoRetryStart { error_message, .. } => Some(error_message),
        _ => None,
    });
    assert_eq!(first.as_deref(), Some("overloaded"));
}

/// The random part of the delay comes from the clock handed in.
#[tokio::test(start_paused = true)]
async fn delays_are_jittered() {
    let world = world([busy(), busy(), Answer::text("done")]).random(0.0).build();
    world.prompt("go").await;
    assert_eq!(starts(&world), [(1, 375), (2, 750)]);
}

/// Ten retries, then the last error; a success in between starts the count anew.
// proves: LOP-036
#[tokio::test(start_paused = true)]
async fn retries_end_after_the_tenth() {
    let failing =
        world((0..20).map(|at| Answer::failed(FailureKind::Transient, &format!("error {at}")))).build();
    let outcome = failing.prompt("go").await;
    assert_eq!(failing.script.requests().len(), 11);
    assert_eq!(outcome.last_answer().unwrap().error_message.as_deref(), Some("error 10"));
    assert_eq!(ends(&failing), [(false, 10, Some("error 10".to_owned()))]);

    let mut answers: Vec<Answer> = (0..10).map(|_| busy()).collect();
    answers.push(Answer::call("a", "read", json!({})));
    answers.extend((0..10).map(|_| busy()));
    answers.push(Answer::text("done"));
    let recovering = world(answers).tool(FakeTool::quick("read")).build();
    let outcome = recovering.prompt("go").await;
    assert_eq!(outcome.last_answer().unwrap().stop_reason, StopReason::Stop);
    assert_eq!(ends(&recovering), [(true, 10, None), (true, 10, None)]);
}

/// Overflow, bad requests and a refusal in the middle of an answer are final.
// proves: LOP-031
#[tokio::test(start_paused = true)]
async fn what_cannot_be_repeated_is_not() {
    let finals = [
        Answer::failed(FailureKind::ContextOverflow, "too long"),
        Answer::failed(FailureKind::Auth, "no key"),
        Answer::failed(FailureKind::Fatal, "bad request"),
        Answer::text("half a sen").fail(FailureKind::Refusal, "no"),
    ];
    for answer in finals {
        let world = world([answer, Answer::text("never")]).build();
        let outcome = world.prompt("go").await;
        assert_eq!(outcome.last_answer().unwrap().stop_reason, StopReason::Error);
        assert_eq!(world.script.requests().len(), 1);
        assert_eq!((starts(&world), ends(&world)), (vec![], vec![]));
    }
}

/// An answer that broke off is asked for again, whatever was shown of it: none of its calls has run, and nothing of it
/// is in the conversation.
// proves: IOP-007
#[tokio::test(start_paused = true)]
async fn an_answer_that_broke_off_is_asked_for_again() {
    let cut = |answer: Answer| answer.fail(FailureKind::Transient, "cut");
    let halves = [
        cut(Answer::text("")),
        cut(Answer::text("half a sen")),
        cut(Answer::new().and_thinking("hm")),
        cut(Answer::call("a", "read", json!({}))),
    ];
    for half in halves {
        let world = world([half, Answer::text("done")]).tool(FakeTool::quick("read")).build();
        let outcome = world.prompt("go").await;
        assert_eq!(outcome.last_answer().unwrap().stop_reason, StopReason::Stop);
        assert_eq!(world.context().await, ["user: go", "text: done"]);
        assert_eq!(ends(&world), [(true, 1, None)]);
        let ran = |event: &AgentEvent| matches!(event, AgentEvent::ToolExecutionStart { .. });
        assert!(!world.events().iter().any(ran));
    }
}

/// A wait that is too long ends the turn at once and says which setting decided.
// proves: LOP-037
#[tokio::test(start_paused = true)]
async fn a_wait_that_is_too_long_is_not_begun() {
    let world = world([Answer::failed(FailureKind::RateLimit, "later").retry_after(3_600_000)]).build();
    let outcome = world.prompt("go").await;
    let error =
        "Provider requested 3600000ms wait, exceeds retry.maxDelayMs (300000ms). Original error: later";
    assert_eq!(outcome.last_answer().unwrap().error_message.as_deref(), Some(error));
    assert_eq!(world.clock.elapsed_ms(), 0);
}

/// State that the provider lost is forgotten on our side and the turn repeated at once. Once: if that does not
/// help, something else is wrong.
// proves: LOP-033
#[tokio::test(start_paused = true)]
async fn stale_state_is_reset_and_the_turn_repeated() {
    let stale = || Answer::failed(FailureKind::StaleState, "Item with id rs_1 not found");
    let answers =
        [Answer::text("one"), stale(), Answer::text("two"), Answer::text("three"), stale(), stale()];
    let world = world(answers).build();
    world.prompt("a").await;
    world.prompt("b").await;
    world.prompt("c").await;
    let identity_from = |index: usize| world.script.requests()[index].options.identity_from;
    assert_eq!(
        [0, 1, 2, 3].map(identity_from),
        [0, 0, 3, 3],
        "what came after the reset keeps its identities"
    );
    assert_eq!(world.clock.elapsed_ms(), 0);
    let outcome = world.prompt("d").await;
    assert_eq!(outcome.last_answer().unwrap().stop_reason, StopReason::Error);
    assert_eq!(world.script.requests().len(), 6);
}

/// A used-up account is marked; another one takes over at once, else the first to be free again is waited for.
// proves: LOP-038
#[tokio::test(start_paused = true)]
async fn usage_limits_try_other_accounts_first() {
    let limit = || Answer::failed(FailureKind::UsageLimit, "quota");
    let switched = world([limit().retry_after(60_000), Answer::text("done")])
        .accounts([AccountAnswer::Switched])
        .build();
    switched.prompt("go").await;
    assert_eq!((starts(&switched), ends(&switched)), (vec![(1, 0)], vec![(true, 1, None)]));
    assert_eq!(*switched.models.limited.lock().unwrap(), [("test/primary".to_owned(), Some(60_000))]);

    let waits = [
        (limit().retry_after(90_000), AccountAnswer::FreeAfterMs(20_000), 21_000), // the sibling is free sooner
        (limit().retry_after(10_000), AccountAnswer::FreeAfterMs(20_000), 10_000), // this account is
        (limit(), AccountAnswer::FreeAfterMs(20_000), 21_000),
        (limit().retry_after(10_000), AccountAnswer::NoSibling, 10_000),
    ];
    for (answer, accounts, expected) in waits {
        let world = world([answer, Answer::text("done")]).accounts([accounts]).build();
        world.prompt("go").await;
        assert_eq!(starts(&world), [(1, expected)], "{accounts:?}");
    }
}

/// Too many requests for the moment: a free account goes on at once, a resting one does not prolong the wait.
#[tokio::test(start_paused = true)]
async fn rate_limits_take_a_free_account_and_wait_for_none() {
    let limit = || Answer::failed(FailureKind::RateLimit, "slow down").retry_after(10_000);
    for (accounts, expected) in [
        (AccountAnswer::Switched, 0),
        (AccountAnswer::FreeAfterMs(90_000), 10_000),
        (AccountAnswer::NoSibling, 10_000),
    ] {
        let world = world([limit(), Answer::text("done")]).accounts([accounts]).build();
        world.prompt("go").await;
        assert_eq!(starts(&world), [(1, expected)], "{accounts:?}");
        assert_eq!(*world.models.limited.lock().unwrap(), [("test/primary".to_owned(), Some(10_000))]);
    }
}

/// The failed attempt was announced, so the record has it, but the model never sees it again.
#[tokio::test(start_paused = true)]
async fn a_failed_attempt_leaves_the_context_and_stays_in_the_record() {
    let world = world([busy(), Answer::text("done"), Answer::text("more")]).build();
    world.prompt("go").await;
    assert_eq!(world.request(1), world.request(0));
    assert_eq!(world.context().await, ["user: go", "text: done"]);
    let announced = world.events().into_iter().find_map(|event| match event {
        AgentEvent::MessageEnd { message } => message.as_assistant().cloned(),
        _ => None,
    });
    assert_eq!(announced.unwrap().error_message.as_deref(), Some("overloaded"));
}

/// Each way to cancel a waiting retry ends the turn with the error that was there, and at once.
// proves: LOP-041
#[tokio::test(start_paused = true)]
async fn a_waiting_retry_can_be_cancelled() {
    let ways: [fn(&World, &CancellationToken); 3] = [
        |world, _| world.control.abort_retry(),
        |world, _| world.control.abort(),
        |_, cancel| cancel.cancel(),
    ];
    for cancel_by in ways {
        let world = world([busy(), Answer::text("never")]).build();
        let cancel = CancellationToken::new();
        let escape = async {
            world.recorder.seen("auto_retry_start", 1).await;
            cancel_by(&world, &cancel);
        };
        let run = world.agent.prompt(omp_agent::Prompt::text("go"), cancel.clone());
        let outcome = tokio::join!(run, escape).0.unwrap();
        assert_eq!(outcome.last_answer().unwrap().error_message.as_deref(), Some("overloaded"));
        assert_eq!(ends(&world), [(false, 1, Some("Retry cancelled".to_owned()))]);
        assert_eq!(world.script.requests().len(), 1);
        assert_eq!(world.clock.elapsed_ms(), 0);
        assert_eq!(world.kinds().last().unwrap(), "agent_end");
    }
}

/// A listener that cancels in the moment it hears of the wait is not too early.
#[tokio::test(start_paused = true)]
async fn a_retry_can_be_cancelled_from_its_own_event() {
    let world = world([busy(), Answer::text("never")]).build();
    let control = world.control.clone();
    world.recorder.react(move |event| {
        if kind(event) == "auto_retry_start" {
            control.abort_retry();
        }
    });
    world.prompt("go").await;
    assert_eq!(world.script.requests().len(), 1);
    assert_eq!(ends(&world).len(), 1);
}

/// `abort_retry` is about waiting only: a run that is at work goes on, and so does the next wait.
#[tokio::test(start_paused = true)]
async fn abort_retry_does_not_touch_a_working_run() {
    let world = world([Answer::text("x").delay(10), busy(), Answer::text("done")]).build();
    let early = async {
        world.recorder.seen("message_update", 1).await;
        world.control.abort_retry();
    };
    world.prompt_while("go", early).await;
    world.control.abort_retry();
    let outcome = world.prompt("again").await;
    assert_eq!(short(&outcome.messages).last().unwrap(), "text: done");
}

/// An abort in the middle of a repeated attempt closes the retry as well.
#[tokio::test(start_paused = true)]
async fn an_abort_during_the_second_attempt_ends_the_retry() {
    let world = world([busy(), Answer::text("half").delay(60_000)]).build();
    let abort = async {
        world.recorder.seen("auto_retry_start", 1).await;
        world.recorder.seen("message_update", 5).await;
        world.control.abort();
    };
    world.prompt_while("go", abort).await;
    assert_eq!(ends(&world), [(false, 1, Some("Retry cancelled".to_owned()))]);
}

/// A prompt is over when everything it set off is over: retries, tools, nudges, follow-ups.
// proves: LOP-042
#[tokio::test(start_paused = true)]
async fn a_prompt_returns_when_everything_has_settled() {
    let answers = [
        busy(),
        Answer::call("a", "read", json!({})),
        busy(),
        Answer::new().and_thinking("hm"),
        Answer::text("one"),
        busy(),
        Answer::text("two"),
    ];
    let world = world(answers).tool(FakeTool::quick("read")).build();
    world.follow_up("and then");
    let outcome = world.prompt("go").await;
    assert_eq!(short(&outcome.messages).last().unwrap(), "text: two");
    assert_eq!(world.script.requests().len(), 7);
    assert_eq!((world.recorder.count("agent_start"), world.recorder.count("agent_end")), (1, 1));
    assert!(!world.control.is_running());
}

/// Switched off, the first error is shown at once, whatever could be tried.
// proves: LOP-043
#[tokio::test(start_paused = true)]
async fn without_retry_the_error_is_shown_at_once() {
    for kind in
        [FailureKind::Transient, FailureKind::UsageLimit, FailureKind::StaleState, FailureKind::Refusal]
    {
        let world = world([Answer::failed(kind, "no"), Answer::text("never")])
            .config(|config| config.retry.enabled = false)
            .accounts([AccountAnswer::Switched])
            .build();
        let outcome = world.prompt("go").await;
        assert_eq!(outcome.last_answer().unwrap().error_message.as_deref(), Some("no"));
        assert_eq!((world.script.requests().len(), (starts(&world), ends(&world))), (1, (vec![], vec![])));
    }
}

/// The failed turn is repeated as it was, and may fail ten times again before it gives up.
// proves: LOP-044
#[tokio::test(start_paused = true)]
async fn a_failed_turn_can_be_repeated_with_a_fresh_budget() {
    let mut answers = vec![Answer::call("a", "read", json!({}))];
    answers.extend((0..11).map(|_| busy())); // the budget of the prompt
    answers.extend((0..10).map(|_| busy())); // the budget of the repeat
    answers.push(Answer::text("done"));
    let world = world(answers).tool(FakeTool::quick("read")).build();
    assert_eq!(world.prompt("go").await.last_answer().unwrap().stop_reason, StopReason::Error);
    assert_eq!(world.script.requests().len(), 12);
    let outcome = world.retry().await;
    assert_eq!(short(&outcome.messages).last().unwrap(), "text: done");
    assert_eq!(world.script.requests().len(), 12 + 11);
    assert_eq!(world.request(12), world.request(11), "the same question, without the failed answer");
    assert_eq!(world.context().await.len(), 4);

    let nothing = world.agent.retry(CancellationToken::new()).await;
    assert_eq!(nothing.unwrap_err(), AgentError::NothingToRetry);
}

/// An aborted turn is repeated too: a half answer is taken back, results of aborted tools are not.
#[tokio::test(start_paused = true)]
async fn an_aborted_turn_can_be_repeated() {
    let answers = [
        Answer::text("half").and_open_call("x", "read", json!({})).delay(60_000),
        Answer::call("a", "deaf", json!({})),
        Answer::text("done"),
    ];
    let world = world(answers).tool(FakeTool::deaf("deaf")).build();
    assert_eq!(world.agent.retry(CancellationToken::new()).await.unwrap_err(), AgentError::NothingToRetry);
    let abort = |kind: &'static str, count| {
        let world = &world;
        async move {
            world.recorder.seen(kind, count).await;
            world.control.abort();
        }
    };
    world.prompt_while("go", abort("message_update", 6)).await;
    assert_eq!(world.context().await.len(), 4, "prompt, text, call, placeholder");
    tokio::join!(world.retry(), abort("tool_execution_start", 2));
    assert_eq!(world.request(1), ["user: go"]);
    world.retry().await;
    assert_eq!(world.request(2), ["user: go", "call a deaf", "error a: Tool execution was aborted."]);
}
