//! Processes as servers, and what they do wrong. Each fault ends in one sentence, and the next call works.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use omp_mcp::{CallError, CallOptions, Content, Elicitation, Progress, Revision, ServerState};
use serde_json::{Map, Value, json};

use crate::world::{LONG, NAME, Talkative, World, scripted};

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_a_server_offers() {
    let world = World::scripted("good");
    assert_eq!(world.state(), ServerState::Idle, "nothing starts unasked");
    assert_eq!(world.scope.living(), 0);
    assert_eq!(world.started().await, ServerState::Ready);
    world.until("listed", |world| !world.servers.status()[0].offer.prompts.is_empty()).await;
    let status = world.servers.status_of(NAME).unwrap();
    assert_eq!(world.tools(), ["echo", "slow", "number", "wrong"]);
    assert_eq!(status.offer.resources[0].uri, "test://a");
    assert_eq!(
        (status.offer.prompts[0].name.as_str(), status.offer.prompts[0].arguments[0].required),
        ("p", true)
    );
    let info = status.info.unwrap();
    assert_eq!((info.transport, info.revision.as_str()), ("stdio", "2025-11-25"));
    assert_eq!((info.name.as_deref(), info.instructions.as_deref()), (Some("scripted"), Some("be nice")));

    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    let options = CallOptions::default();
    let (bodies, _) = world.servers.read_resource(NAME, "test://a", &options).await.unwrap();
    assert_eq!(bodies[0].text(), "[resource: test://a]\nbody");
    let turns = world.servers.get_prompt(NAME, "p", Map::new(), &options).await.unwrap();
    assert_eq!(turns[0].content, Content::Text("hello".to_owned()));
    let error = world.call("broken").await.unwrap_err();
    assert_eq!(error.to_string(), "MCP error -32000: it is broken");
    world.servers.close().await;
}

// proves: IOP-012

#[tokio::test(flavor = "multi_thread")]
async fn every_revision_is_found_out() {
    for (mode, revision) in [
        ("stateless", "2026-07-28"),
        ("good", "2025-11-25"),
        ("old", "2024-11-05"),
        ("dies-at-discover", "2025-11-25"),
    ] {
        let world = World::scripted(mode);
        assert_eq!(world.started().await, ServerState::Ready, "{mode}: {}", world.log());
        let info = world.servers.status_of(NAME).unwrap().info.unwrap();
        assert_eq!(info.revision.as_str(), revision, "{mode}");
        assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    }
}

// proves: IOP-012

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_revision_is_that_one_or_none() {
    let state = async |mode: &str, revision: &str| {
        let mut definition = scripted(&[mode]);
        definition.revision = Revision::named(revision);
        World::of(definition).started().await
    };
    assert_eq!(state("good", "2025-06-18").await, ServerState::Ready);
    assert_eq!(state("stateless", "2026-07-28").await, ServerState::Ready);
    let reason = "no common protocol revision: the server speaks 2024-11-05, omp speaks 2025-06-18";
    assert_eq!(state("old", "2025-06-18").await, ServerState::Failed { reason: reason.to_owned() });
    let refused = state("good", "2026-07-28").await;
    assert!(
        matches!(&refused, ServerState::Failed { reason } if reason.contains("Method not found")),
        "{refused:?}"
    );
}

