//! Handoffs, branches, several models, services, and results that go.

use std::sync::Arc;
use std::time::Duration;

use omp_sdk::{BranchSummaryError, HandoffError, Persistence, PlanVerdict};
use omp_testkit::{Reply, Stop, Usage};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::compacting::{long, long_talk};
use crate::support::{Opening, World, call, entries, lines, say, text, world};

fn counted(reply: Reply, tokens: u64) -> Reply {
    reply.usage(Usage { input: tokens - 5, output: 5, cache_read: 0, cache_write: 0 })
}

fn stalled() -> Reply {
    say("words without end").stall_after_event(2, Duration::from_secs(600))
}

/// Waits for so many requests, then does something.
async fn after_requests(world: &World, count: usize) {
    while world.server.requests().len() < count {
        tokio::task::yield_now().await;
    }
}

fn none() -> CancellationToken {
    CancellationToken::new()
}

fn texts(messages: &[Value]) -> Vec<String> {
    messages.iter().map(text).collect()
}

/// A document in place of the conversation: the question begins like the last request, the old file stays as it is, and
/// the new one has nothing but the document.
/// proves: CMP-066, CMP-067, LOP-146
#[tokio::test]
async fn a_document_begins_a_new_session() {
    let replies = [say("hi"), call("todo", json!({"ops": []})), say("working"), say("The document."), say("ok")];
    let world = world("todo:\n  reminders: false\n", replies).await;
    world.submit("one").await;
    world.submit("two").await;
    let (old, before) = (world.file(), std::fs::read(world.file()).unwrap());
    world.host.hand_off(Some("the parser"), none()).await.unwrap();
    let asked = world.server.requests();
    let (last, handoff) = (&asked[2].body, &asked[3].body);
    assert_eq!((&handoff["tools"], &handoff["model"]), (&last["tools"], &last["model"]));
    let (sent, earlier) = (world.messages(3), world.messages(2));
    assert_eq!(sent[..earlier.len()], earlier[..], "the same beginning");
    assert_eq!(handoff["tool_choice"], "none");
    assert_eq!(sent.last().unwrap()["role"], "user");
    assert!(world.last(3).ends_with("the parser"), "{}", world.last(3));
    assert_eq!(std::fs::read(&old).unwrap(), before);

    world.submit("go on").await;
    let messages = world.messages(4);
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(text(&messages[1]).contains("<handoff-context>\nThe document.\n</handoff-context>"));
    let kept = entries(&world.file(), "custom_message");
    assert_eq!((&kept[0]["customType"], &kept[0]["display"]), (&json!("handoff"), &json!(true)));
    assert_eq!(lines(&world.file())[0]["parentSession"], json!(old));
    assert!(entries(&old, "compaction").is_empty());
    world.finish().await;
}

/// Too little to say, a turn that runs, an empty document, a failure and Escape leave everything as it was.
/// proves: LOP-149
#[tokio::test]
async fn a_handoff_that_fails_changes_nothing() {
    let refused = Reply::status(400).body(json!({"error": {"message": "no"}}));
    let world = world("", [say("hi"), say(""), refused, stalled()]).await;
    let hand_off = |cancel| {
        let host = Arc::clone(&world.host);
        async move { host.hand_off(None, cancel).await.unwrap_err() }
    };
    assert!(matches!(hand_off(none()).await, HandoffError::Nothing));
    assert_eq!(HandoffError::Nothing.to_string(), "Nothing to hand off (no messages yet)");
    world.submit("one").await;
    let (session, before) = (world.session(), std::fs::read(world.file()).unwrap());
    assert_eq!(hand_off(none()).await.to_string(), "Handoff cancelled", "an empty document");
    let failed = hand_off(none()).await.to_string();
    assert!(failed.starts_with("Handoff failed: ") && failed.ends_with(": no"), "{failed}");
    let cancel = none();
    let escape = async {
        after_requests(&world, 4).await;
        cancel.cancel();
    };
    let (stopped, ()) = tokio::join!(hand_off(cancel.clone()), escape);
    assert_eq!(stopped.to_string(), "Handoff cancelled");
    assert!(Arc::ptr_eq(&session, &world.session()));
    assert_eq!(std::fs::read(world.file()).unwrap(), before);
    world.finish().await;
}

const HANDOFF: &str = "compaction:\n  strategy: handoff\n  thresholdTokens: 5000\n  keepRecentTokens: 2000\n";

