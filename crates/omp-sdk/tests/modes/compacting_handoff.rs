//! A document that a new session begins with.

use std::sync::Arc;

use omp_sdk::{HandoffError, Persistence};
use omp_testkit::Reply;
use serde_json::{Value, json};

use crate::compacting::long;
use crate::compacting_alone::counted;
use crate::compacting_more::{after_requests, none, stalled, texts};
use crate::support::{call, entries, lines, say, text, world};

const HANDOFF: &str = "compaction:\n  strategy: handoff\n  thresholdTokens: 6000\n  keepRecentTokens: 2000\n";

/// A document in place of the conversation: the question begins like the last request, the old file stays as it is, and
/// the new one has nothing but the document.
/// proves: CMP-066, CMP-067, LOP-146
#[tokio::test]
async fn a_document_begins_a_new_session() {
    let replies =
        [say("hi"), call("todo", json!({"ops": []})), say("working"), say("The document."), say("ok")];
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

/// Above the threshold the prompt ends first, then a new session goes on; a document that was not asked for can be kept.
/// proves: CMP-068, LOP-150
#[tokio::test]
async fn a_long_conversation_is_handed_off() {
    for kept in [true, false] {
        let replies = [counted(say("one"), 6_001), say("The document."), say("going on")];
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
        let found =
            || std::fs::read_dir(&beside).map(|files| files.flatten().map(|file| file.path()).collect());
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
    let replies = [counted(say("one"), 6_001), say("The document."), say("two")];
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
    let replies = [say(&long("one", 400)), counted(say("two"), 6_001), say(""), say("notes"), say("line")];
    let config = HANDOFF.replace("keepRecentTokens: 2000", "keepRecentTokens: 2000\n  autoContinue: false");
    let world = world(&config, replies).await;
    world.submit("first").await;
    let session = world.session();
    world.submit(&long("second", 200)).await;
    assert!(Arc::ptr_eq(&session, &world.session()));
    assert_eq!(entries(&world.file(), "compaction").len(), 1);
    world.finish().await;

    let overflow =
        Reply::status(400).body(json!({"error": {"message": "x", "code": "context_length_exceeded"}}));
    let replies = [say(&long("one", 400)), overflow, say("notes"), say("line"), say("ok")];
    let world = crate::support::world(&config, replies).await;
    world.submit("first").await;
    let session = world.session();
    world.submit(&long("second", 200)).await;
    assert!(Arc::ptr_eq(&session, &world.session()), "the same session");
    assert_eq!(entries(&world.file(), "compaction").len(), 1);
    world.finish().await;
}
