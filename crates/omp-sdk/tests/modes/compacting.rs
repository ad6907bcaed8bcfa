//! Compaction when the user asks for it.

use omp_sdk::CompactError;
use omp_testkit::Reply;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::support::{World, call, entries, lines, say, text, world};

/// A text of about so many tokens.
pub(crate) fn long(name: &str, tokens: usize) -> String {
    // Not one word again and again: a model that says that is stopped.
    let numbers: Vec<String> = (0..tokens / 2).map(|number| (number % 900 + 100).to_string()).collect();
    format!("{name} {}", numbers.join(" "))
}

/// A conversation that is long for a window of 10,000 tokens.
pub(crate) async fn long_talk(config: &str, more: impl IntoIterator<Item = Reply>) -> World {
    let replies = (0..3).map(|turn| say(&long(&format!("answer {turn}"), 900)));
    let world = world(&format!("{config}\ncompaction:\n  enabled: false\n"), replies.chain(more)).await;
    for turn in 0..3 {
        world.submit(&long(&format!("question {turn}"), 900)).await;
    }
    world
}

pub(crate) fn system(world: &World, request: usize) -> String {
    text(&world.messages(request)[0])
}

fn roles(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["role"].as_str().unwrap()).collect()
}

/// So much of the newest stays as the setting says.
/// proves: CMP-035
#[tokio::test]
async fn the_setting_says_how_much_stays() {
    let mut kept = Vec::new();
    for tokens in [1000, 6000] {
        let replies = (0..3).map(|turn| say(&long(&format!("answer {turn}"), 900)));
        let more = [say("The notes."), say("The line."), say("ok")];
        let config = format!("compaction:\n  enabled: false\n  keepRecentTokens: {tokens}\n");
        let world = world(&config, replies.chain(more)).await;
        for turn in 0..3 {
            world.submit(&long(&format!("question {turn}"), 900)).await;
        }
        let compacted = world.session().context().compact(None, CancellationToken::new()).await.unwrap();
        let first = compacted.result.unwrap().first_kept_entry_id.unwrap();
        let lines = lines(&world.file());
        let messages: Vec<_> = lines.iter().filter(|line| line["type"] == "message").collect();
        kept.push(messages.len() - messages.iter().position(|line| line["id"] == first.as_str()).unwrap());
    }
    assert_eq!(kept, [1, 4], "messages of a bit more than a thousand tokens");
}

/// One entry more, nothing less; then the model reads a summary, what was kept, and what is new.
/// proves: CMP-001, CMP-002, CMP-003, CMP-042, CMP-045
#[tokio::test]
async fn the_conversation_is_summed_up() {
    let summary = "## Goal\nThe user counts words.";
    let world = long_talk("", [say(summary), say("Counting words"), say("ok")]).await;
    let before = lines(&world.file());
    let compacted = world.session().context().compact(None, CancellationToken::new()).await.unwrap();
    let after = lines(&world.file());
    assert_eq!(after[..before.len()], before[..], "nothing is taken away");
    assert_eq!(after.len(), before.len() + 1);
    let entry = after.last().unwrap();
    assert_eq!(entry["type"], "compaction");
    assert_eq!(entry["parentId"], before.last().unwrap()["id"]);
    assert_eq!(entry["shortSummary"], "Counting words");
    assert!(entry["summary"].as_str().unwrap().starts_with(summary));
    let result = compacted.result.unwrap();
    assert_eq!(entry["firstKeptEntryId"].as_str(), result.first_kept_entry_id.as_deref());

    let asked = &world.server.requests()[3].body;
    assert!(asked.get("tools").is_none_or(|tools| tools.as_array().unwrap().is_empty()), "no tools");
    assert_ne!(system(&world, 3), system(&world, 0), "a system prompt of its own");
    let prompt = world.last(3);
    assert!(prompt.starts_with("<conversation>\n[User]: question 0") && prompt.contains("</conversation>"));
    assert!(!prompt.contains("question 1"), "what is kept is not summed up");
    assert!(world.last(4).contains("<summary>"), "the line for lists is made from the summary");

    world.submit("and now").await;
    let messages = world.messages(5);
    assert_eq!(system(&world, 5), system(&world, 0));
    assert_eq!(roles(&messages), ["system", "user", "user", "assistant", "user", "assistant", "user"]);
    let told = text(&messages[1]);
    assert!(told.contains(&format!("<summary>\n{summary}")) && told.ends_with("</summary>"), "{told}");
    let kept: Vec<String> = messages[2..6].iter().map(|message| text(message)[..10].to_owned()).collect();
    assert_eq!(kept, ["question 1", "answer 1 1", "question 2", "answer 2 1"]);
    assert_eq!(text(&messages[6]), "and now");
    world.finish().await;
}

