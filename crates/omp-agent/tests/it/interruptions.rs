//! Cutting short: steering and aborts while tools run, wherever they are.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Control, Decision, Gate, InterruptMode, PendingCall, ToolError};
use omp_types::{StopReason, ToolOutput};
use serde_json::json;
use tokio::sync::{Notify, Semaphore};

use crate::common::{Answer, FakeTool, Trace, World, short, words, world};

const SKIPPED: &str = "Skipped due to queued user message.";
const ABORTED: &str = "Tool execution was aborted.";

/// The first call had finished and keeps its result, the second is cut off, the third never begins.
// proves: LOP-014
#[tokio::test(start_paused = true)]
async fn steering_cuts_a_batch_short() {
    let (never, trace) = (Arc::new(Notify::new()), Trace::default());
    let calls = Answer::call("a", "read", json!({})).and_call("b", "job", json!({})).and_call(
        "c",
        "write",
        json!({}),
    );
    let world = world([calls, Answer::text("done")])
        .tool(FakeTool::quick("read"))
        .tool(FakeTool::slow("job", &never))
        .tool(FakeTool::traced("write", 0, &trace).exclusive())
        .build();
    let steer = async {
        world.recorder.seen("tool_execution_end", 1).await;
        world.steer("stop that");
    };
    world.prompt_while("go", steer).await;

    let second = world.request(1);
    assert_eq!(
        second[4..7],
        ["result a: read ran".to_owned(), format!("error b: {SKIPPED}"), format!("error c: {SKIPPED}"),]
    );
    assert!(second[7].contains("stop that"));
    assert!(trace.lines().is_empty(), "a skipped call must not have begun");
    assert_eq!(world.clock.elapsed_ms(), 0, "nobody waits for a tool that listens");
    assert_eq!(world.recorder.count("tool_execution_start"), 3);
    assert_eq!(world.recorder.count("tool_execution_end"), 3);
}

/// Steers when it runs, then ends as it is told.
fn steering_tool(control: &Arc<OnceLock<Control>>, until: &Arc<Semaphore>) -> FakeTool {
    let (control, until) = (Arc::clone(control), Arc::clone(until));
    FakeTool::new("steering", move |_| {
        let (control, until) = (Arc::clone(&control), Arc::clone(&until));
        async move {
            until.acquire().await.unwrap().forget();
            control.get().unwrap().steer(words("stop"));
            Ok(ToolOutput::text("steering ran"))
        }
    })
}

/// Steering that arrives in the very poll in which a tool ends keeps everything from beginning that has not
/// begun, whether it had to wait for its turn or not.
#[tokio::test(start_paused = true)]
async fn steering_in_the_same_moment_as_a_result() {
    for exclusive in [true, false] {
        let (trace, control) = (Trace::default(), Arc::default());
        let next = FakeTool::traced("next", 0, &trace);
        let next = if exclusive { next.exclusive() } else { next };
        let calls = Answer::call("a", "steering", json!({})).and_call("b", "next", json!({}));
        let steering = steering_tool(&control, &Arc::new(Semaphore::new(1)));
        let world = world([calls, Answer::text("done")]).tool(steering).tool(next).build();
        assert!(control.set(world.control.clone()).is_ok());
        world.prompt("go").await;
        assert_eq!(
            world.request(1)[3..5],
            ["result a: steering ran".to_owned(), format!("error b: {SKIPPED}")]
        );
        assert!(trace.lines().is_empty(), "exclusive: {exclusive}");
    }
}

/// A tool that ends in the same poll as the one before it has a result of its own, also when it is an error.
#[tokio::test(start_paused = true)]
async fn what_ended_in_the_same_moment_is_reported_as_it_ended() {
    let (control, until) = (Arc::default(), Arc::new(Semaphore::new(0)));
    let release = Arc::clone(&until);
    let failing = FakeTool::new("failing", move |_| {
        let until = Arc::clone(&release);
        async move {
            until.acquire().await.unwrap().forget();
            Err(ToolError::new("a real failure"))
        }
    });
    let calls = Answer::call("a", "steering", json!({})).and_call("b", "failing", json!({}));
    let steering = steering_tool(&control, &until);
    let world = world([calls, Answer::text("done")]).tool(steering).tool(failing).build();
    assert!(control.set(world.control.clone()).is_ok());
    let both = async {
        world.recorder.seen("tool_execution_start", 2).await;
        until.add_permits(2);
    };
    world.prompt_while("go", both).await;
    assert_eq!(world.request(1)[3..5], ["result a: steering ran", "error b: a real failure"]);
}

