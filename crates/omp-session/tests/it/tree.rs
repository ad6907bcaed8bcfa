//! The tree of a conversation: who follows whom, labels, filters, ways through it.

use omp_session::{
    Custom, EntryKind, Loaded, Navigation, NewSession, SessionWriter, Tree, TreeFilter, search,
};
use omp_types::{AssistantBlock, Message, StopReason, TextBlock, ToolResultMessage, UserBlock};
use serde_json::{Value, json};

use crate::support::{World, answer, answer_with, call, lines, picture, user};

fn entry(id: &str, parent: Option<&str>, second: u32) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": format!("2026-02-16T10:21:{second:02}.000Z"),
        "message": {"role": "user", "content": id, "timestamp": 1}})
}

fn header() -> Value {
    json!({"type": "session", "version": 3, "id": "s1", "timestamp": "2026-02-16T10:20:30.000Z", "cwd": "/p"})
}

fn reload(world: &World, writer: &SessionWriter) -> Loaded {
    world.open(writer.path().unwrap()).0
}

/// proves: SES-030
#[test]
fn labels_are_set_and_taken_away() {
    let world = World::new();
    let mut writer = world.create();
    let first = writer.append_message(&user("one"));
    let second = writer.append_message(&answer("two"));
    writer.append_label(&first, Some("start")).unwrap();
    writer.append_label(&second, Some("draft")).unwrap();
    writer.append_label(&second, Some("final")).unwrap();
    let written = lines(writer.path().unwrap());
    assert_eq!((&written[3]["targetId"], &written[3]["label"]), (&json!(first), &json!("start")));
    let labels = |writer: &SessionWriter| {
        let tree = reload(&world, writer).tree();
        [&first, &second].map(|id| tree.node(id).unwrap().label.clone())
    };
    assert_eq!(labels(&writer), [Some("start".into()), Some("final".into())]);
    writer.append_label(&first, None).unwrap();
    writer.append_label(&second, Some("  ")).unwrap();
    assert_eq!(labels(&writer), [None, None]);
    assert_eq!(lines(writer.path().unwrap())[6].get("label"), None);
    assert!(writer.append_label("nonesuch", Some("x")).is_err());
}

/// proves: SES-049, SES-043, SES-050
#[test]
fn children_are_in_order_and_orphans_are_roots() {
    let world = World::new();
    let path = world.file(
        "s.jsonl",
        &[
            header(),
            entry("root", None, 0),
            entry("late", Some("root"), 30),
            entry("early", Some("root"), 10),
            entry("leaf", Some("early"), 20),
            entry("orphan", Some("gone"), 5),
            json!({"type": "label", "id": "l", "parentId": "leaf", "timestamp": "t", "targetId": "early", "label": "L"}),
        ],
    );
    let tree = Tree::read(&path).unwrap();
    let ids =
        |nodes: Vec<&omp_session::TreeNode>| nodes.iter().map(|node| node.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(tree.roots().collect()), ["root", "orphan"]);
    assert_eq!(ids(tree.children("root").collect()), ["early", "late"]);
    assert_eq!(ids(tree.path("leaf")), ["root", "early", "leaf"]);
    assert_eq!(ids(tree.nodes().iter().collect()), ["root", "late", "early", "leaf", "orphan", "l"]);
    assert_eq!(tree.node("early").unwrap().label.as_deref(), Some("L"));
    assert!(tree.path("nonesuch").is_empty());
    assert_eq!(tree, world.open(&path).0.tree(), "from the file and from memory");
    let circle = world.file("c.jsonl", &[header(), entry("a", Some("b"), 0), entry("b", Some("a"), 1)]);
    assert!(Tree::read(&circle).unwrap().path("a").len() <= 2);
}

