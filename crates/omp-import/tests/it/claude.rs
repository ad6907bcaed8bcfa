//! Claude Code.

use omp_import::{MARK, Source};
use omp_session::EntryKind;
use omp_types::{AssistantBlock, StopReason};
use serde_json::{Value, json};

use crate::support::{World, fixture, import_fixture};

const NO_RESULT: &str =
    "No result: the other program recorded this call but not how it ended. The session was imported.";

/// One answer out of three records, an image, results with details, a failed request, and a title that is not another
/// session's.
#[test]
fn a_session_of_2025() {
    let session = import_fixture("claude-1.0");
    assert_eq!(
        session.told(),
        [
            "aside: Caveat: The messages below are about commands.",
            "aside: <command-name>/clear</command-name>\n<command-message>clear</command-message>",
            "user: Why is the cart total off by one cent? <image/png 96>",
            "answer: ~Look at the rounding first.~ I will look at the rounding. Read(toolu_01)",
            "result toolu_01: def total(): return round(sum(prices), 1)",
            "answer: The total is rounded to one digit.",
            "user: Fix it with spaces.",
            "answer: Edit(toolu_03)",
            "failed toolu_03: String not found <image/png 96>",
            "answer: !API Error: 529 Overloaded",
            "user: go on",
            "answer: Done: two digits now.",
        ]
    );
    let header = &session.loaded.header;
    assert_eq!((header.cwd.as_str(), header.timestamp.as_str()), ("/srv/shop", "2025-08-20T09:00:00.000Z"));
    assert_eq!(header.title.as_deref(), Some("Cart totals off by one cent"));
    let from = json!({"program": "claude-code", "id": "3f1c9a52-7d0e-4b61-9a37-5be2a1c40d10",
        "version": "1.0.83", "gitBranch": "main"});
    assert_eq!(header.other["importedFrom"], from);
    assert_eq!(session.data(MARK)["from"], from);
    assert_eq!(session.loaded.context().model.as_deref(), Some("anthropic/claude-sonnet-4-20250514"));
    let failed = session.entry("529 Overloaded").message().unwrap().as_assistant().unwrap();
    assert_eq!(
        failed.model, "claude-sonnet-4-20250514",
        "the model that was asked, not one that does not exist"
    );
}

/// What a provider counts, signs and names is carried over, and every time.
#[test]
fn counts_signatures_and_times_are_kept() {
    let session = import_fixture("claude-1.0");
    let entry = session.entry("I will look");
    assert_eq!(entry.timestamp, "2025-08-20T09:00:09.000Z");
    let answer = entry.message().unwrap().as_assistant().unwrap();
    assert_eq!((answer.api.as_str(), answer.provider.as_str()), ("anthropic-messages", "anthropic"));
    assert_eq!(answer.response_id.as_deref(), Some("msg_01"));
    assert_eq!(answer.stop_reason, StopReason::ToolUse);
    let usage = answer.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.cache_write), (4, 61, 9000, 120));
    assert_eq!(usage.total_tokens, 9185);
    let AssistantBlock::Thinking(thought) = &answer.content[0] else { panic!("{answer:?}") };
    assert_eq!(thought.thinking_signature.as_deref(), Some("c2lnbmF0dXJl"));

    let result = session.entry("def total");
    assert_eq!(result.timestamp, "2025-08-20T09:00:12.000Z");
    let result = result.message().unwrap().as_tool_result().unwrap();
    assert_eq!((result.tool_name.as_str(), result.timestamp), ("Read", 1_755_680_412_000));
    assert_eq!(result.details.as_ref().unwrap()["file"]["numLines"], 1);
}

