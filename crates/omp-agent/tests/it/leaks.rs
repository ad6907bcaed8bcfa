//! Answers into which the model wrote its own message format.

use omp_types::{AgentEvent, FailureKind, LineTool, Message};
use serde_json::json;

use crate::common::{Answer, FakeTool, World, world};

const RECORD: &str = "the model wrote parts of its internal message format into its text [leak: …]";

fn leaky() -> Answer {
    Answer::failed(FailureKind::Contaminated, RECORD)
}

/// An answer as it is left when its last call was cut.
fn cut(id: &str) -> Answer {
    Answer::text("First this.")
        .and_call(id, "patch", json!({"input": "@a\nop 1\n*** Abort\n"}))
        .fail(FailureKind::Contaminated, RECORD)
}

fn retries(world: &World) -> usize {
    world.events().iter().filter(|event| matches!(event, AgentEvent::AutoRetryStart { .. })).count()
}

/// Thrown away and asked again at once, twice; the third time the user is told.
#[tokio::test(start_paused = true)]
async fn leaks_are_asked_again_twice() {
    let once = world([leaky(), Answer::text("clean")]).build();
    once.prompt("go").await;
    assert_eq!(once.context().await, ["user: go", "text: clean"]);
    assert_eq!(once.request(1), ["user: go"], "nothing of it is sent");
    assert_eq!(retries(&once), 1);
    assert_eq!(
        once.clock.sleeps().len(),
        1,
        "the first wait is for the agent itself; there is no overload to wait for"
    );

    let often = world([leaky(), leaky(), leaky(), Answer::text("never asked for")]).build();
    let outcome = often.prompt("go").await;
    assert_eq!(often.script.requests().len(), 3);
    let error = outcome.last_answer().unwrap();
    let text = error.error_message.as_deref().unwrap();
    assert!(text.starts_with(RECORD) && text.contains("3 times in a row"), "{text}");
    assert!(text.contains("choose another model"), "{text}");

    let never = world([leaky(), Answer::text("x")]).config(|config| config.retry.enabled = false).build();
    never.prompt("go").await;
    assert_eq!(never.script.requests().len(), 1);
}

/// A tool says that its input may be cut, the model's client hears of it, and what is left of a cut call runs. The
/// model is told to write the rest again; after two cuts such answers are thrown away like any other.
// proves: WIR-188
#[tokio::test(start_paused = true)]
async fn what_was_cut_runs_and_the_rest_is_asked_for() {
    let answers = [cut("a"), cut("b"), cut("c"), Answer::text("done")];
    let world = world(answers).tool(FakeTool::echo("patch").lines("@")).tool(FakeTool::quick("read")).build();
    world.prompt("go").await;
    let line = LineTool { name: "patch".into(), parameter: "input".into(), header: "@".into() };
    assert_eq!(world.script.requests()[0].options.line_tools, [line]);
    let second = world.request(1);
    assert_eq!(second[..3], ["user: go", "text: First this.", "call a patch"]);
    assert_eq!(second[3], "result a: {\"input\":\"@a\\nop 1\\n*** Abort\\n\"}");
    assert!(second[4].starts_with("call-cut: ") && second[4].contains("`patch`"), "{second:?}");
    let third = world.request(2);
    assert_eq!(
        (third[5..8].len(), third[7].as_str()),
        (3, "result b: {\"input\":\"@a\\nop 1\\n*** Abort\\n\"}")
    );
    assert_eq!(world.request(3), third, "the third one is thrown away");
    assert_eq!(world.context().await.last().unwrap(), "text: done");
    let notes = world.agent.messages().await;
    let note = notes.iter().find_map(|message| match &**message {
        Message::Custom(note) => Some(note),
        _ => None,
    });
    let note = note.unwrap();
    assert!(!note.display);
    assert_eq!(note.details, Some(json!({"action": "cut", "record": RECORD})));
}