/// One of everything a filter decides about; the names say what it is.
fn one_of_each(world: &World) -> (Loaded, Vec<(String, &'static str)>) {
    let mut writer = world.create();
    let result = |text: &str| {
        std::sync::Arc::new(Message::ToolResult(ToolResultMessage {
            tool_call_id: "c".into(),
            tool_name: "bash".into(),
            content: vec![UserBlock::text(text)],
            details: None,
            is_error: false,
            timestamp: 1,
        }))
    };
    let said = |text: &str| AssistantBlock::Text(TextBlock { text: text.into(), text_signature: None });
    let mut names = Vec::new();
    let mut note = |id: String, name| {
        names.push((id.clone(), name));
        id
    };
    let user_id = note(writer.append_message(&user("Fix the parser")), "user");
    note(writer.append_message(&answer_with(StopReason::ToolUse, vec![call("c")])), "calls");
    note(writer.append_message(&result("exit code 7")), "result");
    note(
        writer.append_message(&answer_with(StopReason::ToolUse, vec![said("trying"), call("c")])),
        "words and calls",
    );
    note(writer.append_message(&answer_with(StopReason::Aborted, vec![call("c")])), "aborted calls");
    note(writer.append_model_change("acme/m2", None), "model");
    note(writer.append_thinking_level("high"), "thinking");
    note(writer.append(EntryKind::Custom(Custom { custom_type: "my-state".into(), data: None })), "custom");
    note(writer.append_label(&user_id, Some("Milestone")).unwrap(), "label");
    writer.branch_with_summary(Some(&user_id), "went astray".into()).unwrap();
    note(writer.leaf().unwrap().to_owned(), "summary");
    note(writer.append_message(&answer_with(StopReason::ToolUse, vec![call("d")])), "leaf calls");
    (reload(world, &writer), names)
}

fn shown(
    loaded: &Loaded,
    names: &[(String, &'static str)],
    filter: TreeFilter,
    query: &str,
) -> Vec<&'static str> {
    let tree = loaded.tree();
    let rows = tree.rows(filter, query, loaded.leaf());
    let name = |id: &str| names.iter().find(|(known, _)| known == id).unwrap().1;
    let mut shown: Vec<&'static str> = rows.iter().map(|row| name(&row.node.id)).collect();
    shown.sort_unstable();
    shown
}

/// proves: SES-124, SES-125
#[test]
fn filters_show_what_they_say() {
    let world = World::new();
    let (loaded, names) = one_of_each(&world);
    let shown = |filter| shown(&loaded, &names, filter, "");
    let conversation = ["aborted calls", "leaf calls", "result", "summary", "user", "words and calls"];
    assert_eq!(shown(TreeFilter::Default), conversation);
    assert_eq!(
        shown(TreeFilter::NoTools),
        ["aborted calls", "leaf calls", "summary", "user", "words and calls"]
    );
    assert_eq!(shown(TreeFilter::UserOnly), ["user"]);
    assert_eq!(shown(TreeFilter::LabeledOnly), ["user"]);
    assert_eq!(shown(TreeFilter::All).len(), names.len());
    let mut all: Vec<TreeFilter> = TreeFilter::ALL.to_vec();
    all.rotate_left(1);
    assert_eq!(TreeFilter::ALL.map(TreeFilter::next).to_vec(), all);
    assert_eq!(TreeFilter::Default.previous(), TreeFilter::All);
}

/// proves: SES-126
#[test]
fn all_words_must_be_found_somewhere() {
    let world = World::new();
    let (loaded, names) = one_of_each(&world);
    let found = |query| shown(&loaded, &names, TreeFilter::All, query);
    assert_eq!(found("PARSER fix"), ["user"], "in any order and case");
    assert_eq!(found("milestone user"), ["user"], "label and role");
    assert_eq!(found("exit toolresult bash"), ["result"]);
    assert_eq!(found("astray branch_summary"), ["summary"]);
    assert_eq!(found("my-state"), ["custom"]);
    assert_eq!(found("read trying"), ["words and calls"], "the tool and the words");
    assert!(found("parser astray").is_empty());
    let path = world.sessions.list(&world.project)[0].path.clone();
    let hits = search(&path, "code EXIT", 10).unwrap();
    assert_eq!((hits.len(), hits[0].excerpt.as_str()), (1, "bash exit code 7"));
    assert!(search(&path, "", 10).unwrap().is_empty() && search(&path, "the", 0).unwrap().is_empty());
}

#[test]
fn the_active_branch_comes_first() {
    let world = World::new();
    let mut writer = world.create();
    let root = writer.append_message(&user("root"));
    let old = writer.append_message(&answer("old"));
    writer.branch(&root).unwrap();
    let new = writer.append_message(&answer("new"));
    let tree = reload(&world, &writer).tree();
    let rows = |leaf: &str| {
        let rows = tree.rows(TreeFilter::Default, "", Some(leaf));
        rows.iter().map(|row| (row.node.text.clone(), row.depth, row.active)).collect::<Vec<_>>()
    };
    let row = |text: &str, depth, active| (text.to_owned(), depth, active);
    assert_eq!(rows(&new), [row("root", 0, true), row("new", 1, true), row("old", 1, false)]);
    assert_eq!(rows(&old), [row("root", 0, true), row("old", 1, true), row("new", 1, false)]);
}

/// The store's part of SES-127 to SES-129; the rest is proved where it is wired.
/// proves: SES-134
#[test]
fn where_a_choice_leads() {
    let world = World::new();
    let mut writer = world.create();
    let one = writer.append_message(&user("one"));
    let two = writer.append_message(&answer("two"));
    let three = writer.append_message(&user("three"));
    let four = writer.append_message(&answer("four"));
    let loaded = reload(&world, &writer);
    let go = |target: &str, leaf: Option<&str>| loaded.navigation(target, leaf).unwrap();
    let step =
        |to: Option<&String>, prefill: Option<&str>, abandoned: &[&String], common: Option<&String>| {
            Navigation::Move {
                to: to.cloned(),
                prefill: prefill.map(str::to_owned),
                abandoned: abandoned.iter().map(|id| (*id).clone()).collect(),
                common: common.cloned(),
            }
        };
    assert_eq!(go(&four, Some(&four)), Navigation::AlreadyThere);
    assert_eq!(go(&three, Some(&four)), step(Some(&two), Some("three"), &[&three, &four], Some(&two)));
    assert_eq!(go(&one, Some(&four)), step(None, Some("one"), &[&one, &two, &three, &four], None));
    assert_eq!(go(&two, Some(&four)), step(Some(&two), None, &[&three, &four], Some(&two)));
    assert_eq!(go(&four, Some(&two)), step(Some(&four), None, &[], Some(&two)), "nothing is left behind");
    assert!(loaded.navigation("nonesuch", None).is_err());
    // With nothing to sum up the move is a plain one, which writes nothing.
    let before = std::fs::read(writer.path().unwrap()).unwrap();
    writer.branch(&two).unwrap();
    assert_eq!(writer.go(&go(&four, Some(&two)), Some("a summary".into())), Ok(None));
    assert_eq!(
        (writer.leaf(), std::fs::read(writer.path().unwrap()).unwrap()),
        (Some(four.as_str()), before)
    );
    assert_eq!(writer.go(&go(&four, Some(&four)), Some("a summary".into())), Ok(None));
    writer.go(&go(&one, Some(&four)), None).unwrap();
    assert_eq!(writer.leaf(), None);
}

/// proves: SES-136
#[test]
fn a_summary_hangs_where_the_conversation_goes_on() {
    let world = World::new();
    let mut writer = world.create();
    let root = writer.append_message(&user("root"));
    let abandoned = writer.append_message(&answer("astray"));
    let way = reload(&world, &writer).navigation(&root, writer.leaf()).unwrap();
    assert!(matches!(&way, Navigation::Move { to: None, .. }), "a message of the user is gone back before");
    let further = writer.append_message(&answer("further astray"));
    let way = reload(&world, &writer).navigation(&abandoned, Some(&further)).unwrap();
    let summary = writer.go(&way, Some("S".into())).unwrap().unwrap();
    let tree = reload(&world, &writer).tree();
    assert_eq!(tree.node(&summary).unwrap().parent_id.as_ref(), Some(&abandoned));
    assert_eq!(tree.children(&further).count(), 0, "not on the branch that was left");
    assert_eq!(writer.leaf(), Some(summary.as_str()));
}

/// proves: SES-063
#[test]
fn the_transcript_has_everything_the_model_no_longer_reads() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&user("old"));
    let kept = writer.append_message(&answer("kept"));
    writer.append(EntryKind::Compaction(omp_session::Compaction {
        summary: "S".into(),
        first_kept_entry_id: Some(kept),
        ..Default::default()
    }));
    writer.append_message(&user("new"));
    let loaded = reload(&world, &writer);
    let shown: Vec<&str> = loaded.transcript(loaded.leaf()).iter().map(|entry| entry.kind.name()).collect();
    assert_eq!(shown, ["message", "message", "compaction", "message"], "each where it happened");
    assert_eq!(loaded.context().messages.len(), 3, "the model reads a summary, what was kept, and the rest");
}

