//! pi, in its three versions.

use omp_import::{MARK, Source};
use omp_session::{EntryKind, TitleSource};
use omp_types::AssistantBlock;
use serde_json::json;

use crate::support::{World, fixture, import_fixture};

/// Entries without ids are a chain, and the kept ones are counted in lines.
#[test]
fn version_1() {
    let session = import_fixture("pi-v1");
    let told = session.told();
    assert!(told[0].contains("one happened"), "{told:?}");
    assert_eq!(told[1..], ["user: second", "answer: two", "user: third"]);
    assert_eq!(session.told_at("two"), ["user: first", "answer: one", "user: second", "answer: two"]);
    assert_eq!(session.loaded.header.version, 3);
    assert_eq!(session.loaded.header.cwd, "/srv/shop");
}

#[test]
fn version_2() {
    let session = import_fixture("pi-v2");
    assert_eq!(session.told(), ["user: hello", "aside: Remember the milk.", "answer: hi"]);
    assert_eq!(session.kept(), [MARK]);
}

/// Everything the current version has: settings, images, ids of OpenAI's wires, branches, labels, summaries, commands,
/// messages and state of extensions, and entries nobody has heard of.
#[test]
fn version_3() {
    let session = import_fixture("pi-v3");
    let closed = "failed call_8: No result: the other program recorded this call but not how it ended. The session \
                  was imported.";
    let told = session.told();
    assert_eq!(
        told[..7],
        [
            "user: Look at this <image/png 96>",
            "answer: ~hm~ Reading. read(call_9) read(call_8)",
            "result call_9: A",
            closed,
            "user: Never mind.",
            "answer: All right.",
            "aside: The user ran a command: ls\n\na\nb\n(exit code 2)",
        ]
    );
    assert!(told[7].contains("The first try read a file."), "{told:?}");
    assert_eq!(told[8..], ["aside: Follow the plan.", "user: What now?"]);

    let context = session.loaded.context();
    assert_eq!(
        (context.model.as_deref(), context.thinking_level.as_deref()),
        (Some("openai/gpt-5"), Some("high"))
    );
    let header = &session.loaded.header;
    assert_eq!(header.title.as_deref(), Some("A look at things"));
    assert_eq!(header.title_source, Some(TitleSource::User));
    assert_eq!(
        session.kept(),
        ["pi/block/hologram", "pi/message", "counter", "pi/child_usage_attributed", MARK]
    );
    assert_eq!(session.data("counter"), &json!({"count": 42}));
    assert_eq!(session.data("pi/message")["message"]["command"], "cat secret");
    let label = session.loaded.entries().iter().find_map(|entry| match &entry.kind {
        EntryKind::Label(label) => Some(label),
        _ => None,
    });
    assert_eq!(label.unwrap().target_id, session.entry("Look at this").id);
}

#[test]
fn identities_and_costs_are_kept() {
    let session = import_fixture("pi-v3");
    let answer = session.entry("Reading.").message().unwrap().as_assistant().unwrap();
    assert_eq!((answer.usage.cache_read, answer.usage.cost.total), (5, 0.3));
    let AssistantBlock::Text(words) = &answer.content[1] else { panic!("{answer:?}") };
    assert_eq!(words.text_signature.as_deref(), Some("msg_9"));
    assert_eq!(answer.tool_calls().next().unwrap().thought_signature.as_deref(), Some("fc_9"));
    assert_eq!(session.entry("result call_9").timestamp, "2026-01-02T03:00:03.000Z");
    assert_eq!(session.entry("result call_9").message().unwrap().as_tool_result().unwrap().tool_name, "read");
    assert_eq!(Source::of(&fixture("pi-v1")).unwrap(), Some(Source::Pi));
}

/// Without its header, a file is still what it is.
#[test]
fn a_lost_header() {
    let world = World::new();
    let text = std::fs::read_to_string(fixture("pi-v3")).unwrap();
    let path = world.base.join("lost.jsonl");
    std::fs::write(&path, &text[40..]).unwrap();
    let session = world.import(&path);
    assert_eq!(session.told(), import_fixture("pi-v3").told());
    assert_eq!(session.saved.imported.report.unreadable, 1);
    assert_eq!(session.loaded.header.cwd, "/fallback");
}

/// A call id that is used again gets the result that stands behind it; a result without a call is kept.
#[test]
fn reused_ids() {
    let message = |id: &str, parent: Option<&str>, message: serde_json::Value| {
        let time = "2026-01-01T00:00:00Z";
        json!({"type": "message", "id": id, "parentId": parent, "timestamp": time, "message": message})
    };
    let call = json!({"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "f", "arguments": {}}],
        "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse", "timestamp": 1});
    let result = |text: &str| {
        json!({"role": "toolResult", "toolCallId": "c", "toolName": "f", "content": [{"type": "text", "text": text}],
            "isError": false, "timestamp": 1})
    };
    let lines = [
        json!({"type": "session", "version": 3, "id": "x", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/p"}),
        message("0", None, result("none")),
        message("1", Some("0"), call.clone()),
        message("2", Some("1"), call),
        message("3", Some("2"), result("mine")),
        message("4", Some("gone"), json!({"role": "user", "content": "hi"})),
    ];
    let session = World::new().import_lines(&lines);
    let told = session.told();
    assert_eq!((told[0].as_str(), &told[1][..10]), ("answer: f(c)", "failed c: "));
    assert_eq!(told[2..], ["answer: f(c)", "result c: mine", "user: hi"]);
    assert_eq!(session.saved.imported.report.kept["toolResult/without-call"], 1);
    assert_eq!(session.saved.imported.report.without_parent, 1);
}
