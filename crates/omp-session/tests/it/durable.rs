//! Sessions that cannot be lost: other processes, full disks, other versions.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use omp_session::{CopyError, EntryKind, IfHeld, Naming, OpenError, SyncPolicy, TitleSource, load};
use omp_types::{Message, ToolResultMessage, UserBlock};
use serde_json::json;

use crate::support::{World, age, answer, lines, told, user};

fn inode(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().ino()
}

#[test]
fn a_second_process_is_told_and_chooses() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let resume = |held| world.sessions.resume(&path, &world.project, held);
    let mut first = resume(IfHeld::Refuse).unwrap();
    let refused = resume(IfHeld::Refuse).unwrap_err();
    let OpenError::Held { holder, .. } = &refused else { panic!("{refused}") };
    assert_eq!(holder.pid, std::process::id());
    let message = refused.to_string();
    assert!(message.contains(&holder.pid.to_string()) && message.contains("--fork"), "{message}");

    // Beside it: two branches, nothing lost.
    let mut beside = resume(IfHeld::Share).unwrap();
    assert_eq!(beside.writer.other_holder(), Some(holder));
    first.writer.append_message(&user("from the first"));
    beside.writer.append_message(&user("from beside"));
    assert_eq!(load(&path).unwrap().unwrap().entries().len(), 4);
    let error = beside.writer.set_title("mine", TitleSource::User).unwrap_err();
    assert!(
        matches!(error, CopyError::NotOurs { .. }),
        "a rewrite could lose what the first appends: {error}"
    );

    // A copy needs no leave.
    let (copy, _) = world.sessions.fork(&path, &world.project).unwrap();
    assert_eq!(copy.entries().len(), 4);

    // Taken over: the first says so once and goes on in memory.
    let mut second = resume(IfHeld::TakeOver).unwrap();
    first.writer.append_message(&user("too late"));
    let report = first.writer.take_report().unwrap();
    assert!(report.contains("taken over") && report.contains("--fork"), "{report}");
    first.writer.append_message(&user("still too late"));
    assert_eq!(first.writer.take_report(), None);
    second.writer.append_message(&user("from the second"));
    assert!(second.writer.problem().is_none());
    drop(first);
    assert!(path.with_extension("jsonl.lock").exists(), "the lock is the second's");
    let texts = told(&load(&path).unwrap().unwrap().context().messages);
    assert_eq!(texts.last().unwrap(), "u:from the second");
    drop(second);
    drop(beside);
    assert!(!path.with_extension("jsonl.lock").exists() && resume(IfHeld::Refuse).is_ok());
}

/// A new session is ours from its first line on.
#[test]
fn a_new_session_is_held_too() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&answer("hi"));
    let path = writer.path().unwrap().to_owned();
    let again = || world.sessions.resume(&path, &world.project, IfHeld::Refuse);
    assert!(matches!(again(), Err(OpenError::Held { .. })));
    drop(writer);
    assert!(again().is_ok());
}

/// What a later version wrote is shown, and never written to.
#[test]
fn a_later_format_is_only_read() {
    let world = World::new();
    let path = world.file(
        "later.jsonl",
        &[
            json!({"type": "session", "version": 9, "id": "s9", "timestamp": "t", "cwd": "/p", "new": [1]}),
            json!({"type": "message", "id": "a", "parentId": null, "timestamp": "t",
                "message": {"role": "user", "content": "hi", "timestamp": 1}}),
        ],
    );
    age(&path, 1000);
    let state = || (std::fs::read(&path).unwrap(), std::fs::metadata(&path).unwrap().modified().unwrap());
    let before = state();
    let mut opened = world.sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
    assert_eq!(told(&opened.context.messages), ["u:hi"]);
    opened.writer.append_message(&user("more"));
    opened.writer.append_message(&answer("and more"));
    let report = opened.writer.take_report().unwrap();
    assert!(report.contains("format 9") && report.contains("update omp"), "{report}");
    assert_eq!(opened.writer.take_report(), None);
    opened.writer.flush();
    assert!(opened.writer.set_title("t", TitleSource::User).is_err());
    assert_eq!(state(), before);

    let (copy, mut writer) = world.sessions.fork(&path, &world.project).unwrap();
    writer.append_message(&user("in the copy"));
    assert!(writer.problem().is_none());
    assert_eq!((copy.header.version, &lines(writer.path().unwrap())[0]["new"]), (3, &json!([1])));
    assert_eq!(state(), before);
}