/// A user who interrupts while the answer is still being written does not want its calls any more.
#[tokio::test(start_paused = true)]
async fn steering_before_the_tools_skips_them_all() {
    let (go, trace) = (Arc::new(Notify::new()), Trace::default());
    let call = Answer::text("I will").until(&go).and_call("a", "write", json!({}));
    let world = world([call, Answer::text("done")]).tool(FakeTool::traced("write", 0, &trace)).build();
    let steer = async {
        world.recorder.seen("message_update", 4).await;
        world.steer("no");
        go.notify_one();
    };
    world.prompt_while("go", steer).await;
    assert!(trace.lines().is_empty());
    assert_eq!(world.request(1)[3], format!("error a: {SKIPPED}"));
}

fn waiting_tool(trace: &Trace) -> FakeTool {
    let trace = trace.clone();
    FakeTool::new("job", move |call| {
        let trace = trace.clone();
        async move {
            tokio::select! {
                () = call.cancel.cancelled() => trace.note("released"),
                () = tokio::time::sleep(Duration::from_secs(3600)) => trace.note("waited in vain"),
            }
            Ok(ToolOutput::text("the job still runs"))
        }
    })
    .only_waits()
}

/// In wait mode steering leaves working tools alone, but a tool that only waits is released without delay.
// proves: LOP-015
#[tokio::test(start_paused = true)]
async fn tools_that_only_wait_are_released_by_steering() {
    let trace = Trace::default();
    let calls = Answer::call("a", "job", json!({})).and_call("b", "build", json!({}));
    let world = world([calls, Answer::text("done")])
        .tool(waiting_tool(&trace))
        .tool(FakeTool::traced("build", 5000, &trace))
        .config(|config| config.interrupt_mode = InterruptMode::Wait)
        .build();
    let steer = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        world.steer("look here");
        tokio::time::sleep(Duration::from_millis(250)).await;
        assert_eq!(trace.lines(), ["build b begins", "released"]);
    };
    world.prompt_while("go", steer).await;
    assert_eq!(world.request(1)[3..5], ["result a: the job still runs", "result b: build ran"]);
    assert_eq!(world.clock.elapsed_ms(), 5000);
}

/// The same three calls and the same interjection in both modes.
// proves: PRO-024
#[tokio::test(start_paused = true)]
async fn interrupt_modes_decide_what_happens_to_the_rest() {
    for mode in [InterruptMode::Immediate, InterruptMode::Wait] {
        let trace = Trace::default();
        let calls = Answer::call("a", "one", json!({})).and_call("b", "two", json!({})).and_call(
            "c",
            "three",
            json!({}),
        );
        let world = world([calls, Answer::text("done")])
            .tool(FakeTool::traced("one", 10, &trace).exclusive())
            .tool(FakeTool::traced("two", 10, &trace).exclusive())
            .tool(FakeTool::traced("three", 10, &trace).exclusive())
            .build();
        world.control.set_interrupt_mode(mode);
        let steer = async {
            world.recorder.seen("tool_execution_end", 1).await;
            world.steer("look here");
        };
        world.prompt_while("go", steer).await;
        let results = world.request(1)[4..7].to_vec();
        assert_eq!(results[0], "result a: one ran");
        match mode {
            InterruptMode::Immediate => {
                assert!(results[2].ends_with(SKIPPED), "{results:?}");
                assert!(!trace.lines().contains(&"three c begins".to_owned()));
            }
            InterruptMode::Wait => assert_eq!(results[1..], ["result b: two ran", "result c: three ran"]),
        }
        assert!(world.request(1)[7].contains("look here"));
    }
}

