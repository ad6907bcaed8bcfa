//! Copies that go their own way.

use omp_session::{CopyError, ForkError};
use serde_json::json;

use crate::support::{World, lines, told, user};

// The store's part of SES-105; the rest is proved where it is wired.
// proves: SES-015, SES-019
#[test]
fn a_fork_is_a_new_session_with_the_same_entries() {
    let world = World::new();
    let other = world.base.join("home/other");
    let source = world.saved(&other, "hi");
    let unknown =
        json!({"type": "hologram", "id": "c", "parentId": null, "timestamp": "t", "data": {"x": 1}});
    let mut content = std::fs::read_to_string(&source).unwrap();
    content.insert_str(content.find("\"cwd\"").unwrap(), "\"later\":[1],");
    content.push_str(&format!("{unknown}\n{{\"torn"));
    std::fs::write(&source, &content).unwrap();

    let (loaded, mut writer) = world.sessions.fork(&source, &world.project).unwrap();
    let path = writer.path().unwrap().to_owned();
    assert_eq!(path.parent().unwrap(), world.sessions.dir_for(&world.project));
    writer.append_message(&user("more"));
    assert_eq!(std::fs::read_to_string(&source).unwrap(), content, "the old file is untouched");

    let (old, new) = (lines(&source), lines(&path));
    assert_ne!(new[0]["id"], old[0]["id"]);
    assert_eq!(new[0]["parentSession"], old[0]["id"]);
    assert_eq!((&new[0]["cwd"], &new[0]["later"]), (&json!(world.project), &json!([1])));
    assert_eq!(new[1..4], old[1..4]);
    assert_eq!(new.last().unwrap()["parentId"], "c");
    assert_eq!(told(&loaded.context_at(new[2]["id"].as_str()).messages), ["u:hi", "a:Done."]);

    std::fs::remove_file(&source).unwrap();
    assert_eq!(world.open(&path).0.entries().len(), 4, "the child needs no parent");
}

#[test]
fn an_old_session_is_not_rewritten_by_forking_it() {
    let world = World::new();
    let source = world.file("old.jsonl", &[
        json!({"type": "session", "id": "s1", "timestamp": "t", "cwd": "/p"}),
        json!({"type": "message", "timestamp": "t", "message": {"role": "user", "content": "one", "timestamp": 1}}),
    ]);
    let before = std::fs::read(&source).unwrap();
    let (loaded, _) = world.sessions.fork(&source, &world.project).unwrap();
    assert_eq!((loaded.header.version, told(&loaded.context().messages)), (3, vec!["u:one".to_owned()]));
    assert_eq!(std::fs::read(&source).unwrap(), before);
}

#[test]
fn nothing_to_fork() {
    let world = World::new();
    let notes = world.base.join("notes.jsonl");
    std::fs::write(&notes, "my notes").unwrap();
    for path in [notes.as_path(), &world.base, &world.base.join("nope.jsonl")] {
        assert!(matches!(
            world.sessions.fork(path, &world.project),
            Err(ForkError::Copy(CopyError::NotASession(_)))
        ));
    }
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "my notes");
    assert!(world.sessions.list_all().is_empty());
}
