//! Files of later releases: a name before the header, roles and entries that this one does not write.

use omp_session::{IfHeld, Naming, Sessions, TitleSource, fsck, load};
use serde_json::{Value, json};

use crate::support::{World, lines, told, user};

const NAMED: &str = "2026-03-01T10:00:00.000Z";
const LATER: &str = "2026-03-01T11:00:00.000Z";

/// The line before the header: exactly 256 bytes with its newline.
fn name(title: &str) -> Value {
    let with = |pad: usize| json!({"type": "title", "v": 1, "title": title, "source": "auto", "updatedAt": NAMED, "pad": " ".repeat(pad)});
    with(255 - with(0).to_string().len())
}

fn header() -> Value {
    json!({"type": "session", "version": 3, "id": "019a", "timestamp": "2026-03-01T09:00:00.000Z", "cwd": "/p", "title": "of the header"})
}

fn entry(id: &str, parent: Option<&str>, mut fields: Value) -> Value {
    for (name, value) in [("id", json!(id)), ("parentId", json!(parent)), ("timestamp", json!(LATER))] {
        fields[name] = value;
    }
    fields
}

fn message(id: &str, parent: Option<&str>, said: Value) -> Value {
    let mut fields = json!({"type": "message"});
    fields["message"] = said;
    entry(id, parent, fields)
}

fn said(id: &str, parent: Option<&str>, text: &str) -> Value {
    message(id, parent, json!({"role": "user", "content": text, "timestamp": 1}))
}

/// Reads a file in both ways: as a whole and through its index.
fn both(world: &World) -> [Sessions; 2] {
    [world.sessions.clone(), world.sessions.clone().with_index_from(1)]
}

// proves: IOP-001
#[test]
fn a_name_before_the_header_is_read_and_kept() {
    let world = World::new();
    let old = [name("Of the line"), header(), said("a", None, "one")];
    let path = world.file("2026_019a.jsonl", &old);
    let first = format!("{}\n", old[0]);
    assert_eq!(first.len(), 256);
    assert_eq!(load(&path).unwrap().unwrap().header.title.as_deref(), Some("Of the line"));
    assert_eq!(world.sessions.list(&world.project)[0].title.as_deref(), Some("Of the line"));
    assert!(fsck(&path, None).unwrap().is_sound());
    for sessions in both(&world) {
        let before = std::fs::read(&path).unwrap();
        let mut opened = sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
        assert_eq!((opened.skipped, opened.writer.header().title.as_deref()), (0, Some("Of the line")));
        assert_eq!(told(&opened.context.messages)[0], "u:one");
        opened.writer.append_message(&user("and on"));
        opened.writer.flush();
        assert!(std::fs::read(&path).unwrap().starts_with(&before), "nothing but a line more");
    }
}

/// Whoever wrote the file finds the new name where it looks for it, and a line of the same width.
#[test]
fn a_new_name_stands_where_the_old_one_did() {
    let world = World::new();
    let path = world.file("2026_019a.jsonl", &[name("old"), header(), said("a", None, "one")]);
    let body =
        |path| std::fs::read_to_string(path).unwrap().lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    let before = body(&path);
    world.sessions.rename(&path, "by hand").unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.find('\n'), Some(255));
    assert_eq!((&lines(&path)[0]["title"], &lines(&path)[0]["source"]), (&json!("by hand"), &json!("user")));
    assert_eq!((&lines(&path)[1]["title"], body(&path)), (&json!("by hand"), before));
    // An open session does the same, and a name by the user stays.
    let mut opened = world.sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
    assert_eq!(opened.writer.set_title("other", TitleSource::Auto).unwrap(), Naming::UsersNameKept);
    opened.writer.set_title(&"long ".repeat(100), TitleSource::User).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap().find('\n'), Some(255));
    assert!(world.sessions.list(&world.project)[0].title.as_deref().unwrap().starts_with("long long"));
    // Copies have it as well; a session without the line does not get one.
    let copy = world.sessions.copy(&path, &world.project).unwrap().path;
    assert_eq!(lines(&copy)[0], lines(&path)[0]);
    let plain = world.saved(&world.project, "hi");
    world.sessions.rename(&plain, "plain").unwrap();
    assert_eq!((&lines(&plain)[0]["type"], &lines(&plain)[0]["title"]), (&json!("session"), &json!("plain")));
}