/// What the user wants the summary to attend to is part of the question.
/// proves: CMP-009
#[tokio::test]
async fn instructions_reach_the_summary() {
    let world = long_talk("", [say("notes"), say("line")]).await;
    world.session().context().compact(Some("keep every number"), CancellationToken::new()).await.unwrap();
    assert!(world.last(3).ends_with("keep every number"), "{}", world.last(3));
    world.finish().await;
}

/// A session that is short, or that was compacted just now, is left alone.
/// proves: CMP-011
#[tokio::test]
async fn nothing_to_compact_is_said() {
    let fresh = world("", [say("hello")]).await;
    let compact = |world: &World| {
        let session = world.session();
        async move { session.context().compact(None, CancellationToken::new()).await }
    };
    let empty = compact(&fresh).await.unwrap_err();
    assert!(empty.to_string().contains("Nothing to compact"), "{empty}");
    fresh.submit("hi").await;
    let short = compact(&fresh).await.unwrap_err();
    assert!(short.to_string().contains("short enough"), "{short}");
    assert!(entries(&fresh.file(), "compaction").is_empty());
    fresh.finish().await;

    let world = long_talk("", [say("notes"), say("line")]).await;
    compact(&world).await.unwrap();
    let again = compact(&world).await.unwrap_err();
    assert!(again.to_string().contains("nothing was said since"), "{again}");
    assert_eq!(entries(&world.file(), "compaction").len(), 1);
    world.finish().await;
}

/// Compaction that runs by itself is off, and the model is in the middle of an answer: the answer stops first.
/// proves: CMP-008
#[tokio::test]
async fn a_running_answer_stops_first() {
    let stall = std::time::Duration::from_secs(600);
    let running = say("words without end").stall_after_event(2, stall);
    let world = long_talk("", [running, say("notes"), say("line")]).await;
    let session = world.session();
    let compact = async {
        while world.server.requests().len() < 4 {
            tokio::task::yield_now().await;
        }
        session.context().compact(None, CancellationToken::new()).await
    };
    let (outcome, compacted) = tokio::join!(world.submit("go on"), compact);
    assert!(outcome.interrupted);
    compacted.unwrap();
    let kinds: Vec<_> =
        lines(&world.file()).iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds.last().unwrap(), "compaction");
    assert_eq!(entries(&world.file(), "message").last().unwrap()["message"]["stopReason"], "aborted");
    world.finish().await;
}

/// Stopped, failed or empty summaries write nothing.
/// proves: CMP-050
#[tokio::test]
async fn a_failed_summary_writes_nothing() {
    let refused = || Reply::status(400).body(serde_json::json!({"error": {"message": "no such thing"}}));
    let world = long_talk("", [refused(), say(""), say(" "), say("\n")]).await;
    let before = std::fs::read(world.file()).unwrap();
    for expected in ["no such thing", "returned an empty answer"] {
        let error = world.session().context().compact(None, CancellationToken::new()).await.unwrap_err();
        assert!(matches!(error, CompactError::Upkeep(_)) && error.to_string().contains(expected), "{error}");
    }
    assert_eq!(std::fs::read(world.file()).unwrap(), before);
    let ends = world.person.told("auto_compaction_end");
    assert_eq!(ends.len(), 2);
    assert!(ends.iter().all(|end| end["aborted"] == false && end.get("result").is_none()), "{ends:?}");
    world.finish().await;
}

/// Tasks, words of the user and errors survive word for word; what went can be read again.
#[tokio::test]
async fn what_must_not_be_lost_is_carried_over() {
    let failing = call("bash", serde_json::json!({"command": "echo broken >&2; exit 3"}));
    let todo = call(
        "todo",
        serde_json::json!({"ops": [{"op": "init", "list": [{"phase": "Work", "items": ["Ship it"]}]}]}),
    );
    let replies = [
        todo,
        failing,
        say(&long("first", 1200)),
        say(&long("second", 1200)),
        say(&long("third", 1200)),
        say("notes"),
        say("line"),
        call("read", serde_json::json!({"path": "artifact://0"})),
        say("seen"),
    ];
    let config = "compaction:\n  enabled: false\ntodo:\n  reminders: false\napproval:\n  mode: yolo\n";
    let world = world(config, replies).await;
    world.submit("Build the parser in Rust, never in C").await;
    world.submit(&long("two", 900)).await;
    world.submit(&long("three", 900)).await;
    world.session().context().compact(None, CancellationToken::new()).await.unwrap();
    let entry = entries(&world.file(), "compaction").remove(0);
    let summary = entry["summary"].as_str().unwrap();
    for kept in ["> Build the parser in Rust, never in C", "Ship it", "broken", "artifact://0"] {
        assert!(summary.contains(kept), "{kept} is not in {summary}");
    }
    world.submit("what was the first answer?").await;
    let read = world.results(world.server.requests().len() - 1);
    assert!(read.last().unwrap().contains("[Assistant]: first 100"), "{read:?}");
    world.finish().await;
}
