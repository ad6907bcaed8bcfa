//! Codex.

use omp_import::{MARK, Source};
use omp_session::EntryKind;
use omp_types::{AssistantBlock, AssistantMessage};
use serde_json::{Value, json};

use crate::support::{Session, World, fixture, import_fixture};

fn line(payload: Value) -> Value {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload})
}

fn answer<'a>(session: &'a Session, text: &str) -> &'a AssistantMessage {
    session.entry(text).message().unwrap().as_assistant().unwrap()
}

/// Items without envelopes; the directory is in the first message.
#[test]
fn a_session_of_mid_2025() {
    let session = import_fixture("codex-2025-07");
    assert_eq!(
        session.told(),
        [
            "user: list the files",
            "answer: ~Listing~ shell(call_1)",
            "result call_1: a.txt\n",
            "answer: local_shell(call_2)",
            "failed call_2: ",
            "answer: There is a.txt.",
        ]
    );
    let header = &session.loaded.header;
    assert_eq!((header.cwd.as_str(), header.timestamp.as_str()), ("/srv/shop", "2025-07-11T08:15:00.123Z"));
    assert_eq!(header.parent_session.as_deref(), Some("codex:5973b6c0-94b8-487b-a530-2aeb6098ae0e"));
    let result = session.entry("a.txt").message().unwrap().as_tool_result().unwrap();
    assert_eq!(result.details.as_ref().unwrap()["duration_seconds"], 0.1);
    assert_eq!(session.kept(), ["codex/context", MARK]);
    // The thought is not sealed, so the provider would refuse the id of the call that it led to.
    assert_eq!(answer(&session, "shell(call_1)").tool_calls().next().unwrap().thought_signature, None);
}