// proves: IOP-004
#[test]
fn an_entry_changes_the_name() {
    let world = World::new();
    let change = |title: &str| {
        entry(
            "b",
            Some("a"),
            json!({"type": "title_change", "title": title, "source": "user", "previousTitle": "x"}),
        )
    };
    let path = world.file("2026_019a.jsonl", &[header(), said("a", None, "one"), change("changed")]);
    let title = || world.sessions.list(&world.project)[0].title.clone();
    assert_eq!(title().as_deref(), Some("changed"), "over the header");
    assert_eq!(load(&path).unwrap().unwrap().header.title.as_deref(), Some("changed"));
    for sessions in both(&world) {
        let opened = sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
        assert_eq!(opened.writer.header().title.as_deref(), Some("changed"));
    }
    // What we call it later counts, also for who reads the entries.
    world.sessions.rename(&path, "ours").unwrap();
    assert_eq!((title().as_deref(), &lines(&path)[0]["type"]), (Some("ours"), &json!("title")));
    // At the end of a long file too.
    let filler = (0..200).map(|number| said(&format!("m{number}"), Some("a"), &"x".repeat(500)));
    let long: Vec<Value> =
        [name("line"), header()].into_iter().chain(filler).chain([change("at the end")]).collect();
    world.file("2026_019a.jsonl", &long);
    assert_eq!(title().as_deref(), Some("at the end"));
}

// proves: IOP-004
#[test]
fn a_cleared_conversation_does_not_come_back() {
    let world = World::new();
    let reset = |id: &str, parent: &str| entry(id, Some(parent), json!({"type": "reset_boundary"}));
    let summary = |id: &str, parent: &str| {
        entry(
            id,
            Some(parent),
            json!({"type": "compaction", "summary": "S", "firstKeptEntryId": "c", "tokensBefore": 1}),
        )
    };
    let level = entry(
        "l",
        Some("a"),
        json!({"type": "thinking_level_change", "thinkingLevel": null, "configured": "high"}),
    );
    let cleared =
        [name(""), header(), said("a", None, "one"), level, reset("b", "l"), said("c", Some("b"), "two")];
    let path = world.file("2026_019a.jsonl", &cleared);
    let contexts = |path: &std::path::Path| {
        both(&world).map(|sessions| sessions.resume(path, &world.project, IfHeld::Refuse).unwrap().context)
    };
    for context in contexts(&path) {
        assert_eq!(told(&context.messages), ["u:two"]);
        assert_eq!(context.thinking_level.as_deref(), Some("high"), "settings stay");
    }
    // A compaction after it counts, one before it does not.
    let mut after = cleared.to_vec();
    after.extend([summary("d", "c"), said("e", Some("d"), "three")]);
    let path = world.file("2026_019a.jsonl", &after);
    for context in contexts(&path) {
        assert_eq!(told(&context.messages)[1..], ["u:two", "u:three"]);
    }
    after.extend([reset("f", "e"), said("g", Some("f"), "four")]);
    let path = world.file("2026_019a.jsonl", &after);
    for context in contexts(&path) {
        assert_eq!(told(&context.messages), ["u:four"]);
    }
}

// proves: IOP-003
#[test]
fn messages_of_other_roles_are_told() {
    let world = World::new();
    let image = json!({"type": "image", "data": "aGk=", "mimeType": "image/png"});
    let files = json!([{"path": "a.md", "content": "A"}, {"path": "b.png", "content": "", "image": image}]);
    let path = world.file(
        "2026_019a.jsonl",
        &[
            name("x"),
            header(),
            message("a", None, json!({"role": "developer", "content": "dev", "timestamp": 1})),
            message("b", Some("a"), json!({"role": "fileMention", "files": files, "timestamp": 1})),
            message(
                "c",
                Some("b"),
                json!({"role": "pythonExecution", "code": "1", "output": "", "cancelled": true}),
            ),
            message(
                "d",
                Some("c"),
                json!({"role": "hookMessage", "customType": "h", "content": "hook", "display": true}),
            ),
            message(
                "e",
                Some("d"),
                json!({"role": "assistant", "content": [{"type": "text", "text": "lost"}],
                "stopReason": "error", "retryRecovery": {"status": "recovered"}}),
            ),
        ],
    );
    for sessions in both(&world) {
        let opened = sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
        assert_eq!(
            told(&opened.context.messages),
            [
                "c:dev",
                "c:<file path=\"a.md\">\nA\n</file>",
                "c:<file path=\"b.png\">\n</file>",
                "c:Ran Python:\n```python\n1\n```\n(no output)\n\n(execution cancelled)",
                "c:hook"
            ]
        );
    }
}
