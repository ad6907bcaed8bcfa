//! When and how a conversation gets to the disk.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use omp_session::{EntryKind, NewSession, NoSuchEntry, SessionWriter};
use omp_types::StopReason;
use serde_json::{Value, json};

use crate::support::{World, answer, answer_with, lines, told, user};

fn nothing_below(path: &Path) -> bool {
    !path.exists() || std::fs::read_dir(path).unwrap().next().is_none()
}

// proves: SES-001, SES-064, SES-065
#[test]
fn the_first_answer_creates_the_file() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_model_change("acme/m1", None);
    writer.append_message(&user("hi"));
    writer.append_message(&answer_with(StopReason::Error, Vec::new()));
    writer.flush();
    assert!(!writer.is_saved() && nothing_below(&world.base.join("agent")), "a failed prompt leaves nothing");

    writer.append_message(&answer("hello"));
    let path = writer.path().unwrap().to_owned();
    assert_eq!(path.parent().unwrap(), world.base.join("agent/sessions/-project"));
    let header = writer.header();
    let name = format!("{}_{}.jsonl", header.timestamp.replace([':', '.'], "-"), header.id);
    assert_eq!(path.file_name().unwrap().to_str().unwrap(), name);
    let kinds: Vec<Value> = lines(&path).iter().map(|line| line["type"].clone()).collect();
    assert_eq!(kinds, ["session", "model_change", "message", "message", "message"]);

    let before = std::fs::read(&path).unwrap();
    writer.append_message(&user("more"));
    let after = std::fs::read(&path).unwrap();
    assert!(after.starts_with(&before), "the rest is appended");
    assert_eq!(after[before.len()..].iter().filter(|byte| **byte == b'\n').count(), 1);
}

#[test]
fn files_and_directories_are_private() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    for directory in path.ancestors().skip(1).take(3) {
        assert_eq!(mode(directory), 0o700, "{}", directory.display());
    }
}

// proves: SES-010
#[test]
fn a_directory_of_choice_is_used_for_everything() {
    let world = World::new();
    let chosen = world.base.join("chosen");
    let sessions = world.sessions.clone().in_directory(&chosen);
    let mut writer = sessions.create(&world.project, NewSession::default());
    writer.append_message(&answer("hi"));
    let path = writer.path().unwrap();
    assert_eq!(path.parent(), Some(chosen.as_path()));
    assert!(path.is_file() && nothing_below(&world.base.join("agent")));
    assert_eq!(sessions.list(&world.base.join("home/other"))[0].path, path);
    assert!(world.sessions.list(&world.project).is_empty());
    let id = &writer.header().id;
    assert_eq!(sessions.resolve(&world.project, id).unwrap().path, path);
    assert!(world.sessions.resolve(&world.project, id).is_err());
}

// proves: SES-066
#[test]
fn a_session_in_memory_writes_nothing() {
    let world = World::new();
    let mut writer = SessionWriter::in_memory(&world.project);
    let first = writer.append_message(&user("hi"));
    writer.append_message(&answer("hello"));
    writer.branch(&first).unwrap();
    writer.flush();
    assert_eq!((writer.path(), writer.leaf()), (None, Some(first.as_str())));
    assert!(writer.problem().is_none() && nothing_below(&world.base.join("agent")));
}

// proves: SES-044, SES-067
#[test]
fn each_entry_follows_the_one_before() {
    let world = World::new();
    let mut writer = world.create();
    let mut ids: Vec<Option<String>> = vec![None];
    for number in 0..20 {
        let text = number.to_string();
        let message = if number % 2 == 0 { user(&text) } else { answer(&text) };
        ids.push(Some(writer.append_message(&message)));
        assert_eq!(writer.leaf(), ids.last().unwrap().as_deref());
    }
    let written = lines(writer.path().unwrap());
    assert_eq!(written.len(), 21);
    for (line, pair) in written[1..].iter().zip(ids.windows(2)) {
        assert_eq!((&line["parentId"], &line["id"]), (&json!(pair[0]), &json!(pair[1])));
    }
}

// proves: SES-018, SES-045, SES-048
#[test]
fn moving_writes_nothing_and_branches_grow() {
    let world = World::new();
    let mut writer = world.create();
    let root = writer.append_message(&user("root"));
    let first = writer.append_message(&answer("first"));
    let path = writer.path().unwrap().to_owned();
    let before = std::fs::read(&path).unwrap();
    writer.branch(&root).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);

    writer.append_message(&answer("second"));
    let after = std::fs::read(&path).unwrap();
    assert!(after.starts_with(&before), "old lines are untouched");
    let (loaded, writer) = world.open(&path);
    assert_eq!(told(&loaded.context().messages), ["u:root", "a:second"], "the newest branch goes on");
    assert_eq!(writer.leaf(), loaded.leaf());
    assert_eq!(told(&loaded.context_at(Some(&first)).messages), ["u:root", "a:first"]);
}