/// Above the threshold the prompt ends first, then a new session goes on; a document that was not asked for can be kept.
/// proves: CMP-068, LOP-150
#[tokio::test]
async fn a_long_conversation_is_handed_off() {
    for kept in [true, false] {
        let replies = [counted(say("one"), 5_001), say("The document."), say("going on")];
        let world = world(&format!("{HANDOFF}  handoffSaveToDisk: {kept}\n"), replies).await;
        let old = world.session();
        world.submit("a long task").await;
        let file = old.file();
        assert!(!Arc::ptr_eq(&old, &world.session()));
        let kinds: Vec<Value> = world
            .person
            .events
            .lock()
            .unwrap()
            .iter()
            .map(|event| serde_json::to_value(event).unwrap()["type"].clone())
            .collect();
        let place = |kind: &str| kinds.iter().position(|found| found == kind).unwrap();
        assert!(place("agent_end") < place("auto_compaction_start"), "{kinds:?}");
        assert!(text(&world.messages(2)[1]).contains("The document."));
        assert!(world.last(2).contains("go on"));
        let parent = lines(&world.file())[0]["parentSession"].as_str().unwrap().to_owned();
        assert!(file.is_none(), "the old session was let go of");
        let beside = std::path::Path::new(&parent).with_extension("");
        let found = || std::fs::read_dir(&beside).map(|files| files.flatten().map(|file| file.path()).collect());
        let mut documents: Vec<std::path::PathBuf> = found().unwrap_or_default();
        while kept && documents.is_empty() {
            tokio::task::yield_now().await;
            documents = found().unwrap_or_default();
        }
        documents.retain(|path| path.extension().is_some_and(|end| end == "md"));
        assert_eq!(documents.len(), usize::from(kept));
        if let Some(document) = documents.first() {
            assert!(document.file_name().unwrap().to_str().unwrap().starts_with("handoff-"));
        }
        world.finish().await;
    }

    // Before a prompt it happens at once, and the prompt goes to the new session.
    let replies = [counted(say("one"), 5_001), say("The document."), say("two")];
    let world = world("compaction:\n  enabled: false\n", replies).await;
    world.submit("first").await;
    let file = world.file().display().to_string();
    world.home.write("home/.omp/agent/config.yml", HANDOFF);
    let world = world.reopen(Persistence::Resume(file.clone())).await;
    world.submit("second").await;
    assert_ne!(world.file().display().to_string(), file);
    let sent = texts(&world.messages(2));
    assert!(sent[1].contains("The document.") && sent.last().unwrap() == "second", "{sent:?}");
    world.finish().await;
}

/// No document: a summary in the same session. An overflow never asks for a document.
/// proves: CMP-069
#[tokio::test]
async fn without_a_document_there_is_a_summary() {
    let replies = [say(&long("one", 400)), counted(say("two"), 5_001), say(""), say("notes"), say("line")];
    let config = HANDOFF.replace("keepRecentTokens: 2000", "keepRecentTokens: 2000\n  autoContinue: false");
    let world = world(&config, replies).await;
    world.submit("first").await;
    let session = world.session();
    world.submit(&long("second", 200)).await;
    assert!(Arc::ptr_eq(&session, &world.session()));
    assert_eq!(entries(&world.file(), "compaction").len(), 1);
    world.finish().await;

    let overflow = Reply::status(400).body(json!({"error": {"message": "x", "code": "context_length_exceeded"}}));
    let replies = [say(&long("one", 400)), overflow, say("notes"), say("line"), say("ok")];
    let world = crate::support::world(&config, replies).await;
    world.submit("first").await;
    let session = world.session();
    world.submit(&long("second", 200)).await;
    assert!(Arc::ptr_eq(&session, &world.session()), "the same session");
    assert_eq!(entries(&world.file(), "compaction").len(), 1);
    world.finish().await;
}