/// Calls of all kinds, tokens, a turn that was taken back, a compaction.
#[test]
fn a_session_of_late_2025() {
    let session = import_fixture("codex-0.46");
    let told = session.told();
    assert!(told[0].contains("The user looked at a picture and renamed a file."), "{told:?}");
    assert_eq!(told[1..], ["user: And now?", "answer: Nothing is left to do."]);
    let before = [
        "user: What is in this picture? <image/png 96>",
        "answer: ~**Looking**~ apply_patch(call_p) shell(call_q)",
        "result call_p: Success.",
        "result call_q: failed to parse function arguments",
        "answer: A single pixel.",
    ];
    let mut kept = before.map(str::to_owned).to_vec();
    kept.extend(["user: Now rename it.".to_owned(), "answer: Renamed.".to_owned()]);
    assert_eq!(session.told_at("Renamed."), kept);

    let left = session.told_at("shell(call_r)");
    assert_eq!(left[..5], before);
    assert_eq!(left[5..], ["user: Now delete everything.", "answer: shell(call_r)"]);
    assert_eq!(session.saved.imported.report.closed_calls, 1);
    assert_eq!(session.loaded.context().thinking_level.as_deref(), Some("high"));
    assert_eq!(session.loaded.context().model.as_deref(), Some("openai-codex/gpt-5-codex"));

    let first = answer(&session, "apply_patch");
    let usage = first.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.total_tokens), (100, 50, 900, 1050));
    let calls: Vec<_> = first.tool_calls().collect();
    assert_eq!(
        (calls[0].custom, &calls[0].arguments["input"]),
        (true, &json!("*** Begin Patch\n*** End Patch"))
    );
    assert_eq!(calls[1].invalid_arguments.as_deref(), Some(r#"{"command": ["ls""#));
    assert_eq!(session.entry("A single pixel").timestamp, "2025-10-29T00:00:08.000Z");
    assert_eq!(
        session.kept(),
        [
            "codex/context",
            "codex/context",
            "codex/function_call_output/without-call",
            "codex/event/turn_aborted",
            "codex/event/thread_rolled_back",
            "codex/web_search_call",
            MARK,
        ]
    );
}

/// A sealed thought and ids for replay, parts as output, a compaction that only the provider can read, one with
/// messages that are kept, records nobody has heard of.
#[test]
fn a_session_of_2026() {
    let session = import_fixture("codex-0.144");
    let told = session.told();
    assert!(told[0].contains("Tests: 42. Lines: 4000."), "{told:?}");
    assert_eq!(told[1..], ["aside: Count the tests.", "aside: And the lines?", "user: Thanks."]);
    assert_eq!(
        session.told_at("Four thousand."),
        [
            "user: Count the tests.",
            "answer: ~~ I will count them. exec_command(call_a)",
            "result call_a: 42 <image/png 96>",
            "answer: There are 42.",
            "user: And the lines?",
            "answer: Four thousand.",
        ]
    );
    let first = answer(&session, "I will count them");
    assert_eq!((first.api.as_str(), first.provider.as_str()), ("openai-codex-responses", "openai-codex"));
    let AssistantBlock::Thinking(thought) = &first.content[0] else { panic!("{first:?}") };
    let item: Value = serde_json::from_str(thought.thinking_signature.as_deref().unwrap()).unwrap();
    let sealed =
        json!({"type": "reasoning", "id": "rs_0a", "summary": [], "encrypted_content": "gAAAAsealed"});
    assert_eq!(item, sealed);
    let AssistantBlock::Text(words) = &first.content[1] else { panic!("{first:?}") };
    assert_eq!(words.text_signature.as_deref(), Some("msg_0a"));
    assert_eq!(first.tool_calls().next().unwrap().thought_signature.as_deref(), Some("fc_0a"));
    assert_eq!(session.loaded.context().thinking_level.as_deref(), Some("medium"));
    assert_eq!(session.loaded.header.cwd, "/srv/shop", "not that of the session it was forked from");
    assert_eq!(
        session.kept(),
        [
            "codex/session_meta",
            "codex/developer",
            "codex/world_state",
            "codex/compacted",
            "codex/event/hovercraft_full",
            MARK,
        ]
    );
    let report = &session.saved.imported.report;
    assert!(report.notes[0].starts_with("A summary that only the provider can read was kept"), "{report:?}");
    assert_eq!(report.left_out["task_complete"], 1);
}

/// A thought that led to a search of the provider's own is not replayed without the search; what follows is.
#[test]
fn ids_are_replayed_only_with_all_that_belongs_to_them() {
    let thought =
        |id: &str| line(json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "e"}));
    let said = |id: &str, text: &str| {
        let content = json!([{"type": "output_text", "text": text}]);
        line(json!({"type": "message", "role": "assistant", "id": id, "content": content}))
    };
    let call =
        line(json!({"type": "function_call", "id": "fc_1", "name": "f", "arguments": "{}", "call_id": "c"}));
    let output = line(json!({"type": "function_call_output", "call_id": "c", "output": "1"}));
    let search = line(json!({"type": "web_search_call", "status": "completed"}));
    let snapshot = line(json!({"type": "ghost_snapshot", "ghost_commit": {}}));
    let session = World::new().import_lines(&[
        thought("rs_1"),
        search,
        said("msg_1", "searched"),
        line(json!({"type": "message", "role": "user", "content": "go on"})),
        thought("rs_2"),
        snapshot,
        call,
        output,
        line(json!({"type": "web_search_call"})),
        said("not-an-id", "done"),
    ]);
    let ids = |text: &str| {
        let blocks = answer(&session, text).content.iter().map(|block| match block {
            AssistantBlock::Thinking(thought) => thought.thinking_signature.is_some(),
            AssistantBlock::Text(text) => text.text_signature.is_some(),
            AssistantBlock::ToolCall(call) => call.thought_signature.is_some(),
            other => panic!("{other:?}"),
        });
        blocks.collect::<Vec<_>>()
    };
    assert_eq!(ids("searched"), [false, false]);
    assert_eq!(ids("f(c)"), [true, true], "neither a snapshot nor the search of the next answer matters");
    assert_eq!(ids("done"), [false]);
}

/// More turns are taken back than there are; calls use an id again; another provider.
#[test]
fn strange_files() {
    let user = |text: &str| line(json!({"type": "message", "role": "user", "content": text}));
    let call = || line(json!({"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"}));
    let output = |text: &str| line(json!({"type": "function_call_output", "call_id": "c", "output": text}));
    let meta =
        json!({"type": "session_meta", "payload": {"id": "x", "model_provider": "acme", "cwd": "C:\\shop"}});
    let context = json!({"type": "turn_context", "payload": {"model": "m1"}});
    let back = json!({"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 9}});
    let lines = [
        meta,
        context,
        user("lost"),
        back,
        user("hi"),
        call(),
        output("1"),
        output("2"),
        call(),
        call(),
        output("3"),
    ];
    let session = World::new().import_lines(&lines);
    assert_eq!(session.told(), ["user: hi", "answer: f(c)", "result c: 1", "answer: f(c)", "result c: 3"]);
    assert_eq!(session.saved.imported.report.repeated, 1);
    assert_eq!(session.saved.imported.report.kept["function_call_output/without-call"], 1);
    assert_eq!(session.loaded.context().model.as_deref(), Some("acme/m1"));
    assert_eq!(session.loaded.header.cwd, "/fallback", "a directory of another system is none");
    assert_eq!(Source::of(&fixture("codex-2025-07")).unwrap(), Some(Source::Codex));
    let customs = session.loaded.entries().iter().filter(|entry| matches!(entry.kind, EntryKind::Custom(_)));
    assert_eq!(customs.count(), 3, "the step back, the second output and the mark");
}