// proves: SES-046, SES-047, SES-026
#[test]
fn moving_with_and_without_a_summary() {
    let world = World::new();
    let mut writer = world.create();
    let root = writer.append_message(&user("root"));
    writer.append_message(&answer("long way"));
    assert_eq!(writer.branch("nonesuch"), Err(NoSuchEntry("nonesuch".into())));
    writer.branch_with_summary(Some(&root), "went astray".into()).unwrap();
    writer.branch_with_summary(None, "gave up".into()).unwrap();
    writer.reset_leaf();
    writer.append_message(&user("anew"));
    let path = writer.path().unwrap();
    let written = lines(path);
    assert_eq!((&written[3]["fromId"], &written[3]["parentId"]), (&json!(root), &json!(root)));
    assert_eq!((&written[4]["fromId"], &written[4]["parentId"]), (&json!("root"), &json!(null)));
    assert_eq!(written[5]["parentId"], json!(null));
    assert_eq!(told(&world.open(path).0.context().messages), ["u:anew"]);
}

// proves: SES-071
#[test]
fn a_disk_that_refuses_is_told_once_and_tried_again() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&user("one"));
    // A file where a directory should be: nobody can create anything below it, not even root.
    let agent = world.base.join("agent");
    std::fs::write(&agent, "").unwrap();
    writer.append_message(&answer("two"));
    let report = writer.take_report().unwrap();
    assert!(report.contains(writer.path().unwrap().to_str().unwrap()), "{report}");
    writer.append_message(&user("three"));
    assert_eq!(writer.take_report(), None, "told once");
    assert!(writer.problem().is_some(), "and still known");

    std::fs::remove_file(&agent).unwrap();
    writer.append_message(&answer("four"));
    assert!(writer.problem().is_none());
    let path = writer.path().unwrap().to_owned();
    assert_eq!(told(&world.open(&path).0.context().messages), ["u:one", "a:two", "u:three", "a:four"]);

    // The same in the middle of a session.
    let away = world.base.join("away");
    std::fs::rename(&path, &away).unwrap();
    writer.append_message(&user("five"));
    assert!(writer.take_report().unwrap().contains("restore the file"));
    assert!(!path.exists(), "no file without a header is made");
    std::fs::rename(&away, &path).unwrap();
    writer.flush();
    assert!(writer.problem().is_none());
    assert_eq!(told(&world.open(&path).0.context().messages).last().unwrap(), "u:five");
}

#[test]
fn a_torn_line_is_closed_before_the_next_one() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let content = std::fs::read(&path).unwrap();
    std::fs::write(&path, &content[..content.len() - 9]).unwrap();
    let (loaded, mut writer) = world.open(&path);
    assert_eq!((loaded.entries().len(), loaded.skipped), (1, 1));
    writer.append_message(&answer("again"));
    let (loaded, _) = world.open(&path);
    assert_eq!(told(&loaded.context().messages), ["u:hi", "a:again"]);
}

/// Two programs on one session: neither loses what the other wrote, also when one of them replaces the file.
#[test]
fn two_writers_share_a_file() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let (_, mut one) = world.open(&path);
    let (_, mut two) = world.open(&path);
    for _ in 0..50 {
        one.append_message(&user("from one"));
        two.append_message(&user("from two"));
    }
    let copy = world.base.join("copy");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::rename(&copy, &path).unwrap();
    one.append_message(&user("to the new file"));
    let (loaded, _) = world.open(&path);
    assert_eq!((loaded.entries().len(), loaded.skipped), (103, 0));
}

#[test]
fn an_emptied_file_gets_its_header_back() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let (_, mut writer) = world.open(&path);
    std::fs::write(&path, "").unwrap();
    writer.append_thinking_level("high");
    let written = lines(&path);
    assert_eq!((&written[0]["type"], &written[0]["id"]), (&json!("session"), &json!(writer.header().id)));
}

// proves: SES-013, SES-022, SES-024
#[test]
fn lineage_and_settings_are_recorded() {
    let world = World::new();
    let new = NewSession { parent: Some("/old.jsonl".into()), id: Some("chosen".into()) };
    let mut writer = world.sessions.create(&world.project, new);
    writer.append_model_change("acme/m1", None);
    writer.append_model_change("acme/m2", Some("smol"));
    writer.append_thinking_level("high");
    writer.append_message(&answer("hi"));
    let written = lines(writer.path().unwrap());
    assert_eq!((&written[0]["id"], &written[0]["parentSession"]), (&json!("chosen"), &json!("/old.jsonl")));
    assert_eq!((&written[1]["model"], written[1].get("role")), (&json!("acme/m1"), None));
    assert_eq!((&written[2]["model"], &written[2]["role"]), (&json!("acme/m2"), &json!("smol")));
    assert_eq!(written[3]["thinkingLevel"], "high");
    let (loaded, _) = world.open(writer.path().unwrap());
    assert!(matches!(&loaded.entries()[0].kind, EntryKind::ModelChange(change) if change.role.is_none()));
    let context = loaded.context();
    assert_eq!(
        (context.model.as_deref(), context.thinking_level.as_deref()),
        (Some("acme/m1"), Some("high"))
    );
}