/// A disk without room, by the device that always is one.
#[test]
fn a_full_disk_is_told_once_and_nothing_is_lost() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let (_, mut writer) = world.open(&path);
    let away = world.base.join("away");
    std::fs::rename(&path, &away).unwrap();
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    for number in 0..3 {
        writer.append_message(&user(&format!("while full {number}")));
    }
    let report = writer.take_report().unwrap();
    assert!(report.contains("free disk space"), "{report}");
    assert_eq!(writer.take_report(), None);
    assert_eq!(writer.problem().unwrap().source.kind(), std::io::ErrorKind::StorageFull);

    std::fs::remove_file(&path).unwrap();
    std::fs::rename(&away, &path).unwrap();
    writer.append_message(&answer("room again"));
    assert!(writer.problem().is_none());
    let expected = ["u:hi", "a:Done.", "u:while full 0", "u:while full 1", "u:while full 2", "a:room again"];
    assert_eq!(told(&load(&path).unwrap().unwrap().context().messages), expected);
}

#[test]
fn every_entry_can_be_forced_to_the_disk() {
    let world = World::new();
    let mut writer = world.create();
    writer.set_sync(SyncPolicy::EveryEntry);
    writer.append_message(&answer("one"));
    writer.append_message(&user("two"));
    assert!(writer.problem().is_none());
    assert_eq!(lines(writer.path().unwrap()).len(), 3);
}

/// proves: SES-072
#[test]
fn the_users_name_stays() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&user("hi"));
    assert_eq!(writer.set_title("Early", TitleSource::Auto).unwrap(), Naming::Named);
    assert!(!writer.is_saved(), "a name alone is not worth a file");
    writer.append_message(&answer("hello"));
    let path = writer.path().unwrap().to_owned();
    let header = || lines(&path)[0].clone();
    assert_eq!((&header()["title"], &header()["titleSource"]), (&json!("Early"), &json!("auto")));
    writer.set_title("Better", TitleSource::Auto).unwrap();
    assert_eq!(header()["title"], "Better");
    writer.set_title("Mine", TitleSource::User).unwrap();
    assert_eq!((&header()["title"], &header()["titleSource"]), (&json!("Mine"), &json!("user")));
    assert_eq!(writer.set_title("Automatic", TitleSource::Auto).unwrap(), Naming::UsersNameKept);
    drop(writer);
    let mut writer = world.open(&path).1;
    assert_eq!(writer.set_title("Automatic", TitleSource::Auto).unwrap(), Naming::UsersNameKept);
    assert_eq!(header()["title"], "Mine");
    writer.append_message(&user("on"));
    assert_eq!(told(&load(&path).unwrap().unwrap().context().messages), ["u:hi", "a:hello", "u:on"]);
}

fn result(text: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: "c".into(),
        tool_name: "read".into(),
        content: vec![UserBlock::text(text)],
        details: None,
        is_error: false,
        timestamp: 1,
    })
}