/// Escape stops every kind of it and nothing is written.
/// proves: CMP-013
#[tokio::test]
async fn escape_stops_a_compaction() {
    let manual = long_talk("", [stalled()]).await;
    let before = std::fs::read(manual.file()).unwrap();
    let (session, control) = (manual.session(), manual.session().control());
    let escape = async {
        after_requests(&manual, 4).await;
        assert!(control.is_compacting() && control.abort_compaction());
    };
    let (stopped, ()) = tokio::join!(session.compact(None, none()), escape);
    assert_eq!(stopped.unwrap_err().to_string(), "Compaction cancelled");
    assert_eq!(std::fs::read(manual.file()).unwrap(), before);
    assert_eq!(manual.person.told("auto_compaction_end")[0]["aborted"], true);
    manual.finish().await;

    let config = "compaction:\n  thresholdTokens: 5000\n  keepRecentTokens: 100\n";
    let replies = [say(&long("one", 400)), counted(say("two"), 5_001), stalled(), say("three")];
    let automatic = world(config, replies).await;
    automatic.submit("first").await;
    let control = automatic.session().control();
    let escape = async {
        after_requests(&automatic, 3).await;
        while !control.abort_compaction() {
            tokio::task::yield_now().await;
        }
    };
    let second = long("second", 200);
    let (outcome, ()) = tokio::join!(automatic.submit(&second), escape);
    assert!(!outcome.interrupted, "the answer was complete");
    assert!(entries(&automatic.file(), "compaction").is_empty());
    assert_eq!(automatic.person.told("auto_compaction_end")[0]["aborted"], true);
    automatic.session().close().await;
}

/// What is said during a compaction is answered afterwards: steering as steering, later words later.
#[tokio::test]
async fn words_during_a_compaction_wait() {
    let replies = [stalled_summary(), say("line"), say("to the steering"), say("to the follow-up")];
    let world = long_talk("", replies).await;
    let (session, control) = (world.session(), world.session().control());
    let talk = async {
        after_requests(&world, 4).await;
        control.follow_up(omp_types::UserContent::Text("later words".to_owned()));
        control.steer(omp_types::UserContent::Text("urgent words".to_owned()));
    };
    let (compacted, ()) = tokio::join!(session.compact(None, none()), talk);
    let answered = compacted.unwrap().answered.unwrap();
    assert_eq!(answered.last_answer().unwrap().texts().collect::<String>(), "to the follow-up");
    assert!(world.last(5).contains("urgent words") && world.last(6) == "later words");
    assert!(text(&world.messages(5)[1]).contains("<summary>"), "after the compaction");
    let steering = entries(&world.file(), "message");
    assert!(steering.iter().any(|entry| entry["message"]["steering"] == true));
    world.finish().await;
}

fn stalled_summary() -> Reply {
    say("notes").delay_before(Duration::from_millis(200))
}

/// The first model is busy for long, and another one can do it.
/// proves: CMP-031
#[tokio::test]
async fn another_model_sums_up() {
    let busy = || Reply::status(429).header("retry-after", "30").body(json!({"error": {"message": "slow down"}}));
    let hiccup = || Reply::status(503).body(json!({"error": {"message": "overloaded"}}));
    let config = "modelRoles:\n  default: one/a\n  smol: one/b\nretry:\n  baseDelayMs: 1\n";
    let world = long_talk(config, [busy(), hiccup(), say("notes"), say("line")]).await;
    world.session().compact(None, none()).await.unwrap();
    let models: Vec<String> = (3..7).map(|request| world.model(request)).collect();
    assert_eq!(models, ["a", "b", "b", "b"], "a long wait is for nothing, a short one is not");
    world.finish().await;
}

type Bodies = Arc<std::sync::Mutex<Vec<Value>>>;

/// A service that says one summary to everybody, and what it was asked.
async fn service() -> (std::net::SocketAddr, Bodies) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, asked) = (listener.local_addr().unwrap(), Bodies::default());
    let bodies = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            let body = loop {
                let mut part = [0; 4096];
                let read = stream.read(&mut part).await.unwrap();
                request.extend_from_slice(&part[..read]);
                let text = String::from_utf8_lossy(&request).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                assert!(head.starts_with("POST /summary "), "{head}");
                assert!(head.to_lowercase().contains("content-type: application/json"), "{head}");
                if let Ok(body) = serde_json::from_str::<Value>(body) {
                    break body;
                }
            };
            bodies.lock().unwrap().push(body);
            let answer = r#"{"summary": "from the service", "more": 1}"#;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
            stream.write_all(format!("{head}{answer}").as_bytes()).await.unwrap();
        }
    });
    (address, asked)
}

