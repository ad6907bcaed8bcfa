//! Long sessions, which are read through an index beside them.

use std::io::Write;
use std::path::{Path, PathBuf};

use omp_session::{
    Compaction, Context, EntryKind, IfHeld, Loaded, Opened, ServiceTierChange, TtsrInjection, load,
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{World, answer, told, user};

fn resume(world: &World, path: &Path) -> Opened {
    world.sessions.resume(path, &world.project, IfHeld::Refuse).unwrap()
}

/// The context, without holding the session open.
fn context(world: &World, path: &Path) -> Context {
    resume(world, path).context
}

fn whole(path: &Path) -> Loaded {
    load(path).unwrap().unwrap()
}

fn index(path: &Path) -> PathBuf {
    path.with_extension("jsonl.index")
}

fn custom(kind: &str, data: serde_json::Value) -> EntryKind {
    EntryKind::Custom(omp_session::Custom { custom_type: kind.to_owned(), data: Some(data) })
}

/// More than a megabyte, with settings, two compactions and a branch that was left.
fn long_session(world: &World) -> PathBuf {
    let mut writer = world.create();
    let filler = "x".repeat(20_000);
    writer.append_thinking_level("high");
    writer.append_model_change("acme/small", Some("smol"));
    writer.append(EntryKind::TtsrInjection(TtsrInjection { injected_rules: vec!["a".into()] }));
    writer.append(custom("user_todo_edit", json!({"phases": [{"name": "kept"}]})));
    writer.append(custom("user_todo_edit", json!({"nothing": true})));
    writer.append(custom("plan-approved", json!({"planFile": "local://PLAN.md"})));
    let mut fork = String::new();
    for number in 0..60 {
        writer.append_message(&user(&format!("q{number} {filler}")));
        let last = writer.append_message(&answer(&format!("a{number}")));
        if number == 10 {
            fork = last.clone();
        }
        if number == 20 || number == 50 {
            let compaction = Compaction {
                summary: format!("until {number}"),
                first_kept_entry_id: Some(last),
                ..Compaction::default()
            };
            writer.append(EntryKind::Compaction(compaction));
        }
        if number == 30 {
            writer.append(EntryKind::TtsrInjection(TtsrInjection { injected_rules: vec!["b".into()] }));
            writer.append(EntryKind::ServiceTierChange(ServiceTierChange {
                service_tier: Some("flex".into()),
            }));
        }
    }
    let leaf = writer.leaf().unwrap().to_owned();
    writer.branch(&fork).unwrap();
    writer.append_message(&user("aside"));
    writer.branch(&leaf).unwrap();
    writer.append_message(&user("the end"));
    assert!(writer.problem().is_none());
    writer.path().unwrap().to_owned()
}

#[test]
fn an_index_says_what_the_file_says() {
    let world = World::new();
    let path = long_session(&world);
    let mut opened = resume(&world, &path);
    assert!(index(&path).is_file());
    let expected = whole(&path);
    assert_eq!(opened.context, expected.context());
    let messages = told(&opened.context.messages);
    assert!(
        messages[0].contains("until 50") && messages[1] == "a:a50" && messages.last().unwrap() == "u:the end"
    );
    assert_eq!(opened.context.injected_rules, ["a", "b"], "settings of all the way are known");
    assert_eq!(opened.context.todos, Some(json!([{"name": "kept"}])), "and the list of tasks");
    for entry in expected.entries() {
        assert_eq!(opened.archive.context_at(&entry.id).unwrap(), expected.context_at(Some(&entry.id)));
    }
    assert_eq!(opened.writer.leaf(), expected.leaf());
    assert_eq!(opened.archive.context_at("unknown").unwrap(), expected.context());
}

/// What is shown first is the end; earlier pages come when they are asked for.
#[test]
fn pages_from_the_end() {
    let world = World::new();
    let path = long_session(&world);
    let expected = whole(&path);
    let way: Vec<&str> = expected.path(expected.leaf()).iter().map(|entry| entry.id.as_str()).collect();
    let mut archive = resume(&world, &path).archive;
    let mut pages = archive.tail(7).unwrap();
    assert_eq!(pages.len(), 7);
    loop {
        let page = archive.before(&pages[0].id, 50).unwrap();
        if page.is_empty() {
            break;
        }
        pages.splice(0..0, page);
    }
    assert_eq!(pages.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), way);
    assert!(archive.before("unknown", 5).unwrap().is_empty());
    assert_eq!(archive.entry(way[3]).unwrap().as_ref(), expected.entry(way[3]));
}

