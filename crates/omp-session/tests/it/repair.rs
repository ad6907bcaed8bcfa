//! Checking and recovering damaged sessions.

use omp_session::{BlobHash, CopyError, Damage, OpenError, fsck, load};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{World, told};

fn header() -> Value {
    json!({"type": "session", "version": 3, "id": "s1", "timestamp": "2026-02-16T10:20:30.000Z", "cwd": "/p"})
}

fn message(id: &str, parent: Option<&str>, text: &str) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-02-16T10:21:00.000Z",
        "message": {"role": "user", "content": text, "timestamp": 1}})
}

#[test]
fn a_check_names_what_is_wrong_and_changes_nothing() {
    let world = World::new();
    let sound = world.saved(&world.project, "hi");
    let report = fsck(&sound, Some(&world.sessions.blobs())).unwrap();
    assert!(report.is_sound() && report.entries == 2, "{report:?}");

    let blob = BlobHash::of(b"gone");
    let path = world.file("bad.jsonl", &[header(), message("a", None, "a"), message("a", None, "again")]);
    let mut text = std::fs::read_to_string(&path).unwrap();
    text += "not json\n{\"type\":\"x\"}\n";
    for entry in [
        message("b", Some("gone"), &blob.reference()),
        message("c", Some("d"), "c"),
        message("d", Some("c"), "d"),
        message("e", Some("d"), "e"),
    ] {
        text += &format!("{entry}\n");
    }
    text += "{\"type\":\"mess";
    std::fs::write(&path, &text).unwrap();
    let report = fsck(&path, Some(&world.sessions.blobs())).unwrap();
    let mut found: Vec<(usize, String)> =
        report.findings.iter().map(|finding| (finding.line, finding.damage.to_string())).collect();
    found.sort();
    let expected = [
        (3, Damage::DuplicateId("a".into())),
        (4, Damage::Unreadable),
        (5, Damage::NotAnEntry),
        (6, Damage::MissingBlob(blob)),
        (6, Damage::MissingParent { id: "b".into(), parent: "gone".into() }),
        (7, Damage::Circle("c".into())),
        (8, Damage::Circle("d".into())),
        (9, Damage::Circle("e".into())),
        (10, Damage::TornEnd),
    ];
    let mut expected: Vec<(usize, String)> =
        expected.into_iter().map(|(line, damage)| (line, damage.to_string())).collect();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert_eq!(&text[report.findings[0].offset as usize..][..8], "{\"type\":");

    let notes = world.base.join("notes.jsonl");
    std::fs::write(&notes, "my notes").unwrap();
    let damages: Vec<Damage> =
        fsck(&notes, None).unwrap().findings.into_iter().map(|finding| finding.damage).collect();
    assert_eq!(damages, [Damage::NoHeader, Damage::TornEnd]);
    assert!(fsck(&world.base.join("nope.jsonl"), None).is_err());
}

#[test]
fn what_can_be_read_is_recovered() {
    let world = World::new();
    let path = world.file("bad.jsonl", &[header(), message("a", None, "one")]);
    let mut text = std::fs::read_to_string(&path).unwrap();
    // A program that does not close torn lines wrote on after a crash.
    text += &format!("{{\"type\":\"message\",\"id\":\"x\",\"mess{}\n", message("b", Some("a"), "two"));
    text += "\u{0}\u{0}\u{0}\n";
    text += &format!("{}\n", message("c", Some("x"), "three"));
    text += &format!("{}\n", message("c", Some("x"), "three"));
    text += &format!("{}\n", message("a", Some("c"), "another with a used id"));
    text += "{\"type\":\"message\",\"id\":\"torn";
    std::fs::write(&path, &text).unwrap();
    assert_ne!(told(&load(&path).unwrap().unwrap().context().messages).len(), 4, "it needs recovering");

    let report = world.sessions.recover(&path, &world.project).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "the damaged file is only read");
    assert_eq!((report.entries, report.lost, report.relinked, report.renamed), (4, 2, 1, 1));
    assert!(!report.new_header);
    let loaded = load(&report.path).unwrap().unwrap();
    assert_eq!(told(&loaded.context().messages), ["u:one", "u:two", "u:three", "u:another with a used id"]);
    assert_eq!((loaded.header.parent_session.as_deref(), loaded.header.cwd.as_str()), (Some("s1"), "/p"));
    assert!(fsck(&report.path, None).unwrap().is_sound());
    assert_eq!(world.sessions.list(&world.project).len(), 2);
}

