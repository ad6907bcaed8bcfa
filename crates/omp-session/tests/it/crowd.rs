//! More sessions than anybody lists, and clocks that go wrong.

use std::fs::{File, FileTimes};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use omp_session::{IfHeld, MOST_LISTED, search};
use omp_types::Message;
use serde_json::json;

use crate::support::{World, user};

/// The most recent sessions are listed; every other one is still found by its id and its words.
#[test]
fn sessions_that_are_not_listed_are_not_lost() {
    let world = World::new();
    let directory = world.sessions.dir_for(&world.project);
    std::fs::create_dir_all(&directory).unwrap();
    let header = |id: &str| {
        format!(
            "{}\n",
            json!({"type": "session", "version": 3, "id": id, "timestamp": "t", "cwd": world.project})
        )
    };
    let write = |id: &str| {
        let path = directory.join(format!("2026-01-01T00-00-00-000Z_{id}.jsonl"));
        std::fs::write(&path, header(id)).unwrap();
        path
    };
    let oldest = write("oldest");
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    File::open(&oldest).unwrap().set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    let others: Vec<PathBuf> = (0..=MOST_LISTED).map(|number| write(&format!("id{number:05}"))).collect();

    let listed = world.sessions.list(&world.project);
    assert_eq!(listed.len(), MOST_LISTED);
    assert!(listed.iter().all(|info| info.path != oldest));
    let files = world.sessions.files(&world.project);
    assert_eq!((files.len(), files.last()), (MOST_LISTED + 2, Some(&oldest)));
    assert_eq!(world.sessions.files_of_all(), files);
    let found = |value: &str| world.sessions.resolve(&world.project, value).unwrap().path;
    assert_eq!(found("old"), oldest);
    assert_eq!(found(&format!("id{MOST_LISTED:05}")), others[MOST_LISTED]);
    assert_eq!(world.sessions.describe(&oldest).unwrap().id, "oldest");
    assert_eq!(world.sessions.describe(&PathBuf::from("/none")), None);
}

/// The order of a conversation is that of its entries, whatever the clock said, and a file from the future is a file.
#[test]
fn a_clock_that_goes_backwards_changes_nothing() {
    let world = World::new();
    let at = |id: &str, parent: Option<&str>, time: &str, text: &str| {
        let message = json!({"role": "user", "content": text, "timestamp": 1});
        json!({"type": "message", "id": id, "parentId": parent, "timestamp": time, "message": message})
    };
    let header = json!({
        "type": "session", "version": 3, "id": "later", "timestamp": "2099-01-01T00:00:00.000Z", "cwd": world.project,
    });
    let path = world.file(
        "2099-01-01T00-00-00-000Z_later.jsonl",
        &[
            header,
            at("00000001", None, "2099-01-01T00:00:03.000Z", "first"),
            at("00000002", Some("00000001"), "2026-01-01T00:00:00.000Z", "second"),
            at("00000003", Some("00000002"), "1969-12-31T23:59:59.999Z", "third"),
        ],
    );
    let future = SystemTime::now() + Duration::from_secs(400 * 86_400);
    File::open(&path).unwrap().set_times(FileTimes::new().set_modified(future)).unwrap();
    let mut opened = world.sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
    opened.writer.append_message(&user("fourth"));
    assert!(opened.writer.problem().is_none());
    drop(opened);
    let again = world.sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
    let said = again.context.messages.iter().filter_map(|message| match message.as_ref() {
        Message::User(user) => Some(user.content.text()),
        _ => None,
    });
    let said: Vec<String> = said.collect();
    assert_eq!(said, ["first", "second", "third", "fourth"]);
    assert_eq!(world.sessions.list(&world.project)[0].id, "later");
}

/// The quick look at a line never hides what the thorough one would find.
#[test]
fn words_are_found_however_they_are_written() {
    let world = World::new();
    let path = world.saved(&world.project, "Plain Words, a \"quote\", ünd \u{212a}elvin");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("Plain", "\\u0050lain").replace("Done.", "All DONE\\nnow")).unwrap();
    for (query, hits) in [
        ("plain words", 1),
        ("PLAIN", 1),
        ("\"quote\"", 1),
        ("ÜND", 1),
        ("kelvin", 1),
        ("done now", 1),
        ("done never", 0),
        ("assistant", 0),
    ] {
        assert_eq!(search(&path, query, 10).unwrap().len(), hits, "{query}");
    }
}
