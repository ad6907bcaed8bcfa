//! What the lines of a session file look like.

use std::sync::Arc;

use omp_session::{
    Attribution, BranchSummary, Compaction, Custom, CustomMessageEntry, EntryKind, Label, McpToolSelection,
    MessageEntry, ModeChange, ModelChange, ModelUsage, ResetBoundary, ServiceTierChange, SessionInit,
    ThinkingLevelChange, TitleChange, TtsrInjection,
};
use omp_types::{CustomMessage, Message, Usage, UserContent};
use serde_json::{Value, json};

use crate::support::{World, answer, lines, user};

/// One entry of each kind, and the fields it is written with.
fn one_of_each() -> Vec<(EntryKind, Value)> {
    let message = user("hi");
    vec![
        (
            EntryKind::Message(MessageEntry { message: Arc::clone(&message) }),
            json!({"type": "message", "message": {"role": "user", "content": "hi", "timestamp": 1_760_000_000_000_u64}}),
        ),
        (
            EntryKind::ThinkingLevelChange(ThinkingLevelChange {
                thinking_level: "high".into(),
                configured: None,
            }),
            json!({"type": "thinking_level_change", "thinkingLevel": "high"}),
        ),
        (
            EntryKind::ModelChange(ModelChange { model: "openai/gpt-4o".into(), role: Some("smol".into()) }),
            json!({"type": "model_change", "model": "openai/gpt-4o", "role": "smol"}),
        ),
        (
            EntryKind::ServiceTierChange(ServiceTierChange { service_tier: None }),
            json!({"type": "service_tier_change", "serviceTier": null}),
        ),
        (
            EntryKind::Compaction(Compaction {
                summary: "S".into(),
                short_summary: Some("s".into()),
                first_kept_entry_id: Some("a1b2c3d4".into()),
                tokens_before: 42_000,
                details: Some(json!({"readFiles": ["a"]})),
                preserve_data: Some(json!({"state": true})),
                from_extension: true,
            }),
            json!({"type": "compaction", "summary": "S", "shortSummary": "s", "firstKeptEntryId": "a1b2c3d4",
                "tokensBefore": 42000, "details": {"readFiles": ["a"]}, "preserveData": {"state": true},
                "fromExtension": true}),
        ),
        (
            EntryKind::BranchSummary(BranchSummary {
                from_id: "root".into(),
                summary: "B".into(),
                details: Some(json!({"note": 1})),
                from_extension: true,
            }),
            json!({"type": "branch_summary", "fromId": "root", "summary": "B", "details": {"note": 1},
                "fromExtension": true}),
        ),
        (
            EntryKind::Custom(Custom { custom_type: "x".into(), data: Some(json!({"state": 1})) }),
            json!({"type": "custom", "customType": "x", "data": {"state": 1}}),
        ),
        (
            EntryKind::CustomMessage(CustomMessageEntry {
                custom_type: "x".into(),
                content: UserContent::Text("note".into()),
                display: true,
                details: Some(json!({"debug": false})),
                attribution: Attribution::User,
            }),
            json!({"type": "custom_message", "customType": "x", "content": "note", "display": true,
                "details": {"debug": false}, "attribution": "user"}),
        ),
        (
            EntryKind::Label(Label { target_id: "a1b2c3d4".into(), label: None }),
            json!({"type": "label", "targetId": "a1b2c3d4"}),
        ),
        (
            EntryKind::TtsrInjection(TtsrInjection { injected_rules: vec!["r".into()] }),
            json!({"type": "ttsr_injection", "injectedRules": ["r"]}),
        ),
        (
            EntryKind::SessionInit(SessionInit {
                system_prompt: "p".into(),
                task: "t".into(),
                tools: vec!["read".into()],
                output_schema: Some(json!({"type": "object"})),
            }),
            json!({"type": "session_init", "systemPrompt": "p", "task": "t", "tools": ["read"],
                "outputSchema": {"type": "object"}}),
        ),
        (
            EntryKind::ModeChange(ModeChange { mode: "plan".into(), data: Some(json!({"planFile": "f"})) }),
            json!({"type": "mode_change", "mode": "plan", "data": {"planFile": "f"}}),
        ),
        (
            EntryKind::McpToolSelection(McpToolSelection { selected_tool_names: vec!["s.t".into()] }),
            json!({"type": "mcp_tool_selection", "selectedToolNames": ["s.t"]}),
        ),
        (EntryKind::ResetBoundary(ResetBoundary {}), json!({"type": "reset_boundary"})),
        (
            EntryKind::TitleChange(TitleChange {
                title: "n".into(),
                previous_title: Some("o".into()),
                source: Some("user".into()),
                trigger: None,
            }),
            json!({"type": "title_change", "title": "n", "previousTitle": "o", "source": "user"}),
        ),
        (
            EntryKind::ModelUsage(ModelUsage {
                purpose: "title".into(),
                provider: "p".into(),
                model: "m".into(),
                usage: Usage { input: 3, output: 2, total_tokens: 5, ..Usage::default() },
                others: json!({"role": "tiny", "stopReason": "stop"}).as_object().unwrap().clone(),
            }),
            json!({"type": "model_usage", "purpose": "title", "provider": "p", "model": "m", "role": "tiny",
                "stopReason": "stop", "usage": Usage { input: 3, output: 2, total_tokens: 5, ..Usage::default() }}),
        ),
    ]
}

