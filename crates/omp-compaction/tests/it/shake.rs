//! Heavy parts that leave a conversation without a model.

use omp_compaction::{Shaken, without_images};
use omp_session::{Compaction, Entry, EntryKind};
use omp_types::{ImageBlock, Message, ToolResultMessage, UserBlock, UserContent, UserMessage};
use serde_json::json;

use crate::support::{Talk, words};

fn spoken(kind: &EntryKind) -> String {
    let entry = Entry { id: String::new(), parent_id: None, timestamp: String::new(), kind: kind.clone() };
    match entry.spoken().as_deref() {
        Some(Message::User(user)) => user.content.text(),
        Some(Message::Custom(custom)) => custom.content.text(),
        Some(Message::ToolResult(result)) => result.content.iter().filter_map(UserBlock::as_text).collect(),
        Some(Message::Assistant(answer)) => answer.texts().collect(),
        None => String::new(),
    }
}

/// An old heavy result, an old heavy block, and 20,000 tokens that came later.
fn talk() -> (Talk, [String; 4]) {
    let mut talk = Talk::default();
    let block = talk.user(&format!("Look:\n```rust\n{}\n```\nWhat is it?", words(3_000)));
    talk.call("1", "bash", json!({"command": "ls"}));
    let heavy = talk.result("1", "bash", &words(5_000));
    talk.call("2", "bash", json!({"command": "true"}));
    let light = talk.result("2", "bash", &words(300));
    talk.answer(&words(13_000));
    talk.call("3", "bash", json!({"command": "cat"}));
    let newest = talk.result("3", "bash", &words(3_500));
    (talk, [block, heavy, light, newest])
}

#[test]
fn heavy_parts_go_and_say_where() {
    let (talk, [block, heavy, light, newest]) = talk();
    let shaken = Shaken::find(&talk.path()).expect("heavy parts");
    let originals = shaken.originals();
    let outcome = shaken.apply(Some("artifact://7"));
    assert_eq!(outcome.parts, 2);
    assert!(outcome.saved > 7_900 && outcome.saved <= 8_100, "{}", outcome.saved);
    let text = spoken(&outcome.kinds[&block]);
    assert!(
        text.starts_with("Look:\n```rust\n[rust block of 3001 tokens moved to artifact://7:2-2"),
        "{text}"
    );
    assert!(text.ends_with("]\n```\nWhat is it?"), "{text}");
    let text = spoken(&outcome.kinds[&heavy]);
    assert!(text.starts_with("[bash result of 500"), "{text}");
    let range = text.rsplit(':').next().expect("a range").trim_end_matches(']');
    let (from, to) = range.split_once('-').expect("a range");
    let (from, to): (usize, usize) = (from.parse().expect("a line"), to.parse().expect("a line"));
    let kept: Vec<&str> = originals.lines().skip(from - 1).take(to + 1 - from).collect();
    assert_eq!(kept.join("\n").trim_end(), words(5_000).trim_end(), "the lines hold the original");
    assert!(!outcome.kinds.contains_key(&light), "small results stay");
    assert!(!outcome.kinds.contains_key(&newest), "the newest 16,000 tokens stay");
}

#[test]
fn calls_keep_their_results() {
    let (talk, [_, heavy, ..]) = talk();
    let outcome = Shaken::find(&talk.path()).expect("heavy parts").apply(None);
    let EntryKind::Message(entry) = &outcome.kinds[&heavy] else { panic!("a message") };
    let result = entry.message.as_tool_result().expect("a result");
    assert_eq!((result.tool_call_id.as_str(), result.tool_name.as_str()), ("1", "bash"));
    assert!(spoken(&outcome.kinds[&heavy]).contains("removed from the conversation"), "no artifact, no URL");
}

#[test]
fn little_is_not_worth_it() {
    let mut talk = Talk::default();
    talk.call("1", "bash", json!({}));
    talk.result("1", "bash", &words(3_900));
    talk.answer(&words(17_000));
    assert!(Shaken::find(&talk.path()).is_none(), "less than 4,000 tokens");
    let mut talk = Talk::default();
    talk.call("1", "bash", json!({}));
    talk.result("1", "bash", &words(9_000));
    talk.answer(&words(1_000));
    assert!(Shaken::find(&talk.path()).is_none(), "everything is among the newest");
}

#[test]
fn skills_stay() {
    let mut talk = Talk::default();
    talk.call("1", "read", json!({"path": "skill://review"}));
    talk.result("1", "read", &words(6_000));
    talk.answer(&words(17_000));
    assert!(Shaken::find(&talk.path()).is_none());
}

#[test]
fn what_the_model_no_longer_reads_is_left_alone() {
    let (mut talk, _) = talk();
    let kept = talk.user("go on");
    talk.compaction(Compaction { first_kept_entry_id: Some(kept), ..Compaction::default() });
    talk.answer(&words(20_000));
    assert!(Shaken::find(&talk.path()).is_none());
}

#[test]
fn pictures_can_go() {
    let picture = || {
        UserBlock::Image(ImageBlock {
            data: "AAAA".to_owned(),
            mime_type: "image/png".to_owned(),
            detail: None,
        })
    };
    let mut talk = Talk::default();
    let asked = talk.say(Message::User(UserMessage {
        content: UserContent::Blocks(vec![UserBlock::text("see"), picture()]),
        steering: false,
        sealed: None,
        timestamp: 0,
    }));
    talk.call("1", "read", json!({"path": "a.png"}));
    let read = talk.say(Message::ToolResult(ToolResultMessage {
        tool_call_id: "1".to_owned(),
        tool_name: "read".to_owned(),
        content: vec![picture(), picture()],
        details: None,
        is_error: false,
        timestamp: 0,
    }));
    let outcome = without_images(&talk.path());
    assert_eq!(outcome.parts, 3);
    assert!(outcome.saved > 3_000);
    let notice = "[Image (image/png) removed from the conversation]";
    assert_eq!(spoken(&outcome.kinds[&asked]), format!("see\n{notice}"));
    assert_eq!(spoken(&outcome.kinds[&read]), notice.repeat(2));
    assert_eq!(without_images(&Talk::default().path()).parts, 0);
}