/// Work that was complete when the interruption came is told to the model: it happened.
#[tokio::test(start_paused = true)]
async fn work_that_completes_anyway_keeps_its_result() {
    let stubborn = FakeTool::new("write", |_| async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        Ok(ToolOutput::text("written"))
    });
    let world = world([Answer::call("a", "write", json!({})), Answer::text("done")]).tool(stubborn).build();
    let steer = async {
        world.recorder.seen("tool_execution_start", 1).await;
        world.steer("stop");
    };
    world.prompt_while("go", steer).await;
    assert_eq!(world.request(1)[2], "result a: written");
}

async fn aborted_in_tools(world: &World) -> Vec<String> {
    let abort = async {
        world.recorder.seen("tool_execution_start", 1).await;
        world.control.abort();
    };
    let outcome = world.prompt_while("go", abort).await;
    assert_eq!(world.kinds().last().unwrap(), "agent_end");
    assert_eq!(world.script.requests().len(), 1, "an aborted run asks nothing more");
    short(&outcome.messages)
}

/// A tool that does not listen is left behind after a short grace; the run ends with a valid history.
#[tokio::test(start_paused = true)]
async fn an_abort_ends_the_tools() {
    let calls = Answer::call("a", "read", json!({})).and_call("b", "deaf", json!({})).and_call(
        "c",
        "deaf",
        json!({}),
    );
    let world = world([calls, Answer::text("never")])
        .tool(FakeTool::quick("read"))
        .tool(FakeTool::deaf("deaf"))
        .build();
    let messages = aborted_in_tools(&world).await;
    assert_eq!(
        messages[4..],
        ["result a: read ran".to_owned(), format!("error b: {ABORTED}"), format!("error c: {ABORTED}"),]
    );
    assert_eq!(world.clock.elapsed_ms(), 2000);
}

/// Nobody has to answer an approval question of a run that was aborted.
#[tokio::test(start_paused = true)]
async fn an_abort_does_not_wait_for_an_approval() {
    struct Undecided;
    impl Gate for Undecided {
        fn approve<'a>(&'a self, _pending: &'a PendingCall<'a>) -> BoxFuture<'a, Decision> {
            std::future::pending().boxed()
        }
    }
    let trace = Trace::default();
    let world = world([Answer::call("a", "write", json!({}))])
        .tool(FakeTool::traced("write", 0, &trace))
        .gate(Undecided)
        .build();
    let messages = aborted_in_tools(&world).await;
    assert_eq!(messages[2], format!("error a: {ABORTED}"));
    assert!(trace.lines().is_empty());
    assert_eq!(world.clock.elapsed_ms(), 0);
}

/// A model that does not stop when told is left behind too.
#[tokio::test(start_paused = true)]
async fn an_abort_ends_an_answer_that_never_ends() {
    let world = world([Answer::text("on and on").deaf()]).build();
    let abort = async {
        world.recorder.seen("message_update", 4).await;
        world.control.abort();
    };
    let outcome = world.prompt_while("go", abort).await;
    let last = outcome.last_answer().unwrap();
    assert_eq!(
        (last.stop_reason, last.error_message.as_deref()),
        (StopReason::Aborted, Some("Request was aborted"))
    );
    assert_eq!(world.clock.elapsed_ms(), 2000);
}

/// An abort in any event's delivery ends the run in good order: every pair is closed, every call has a result.
#[tokio::test(start_paused = true)]
async fn an_abort_at_any_event_ends_in_good_order() {
    let script = || {
        let answers = [
            Answer::text("x").and_call("a", "read", json!({})).and_call("b", "write", json!({})),
            Answer::failed(omp_types::FailureKind::Transient, "busy"),
            Answer::text("y").and_call("c", "read", json!({})),
            Answer::text("done"),
        ];
        world(answers).tool(FakeTool::quick("read")).tool(FakeTool::quick("write").exclusive()).build()
    };
    let complete = script();
    complete.prompt("go").await;
    for at in 0..complete.events().len() {
        let world = script();
        let (control, count) = (world.control.clone(), std::sync::atomic::AtomicUsize::new(0));
        world.recorder.react(move |_| {
            if count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == at {
                control.abort();
            }
        });
        world.prompt("go").await;
        crate::properties::check_events(&world.events());
        crate::properties::check_context(&world.agent.messages().await);
    }
}