/// A service of the user's own gets the question and says the summary; switched off, nobody asks it.
/// proves: CMP-047
#[tokio::test]
async fn a_service_can_sum_up() {
    for on in [true, false] {
        let (address, asked) = service().await;
        let config = format!(
            "compaction:\n  enabled: false\n  remoteEnabled: {on}\n  remoteEndpoint: http://{address}/summary\n"
        );
        let mut replies: Vec<Reply> = (0..3).map(|turn| say(&long(&format!("answer {turn}"), 900))).collect();
        if !on {
            replies.extend([say("from the model"), say("line")]);
        }
        let world = world(&config, replies).await;
        for turn in 0..3 {
            world.submit(&long(&format!("question {turn}"), 900)).await;
        }
        world.session().compact(None, none()).await.unwrap();
        let summary = entries(&world.file(), "compaction")[0]["summary"].as_str().unwrap().to_owned();
        let expected = if on { "from the service" } else { "from the model" };
        assert!(summary.starts_with(expected), "{summary}");
        let asked = asked.lock().unwrap().clone();
        assert_eq!(asked.len(), if on { 2 } else { 0 }, "the summary and the line");
        if on {
            let body = &asked[0];
            assert!(body["prompt"].as_str().unwrap().starts_with("<conversation>"));
            assert!(body["systemPrompt"].as_str().is_some_and(|text| !text.is_empty()));
        }
        world.finish().await;
    }
}

/// The branch that is left is summed up at the place that the conversation goes on from.
/// proves: CMP-090, CMP-094, CMP-096
#[tokio::test]
async fn a_branch_is_summed_up() {
    let read = call("read", json!({"path": "notes.txt"}));
    let replies = [say("one"), read, say("two"), say("three"), say("It led nowhere."), say("from there")];
    let world = world("", replies).await;
    world.home.write("work/notes.txt", "hello");
    for prompt in ["first", "second", "third"] {
        world.submit(prompt).await;
    }
    let messages = entries(&world.file(), "message");
    let target = messages[1]["id"].as_str().unwrap().to_owned();
    let moved = world.session().summarize_branch(&target, None, none()).await.unwrap().unwrap();
    let asked = world.last(4);
    assert!(asked.contains("[User]: second") && asked.contains("[Assistant]: three"), "{asked}");
    assert!(!asked.contains("[User]: first") && !asked.contains("[Assistant]: one"), "not what is common: {asked}");
    let entry = entries(&world.file(), "branch_summary").remove(0);
    assert_eq!((entry["parentId"].as_str(), entry["id"].as_str()), (Some(target.as_str()), moved.leaf.as_deref()));
    let summary = entry["summary"].as_str().unwrap();
    assert!(summary.contains("another path") && summary.contains("It led nowhere."), "{summary}");
    assert!(summary.ends_with("<files>\nnotes.txt (Read)\n</files>"), "{summary}");
    assert_eq!(entry["details"]["readFiles"], json!(["notes.txt"]));
    world.submit("on").await;
    assert!(texts(&world.messages(5)).iter().any(|text| text.contains("It led nowhere.")));
    world.finish().await;

    // The user's own words take the place of ours.
    let replies = [say("one"), say("two"), say("custom notes")];
    let world = crate::support::world("", replies).await;
    world.submit("first").await;
    world.submit("second").await;
    let target = entries(&world.file(), "message")[1]["id"].as_str().unwrap().to_owned();
    world.session().summarize_branch(&target, Some("Only list the errors."), none()).await.unwrap();
    assert!(world.last(2).ends_with("</conversation>\n\nOnly list the errors."), "{}", world.last(2));
    world.finish().await;
}

/// Stopped: the conversation stands where it stood. Nothing left behind: nothing to sum up.
/// proves: CMP-095, SES-134
#[tokio::test]
async fn a_branch_summary_can_be_stopped() {
    let world = world("", [say("one"), say("two"), stalled()]).await;
    world.submit("first").await;
    world.submit("second").await;
    let ids: Vec<String> =
        entries(&world.file(), "message").iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect();
    let before = std::fs::read(world.file()).unwrap();
    let (session, cancel) = (world.session(), none());
    let escape = async {
        after_requests(&world, 3).await;
        cancel.cancel();
    };
    let (stopped, ()) = tokio::join!(session.summarize_branch(&ids[1], None, cancel.clone()), escape);
    assert!(matches!(stopped, Err(BranchSummaryError::Aborted)));
    assert_eq!(std::fs::read(world.file()).unwrap(), before);
    assert_eq!(world.session().conversation().await.len(), 4, "all of it is still there");
    session.navigate(&ids[1], None).await.unwrap();
    let forward = session.summarize_branch(&ids[3], None, none()).await.unwrap().unwrap();
    assert_eq!(forward.leaf.as_deref(), Some(ids[3].as_str()));
    assert!(entries(&world.file(), "branch_summary").is_empty());
    world.session().close().await;
}

