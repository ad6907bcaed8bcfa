//! Reading files: old ones, damaged ones, and what is no session at all.

use std::os::unix::fs::MetadataExt;

use omp_session::{EntryKind, LoadError, OpenError, load};
use serde_json::{Value, json};

use crate::support::{World, answer, lines, told, user};

fn header(version: u32) -> Value {
    json!({"type": "session", "version": version, "id": "s1", "timestamp": "2026-02-16T10:20:30.000Z", "cwd": "/p"})
}

fn message(id: &str, parent: Option<&str>, text: &str) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-02-16T10:21:00.000Z",
        "message": {"role": "user", "content": text, "timestamp": 1}})
}

// proves: SES-035, SES-036, SES-014
#[test]
fn version_1_is_chained_and_rewritten() {
    let world = World::new();
    let old = |text: &str| json!({"type": "message", "timestamp": "t", "message": {"role": "user", "content": text, "timestamp": 1}});
    let path = world.file(
        "old.jsonl",
        &[
            json!({"type": "session", "id": "s1", "timestamp": "t", "cwd": "/p", "provider": "acme"}),
            old("one"),
            old("two"),
            old("three"),
            json!({"type": "compaction", "timestamp": "t", "summary": "S", "firstKeptEntryIndex": 2, "tokensBefore": 5}),
            old("four"),
        ],
    );
    let loaded = load(&path).unwrap().unwrap();
    assert_eq!(loaded.header.version, 3);
    let messages = told(&loaded.context().messages);
    assert!(
        messages[0].starts_with("u:") && messages[0].contains("<summary>\nS\n</summary>"),
        "{messages:?}"
    );
    assert_eq!(messages[1..], ["u:two", "u:three", "u:four"]);

    let written = lines(&path);
    assert_eq!((&written[0]["version"], &written[0]["provider"]), (&json!(3), &json!("acme")));
    for (index, line) in written.iter().enumerate().skip(1) {
        let parent = if index == 1 { json!(null) } else { written[index - 1]["id"].clone() };
        assert!(line["id"].is_string());
        assert_eq!(line["parentId"], parent);
    }
    assert_eq!(written[4]["firstKeptEntryId"], written[2]["id"]);
    assert_eq!(written[4].get("firstKeptEntryIndex"), None);
}

// proves: SES-037, SES-019, SES-051
#[test]
fn version_2_keeps_everything_but_the_old_role() {
    let world = World::new();
    let hook = json!({"type": "message", "id": "b", "parentId": "a", "timestamp": "t",
        "message": {"role": "hookMessage", "customType": "h", "content": "note", "display": true, "new": [1]}});
    let unknown = json!({"type": "hologram", "id": "c", "parentId": "b", "timestamp": "t", "data": {"deep": [1, {"x": null}]}});
    let mut first = message("a", None, "hi");
    first["later"] = json!({"x": 1});
    let path = world.file(
        "old.jsonl",
        &[header(2), first.clone(), hook, unknown.clone(), message("d", Some("c"), "bye")],
    );
    let torn = "{\"type\":\"mess";
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + torn).unwrap();

    let loaded = load(&path).unwrap().unwrap();
    assert_eq!(told(&loaded.context().messages), ["u:hi", "c:note", "u:bye"]);
    assert_eq!(loaded.entry("c").unwrap().kind, EntryKind::Unknown(unknown.clone()));
    let written = lines(&path);
    assert_eq!((&written[1], &written[3]), (&first, &unknown));
    assert_eq!(
        (&written[2]["message"]["role"], &written[2]["message"]["new"]),
        (&json!("custom"), &json!([1]))
    );
    let ids: Vec<&Value> = written[1..5].iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    assert!(std::fs::read_to_string(&path).unwrap().ends_with("{\"type\":\"mess"), "a torn line is kept");
}

// proves: SES-038
#[test]
fn the_current_version_is_only_read() {
    let world = World::new();
    let path = world.file("s.jsonl", &[header(3), message("a", None, "hi")]);
    crate::support::age(&path, 1000);
    let before = (std::fs::read(&path).unwrap(), std::fs::metadata(&path).unwrap().modified().unwrap());
    world.open(&path);
    assert_eq!(
        (std::fs::read(&path).unwrap(), std::fs::metadata(&path).unwrap().modified().unwrap()),
        before
    );
}