/// The branch that was left is still there; its call, which nobody answered, is closed.
#[test]
fn branches_are_kept() {
    let session = import_fixture("claude-1.0");
    let left = session.told_at("Request interrupted");
    let tail = ["user: Fix it with tabs.", "answer: Edit(toolu_02)"].map(str::to_owned);
    let closed = format!("failed toolu_02: {NO_RESULT}");
    assert_eq!(left[6..8], tail);
    assert_eq!(left[8..], [closed, "user: [Request interrupted by user for tool use]".to_owned()]);
    assert_eq!(left[..6], session.told()[..6]);
    assert_eq!(session.saved.imported.report.closed_calls, 1);
}

#[test]
fn sub_agents_are_kept_unseen() {
    let session = import_fixture("claude-1.0");
    assert_eq!(session.kept(), ["claude-code/sidechain", "claude-code/sidechain", MARK]);
    assert_eq!(session.data("claude-code/sidechain")["message"]["content"], "Find other callers of total()");

    let world = World::new();
    let text = std::fs::read_to_string(fixture("claude-2.1")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let path = world.file("p/8be0.jsonl", &lines);
    let id = "8be0d6de-11aa-4c0b-8f0e-9d1f2f3a4b5c";
    let record = |session: &str, note: &str| {
        let kind = "user";
        json!({"type": kind, "isSidechain": true, "sessionId": session, "note": note})
    };
    world.file("p/8be0/subagents/agent-1.jsonl", &[record(id, "new"), record(id, "newer")]);
    world.file("p/agent-2.jsonl", &[record(id, "old")]);
    world.file("p/agent-3.jsonl", &[record("another", "not ours")]);
    let session = world.import(&path);
    assert_eq!(session.saved.imported.report.kept["subagent"], 3);
    let notes = session.loaded.entries().iter().filter_map(|entry| match &entry.kind {
        EntryKind::Custom(custom) if custom.custom_type == "claude-code/subagent" => custom.data.as_ref(),
        _ => None,
    });
    let notes: Vec<String> =
        notes.map(|data| format!("{} {}", data["agent"], data["record"]["note"])).collect();
    assert_eq!(notes, [r#""agent-1" "new""#, r#""agent-1" "newer""#, r#""agent-2" "old""#]);
}

/// Two calls at once, whose results point to different parts of the answer; a compaction; a call without a result at
/// the end; records nobody has heard of.
#[test]
fn a_session_of_2026() {
    let session = import_fixture("claude-2.1");
    let told = session.told();
    assert!(
        told[0].starts_with("user: ")
            && told[0].contains("The user compared two parsers; they are the same.")
    );
    assert_eq!(told[1..3], ["user: Delete the second one.", "answer: Bash(toolu_13)"]);
    assert_eq!(told[3..], [format!("failed toolu_13: {NO_RESULT}")]);
    assert_eq!(
        session.told_at("They are the same."),
        [
            "user: Compare the two parsers.",
            "answer: ~sealed c2VhbGVk~ Read(toolu_11) Read(toolu_12)",
            "result toolu_11: fn a() {}",
            "result toolu_12: fn b() {}",
            "answer: They are the same.",
        ]
    );
    assert_eq!(session.loaded.header.title.as_deref(), Some("Parser cleanup"));
    assert_eq!(
        session.kept(),
        [
            "claude-code/file-history-snapshot",
            "claude-code/mode",
            "claude-code/attachment",
            "claude-code/progress",
            "claude-code/block/hologram",
            "claude-code/system/turn_duration",
            "claude-code/system/compact_boundary",
            "claude-code/queue-operation",
            MARK,
        ]
    );
    assert_eq!(session.data("claude-code/block/hologram"), &json!({"type": "hologram", "rays": 3}));
    let report = &session.saved.imported.report;
    assert_eq!((report.user_messages, report.answers, report.results, report.compactions), (2, 3, 2, 1));
    assert_eq!((report.records, report.closed_calls, report.without_parent), (19, 1, 0));
    let compaction = session.loaded.entries().iter().find_map(|entry| match &entry.kind {
        EntryKind::Compaction(compaction) => Some(compaction),
        _ => None,
    });
    assert_eq!(compaction.unwrap().tokens_before, 155_025);
    // All of it is one conversation: nothing hangs beside the way to the end.
    assert_eq!(session.loaded.path(session.loaded.leaf()).len(), session.loaded.entries().len());
}

fn record(kind: &str, uuid: &str, parent: Option<&str>, message: Value) -> Value {
    json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message,
        "timestamp": "2026-01-01T00:00:00.000Z"})
}

fn user(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    record("user", uuid, parent, json!({"role": "user", "content": text}))
}

fn answer(uuid: &str, parent: &str, id: &str, block: Value) -> Value {
    let message = json!({"id": id, "role": "assistant", "model": "claude-x", "content": [block]});
    record("assistant", uuid, Some(parent), message)
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn boundary(kept: Value) -> Value {
    json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null, "logicalParentUuid": "a2",
        "compactMetadata": {"preTokens": 7, "preservedSegment": kept}, "timestamp": "2026-01-01T00:00:00.000Z"})
}

