//! Lists of sessions.

use std::fs::File;

use omp_session::{NO_MESSAGES, NewSession, Status};
use omp_types::{AssistantBlock, Message, StopReason, ToolResultMessage};
use serde_json::json;

use crate::support::{World, age, answer, answer_with, call, user};

// proves: SES-142, SES-145
#[test]
fn newest_first_with_what_a_picker_shows() {
    let world = World::new();
    let other = world.base.join("home/other");
    let [old, new, elsewhere] = [
        world.saved(&world.project, "old"),
        world.saved(&world.project, "new"),
        world.saved(&other, "elsewhere"),
    ];
    age(&old, 10);
    age(&new, 20);
    age(&elsewhere, 5);
    let paths =
        |list: Vec<omp_session::SessionInfo>| list.into_iter().map(|info| info.path).collect::<Vec<_>>();
    assert_eq!(
        paths(world.sessions.list(&world.project)),
        [old.clone(), new.clone()],
        "by change, not creation"
    );
    assert_eq!(paths(world.sessions.list_all()), [elsewhere, old.clone(), new]);
    assert!(world.sessions.list(&world.base).is_empty());

    let info = &world.sessions.list(&world.project)[0];
    let (loaded, _) = world.open(&old);
    assert_eq!((&info.id, &info.created), (&loaded.header.id, &loaded.header.timestamp));
    assert_eq!((&info.cwd, info.message_count, info.status), (&world.project, 2, Status::Complete));
    assert_eq!((info.first_message.as_str(), info.all_messages_text.get()), ("old", "old\nDone.\n"));
    assert_eq!(info.modified, std::fs::metadata(&old).unwrap().modified().unwrap());
}

// proves: SES-141, SES-143
#[test]
fn titles_and_names() {
    let world = World::new();
    let header = |title: Option<&str>| {
        let mut header = json!({"type": "session", "version": 3, "id": "s1", "timestamp": "t", "cwd": "/p"});
        if let Some(title) = title {
            header["title"] = json!(title);
        }
        header
    };
    let prompt = json!({"type": "message", "id": "a", "parentId": null, "timestamp": "t",
        "message": {"role": "user", "content": [{"type": "text", "text": "first\nprompt \u{1b}[31m"}], "timestamp": 1}});
    let compaction = |summary: &str| {
        json!({"type": "compaction", "id": "b", "parentId": "a", "timestamp": "t",
        "summary": "S", "shortSummary": summary, "tokensBefore": 1})
    };
    let listed = |lines: &[serde_json::Value]| {
        let path = world.file("s.jsonl", lines);
        let info = world.sessions.list(&world.project).into_iter().find(|info| info.path == path).unwrap();
        (info.title.clone(), info.first_message.clone(), info.name())
    };
    let long = "x".repeat(50);
    let (title, first, name) = listed(&[header(Some(&long)), prompt.clone(), compaction("short")]);
    assert_eq!((title.as_deref(), name.len()), (Some(long.as_str()), 40));
    assert_eq!(first, "first\nprompt \u{1b}[31m");
    let (title, _, _) = listed(&[header(None), prompt.clone(), compaction("one"), compaction("two")]);
    assert_eq!(title.as_deref(), Some("two"));
    let (title, _, name) = listed(&[header(None), prompt]);
    assert_eq!((title, name.as_str()), (None, "first prompt [31m"));
    let (_, first, name) = listed(&[header(None)]);
    assert_eq!((first.as_str(), name.as_str()), (NO_MESSAGES, "s1"));
    let mut nameless = header(None);
    nameless["id"] = json!("");
    assert_eq!(listed(&[nameless]).2, "s.jsonl");
}

// proves: SES-144
#[test]
fn how_a_session_ended() {
    let world = World::new();
    let result = Message::ToolResult(ToolResultMessage {
        tool_call_id: "c".into(),
        tool_name: "read".into(),
        content: Vec::new(),
        details: None,
        is_error: false,
        timestamp: 1,
    });
    let text = |stop| answer_with(stop, vec![AssistantBlock::Text(omp_types::TextBlock::default())]);
    for (last, expected) in [
        (answer("done"), Status::Complete),
        (answer_with(StopReason::ToolUse, vec![call("c")]), Status::Interrupted),
        (std::sync::Arc::new(result), Status::Interrupted),
        (text(StopReason::Aborted), Status::Aborted),
        (text(StopReason::Error), Status::Error),
        (user("and?"), Status::Pending),
    ] {
        let mut writer = world.sessions.create(&world.project, NewSession::default());
        writer.append_message(&answer("start"));
        writer.append_message(&last);
        writer.append_thinking_level("high"); // Not a message.
        let info = world.sessions.list(&world.project);
        let info = info.iter().find(|info| Some(info.path.as_path()) == writer.path()).unwrap();
        assert_eq!(info.status, expected, "{last:?}");
    }
    let path = world.file("huge.jsonl", &[json!({"type": "session", "version": 3, "id": "h"})]);
    let (_, mut writer) = world.open(&path);
    writer.append_message(&answer(&"x".repeat(40_000)));
    let list = world.sessions.list(&world.project);
    assert_eq!(list.iter().find(|info| info.id == "h").unwrap().status, Status::Unknown);
}

/// A gigabyte of session is listed from its first and last kilobytes.
// proves: SES-140
#[test]
fn listing_does_not_depend_on_size() {
    let world = World::new();
    let path = world.saved(&world.project, &"long prompt ".repeat(1000));
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let list = world.sessions.list(&world.project);
    assert!(list[0].first_message.starts_with("long prompt long"), "the beginning of the prompt is known");
    assert!(list[0].first_message.len() < 4096);
    assert_eq!(list[0].status, Status::Unknown);
}

#[test]
fn what_is_not_listed() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let directory = path.parent().unwrap();
    std::fs::create_dir(directory.join("dir.jsonl")).unwrap();
    std::fs::write(directory.join("notes.jsonl"), "my notes").unwrap();
    std::fs::write(directory.join("empty.jsonl"), "").unwrap();
    std::fs::write(directory.join("session.txt"), std::fs::read(&path).unwrap()).unwrap();
    nix::unistd::mkfifo(&directory.join("pipe.jsonl"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(world.sessions.list(&world.project).len(), 1);
}