/// A branch that is longer than the window loses its oldest messages, not its files.
/// proves: CMP-091, CMP-093
#[tokio::test]
async fn a_long_branch_is_summed_up_from_its_end() {
    let read = call("read", json!({"path": "notes.txt"}));
    let replies = [say("base"), read, say(&long("old", 3_000)), say(&long("middle", 3_000)), say("new"), say("notes")];
    let config = "compaction:\n  enabled: false\nbranchSummary:\n  reserveTokens: 5000\n";
    let world = world(config, replies).await;
    world.home.write("work/notes.txt", "hello");
    for prompt in ["zero", "first", "second", "third"] {
        world.submit(prompt).await;
    }
    let target = entries(&world.file(), "message")[1]["id"].as_str().unwrap().to_owned();
    world.session().summarize_branch(&target, None, none()).await.unwrap();
    let asked = world.last(5);
    assert!(asked.contains("[Assistant]: middle") && asked.contains("[Assistant]: new"), "the newest 5,000 tokens");
    assert!(!asked.contains("[User]: first") && !asked.contains("[Assistant]: old"));
    let entry = entries(&world.file(), "branch_summary").remove(0);
    assert_eq!(entry["details"]["readFiles"], json!(["notes.txt"]));
    world.finish().await;
}

const PLAN: &str = "# Fix it\n\n1. Change `a.rs`.";

async fn planned(more: impl IntoIterator<Item = Reply>) -> World {
    let replies = [
        say(&long("before", 6_000)),
        call("write", json!({"path": "local://fix-plan.md", "content": PLAN})),
        call("resolve", json!({"action": "apply", "reason": "ready", "extra": {"title": "fix"}})),
    ];
    let world = world("compaction:\n  enabled: false\n", replies.into_iter().chain(more)).await;
    world.submit("hi").await;
    world.session().enter_plan().await.unwrap();
    world.person.verdicts.lock().unwrap().push_back(PlanVerdict::CompactContext);
    world
}

/// The conversation is summed up, then the plan is carried out in it; a failure does not stop the plan.
#[tokio::test]
async fn a_plan_is_carried_out_in_a_shorter_conversation() {
    let world = planned([say("notes"), say("line"), say("done")]).await;
    world.submit("plan it").await;
    let sent = texts(&world.messages(5));
    assert!(sent.iter().any(|text| text.contains("<summary>\nnotes")), "{sent:?}");
    assert!(!sent.iter().any(|text| text.starts_with("before ")), "{sent:?}");
    assert!(sent.last().unwrap().contains("1. Change `a.rs`."), "{sent:?}");
    world.finish().await;

    let refused = Reply::status(400).body(json!({"error": {"message": "no"}}));
    let failed = planned([refused, say("done")]).await;
    failed.submit("plan it").await;
    assert!(failed.last(4).contains("1. Change `a.rs`."), "it runs anyway");
    failed.finish().await;
}