fn summary() -> Value {
    let mut summary = user("s", Some("b"), "In short.");
    summary["isCompactSummary"] = json!(true);
    summary
}

/// Messages that a compaction keeps stand before it, and the conversation goes on from the last of them; or they are
/// written again behind it.
#[test]
fn what_a_compaction_keeps() {
    let call = json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}});
    let result =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "R"}]});
    let before = [
        user("u1", None, "first"),
        answer("a1", "u1", "m1", text("one")),
        user("u2", Some("a1"), "second"),
        answer("a2", "u2", "m2", call.clone()),
        record("user", "r", Some("a2"), result.clone()),
    ];
    let tail = ["answer: Read(t)", "result t: R", "user: third"];

    let kept = boundary(json!({"headUuid": "a2", "anchorUuid": "s", "tailUuid": "r"}));
    let mut lines = before.to_vec();
    lines.extend([kept, summary(), user("u3", Some("r"), "third")]);
    let session = World::new().import_lines(&lines);
    assert!(session.told()[0].contains("In short."));
    assert_eq!(session.told()[1..], tail);

    let again = boundary(json!({"headUuid": "a2x", "anchorUuid": "s", "tailUuid": "rx"}));
    let mut lines = before.to_vec();
    lines.extend([again, summary(), answer("a2x", "s", "m2", call)]);
    lines.extend([record("user", "rx", Some("a2x"), result), user("u3", Some("rx"), "third")]);
    let session = World::new().import_lines(&lines);
    assert!(session.told()[0].contains("In short."));
    assert_eq!(session.told()[1..], tail);
}

/// Records that occur twice, that name parents nobody knows, that answer calls nobody made; a new beginning.
#[test]
fn strange_files() {
    let orphan =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "?", "content": "R"}]});
    let lines = [
        user("u1", None, "first"),
        user("u1", None, "first"),
        record("user", "r", Some("u1"), orphan),
        answer("a1", "nobody", "m1", text("one")),
        json!("a text"),
        json!({"type": "assistant", "uuid": "x", "parentUuid": "a1", "message": "?"}),
        user("u2", None, "anew"),
    ];
    let session = World::new().import_lines(&lines);
    assert_eq!(session.told(), ["user: anew"]);
    assert_eq!(session.told_at("one"), ["user: first", "answer: one"]);
    let report = &session.saved.imported.report;
    assert_eq!((report.repeated, report.without_parent), (1, 1));
    assert_eq!(report.kept["block/tool_result"], 1);
    assert_eq!(report.kept["assistant"], 1);
    assert_eq!(session.loaded.header.cwd, "/fallback", "no record names a directory");
    let said = report.to_string();
    assert!(said.contains("2 user messages, 1 answer and 0 tool results from 7 records"), "{said}");
    assert!(said.contains("1 record with a missing parent"), "{said}");
    assert_eq!(Source::of(&fixture("claude-1.0")).unwrap(), Some(Source::ClaudeCode));
}
