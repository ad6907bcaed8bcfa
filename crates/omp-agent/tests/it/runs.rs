//! The shape of a run: turns, events, the live context.

use std::sync::{Arc, OnceLock};

use omp_types::{AgentEvent, FailureKind, Message, StopReason, StreamEvent};
use serde_json::json;
use tokio::sync::Notify;

use crate::common::{Answer, FakeTool, Recorder, Trace, kind, short, world};

/// One tool turn and one final turn, event by event.
// proves: LOP-001
#[tokio::test(start_paused = true)]
async fn a_run_is_a_well_formed_sequence_of_events() {
    let answers = [Answer::text("looking").and_call("a", "read", json!({})), Answer::text("done")];
    let world = world(answers).tool(FakeTool::quick("read")).build();
    let outcome = world.prompt("go").await;

    #[rustfmt::skip]
    assert_eq!(world.kinds(), [
        "agent_start",
        "turn_start",
        "message_start", "message_end", // the user's words
        "message_start", "message_end", // the answer
        "tool_execution_start", "tool_execution_end",
        "message_start", "message_end", // the result
        "turn_end",
        "turn_start",
        "message_start", "message_end",
        "turn_end",
        "agent_end",
    ]);
    let all = ["user: go", "text: looking", "call a read", "result a: read ran", "text: done"];
    let events = world.events();
    let Some(AgentEvent::AgentEnd { messages }) = events.last() else {
        panic!("the last event is agent_end")
    };
    assert_eq!(short(messages), all);
    assert_eq!(short(&outcome.messages), all);
    assert_eq!(world.context().await, all);
    let turns: Vec<_> = events.iter().filter_map(turn_end).collect();
    assert_eq!(
        turns[0],
        (vec!["text: looking".into(), "call a read".into()], vec!["result a: read ran".into()])
    );
    assert_eq!(turns[1], (vec!["text: done".into()], vec![]));
}

fn turn_end(event: &AgentEvent) -> Option<(Vec<String>, Vec<String>)> {
    match event {
        AgentEvent::TurnEnd { message, tool_results } => {
            Some((short(&[Arc::clone(message)]), short(tool_results)))
        }
        _ => None,
    }
}

/// Calls of a complete answer run whatever the provider called the ending.
// proves: LOP-002
#[tokio::test(start_paused = true)]
async fn complete_answers_run_their_calls_and_truncated_ones_do_not() {
    for reason in [StopReason::ToolUse, StopReason::Stop] {
        let answers = [Answer::call("a", "read", json!({})).end(reason), Answer::text("done")];
        let world = world(answers).tool(FakeTool::quick("read")).build();
        world.prompt("go").await;
        assert_eq!(world.request(1)[2], "result a: read ran", "{reason:?}");
    }

    let trace = Trace::default();
    let cut = Answer::call("a", "read", json!({})).and_call("b", "read", json!({})).end(StopReason::Length);
    let world = world([cut, Answer::text("done")]).tool(FakeTool::traced("read", 0, &trace)).build();
    let outcome = world.prompt("go").await;
    assert!(trace.lines().is_empty(), "nothing may run");
    let second = world.request(1);
    assert_eq!(second[1..3], ["call a read", "call b read"]);
    for (line, id) in second[3..].iter().zip(["a", "b"]) {
        assert!(line.starts_with(&format!("error {id}: ")) && line.contains("Split the work"), "{line}");
    }
    assert_eq!(short(&outcome.messages).last().unwrap(), "text: done");
}