// proves: SES-012, SES-016, SES-020, SES-023, SES-025, SES-031, SES-032, SES-034, SES-050
#[test]
fn every_kind_is_written_and_read() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&answer("start"));
    let kinds = one_of_each();
    assert_eq!(kinds.len(), EntryKind::NAMES.len());
    for (kind, _) in &kinds {
        writer.append(kind.clone());
    }
    let path = writer.path().unwrap();
    let written = lines(path);
    assert_eq!(written[0]["type"], "session");
    for (line, (kind, fields)) in written[2..].iter().zip(&kinds) {
        let names: Vec<&String> = line.as_object().unwrap().keys().take(4).collect();
        assert_eq!(names, ["type", "id", "parentId", "timestamp"]);
        assert!(
            line["id"].as_str().is_some_and(|id| id.len() == 8 && id.bytes().all(|b| b.is_ascii_hexdigit()))
        );
        assert!(line["parentId"].is_string());
        assert!(line["timestamp"].as_str().is_some_and(|time| time.len() == 24 && time.ends_with('Z')));
        let mut rest = line.clone();
        for name in ["id", "parentId", "timestamp"] {
            rest.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(rest, *fields, "{}", kind.name());
    }
    let (loaded, _) = world.open(path);
    let read: Vec<&EntryKind> = loaded.entries()[1..].iter().map(|entry| &entry.kind).collect();
    assert_eq!(read, kinds.iter().map(|(kind, _)| kind).collect::<Vec<_>>());
    let ids: Vec<&str> = loaded.entries().iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, written[1..].iter().map(|line| line["id"].as_str().unwrap()).collect::<Vec<_>>());
}

// proves: SES-021
#[test]
fn an_answer_is_stored_whole() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&answer("Done."));
    let line = &lines(writer.path().unwrap())[1];
    let message = &line["message"];
    assert_eq!(
        (&message["role"], &message["provider"], &message["model"]),
        (&json!("assistant"), &json!("acme"), &json!("m1"))
    );
    assert_eq!(message["content"], json!([{"type": "text", "text": "Done."}]));
    let usage = &message["usage"];
    assert_eq!((usage["input"].as_u64(), usage["output"].as_u64()), (Some(100), Some(20)));
    for name in ["cacheRead", "cacheWrite"] {
        assert!(usage[name].is_u64());
    }
    for name in ["input", "output", "cacheRead", "cacheWrite", "total"] {
        assert!(usage["cost"][name].is_number());
    }
    assert_eq!(message["timestamp"], 1_760_000_000_001_u64);
}

/// What the program says in a conversation is a `custom_message`, and comes back as the same message.
// proves: SES-028
#[test]
fn custom_messages_have_their_own_entries() {
    let world = World::new();
    let mut writer = world.create();
    let message = Arc::new(Message::Custom(CustomMessage {
        custom_type: "reminder".into(),
        content: UserContent::Text("mind the gap".into()),
        display: false,
        details: None,
        timestamp: 1_760_000_000_123,
    }));
    writer.append_message(&message);
    writer.append_message(&answer("ok"));
    let path = writer.path().unwrap();
    let line = &lines(path)[1];
    assert_eq!(
        (&line["type"], &line["attribution"], &line["display"]),
        (&json!("custom_message"), &json!("agent"), &json!(false))
    );
    assert_eq!(world.open(path).0.context().messages[0], message);
}
