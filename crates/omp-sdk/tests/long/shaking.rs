//! Heavy parts leave a conversation.

use omp_sdk::{Persistence, Shake};
use omp_testkit::{ModelOptions, Reply, Server, Usage, Wire};
use serde_json::json;

use crate::support::{Talk, World, say, text, words};

fn talk() -> Talk {
    Talk::default()
        .user("begin")
        .called("call_1", &format!("{}THE END", words(6_000)))
        .answer(&format!("Here:\n<data>\n{}\n</data>\nDone.", words(2_000)))
        .user("more")
        .answer(&words(15_000))
        .called("call_2", &words(2_000))
        .answer("ready")
}

fn world(config: &str, window: u64, replies: Vec<Reply>, talk: &Talk) -> World {
    let model = ModelOptions::new().context_window(window);
    World::new(Server::start(replies), Wire::OpenAiCompletions, model, config, talk)
}

/// The user shakes: old heavy results and blocks are replaced by a line that names the artifact with the original, the newest
/// stay, and no model is asked. The next request has every call with its result.
/// proves: CMP-071
#[tokio::test]
async fn the_user_shakes() {
    let world = world("", 200_000, vec![Reply::new().text("ok")], &talk());
    let session = world.open().await;
    let report = session.context().shake(Shake::Elide).await.unwrap();
    assert_eq!(report.parts, 2);
    assert!(report.saved > 7_900, "{report:?}");
    assert_eq!(report.artifact.as_deref(), Some("artifact://0"));
    assert_eq!(world.server.requests().len(), 0, "no model is asked");
    say(&session, "go on").await;
    let messages = world.messages(0);
    let results: Vec<_> = messages.iter().filter(|message| message["role"] == "tool").collect();
    let calls: Vec<_> =
        messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten().collect();
    assert_eq!(results[0]["tool_call_id"], calls[0]["id"]);
    assert_eq!(results.len(), calls.len());
    let moved = text(results[0]);
    assert!(moved.starts_with("[bash result of 600") && moved.contains("moved to artifact://0:"), "{moved}");
    assert_eq!(text(results[1]), words(2_000), "the newest stays");
    let answers: String =
        messages.iter().filter(|message| message["role"] == "assistant").map(text).collect();
    assert!(answers.contains("<data>\n[data block of 200"), "{}", &answers[..200.min(answers.len())]);
    let artifact = world.home.read("work/old/0.shake.log");
    assert!(artifact.contains("THE END") && artifact.contains(words(2_000).trim_end()));
    let ids: Vec<_> = world.entries().iter().map(|entry| entry["id"].clone()).collect();
    assert_eq!(&ids[..3], &[json!("e0"), json!("e1"), json!("e2")], "the entries are the same");
    session.close().await;
    world.server.finish();
}

/// Over the threshold the strategy shakes, without a model, and the turn goes on.
/// proves: CMP-070
#[tokio::test]
async fn the_strategy_shakes_at_the_threshold() {
    let config = "compaction:\n  strategy: shake\n  thresholdTokens: 22000\n  autoContinue: false\n";
    let world = world(config, 200_000, vec![Reply::new().text("ok")], &talk());
    let session = world.open().await;
    say(&session, "go on").await;
    assert_eq!(world.server.requests().len(), 1, "no model is asked for a summary");
    let messages = world.messages(0);
    let results: Vec<String> =
        messages.iter().filter(|message| message["role"] == "tool").map(text).collect();
    assert!(results[0].contains("moved to artifact://0:"), "{}", results[0]);
    assert!(world.home.read("work/old/0.shake.log").contains("THE END"));
    assert!(world.entries().iter().all(|entry| entry["type"] != "compaction"));
    let end = &world.events.of("auto_compaction_end")[0];
    assert_eq!(end["action"], "shake", "{end}");
    session.close().await;
    world.server.finish();
}

/// What was counted before the shaking is the size of another conversation: the next prompt is sent as it is.
#[tokio::test]
async fn a_shaken_conversation_is_measured_anew() {
    let config = "compaction:\n  strategy: shake\n  thresholdTokens: 28000\n  autoContinue: false\n";
    let usage = Usage { input: 29_000, output: 10, ..Usage::default() };
    let replies = vec![Reply::new().text("one").usage(usage), Reply::new().text("two")];
    let world = world(config, 200_000, replies, &talk());
    let session = world.open().await;
    say(&session, "go on").await;
    assert_eq!(world.events.of("auto_compaction_end").len(), 1, "shaken after the turn");
    say(&session, "and on").await;
    assert_eq!(world.server.requests().len(), 2, "nothing is summed up");
    assert_eq!(world.events.of("auto_compaction_end").len(), 1);
    session.close().await;
    world.server.finish();
}

/// Where shaking does not win enough, a summary follows.
#[tokio::test]
async fn a_summary_follows_where_shaking_is_not_enough() {
    let config = "compaction:\n  strategy: shake\n  thresholdTokens: 9000\n  keepRecentTokens: 1000\n  autoContinue: false\n";
    let replies = ["they talked", "then this", "talk", "ok"].map(|text| Reply::new().text(text)).to_vec();
    let world = world(config, 200_000, replies, &talk());
    let session = world.open().await;
    say(&session, "go on").await;
    let compaction = world.entries().into_iter().find(|entry| entry["type"] == "compaction");
    assert!(compaction.is_some_and(|entry| entry["summary"].as_str().unwrap().contains("they talked")));
    session.close().await;
    world.server.finish();
}

#[tokio::test]
async fn pictures_are_shaken_off() {
    let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let talk = Talk::default()
        .message(&json!({ "role": "user", "content": [
            { "type": "text", "text": "see" },
            { "type": "image", "mimeType": "image/png", "data": picture },
        ] }))
        .answer("a dot");
    let model = ModelOptions::new();
    let world =
        World::new(Server::start(vec![Reply::new().text("ok")]), Wire::OpenAiCompletions, model, "", &talk);
    let session = world.open().await;
    let report = session.context().shake(Shake::Images).await.unwrap();
    assert_eq!((report.parts, report.artifact), (1, None));
    say(&session, "go on").await;
    let body = world.server.requests()[0].body.to_string();
    assert!(!body.contains(picture) && body.contains("Image (image/png) removed"), "{body}");
    let nothing = session.context().shake(Shake::Images).await.unwrap_err();
    assert_eq!(nothing.to_string(), "Nothing to trim: no images in the conversation");
    session.close().await;
    world.server.finish();
}

/// A session that is never saved has no artifacts; the line says what is gone.
#[tokio::test]
async fn a_session_in_memory_shakes_too() {
    let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
    let first = Reply::new().text(&format!("```\n{}\n```", numbers(3_000)));
    let replies = vec![first, Reply::new().text(&numbers(9_000)), Reply::new().text("ok")];
    let mut world = world("", 200_000, replies, &Talk::default());
    world.persistence = Some(Persistence::Off);
    let session = world.open().await;
    say(&session, "one").await;
    say(&session, "two").await;
    let report = session.context().shake(Shake::Elide).await.unwrap();
    assert_eq!((report.parts, report.artifact), (1, None));
    say(&session, "three").await;
    let answers: Vec<String> =
        world.messages(2).iter().filter(|message| message["role"] == "assistant").map(text).collect();
    assert!(answers[0].contains("tokens removed from the conversation]"), "{}", answers[0]);
    session.close().await;
    world.server.finish();
}