/// A session with what no version of ours writes: it must come out of every rewrite as it went in.
fn strange(world: &World, version: u32) -> (std::path::PathBuf, Vec<String>) {
    let path = world.file("2026-02-16T10-20-30-000Z_s1.jsonl", &[]);
    let body = [
        r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"hi","timestamp":1}, "later" : 1.50e+2}"#,
        r#"{"id":"b","type":"hologram","parentId":"a","big":123456789012345678901234567890,"cut":"\ud83d"}"#,
        "not json at all",
        r#"{"type":"message","id":"c","parentId":"b","timestamp":"t","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"long output"}],"isError":false}}"#,
        r#"{"type":"label","id":"d","parentId":"c","timestamp":"t","targetId":"a","label":"here"}"#,
    ];
    let header = format!(
        r#"{{"type":"session","version":{version},"id":"s1","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/p","x":1.0}}"#
    );
    let text = format!("{header}\n{}\n", body.join("\n"));
    std::fs::write(&path, text).unwrap();
    (path, body.map(str::to_owned).to_vec())
}

fn body(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().skip(1).map(str::to_owned).collect()
}

/// proves: SES-019, SES-051, SES-070
#[test]
fn rewrites_replace_the_file_and_keep_every_line() {
    let world = World::new();
    let (path, lines) = strange(&world, 2);
    let before = inode(&path);
    world.open(&path);
    assert_eq!(body(&path), lines, "migration");
    assert_ne!(inode(&path), before, "a rewrite makes a new file");
    let header = std::fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
    assert!(header.contains(r#""version":3"#) && header.contains(r#""x":1.0"#), "{header}");

    let before = inode(&path);
    let mut writer = world.open(&path).1;
    writer.set_title("Name", TitleSource::User).unwrap();
    assert_eq!(body(&path), lines, "naming");
    assert_ne!(inode(&path), before);

    let before = inode(&path);
    let pruned = EntryKind::Message(omp_session::MessageEntry { message: result("[pruned]").into() });
    writer.replace(&HashMap::from([("c".to_owned(), pruned)])).unwrap();
    assert_ne!(inode(&path), before);
    let mut expected = lines;
    expected[3] = body(&path)[3].clone();
    assert!(expected[3].contains("[pruned]") && !expected[3].contains("long output"));
    assert_eq!(body(&path), expected, "dropping an output");
    let pruned: serde_json::Value = serde_json::from_str(&expected[3]).unwrap();
    assert_eq!((&pruned["id"], &pruned["parentId"]), (&json!("c"), &json!("b")));
    writer.flush();

    let (_, copy) = world.sessions.fork(&path, &world.project).unwrap();
    assert_eq!(body(copy.path().unwrap()), expected, "copying");
    drop(writer);
    let moved = world.sessions.move_to(&path, &world.base.join("home/other")).unwrap();
    assert_eq!(body(&moved), expected, "moving");
    assert_eq!(load(&moved).unwrap().unwrap().entries().len(), 4);
}

/// A user may name a session like other things of the user's; those are not touched.
#[test]
fn what_stands_beside_a_session_is_not_taken_for_its_own() {
    let world = World::new();
    let directory = world.base.join("home/project");
    let path = directory.join("src.jsonl");
    std::fs::create_dir(directory.join("src")).unwrap();
    for name in ["src/main.rs", "src.lock", "src.index"] {
        std::fs::write(directory.join(name), "mine").unwrap();
    }
    let mut writer = world.open(&path).1;
    writer.append_message(&user("hi"));
    assert_eq!(writer.artifacts().save("bash", "output").unwrap(), 0);
    writer.flush();
    let (_, copy) = world.sessions.fork(&path, &world.project).unwrap();
    assert_eq!(
        std::fs::read_dir(copy.artifacts().directory().unwrap()).unwrap().count(),
        1,
        "the output alone"
    );
    drop(writer);
    let moved = world.sessions.move_to(&path, &world.base.join("home/other")).unwrap();
    assert!(directory.join("src/main.rs").is_file() && !path.exists());
    std::fs::rename(&moved, &path).unwrap();
    world.sessions.delete(&path).unwrap();
    for name in ["src/main.rs", "src.lock", "src.index"] {
        assert_eq!(std::fs::read_to_string(directory.join(name)).unwrap(), "mine", "{name}");
    }
}