/// An answer that broke off keeps its calls, each with an answer of its own.
// proves: LOP-003
#[tokio::test(start_paused = true)]
async fn calls_of_a_broken_answer_get_placeholders() {
    let never = Arc::new(Notify::new());
    let aborted = Answer::text("so")
        .and_call("a", "read", json!({}))
        .and_open_call("b", "read", json!({}))
        .until(&never);
    let failed = Answer::call("a", "read", json!({}))
        .and_call("b", "read", json!({}))
        .fail(FailureKind::Transient, "cut");
    for broken in [aborted, failed] {
        let trace = Trace::default();
        let world = world([broken, Answer::text("done")]).tool(FakeTool::traced("read", 0, &trace)).build();
        let interrupt = async {
            world.recorder.seen("message_update", 6).await;
            world.control.abort();
        };
        world.prompt_while("go", interrupt).await;
        world.prompt("again").await;
        assert!(trace.lines().is_empty(), "nothing may run");
        let request = world.request(1);
        let calls = request.iter().position(|line| line == "call b read").unwrap();
        for (line, id) in request[calls + 1..].iter().zip(["a", "b"]) {
            assert!(line.starts_with(&format!("error {id}: This call was not run")), "{line}");
        }
        assert_eq!(request[calls + 3..], ["user: again"]);
    }
}

/// A tool can bring in another tool and change the system prompt; the same run uses both.
// proves: LOP-008
#[tokio::test(start_paused = true)]
async fn tools_and_prompt_are_read_before_every_model_call() {
    let setup: Arc<OnceLock<Arc<crate::common::FakeSetup>>> = Arc::default();
    let found = Arc::clone(&setup);
    let discover = FakeTool::new("discover", move |_| {
        let setup = found.get().unwrap();
        setup.tools.lock().unwrap().push(Arc::new(FakeTool::quick("found")));
        *setup.system.lock().unwrap() = vec!["changed".to_owned()].into();
        std::future::ready(Ok(omp_types::ToolOutput::text("there is one more")))
    });
    let answers = [
        Answer::call("a", "discover", json!({})),
        Answer::call("b", "found", json!({})),
        Answer::text("done"),
    ];
    let world = world(answers).tool(discover).build();
    assert!(setup.set(Arc::clone(&world.setup)).is_ok());
    world.prompt("go").await;

    let requests = world.script.requests();
    let names = |index: usize| requests[index].tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(0), ["discover"]);
    assert_eq!(names(1), ["discover", "found"]);
    assert_eq!((requests[0].system[0].as_str(), requests[1].system[0].as_str()), ("system", "changed"));
    assert_eq!(world.request(2).last().unwrap(), "result b: found ran");
    assert!(Arc::ptr_eq(&requests[1].tools, &requests[2].tools), "an unchanged set is not built again");
}

/// A paused turn is continued eight times in a row; a tool call starts the count anew.
// proves: LOP-009
#[tokio::test(start_paused = true)]
async fn paused_turns_are_continued_but_not_for_ever() {
    let pause = || Answer::text("…").end(StopReason::Pause);
    let world_of_pauses = world((0..20).map(|_| pause())).build();
    world_of_pauses.prompt("go").await;
    assert_eq!(world_of_pauses.script.requests().len(), 1 + 8);
    assert_eq!(world_of_pauses.request(8).len(), 1 + 8, "what was said so far is sent again");

    let mut answers: Vec<Answer> = (0..8).map(|_| pause()).collect();
    answers.push(Answer::call("a", "read", json!({})));
    answers.extend((0..8).map(|_| pause()));
    answers.push(Answer::text("done"));
    let world = world(answers).tool(FakeTool::quick("read")).build();
    let outcome = world.prompt("go").await;
    assert_eq!(outcome.last_answer().unwrap().texts().next(), Some("done"));
}

/// What the model says is on its way to the listener while the model still speaks, and a slow listener holds the
/// model back instead of losing anything.
// proves: LOP-021
#[tokio::test(start_paused = true)]
async fn events_are_passed_on_at_once_and_never_lost() {
    let go = Arc::new(Notify::new());
    let world_at_once = world([Answer::text("one").until(&go).and_text("two")]).build();
    let deltas = |events: &[AgentEvent]| events.iter().filter_map(text_delta).collect::<Vec<_>>();
    let look = async {
        world_at_once.recorder.seen("message_update", 4).await;
        assert_eq!(deltas(&world_at_once.events()), ["one"]);
        go.notify_one();
    };
    world_at_once.prompt_while("go", look).await;
    assert_eq!(deltas(&world_at_once.events()), ["one", "two"]);

    let numbers: Vec<String> = (0..50).map(|number| number.to_string()).collect();
    let long = || [numbers.iter().fold(Answer::new(), |answer, number| answer.and_text(number))];
    let fast = world(long()).build();
    fast.prompt("go").await;
    let slow = world(long()).recorder(Recorder::slow(10)).build();
    slow.prompt("go").await;
    assert_eq!(deltas(&slow.events()), numbers);
    let kinds = |events: &[AgentEvent]| events.iter().map(kind).collect::<Vec<_>>();
    assert_eq!(kinds(&slow.events()), kinds(&fast.events()));
    assert!(slow.clock.elapsed_ms() >= 500, "the model waits for the listener");
}

