//! The summary of a branch that is left behind.

use omp_sdk::BranchSummaryError;
use serde_json::json;

use crate::compacting::long;
use crate::compacting_more::{after_requests, none, stalled, texts};
use crate::support::{call, entries, say, world};

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
    let moved = world.session().tree().summarize_branch(&target, None, none()).await.unwrap().unwrap();
    let asked = world.last(4);
    assert!(asked.contains("[User]: second") && asked.contains("[Assistant]: three"), "{asked}");
    assert!(
        !asked.contains("[User]: first") && !asked.contains("[Assistant]: one"),
        "not what is common: {asked}"
    );
    let entry = entries(&world.file(), "branch_summary").remove(0);
    assert_eq!(
        (entry["parentId"].as_str(), entry["id"].as_str()),
        (Some(target.as_str()), moved.leaf.as_deref())
    );
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
    world.session().tree().summarize_branch(&target, Some("Only list the errors."), none()).await.unwrap();
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
    let ids: Vec<String> = entries(&world.file(), "message")
        .iter()
        .map(|entry| entry["id"].as_str().unwrap().to_owned())
        .collect();
    let before = std::fs::read(world.file()).unwrap();
    let (session, cancel) = (world.session(), none());
    let escape = async {
        after_requests(&world, 3).await;
        cancel.cancel();
    };
    let (stopped, ()) = tokio::join!(session.tree().summarize_branch(&ids[1], None, cancel.clone()), escape);
    assert!(matches!(stopped, Err(BranchSummaryError::Aborted)));
    assert_eq!(std::fs::read(world.file()).unwrap(), before);
    assert_eq!(world.session().conversation().await.len(), 4, "all of it is still there");
    session.tree().navigate(&ids[1], None).await.unwrap();
    let forward = session.tree().summarize_branch(&ids[3], None, none()).await.unwrap().unwrap();
    assert_eq!(forward.leaf.as_deref(), Some(ids[3].as_str()));
    assert!(entries(&world.file(), "branch_summary").is_empty());
    world.session().close().await;
}

/// A branch that is longer than the window loses its oldest messages, not its files.
/// proves: CMP-091, CMP-093
#[tokio::test]
async fn a_long_branch_is_summed_up_from_its_end() {
    let read = call("read", json!({"path": "notes.txt"}));
    let replies =
        [say("base"), read, say(&long("old", 3_000)), say(&long("middle", 3_000)), say("new"), say("notes")];
    let config = "compaction:\n  enabled: false\nbranchSummary:\n  reserveTokens: 5000\n";
    let world = world(config, replies).await;
    world.home.write("work/notes.txt", "hello");
    for prompt in ["zero", "first", "second", "third"] {
        world.submit(prompt).await;
    }
    let target = entries(&world.file(), "message")[1]["id"].as_str().unwrap().to_owned();
    world.session().tree().summarize_branch(&target, None, none()).await.unwrap();
    let asked = world.last(5);
    assert!(
        asked.contains("[Assistant]: middle") && asked.contains("[Assistant]: new"),
        "the newest 5,000 tokens"
    );
    assert!(!asked.contains("[User]: first") && !asked.contains("[Assistant]: old"));
    let entry = entries(&world.file(), "branch_summary").remove(0);
    assert_eq!(entry["details"]["readFiles"], json!(["notes.txt"]));
    world.finish().await;
}