/// What the program says to the model alone is sent and not drawn.
#[test]
fn hidden_messages_are_not_drawn() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&answer("start"));
    for display in [false, true] {
        writer.append_custom_message(omp_session::CustomMessageEntry {
            custom_type: "x".into(),
            content: omp_types::UserContent::Text("note".into()),
            display,
            details: None,
            attribution: omp_session::Attribution::Agent,
        });
    }
    let loaded = reload(&world, &writer);
    let drawn: Vec<bool> = loaded.transcript(loaded.leaf()).iter().map(|entry| entry.is_drawn()).collect();
    assert_eq!((drawn, loaded.context().messages.len()), (vec![true, false, true], 3));
}

/// proves: SES-109, SES-110, SES-112
#[test]
fn a_branch_is_a_new_session_before_a_message() {
    let world = World::new();
    let mut writer = world.create();
    let one = writer.append_message(&user("one"));
    let two = writer.append_message(&answer("two"));
    writer.append_label(&two, Some("here")).unwrap();
    writer.append_label(&one, Some("gone")).unwrap();
    writer.append_label(&one, None).unwrap();
    let three = writer.append_message(&user("three"));
    writer.append_label(&three, Some("too late")).unwrap();
    let four = writer.append_message(&answer("four"));
    let five = writer.append_message(&user("five"));
    let path = writer.path().unwrap().to_owned();
    let artifacts = writer.artifacts();
    artifacts.save("bash", "output").unwrap();
    writer.flush();
    let before = std::fs::read(&path).unwrap();

    let mut branched = world.sessions.branch(&path, &five, &world.project).unwrap();
    assert_eq!(branched.prompt, "five");
    let written = lines(branched.writer.path().unwrap());
    let kinds: Vec<&str> = written.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["session", "message", "message", "message", "message", "label", "label"]);
    assert_eq!(written[0]["parentSession"], json!(path));
    let ids: Vec<&Value> = written[1..5].iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, [&json!(one), &json!(two), &json!(three), &json!(four)]);
    assert_eq!(written[3]["parentId"], json!(two), "what followed a label follows what was before it");
    let tree = branched.loaded.tree();
    let labels = [&one, &two, &three].map(|id| tree.node(id).unwrap().label.clone());
    assert_eq!(labels, [None, Some("here".into()), Some("too late".into())]);
    assert_eq!(branched.writer.artifacts().save("bash", "more").unwrap(), 1, "artifacts came along");
    branched.writer.append_message(&user("another way"));
    assert_eq!(
        crate::support::told(&reload(&world, &branched.writer).context().messages),
        ["u:one", "a:two", "u:three", "a:four", "u:another way"]
    );

    let first = world.sessions.branch(&path, &one, &world.project).unwrap();
    assert_eq!((first.prompt.as_str(), first.loaded.entries().len()), ("one", 0));
    assert_eq!(first.writer.header().parent_session.as_deref(), path.to_str());
    assert!(!first.writer.is_saved() && first.writer.path().unwrap() != path);
    for wrong in [&two, &"nonesuch".to_owned()] {
        assert!(world.sessions.branch(&path, wrong, &world.project).is_err());
    }
    let error = world.sessions.branch(&path, &two, &world.project).unwrap_err().to_string();
    assert!(error.contains("not a user message"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before, "the old session is untouched");
}

