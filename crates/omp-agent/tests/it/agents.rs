//! The agent between runs: one prompt at a time, dropped runs, loaded conversations.

use std::sync::Arc;

use omp_agent::{AgentError, Prompt};
use omp_types::{FailureKind, Message};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::common::{Answer, FakeTool, kind, world};

/// A second prompt runs after the first; one that would wait for longer than half a minute is turned away.
// proves: LOP-012
#[tokio::test(start_paused = true)]
async fn prompts_never_interleave() {
    let in_turn = world([Answer::text("one").delay(29_000), Answer::text("two")]).build();
    tokio::join!(in_turn.prompt("a"), in_turn.prompt("b"));
    assert_eq!(in_turn.context().await, ["user: a", "text: one", "user: b", "text: two"]);
    let runs: Vec<String> = in_turn.kinds().into_iter().filter(|kind| kind.starts_with("agent_")).collect();
    assert_eq!(runs, ["agent_start", "agent_end", "agent_start", "agent_end"]);

    let busy = world([Answer::text("one").delay(31_000), Answer::text("two")]).build();
    let second = async {
        let result = busy.agent.prompt(Prompt::text("b"), CancellationToken::new()).await;
        (result.map(|_| ()), busy.clock.elapsed_ms())
    };
    let (_, (result, waited)) = tokio::join!(busy.prompt("a"), second);
    assert_eq!((result, waited), (Err(AgentError::Busy), 30_000));
    assert_eq!(busy.context().await, ["user: a", "text: one"]);
}

/// A caller that drops a run leaves no tool behind, and the next prompt finds a valid conversation.
#[tokio::test(start_paused = true)]
async fn a_dropped_run_leaves_a_valid_conversation() {
    let token: Arc<std::sync::Mutex<Option<CancellationToken>>> = Arc::default();
    let seen = Arc::clone(&token);
    let job = FakeTool::new("job", move |call| {
        *seen.lock().unwrap() = Some(call.cancel);
        std::future::pending()
    });
    let calls =
        Answer::call("a", "read", json!({})).and_call("b", "job", json!({})).and_call("c", "read", json!({}));
    let world = world([calls, Answer::text("done")]).tool(FakeTool::quick("read")).tool(job).build();
    tokio::select! {
        _ = world.prompt("go") => panic!("the job never ends"),
        () = world.recorder.seen("tool_execution_end", 2) => {}
    }
    assert!(token.lock().unwrap().as_ref().unwrap().is_cancelled(), "what the tool started must end");
    assert!(!world.control.is_running());
    world.prompt("still there?").await;
    let interrupted = "No result: the run was interrupted before this call finished.";
    assert_eq!(
        world.request(1)[4..],
        [
            "result a: read ran".to_owned(),
            format!("error b: {interrupted}"),
            format!("error c: {interrupted}"),
            "user: still there?".to_owned(),
        ]
    );
}

/// A run that was dropped in its first tool can be repeated: the model learns that there was no result.
#[tokio::test(start_paused = true)]
async fn a_dropped_run_can_be_repeated() {
    let world = world([Answer::call("a", "deaf", json!({})), Answer::text("done")])
        .tool(FakeTool::deaf("deaf"))
        .build();
    tokio::select! {
        _ = world.prompt("go") => panic!("the tool never ends"),
        () = world.recorder.seen("tool_execution_start", 1) => {}
    }
    world.retry().await;
    let result = "error a: No result: the run was interrupted before this call finished.";
    assert_eq!(world.context().await, ["user: go", "call a deaf", result, "text: done"]);
}

/// A conversation that ended in the middle of its tools is completed before it goes on.
#[tokio::test(start_paused = true)]
async fn a_loaded_conversation_is_completed() {
    let first = world([Answer::call("a", "read", json!({})), Answer::text("done")])
        .tool(FakeTool::quick("read"))
        .build();
    first.prompt("go").await;
    let mut messages = first.agent.messages().await;
    messages.truncate(2);

    let resumed = world([Answer::text("ok")]).build();
    resumed.agent.load(messages).await.unwrap();
    resumed.prompt("again").await;
    let request = resumed.request(0);
    assert_eq!(request[..2], ["user: go", "call a read"]);
    assert!(request[2].starts_with("error a: No result"), "{}", request[2]);
    assert_eq!(request[3..], ["user: again"]);
    let announced = resumed.recorder.count("message_end");
    assert_eq!(announced, 3, "the session store hears of the missing result too");
}

/// What the provider forgot belongs to the conversation that was; a new one starts with all its identities.
#[tokio::test(start_paused = true)]
async fn a_loaded_conversation_has_its_identities() {
    let stale = || Answer::failed(FailureKind::StaleState, "previous response not found");
    let world = world([stale(), Answer::text("one"), Answer::text("two")]).build();
    world.prompt("go").await;
    world.agent.load(Vec::new()).await.unwrap();
    world.prompt("anew").await;
    let requests = world.script.requests();
    assert_eq!((requests[1].options.identity_from, requests[2].options.identity_from), (1, 0));
}

/// The caller's own token stops a run like `abort` does, and an aborted agent takes the next prompt.
#[tokio::test(start_paused = true)]
async fn a_cancelled_run_does_not_harm_the_next() {
    let never = Arc::new(Notify::new());
    let world = world([Answer::text("half").until(&never), Answer::text("whole")]).build();
    let cancel = CancellationToken::new();
    let stop = async {
        world.recorder.seen("message_update", 4).await;
        cancel.cancel();
    };
    let run = world.agent.prompt(Prompt::text("go"), cancel.clone());
    tokio::join!(run, stop).0.unwrap();
    world.control.abort();
    world.prompt("again").await;
    assert_eq!(world.context().await, ["user: go", "text: half", "user: again", "text: whole"]);
}

/// What a request holds is shared with the conversation, not copied.
#[tokio::test(start_paused = true)]
async fn requests_share_their_messages() {
    let world = world([Answer::call("a", "read", json!({})), Answer::text("done")])
        .tool(FakeTool::quick("read"))
        .build();
    world.prompt("go").await;
    let context: Vec<Arc<Message>> = world.agent.messages().await;
    for (sent, kept) in world.script.requests()[1].messages.iter().zip(&context) {
        assert!(Arc::ptr_eq(sent, kept), "{sent:?}");
    }
    assert!(world.events().iter().map(kind).any(|kind| kind == "agent_end"));
}