/// A session is looked into without its beginning, whose plan and settings are known all the same.
#[test]
fn what_decides_and_what_is_shown() {
    let world = World::new();
    let path = long_session(&world);
    let expected = whole(&path);
    let mut archive = world.sessions.archive(&path).unwrap().unwrap();
    for leaf in [expected.leaf(), Some(expected.entries()[90].id.as_str()), Some("unknown"), None] {
        let recent = archive.recent(leaf).unwrap();
        assert_eq!(recent.context(), expected.context_at(leaf));
        let all = expected.path(leaf);
        let plan = |path: &[&omp_session::Entry]| {
            path.iter().any(|entry| matches!(&entry.kind, EntryKind::Custom(custom) if custom.custom_type == omp_session::PLAN_APPROVED))
        };
        assert_eq!(plan(&recent.path()), plan(&all));
        for count in [0, 5, 10_000] {
            let way = archive.way(leaf, count).unwrap();
            let shown: Vec<&omp_session::Entry> = way.entries.iter().collect();
            assert_eq!(shown, all[all.len().saturating_sub(count)..]);
            assert_eq!(way.before + way.entries.len(), all.len());
        }
    }
    assert!(archive.recent(expected.leaf()).unwrap().path().len() < 40, "not the whole way");
    assert!(world.sessions.archive(&path.with_extension("none")).unwrap().is_none());
}

/// The writer of a long session knows old entries without having read them, and draws no id twice.
#[test]
fn a_long_session_goes_on() {
    let world = World::new();
    let path = long_session(&world);
    let old = whole(&path);
    let mut opened = resume(&world, &path);
    assert!(opened.writer.branch("nonesuch").is_err());
    let early = old.entries()[8].id.clone();
    opened.writer.branch(&early).unwrap();
    let mut ids: Vec<String> = (0..200).map(|_| opened.writer.append_message(&user("more"))).collect();
    opened.writer.flush();
    ids.extend(old.entries().iter().map(|entry| entry.id.clone()));
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
    drop(opened);
    assert_eq!(context(&world, &path), whole(&path).context());
    assert_eq!(context(&world, &path).messages.len(), whole(&path).path(Some(&early)).len() - 6 + 200);
}

/// Whatever happens to the file or to the index, the file is right.
#[test]
fn an_index_is_never_trusted_over_the_file() {
    let world = World::new();
    let path = long_session(&world);
    let agree = |what: &str| assert_eq!(context(&world, &path), whole(&path).context(), "{what}");
    agree("first");
    let made = std::fs::read(index(&path)).unwrap();

    let line = json!({"type": "message", "id": "appended", "parentId": whole(&path).leaf(), "timestamp": "t",
        "message": {"role": "user", "content": "by another program", "timestamp": 1}});
    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
    writeln!(file, "{line}").unwrap();
    agree("something was appended");
    write!(file, "{{\"type\":\"mess").unwrap();
    agree("a line was cut off");
    writeln!(file, "\n{{\"type\":\"label\",\"id\":\"l\",\"parentId\":\"appended\",\"timestamp\":\"t\",\"targetId\":\"x\"}}")
        .unwrap();
    agree("it was closed");
    write!(file, "{}", line.to_string().replace("appended", "whole")).unwrap();
    agree("a whole entry lacks its newline");
    writeln!(file).unwrap();
    writeln!(file, "{}", line.to_string().replace("by another", "twice by another")).unwrap();
    agree("an id occurs twice");

    std::fs::write(index(&path), &made).unwrap();
    agree("an old index came back");
    for damage in [0, 9, 200, 3000] {
        std::fs::remove_file(index(&path)).unwrap();
        context(&world, &path);
        let mut bytes = std::fs::read(index(&path)).unwrap();
        let at = damage.min(bytes.len() - 1);
        bytes[at] ^= 0x41;
        std::fs::write(index(&path), bytes).unwrap();
        agree("a byte of the index is wrong");
    }
    for length in [0, 100, 128, 5000] {
        let made = std::fs::read(index(&path)).unwrap();
        std::fs::write(index(&path), &made[..length.min(made.len())]).unwrap();
        agree("the index was cut off");
    }
}

#[test]
fn a_changed_file_is_read_anew() {
    let world = World::new();
    let path = long_session(&world);
    context(&world, &path);
    // The same length and other words, in place and through a new file.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("the end", "THE END")).unwrap();
    assert_eq!(told(&context(&world, &path).messages).last().unwrap(), "u:THE END");
    let copy = world.base.join("copy");
    std::fs::write(&copy, text.replace("the end", "another")).unwrap();
    std::fs::rename(&copy, &path).unwrap();
    assert_eq!(told(&context(&world, &path).messages).last().unwrap(), "u:another");
    let half = text.len() / 2;
    std::fs::write(&path, &text[..half]).unwrap();
    assert_eq!(context(&world, &path), whole(&path).context());
}

/// Damage in the middle: both ways of reading skip the same lines.
#[test]
fn damaged_lines_are_skipped_alike() {
    let world = World::new();
    let path = long_session(&world);
    let content = std::fs::read(&path).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..25 {
        let mut bytes = content.clone();
        for _ in 0..6 {
            // Half of the damage where the structure is, at the beginnings of lines.
            let at = random.usize(..bytes.len());
            let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
            let at = if random.bool() { at } else { (start + random.usize(..120)).min(bytes.len() - 1) };
            bytes[at] = random.u8(..);
        }
        std::fs::write(&path, &bytes).unwrap();
        let Some(expected) = load(&path).unwrap() else { continue };
        let opened = resume(&world, &path);
        assert_eq!(opened.context, expected.context());
        assert_eq!(opened.skipped, expected.skipped);
    }
}