/// proves: SES-113
#[test]
fn a_branch_in_memory_replaces_the_conversation() {
    let world = World::new();
    let mut writer = SessionWriter::in_memory(&world.project);
    writer.append_message(&user("one"));
    let two = writer.append_message(&answer("two"));
    writer.append_label(&two, Some("here")).unwrap();
    let three = writer.append_message(&user("three"));
    let id = writer.header().id.clone();
    assert!(writer.branch_in_memory(&two).is_err());
    assert_eq!(writer.branch_in_memory(&three).unwrap(), "three");
    assert_eq!(writer.path(), None);
    let kinds: Vec<&str> = writer.entries().iter().map(|entry| entry.kind.name()).collect();
    assert_eq!(kinds, ["message", "message", "label"]);
    assert_eq!(writer.header().parent_session.as_deref(), Some(id.as_str()));
    let next = writer.append_message(&user("other"));
    assert_eq!(writer.entries().last().unwrap().parent_id.as_ref(), Some(&writer.entries()[2].id));
    assert!(writer.branch(&next).is_ok() && writer.branch(&three).is_err());
    assert!(!world.base.join("agent").exists());
}

/// proves: SES-106, SES-107
#[test]
fn a_fork_takes_artifacts_and_shares_blobs() {
    let world = World::new();
    let mut writer = world.sessions.create(&world.project, NewSession::default());
    let picture = picture(&[4; 2000]);
    writer.append_message(&picture);
    writer.append_message(&answer("ok"));
    let path = writer.path().unwrap().to_owned();
    let artifacts = writer.artifacts();
    let [first, second] = [artifacts.save("bash", "a").unwrap(), artifacts.save("bash", "b").unwrap()];
    std::fs::create_dir(artifacts.directory().unwrap().join("deep")).unwrap();
    std::fs::write(artifacts.directory().unwrap().join("deep/file"), "x").unwrap();
    let blobs = || std::fs::read_dir(world.base.join("agent/blobs")).unwrap().count();
    let before = blobs();

    let (loaded, copy) = world.sessions.fork(&path, &world.project).unwrap();
    assert_eq!(blobs(), before);
    assert_eq!(loaded.context().messages[0], picture, "images resolve in the copy");
    let copied = copy.artifacts();
    assert_eq!(std::fs::read_to_string(copied.find(&second.to_string()).unwrap()).unwrap(), "b");
    assert!(copied.directory().unwrap().join("deep/file").is_file() && loaded.warnings.is_empty());
    assert_eq!((first, copied.save("bash", "c").unwrap()), (0, 2), "counting goes on");

    // Without artifacts counting begins at 0; with some that cannot be copied it is a warning.
    let quiet = world.saved(&world.project, "hi");
    let (loaded, copy) = world.sessions.fork(&quiet, &world.project).unwrap();
    assert_eq!((loaded.warnings.len(), copy.artifacts().save("bash", "x").unwrap()), (0, 0));
    std::fs::write(quiet.with_extension(""), "no directory").unwrap();
    let (loaded, mut copy) = world.sessions.fork(&quiet, &world.project).unwrap();
    assert!(loaded.warnings[0].contains("cannot copy"), "{:?}", loaded.warnings);
    copy.append_message(&user("on"));
    assert!(copy.problem().is_none());
}