/// A session that lost its header is not opened, and nothing of it is lost.
#[test]
fn a_lost_header_loses_no_conversation() {
    let world = World::new();
    let path = world.file("bad.jsonl", &[message("a", None, "one"), message("b", Some("a"), "two")]);
    assert!(matches!(world.sessions.open(&path, &world.project), Err(OpenError::NotASession(_))));
    let report = world.sessions.recover(&path, &world.project).unwrap();
    assert!(report.new_header);
    let loaded = load(&report.path).unwrap().unwrap();
    assert_eq!(told(&loaded.context().messages), ["u:one", "u:two"]);
    assert_eq!(loaded.header.cwd, world.project.to_str().unwrap());
}

fn session() -> Vec<u8> {
    let lines = [
        header(),
        message("a1b2c3d4", None, "eins\u{2028}\u{0}"),
        message("b1b2c3d4", Some("a1b2c3d4"), "zwei 😀"),
        json!({"type": "model_change", "id": "c1b2c3d4", "parentId": "b1b2c3d4", "timestamp": "t", "model": "a/b"}),
        message("d1b2c3d4", Some("c1b2c3d4"), "drei"),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

/// Opens, goes on or says why, and never changes what was there.
fn survives(world: &World, bytes: &[u8]) {
    let path = world.sessions.dir_for(&world.project).join("s.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    fsck(&path, None).unwrap();
    let loaded = load(&path).unwrap();
    let untouched = std::fs::read(&path).unwrap();
    let upgraded = loaded.as_ref().is_some_and(|_| untouched != bytes);
    assert!(upgraded || untouched == bytes, "reading changes nothing but old versions");
    let (_, mut writer) = match world.sessions.open(&path, &world.project) {
        Ok(opened) => opened,
        Err(OpenError::NotASession(_)) => {
            assert!(loaded.is_none() && !bytes.is_empty());
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "a file that is no session stays as it is");
            return;
        }
        Err(other) => panic!("{other}"),
    };
    writer.append_message(&crate::support::user("and on"));
    let after = std::fs::read(&path).unwrap();
    assert!(after.starts_with(&untouched), "what was there is still there");
    if writer.problem().is_none() {
        let said = told(&load(&path).unwrap().unwrap().context().messages);
        assert_eq!(said.last().map(String::as_str), Some("u:and on"));
    }
    drop(writer);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn cut_at_every_byte() {
    let world = World::new();
    let content = session();
    for end in 0..=content.len() {
        survives(&world, &content[..end]);
    }
}

#[test]
fn flipped_at_every_byte() {
    let world = World::new();
    let content = session();
    let mut random = fastrand::Rng::with_seed(11);
    for at in 0..content.len() {
        let mut bytes = content.clone();
        bytes[at] ^= 1 << random.u8(..8);
        survives(&world, &bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is left of a session, recovering it gives a sound one with no less in it.
    #[test]
    fn recovering_always_gives_a_sound_session(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12)) {
        let world = World::new();
        let mut bytes = session();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let path = world.base.join("s.jsonl");
        std::fs::write(&path, &bytes).unwrap();
        let readable = load(&path).unwrap().map_or(0, |loaded| loaded.entries().len());
        // A file of an old version was brought up to date by loading it.
        let before = std::fs::read(&path).unwrap();
        let recovered = world.sessions.recover(&path, &world.project);
        prop_assert_eq!(std::fs::read(&path).unwrap(), before);
        let report = match recovered {
            // Nothing is made of nothing.
            Err(CopyError::NothingToRecover(_)) => {
                prop_assert!(readable <= 1, "{readable}");
                return Ok(());
            }
            recovered => recovered.unwrap(),
        };
        let checkup = fsck(&report.path, None).unwrap();
        prop_assert!(checkup.is_sound(), "{:?}", checkup);
        prop_assert!(report.entries >= readable.saturating_sub(1), "{} of {readable}", report.entries);
    }
}

/// Half a character, as programs that cut texts in the middle of one write it: the message is not lost.
#[test]
fn lone_surrogates_are_read() {
    let world = World::new();
    let path = world.file("s.jsonl", &[header(), message("a", None, "CUT"), message("b", Some("a"), "next")]);
    let text = std::fs::read_to_string(&path).unwrap().replace("CUT", "half \\ud83d of it");
    std::fs::write(&path, &text).unwrap();
    let (loaded, mut writer) = world.open(&path);
    assert_eq!(told(&loaded.context().messages), ["u:half \u{fffd} of it", "u:next"]);
    assert_eq!(loaded.skipped, 0);
    writer.set_title("t", omp_session::TitleSource::User).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains("half \\ud83d of it"), "and is kept as it is");
}