/// An old long session is brought up to date first.
#[test]
fn a_long_session_of_an_early_version() {
    let world = World::new();
    let filler = "y".repeat(20_000);
    let mut lines = vec![json!({"type": "session", "id": "s1", "timestamp": "t", "cwd": "/p"})];
    for number in 0..60 {
        lines.push(json!({"type": "message", "timestamp": "t",
            "message": {"role": "user", "content": format!("{number} {filler}"), "timestamp": 1}}));
    }
    let path = world.file("old.jsonl", &lines);
    let opened = resume(&world, &path);
    assert_eq!(opened.context.messages.len(), 60);
    assert_eq!((opened.writer.header().version, whole(&path).header.version), (3, 3));
    assert_eq!(opened.context, whole(&path).context());
}

#[test]
fn short_sessions_need_no_index() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let mut opened = resume(&world, &path);
    assert_eq!(told(&opened.context.messages), ["u:hi", "a:Done."]);
    assert_eq!(opened.archive.tail(1).unwrap().len(), 1);
    opened.writer.append_message(&user("more"));
    opened.writer.flush();
    assert!(!index(&path).exists());
    let missing = world.base.join("new.jsonl");
    assert!(resume(&world, &missing).context.messages.is_empty() && missing.is_file());
}

/// What to do next to a conversation; numbers choose among the entries there are.
#[derive(Clone, Debug)]
enum Step {
    Say(u8),
    Answer(u8),
    Think(u8),
    Model(u8),
    Rule(u8),
    Compact(prop::sample::Index),
    Branch(prop::sample::Index),
    Reset,
    /// Close it and open it again.
    Reopen,
    /// A line that is no entry.
    Noise,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => any::<u8>().prop_map(Step::Say),
        5 => any::<u8>().prop_map(Step::Answer),
        1 => any::<u8>().prop_map(Step::Think),
        1 => any::<u8>().prop_map(Step::Model),
        1 => any::<u8>().prop_map(Step::Rule),
        2 => any::<prop::sample::Index>().prop_map(Step::Compact),
        2 => any::<prop::sample::Index>().prop_map(Step::Branch),
        1 => Just(Step::Reset),
        2 => Just(Step::Reopen),
        1 => Just(Step::Noise),
    ];
    prop::collection::vec(step, 1..60)
}

/// One step; the id of the entry it made.
fn take(step: &Step, ids: &[String], opened: &mut Opened, path: &Path) -> Option<String> {
    let writer = &mut opened.writer;
    let chosen = |index: &prop::sample::Index| (!ids.is_empty()).then(|| index.get(ids).clone());
    match step {
        Step::Say(number) => Some(writer.append_message(&user(&number.to_string()))),
        Step::Answer(number) => Some(writer.append_message(&answer(&number.to_string()))),
        Step::Think(number) => Some(writer.append_thinking_level(&number.to_string())),
        Step::Model(number) => Some(writer.append_model_change(&format!("acme/{number}"), None)),
        Step::Rule(number) => {
            let rule = TtsrInjection { injected_rules: vec![(number % 4).to_string()] };
            Some(writer.append(EntryKind::TtsrInjection(rule)))
        }
        Step::Compact(index) => Some(writer.append(EntryKind::Compaction(Compaction {
            summary: "so far".into(),
            first_kept_entry_id: chosen(index),
            ..Compaction::default()
        }))),
        Step::Branch(index) => {
            chosen(index).into_iter().for_each(|id| writer.branch(&id).unwrap());
            None
        }
        Step::Reset => {
            writer.reset_leaf();
            None
        }
        Step::Noise => {
            std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"noise\n").unwrap();
            None
        }
        Step::Reopen => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Through an index that grows with the file, every context is the one that the whole file gives.
    #[test]
    fn any_tree_is_the_same_through_its_index(steps in steps()) {
        let world = World::new();
        let sessions = world.sessions.clone().with_index_from(1);
        let path = world.base.join("s.jsonl");
        let open = || sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
        let mut opened = open();
        let mut ids: Vec<String> = Vec::new();
        for step in &steps {
            ids.extend(take(step, &ids, &mut opened, &path));
            if matches!(step, Step::Reopen) {
                drop(opened);
                opened = open();
                prop_assert_eq!(&opened.context, &whole(&path).context());
            }
        }
        drop(opened);
        let (expected, mut opened) = (whole(&path), open());
        prop_assert!(index(&path).is_file());
        prop_assert_eq!(opened.skipped, expected.skipped);
        for entry in expected.entries() {
            prop_assert_eq!(opened.archive.context_at(&entry.id).unwrap(), expected.context_at(Some(&entry.id)));
            prop_assert_eq!(opened.archive.entry(&entry.id).unwrap(), Some(entry.clone()));
        }
    }
}