// proves: HOK-051

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_a_message_is_skipped_and_logged() {
    let world = World::scripted("garbage");
    assert_eq!(world.started().await, ServerState::Ready);
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    assert!(world.log().contains("not a message: Server listening on stdio..."), "{}", world.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn stderr_is_drained_and_its_end_is_kept() {
    let world = World::scripted("stderr");
    assert_eq!(world.started().await, ServerState::Ready);
    world.until("drained", |world| world.log().contains("complaint 19999")).await;
    assert!(world.log().len() < 80 * 1024);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_100_megabytes() {
    let world = World::scripted("large");
    let error = world.call("echo").await.unwrap_err();
    assert_eq!(error.to_string(), "MCP error -32603: a message of more than 16 MiB was skipped");
    assert_eq!(world.call("echo").await.unwrap().text(), "echo", "the next call works");
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_message_and_then_nothing() {
    let world = World::scripted("half");
    world.started().await;
    let options = CallOptions { timeout: Some(Duration::from_millis(200)), ..CallOptions::default() };
    let error = world.call_with("echo", &options).await.unwrap_err();
    assert_eq!(error.to_string(), "request timed out after 200 ms");
    assert_eq!(world.state(), ServerState::Ready);
}

// proves: HOK-051

#[tokio::test(flavor = "multi_thread")]
async fn wrong_and_repeated_ids_are_ignored() {
    let world = World::scripted("ids");
    for _ in 0..3 {
        assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    }
}

// proves: HOK-059, IOP-016

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_calls_are_cancelled_there_and_late_answers_ignored() {
    let world = World::scripted("good");
    let seen: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let options = CallOptions::default();
    let (sink, cancel) = (Arc::clone(&seen), options.cancel.clone());
    let progress: omp_mcp::ProgressSink = Arc::new(move |progress| {
        sink.lock().unwrap().push(progress);
        cancel.cancel();
    });
    let options = CallOptions { progress: Some(progress), ..options };
    assert_eq!(world.call_with("slow", &options).await.unwrap_err(), CallError::Cancelled);
    let half = Progress { progress: 1.0, total: Some(2.0), message: Some("half".to_owned()) };
    assert_eq!(*seen.lock().unwrap(), [half]);
    let told = async { while world.call("cancelled").await.unwrap().text() == "[]" {} };
    tokio::time::timeout(LONG, told).await.expect("the server was told");
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
}

// proves: HOK-061

#[tokio::test(flavor = "multi_thread")]
async fn calls_run_at_the_same_time() {
    let world = World::scripted("good");
    world.started().await;
    let options = CallOptions::default();
    let slow = world.call_with("slow", &options);
    let fast = async {
        let text = world.call("echo").await.unwrap().text();
        options.cancel.cancel();
        text
    };
    let (slow, fast) = tokio::join!(slow, fast);
    assert_eq!((slow, fast.as_str()), (Err(CallError::Cancelled), "echo"));
}

// proves: IOP-014

#[tokio::test(flavor = "multi_thread")]
async fn structured_results_keep_their_promise() {
    let world = World::scripted("good");
    let result = world.call("number").await.unwrap();
    assert_eq!((result.structured.clone(), result.text().as_str()), (Some(json!({"n": 5})), "{\"n\": 5}"));
    let error = world.call("wrong").await.unwrap_err();
    let expected =
        "the result does not match the tool's output schema: /n: \"five\" is not of type \"integer\"";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_that_are_invalid_recursive_or_huge() {
    let world = World::scripted("schemas");
    assert_eq!(world.started().await, ServerState::Ready);
    assert_eq!(world.tools(), ["loop", "broken", "remote"]);
    let notes = world.servers.status_of(NAME).unwrap().offer.notes.join("\n");
    for part in [
        "the output schema of loop is not used: it refers to itself without end",
        "the output schema of broken is not used",
        "the output schema of remote is not used: it refers to https://example.com/x",
        "the tool \"huge\" was left out: its output schema has 293 KiB, the limit is 256 KiB",
    ] {
        assert!(notes.contains(part), "{part}\n{notes}");
    }
    assert_eq!(world.call("loop").await.unwrap().text(), "loop");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_cannot_be_used_and_names_that_collide() {
    let world = World::scripted("names");
    assert_eq!(world.started().await, ServerState::Ready, "{}", world.log());
    assert_eq!(world.tools(), ["fine", "my.tool", "my-tool"]);
    let notes = world.servers.status_of(NAME).unwrap().offer.notes.join("\n");
    for part in ["2 of the tools were left out", "its name is empty", "control characters", "too long"] {
        assert!(notes.contains(part), "{part}\n{notes}");
    }
    assert!(!notes.contains('\x1b'));
    let tools = world.servers.tools();
    let names =
        omp_mcp::name::Names::assign(tools.iter().map(|tool| (tool.server.as_str(), tool.name.as_str())));
    assert_eq!(names.collisions.len(), 1);
    assert_eq!(names.get("mcp__scripted_my_tool"), Some((NAME, "my-tool")));
}

// proves: HOK-070

#[tokio::test(flavor = "multi_thread")]
async fn lists_in_pages() {
    let world = World::scripted("pages");
    world.started().await;
    assert_eq!(world.tools(), ["t0", "t1", "t2"]);
    let world = World::scripted("endless");
    assert_eq!(world.started().await, ServerState::Ready);
    assert_eq!(world.tools().len(), 200);
    assert!(world.log().contains("more than 200 pages of tools"), "{}", world.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_lists_are_read_again() {
    let world = World::scripted("changes");
    world.started().await;
    world.until("listed again", |world| world.tools() == ["t2"]).await;
}

/// A server that tells nobody about changes may say how long its lists are good for.
#[tokio::test(flavor = "multi_thread")]
async fn lists_are_read_again_when_they_are_old() {
    let world = World::scripted("hints");
    world.started().await;
    assert_eq!(world.tools(), ["t1"]);
    world.until("listed again", |world| world.tools() == ["t2"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_notifications() {
    let world = World::scripted("flood");
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    assert!(world.log().contains("notifications in a second: the rest was dropped"), "{}", world.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_without_a_user_are_declined() {
    let world = World::scripted("elicits");
    assert_eq!(world.call("echo").await.unwrap().text(), r#"{"action": "decline"}"#);
    let world = World::scripted("samples");
    assert_eq!(world.call("echo").await.unwrap().text(), "refused 60");
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_to_the_user() {
    let host = Arc::new(Talkative::default());
    let world = World::with(scripted(&["elicits"]), Arc::clone(&host) as _, |_| {});
    let answer: Value = serde_json::from_str(&world.call("echo").await.unwrap().text()).unwrap();
    assert_eq!(answer, json!({"action": "accept", "content": {"name": "Ada"}}));
    let asked = host.asked.lock().unwrap().clone();
    let [Elicitation::Form { message, schema }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((message.as_str(), &schema["properties"]["name"]["type"]), ("Who?", &json!("string")));
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_for_samples_in_a_loop() {
    let world = World::with(scripted(&["samples"]), Arc::new(Talkative::default()), |_| {});
    assert_eq!(world.call("echo").await.unwrap().text(), "refused 40");
    assert!(world.log().contains("more questions than are answered in a minute"), "{}", world.log());
}

// proves: HOK-050

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_servers() {
    let world = World::with(scripted(&["roots"]), Arc::new(Talkative::default()), |_| {});
    let replies: Value = serde_json::from_str(&world.call("echo").await.unwrap().text()).unwrap();
    assert_eq!(replies["r"]["roots"], json!([{"uri": "file:///project%20dir", "name": "project dir"}]));
    assert_eq!(replies["p"], json!({}));
    assert_eq!(replies["u"]["code"], -32601);
}

// proves: HOK-053

#[tokio::test(flavor = "multi_thread")]
async fn directory_and_environment() {
    let directory = tempfile::tempdir().unwrap();
    let mut definition = scripted(&["good"]);
    let omp_mcp::Endpoint::Stdio { env, cwd, .. } = &mut definition.endpoint else { unreachable!() };
    env.insert("SECRET".to_owned(), "!echo from a command".to_owned());
    env.insert("LITERAL".to_owned(), "as it is".to_owned());
    *cwd = Some(directory.path().to_owned());
    let world = World::of(definition);
    let names = Map::from_iter([("names".to_owned(), json!(["SECRET", "LITERAL"]))]);
    let result = world.servers.call_tool(NAME, "environment", names, &CallOptions::default()).await.unwrap();
    let place = directory.path().canonicalize().unwrap();
    let expected =
        format!("{{\"LITERAL\": \"as it is\", \"SECRET\": \"from a command\"}} {}", place.display());
    let sorted = result.text().replace(
        "{\"SECRET\": \"from a command\", \"LITERAL\": \"as it is\"}",
        "{\"LITERAL\": \"as it is\", \"SECRET\": \"from a command\"}",
    );
    assert_eq!(sorted, expected);
}

/// A server that closes its input fails the request, and nothing else.
// proves: HOK-060
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_no_longer_reads() {
    let world = World::scripted("deaf");
    world.started().await;
    let options = CallOptions { timeout: Some(Duration::from_millis(300)), ..CallOptions::default() };
    assert_eq!(world.call_with("echo", &options).await, Err(CallError::TimedOut(Duration::from_millis(300))));
    // The pipe is dead from now on. A new connection is made, whose first call is not answered, either.
    let error = world.call_with("echo", &options).await.unwrap_err();
    assert_eq!(error, CallError::TimedOut(Duration::from_millis(300)));
    assert!(world.log().contains("the server does not read what it is sent: Broken pipe"), "{}", world.log());
}

/// A server that has a question for every answer is left.
#[tokio::test(flavor = "multi_thread")]
async fn rounds_of_questions_end() {
    let host = Arc::new(Talkative::default());
    let world = World::with(scripted(&["asks-again"]), Arc::clone(&host) as _, |_| {});
    let error = world.call("echo").await.unwrap_err();
    assert_eq!(error.to_string(), "the server kept asking: 10 rounds of questions without a result");
    assert_eq!((host.asked.lock().unwrap().len(), world.state()), (10, ServerState::Ready));
}

/// A result that comes later is waited for; whoever gives up cancels the task.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_are_waited_for_and_cancelled() {
    let world = World::scripted("tasks");
    assert_eq!(world.call("echo").await.unwrap().text(), "done in time", "{}", world.log());
    let directory = tempfile::tempdir().unwrap();
    let told = directory.path().join("told");
    let world = World::of(scripted(&["tasks", told.to_str().unwrap()]));
    world.started().await;
    let options = CallOptions::default();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        options.cancel.cancel();
    };
    let (called, ()) = tokio::join!(world.call_with("echo", &options), cancel);
    assert_eq!(called, Err(CallError::Cancelled));
    let told = || std::fs::read_to_string(&told).unwrap_or_default();
    world.until("cancelled there", |_| told().contains("cancelled t1")).await;
}