/// Stopped: the plan is approved, and nothing is sent until the user says something.
/// proves: LOP-066
#[tokio::test]
async fn a_stopped_compaction_waits_for_the_user() {
    let refused = Reply::status(400).body(json!({"error": {"message": "no"}}));
    let failed = planned([refused, say("done")]).await;
    failed.submit("plan it").await;
    assert!(failed.last(4).contains("1. Change `a.rs`."), "a failure executes anyway");
    failed.finish().await;

    let world = planned([stalled(), say("done")]).await;
    let control = world.session().control();
    let escape = async {
        after_requests(&world, 4).await;
        while !control.abort_compaction() {
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(world.submit("plan it"), escape);
    assert_eq!(world.server.requests().len(), 4, "nothing is sent");
    assert_eq!(world.session().plan_state(), omp_sdk::PlanState::Off, "approved");
    world.submit("go").await;
    let sent = texts(&world.messages(4));
    assert!(sent.iter().any(|text| text.contains("1. Change `a.rs`.")), "{sent:?}");
    assert_eq!(sent.last().unwrap(), "go");
    world.session().close().await;
}

/// Nothing happens for a while, and the conversation is long: it is summed up, and nobody goes on by itself.
/// proves: CMP-026
#[tokio::test]
async fn a_quiet_time_is_used() {
    let config = |on: bool| {
        format!("compaction:\n  keepRecentTokens: 2000\n  idleEnabled: {on}\n  idleTimeoutSeconds: 0\n  idleThresholdTokens: 5000\n")
    };
    for (on, tokens, expected) in [(true, 5_001, true), (true, 5_000, false), (false, 5_001, false)] {
        let mut replies = vec![say(&long("one", 400)), counted(say("two"), tokens)];
        if expected {
            replies.extend([say("notes"), say("line")]);
        }
        let world = world(&config(on), replies).await;
        world.submit("first").await;
        world.submit(&long("second", 200)).await;
        assert_eq!(world.session().keep_up_when_idle(none()).await, expected, "{on} {tokens}");
        assert_eq!(entries(&world.file(), "compaction").len(), usize::from(expected));
        if expected {
            assert_eq!(world.person.told("auto_compaction_start")[0]["reason"], "idle");
        }
        world.finish().await;
    }
    let stopped = world(&config(true), [say("one")]).await;
    stopped.submit("first").await;
    let cancelled = none();
    cancelled.cancel();
    assert!(!stopped.session().keep_up_when_idle(cancelled).await, "something happened");
    stopped.finish().await;
}

/// A file that is read again: the older read is blanked in the next request, unless that is switched off.
/// proves: CMP-061, CMP-065
#[tokio::test]
async fn an_older_read_is_blanked() {
    for on in [true, false] {
        let read = || call("read", json!({"path": "notes.txt"}));
        let world = world(&format!("compaction:\n  supersedeReads: {on}\n"), [read(), read(), say("done")]).await;
        world.home.write("work/notes.txt", "hello there");
        world.submit("read it twice").await;
        let results = world.results(2);
        assert_eq!(results[0] == "[Superseded by a newer read of this file]", on, "{results:?}");
        assert!(results[1].contains("hello there"));
        assert_eq!(world.messages(2).len(), 6, "calls and results stay in their places");
        let kept = entries(&world.file(), "message");
        let stored = kept.iter().filter(|entry| entry["message"]["role"] == "toolResult").count();
        assert_eq!(stored, 2);
        world.finish().await;
    }
}

/// Old output goes before anything is summed up, in the file too; what is left may be short enough.
/// proves: CMP-056, CMP-059, CMP-060
#[tokio::test]
async fn old_output_goes_first() {
    let command = |from: u32| call("bash", json!({"command": format!("seq {from} {}", from + 11_999)}));
    let config = "approval:\n  mode: yolo\ncompaction:\n  autoContinue: false\ntools:\n  artifactSpillThreshold: 400\n  artifactHeadBytes: 400\n  artifactTailBytes: 100\n  artifactTailLines: 100000\n";
    let replies = [command(100_000), command(200_000), command(300_000), counted(say("done"), 172_000)];
    let opening = Opening::new(config, replies);
    let path = "home/.omp/agent/models.yml";
    opening.home.write(path, opening.home.read(path).replace("contextWindow: 10000", "contextWindow: 200000"));
    let world = opening.start().await;
    world.submit("work").await;
    let before: Vec<Value> = entries(&world.file(), "message");
    let results: Vec<&str> = before
        .iter()
        .filter(|entry| entry["message"]["role"] == "toolResult")
        .map(|entry| entry["message"]["content"][0]["text"].as_str().unwrap())
        .collect();
    assert!(results[0].starts_with("[Output truncated - ") && results[0].ends_with(" tokens]"), "{}", results[0].len());
    assert!(results[2].starts_with("300000\n"), "the newest 40,000 tokens stay");
    assert!(entries(&world.file(), "compaction").is_empty(), "it is short enough now");
    let live = world.session().conversation().await;
    let first = live.iter().find_map(|message| message.as_tool_result()).unwrap();
    assert!(first.content[0].as_text().unwrap().starts_with("[Output truncated - "));
    world.finish().await;
}

#[tokio::test]
async fn a_cut_answer_without_anything_to_cut_stays() {
    let world = world("", [say("half").stop(Stop::Length)]).await;
    let outcome = world.submit("first").await;
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "half");
    world.finish().await;
}