fn text_delta(event: &AgentEvent) -> Option<String> {
    match event {
        AgentEvent::MessageUpdate(update) => match &update.assistant_message_event {
            StreamEvent::TextDelta { delta, .. } => Some(delta.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// A listener that never catches up does not hold back an abort.
#[tokio::test(start_paused = true)]
async fn an_abort_does_not_wait_for_a_slow_listener() {
    let world = world([Answer::text("one").and_text("two")]).recorder(Recorder::slow(3_600_000)).build();
    let abort = async {
        world.recorder.seen("message_update", 1).await;
        world.control.abort();
    };
    let outcome = world.prompt_while("go", abort).await;
    assert_eq!(outcome.last_answer().unwrap().stop_reason, StopReason::Aborted);
    assert_eq!(world.clock.elapsed_ms(), 0);
}

/// Arguments are shown while they are written, but nothing runs before they are complete.
// proves: WIR-005
#[tokio::test(start_paused = true)]
async fn a_call_runs_only_when_it_is_complete() {
    let (go, trace) = (Arc::new(Notify::new()), Trace::default());
    let stalled =
        Answer::new().and_open_call("a", "write", json!({"path": "x"})).until(&go).end(StopReason::Length);
    let complete = Answer::call("b", "write", json!({"path": "x"}));
    let world =
        world([stalled, complete, Answer::text("done")]).tool(FakeTool::traced("write", 0, &trace)).build();
    let look = async {
        world.recorder.seen("message_update", 3).await;
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        let shown = world.events().iter().any(|event| match event {
            AgentEvent::MessageUpdate(update) => matches!(
                &update.assistant_message_event,
                StreamEvent::ToolCallDelta { partial: Some(partial), .. } if partial["path"] == "x"
            ),
            _ => false,
        });
        assert!(shown, "the arguments are shown as far as they go");
        assert_eq!(world.recorder.count("tool_execution_start"), 0);
        go.notify_one();
    };
    world.prompt_while("go", look).await;
    assert_eq!(trace.lines(), ["write b begins", "write b ends"]);
}

/// A model that forgets its terminal event is asked again, also when it had already spoken.
#[tokio::test(start_paused = true)]
async fn a_stream_without_an_end_is_a_failure() {
    for silent in [Answer::new(), Answer::text("half")] {
        let world = world([silent.silence(), Answer::text("done")]).build();
        let outcome = world.prompt("go").await;
        let failed = outcome.messages[1].as_assistant().unwrap();
        assert_eq!(failed.stop_reason, StopReason::Error);
        assert_eq!(world.context().await, ["user: go", "text: done"]);
    }
}

/// The run returns every message it announced, failed attempts and empty answers included.
#[tokio::test(start_paused = true)]
async fn what_was_announced_is_what_the_run_returns() {
    let answers = [
        Answer::failed(FailureKind::Transient, "busy"),
        Answer::new().and_thinking("hm"),
        Answer::call("a", "read", json!({})),
        Answer::text("done"),
    ];
    let world = world(answers).tool(FakeTool::quick("read")).build();
    let outcome = world.prompt("go").await;
    let announced = |event: &AgentEvent| match event {
        AgentEvent::MessageEnd { message } => Some(Arc::clone(message)),
        _ => None,
    };
    let announced: Vec<Arc<Message>> = world.events().iter().filter_map(announced).collect();
    assert_eq!(announced, outcome.messages);
    assert!(
        short(&announced).contains(&"nothing (Error)".to_owned()),
        "a failed attempt stays in the record"
    );
}