// proves: SES-039
#[test]
fn what_cannot_be_read_is_skipped() {
    let world = World::new();
    let path = world.file("s.jsonl", &[header(3)]);
    let good = |id, parent| message(id, parent, id).to_string();
    let mut content = std::fs::read(&path).unwrap();
    for line in [
        good("a", None).as_bytes(),
        b"not json",
        b"\xff\xfe",
        b"[1]",
        b"{\"type\":\"message\"}",
        b"",
        good("b", Some("a")).as_bytes(),
        b"{\"type\":\"message\",\"id\":\"c\",\"mess",
    ] {
        content.extend_from_slice(line);
        content.push(b'\n');
    }
    content.pop();
    std::fs::write(&path, &content).unwrap();
    let (loaded, mut writer) = world.open(&path);
    assert_eq!((told(&loaded.context().messages), loaded.skipped), (vec!["u:a".into(), "u:b".into()], 5));
    writer.append_message(&answer("c"));
    assert_eq!(told(&world.open(&path).0.context().messages), ["u:a", "u:b", "a:c"]);
}

// proves: SES-040
#[test]
fn no_header_no_session() {
    let world = World::new();
    assert!(load(&world.base.join("nope.jsonl")).unwrap().is_none());
    for first in [json!({"type": "message", "id": "a"}), json!({"type": "session"}), json!([])] {
        let path = world.file("x.jsonl", &[first, header(3)]);
        assert!(load(&path).unwrap().is_none());
    }
}

// proves: SES-041
#[test]
fn a_new_session_begins_where_none_is() {
    let world = World::new();
    let path = world.base.join("deep/nope.jsonl");
    let (loaded, mut writer) = world.open(&path);
    assert!(loaded.entries().is_empty());
    assert_eq!((lines(&path).len(), &lines(&path)[0]["id"]), (1, &json!(writer.header().id)));
    assert_eq!(lines(&path)[0]["cwd"], json!(world.project));
    writer.append_message(&user("hi"));
    assert_eq!(lines(&path).len(), 2);

    let empty = world.base.join("empty.jsonl");
    std::fs::write(&empty, "").unwrap();
    let place = std::fs::metadata(&empty).unwrap().ino();
    let (_, writer) = world.open(&empty);
    assert_eq!(lines(&empty)[0]["id"], json!(writer.header().id));
    assert_eq!(std::fs::metadata(&empty).unwrap().ino(), place, "it is filled, not replaced");
}

// proves: SES-042
#[test]
fn real_failures_are_told_and_start_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let path = world.base.join("loop.jsonl");
    std::os::unix::fs::symlink(&path, &path).unwrap();
    let error = world.sessions.open(&path, &world.project).unwrap_err();
    assert!(matches!(error, OpenError::Load(LoadError::Read { .. })), "{error}");
    assert!(std::fs::symlink_metadata(&path).unwrap().is_symlink());
    let error = world.sessions.open(&world.base, &world.project).unwrap_err();
    assert!(matches!(error, OpenError::Load(LoadError::NotAFile(_))), "{error}");

    let secret = world.file("s.jsonl", &[header(3)]);
    std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o000)).unwrap();
    // Root reads everything.
    if std::fs::File::open(&secret).is_err() {
        assert!(world.sessions.open(&secret, &world.project).is_err());
    }
}

// proves: SES-043
#[test]
fn a_missing_parent_makes_a_root() {
    let world = World::new();
    let path = world.file(
        "s.jsonl",
        &[header(3), message("a", None, "a"), message("b", Some("gone"), "b"), message("c", Some("b"), "c")],
    );
    let (loaded, _) = world.open(&path);
    assert_eq!((loaded.entries().len(), loaded.skipped), (3, 0));
    assert_eq!(told(&loaded.context().messages), ["u:b", "u:c"]);
    let circle =
        world.file("c.jsonl", &[header(3), message("a", Some("b"), "a"), message("b", Some("a"), "b")]);
    assert_eq!(told(&world.open(&circle).0.context().messages), ["u:a", "u:b"], "and a circle ends");
}

/// The example of the format's own description, which leaves out what later versions write.
#[test]
fn the_documented_answer_is_read() {
    let world = World::new();
    let path = world.file(
        "s.jsonl",
        &[
            header(3),
            json!({
        "type": "message", "id": "a1b2c3d4", "parentId": null, "timestamp": "2026-02-16T10:21:00.000Z",
        "message": {"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": "Done."}],
            "usage": {"input": 100, "output": 20, "cacheRead": 0, "cacheWrite": 0,
                "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}},
            "timestamp": 1_760_000_000_000_u64}}),
        ],
    );
    let context = world.open(&path).0.context();
    assert_eq!(told(&context.messages), ["a:Done."]);
    assert_eq!(context.model.as_deref(), Some("anthropic/claude-sonnet-4-5"));
}
