//! Several models, services, plans, quiet times, and results that go.

use std::sync::Arc;
use std::time::Duration;

use omp_sdk::{Persistence, PlanVerdict};
use omp_testkit::{Reply, Stop};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::compacting::{long, long_talk};
use crate::compacting_alone::counted;
use crate::support::{Opening, World, call, entries, say, text, world};

pub(crate) fn stalled() -> Reply {
    say("words without end").stall_after_event(2, Duration::from_secs(600))
}

/// Waits for so many requests, then does something.
pub(crate) async fn after_requests(world: &World, count: usize) {
    while world.server.requests().len() < count {
        tokio::task::yield_now().await;
    }
}

pub(crate) fn none() -> CancellationToken {
    CancellationToken::new()
}

pub(crate) fn texts(messages: &[Value]) -> Vec<String> {
    messages.iter().map(text).collect()
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
    let (stopped, ()) = tokio::join!(session.context().compact(None, none()), escape);
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
    let (compacted, ()) = tokio::join!(session.context().compact(None, none()), talk);
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
    let busy =
        || Reply::status(429).header("retry-after", "30").body(json!({"error": {"message": "slow down"}}));
    let hiccup = || Reply::status(503).body(json!({"error": {"message": "overloaded"}}));
    let config = "modelRoles:\n  default: one/a\n  smol: one/b\nretry:\n  baseDelayMs: 1\n";
    let world = long_talk(config, [busy(), hiccup(), say("notes"), say("line")]).await;
    world.session().context().compact(None, none()).await.unwrap();
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
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
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
        world.session().context().compact(None, none()).await.unwrap();
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

const PLAN: &str = "# Fix it\n\n1. Change `a.rs`.";

async fn planned(more: impl IntoIterator<Item = Reply>) -> World {
    let replies = [
        say(&long("before", 6_000)),
        call("write", json!({"path": "local://fix-plan.md", "content": PLAN})),
        call("resolve", json!({"action": "apply", "reason": "ready", "extra": {"title": "fix"}})),
    ];
    let world = world("compaction:\n  enabled: false\n", replies.into_iter().chain(more)).await;
    world.submit("hi").await;
    world.session().plan().enter().await.unwrap();
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
    assert_eq!(world.session().plan().state(), omp_sdk::PlanState::Off, "approved");
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
        format!(
            "compaction:\n  keepRecentTokens: 2000\n  idleEnabled: {on}\n  idleTimeoutSeconds: 0\n  idleThresholdTokens: 5000\n"
        )
    };
    for (on, tokens, expected) in [(true, 5_001, true), (true, 5_000, false), (false, 5_001, false)] {
        let mut replies = vec![say(&long("one", 400)), counted(say("two"), tokens)];
        if expected {
            replies.extend([say("notes"), say("line")]);
        }
        let world = world(&config(on), replies).await;
        world.submit("first").await;
        world.submit(&long("second", 200)).await;
        assert_eq!(world.session().context().compact_when_idle(none()).await, expected, "{on} {tokens}");
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
    assert!(!stopped.session().context().compact_when_idle(cancelled).await, "something happened");
    stopped.finish().await;
}

/// A file that is read again: the older read is blanked in the next request, unless that is switched off.
/// proves: CMP-061, CMP-065
#[tokio::test]
async fn an_older_read_is_blanked() {
    for on in [true, false] {
        let read = || call("read", json!({"path": "notes.txt"}));
        let world =
            world(&format!("compaction:\n  supersedeReads: {on}\n"), [read(), read(), say("done")]).await;
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
    let replies = [
        command(100_000),
        command(200_000),
        command(300_000),
        counted(say("done"), 172_000),
        counted(say("more"), 160_000),
    ];
    let opening = Opening::new(config, replies);
    let path = "home/.omp/agent/models.yml";
    opening
        .home
        .write(path, opening.home.read(path).replace("contextWindow: 10000", "contextWindow: 200000"));
    let world = opening.start().await;
    world.submit("work").await;
    let before: Vec<Value> = entries(&world.file(), "message");
    let results: Vec<&str> = before
        .iter()
        .filter(|entry| entry["message"]["role"] == "toolResult")
        .map(|entry| entry["message"]["content"][0]["text"].as_str().unwrap())
        .collect();
    assert!(
        results[0].starts_with("[Output truncated - ") && results[0].ends_with(" tokens]"),
        "{}",
        results[0].len()
    );
    assert!(results[2].starts_with("300000\n"), "the newest 40,000 tokens stay");
    assert!(entries(&world.file(), "compaction").is_empty(), "it is short enough now");
    let live = world.session().conversation().await;
    let first = live.iter().find_map(|message| message.as_tool_result()).unwrap();
    assert!(first.content[0].as_text().unwrap().starts_with("[Output truncated - "));

    // What the provider counted before is not held against the next prompt, also not from the file.
    let file = world.file().display().to_string();
    let world = world.reopen(Persistence::Resume(file)).await;
    world.submit("go on").await;
    assert!(entries(&world.file(), "compaction").is_empty());
    assert!(world.person.told("auto_compaction_start").is_empty());
    world.finish().await;
}

#[tokio::test]
async fn a_cut_answer_without_anything_to_cut_stays() {
    let world = world("", [say("half").stop(Stop::Length)]).await;
    let outcome = world.submit("first").await;
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "half");
    world.finish().await;
}
