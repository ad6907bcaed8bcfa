//! The conversation as text.

use omp_export::SessionView;
use omp_export::dump::{DumpOptions, Form, text};
use serde_json::json;

use crate::sample::{self, Script, call, thinking};

/// A conversation with everything that is told to a model, and everything that is not.
fn script() -> Script {
    let mut script = Script::new("d", "Dump");
    script.add(json!({"type": "model_change", "model": "anthropic/claude-sonnet-4-5"}));
    script.add(json!({"type": "thinking_level_change", "thinkingLevel": "high"}));
    script.user("FORGOTTEN by the compaction");
    let kept = script.user("Read the notes.");
    script.answer(json!([
        thinking("They are in `notes.md`."),
        sample::text("Reading."),
        call("c1", "read", json!({"path": "notes.md", "limit": 3})),
        call("c2", "write", json!({"path": "copy.md", "content": "é".repeat(400)}))
    ]));
    script.result(
        "c1",
        "read",
        &(1..=60).map(|line| format!("note {line}")).collect::<Vec<_>>().join("\n"),
        json!({"x": 1}),
    );
    let left = script.message(json!({"role": "toolResult", "toolCallId": "c2", "toolName": "write", "isError": true,
        "content": [sample::text("disk full"), {"type": "image", "data": "AAAAAAAA", "mimeType": "image/png"}]}));
    script.user("LEFT on another branch");
    script.back_to(&left);
    script.add(json!({"type": "branch_summary", "fromId": left, "summary": "Another way was tried."}));
    script.add(json!({"type": "compaction", "summary": "The user wants notes.", "firstKeptEntryId": kept, "tokensBefore": 9}));
    script.add(json!({"type": "custom_message", "customType": "reminder", "content": "Free some space.", "display": false}));
    script.add(json!({"type": "custom", "customType": "EXCLUDED", "data": {"EXCLUDED": 1}}));
    script.add(json!({"type": "label", "targetId": kept, "label": "EXCLUDED"}));
    script.add(json!({"type": "mode_change", "mode": "EXCLUDED"}));
    let mut failed = sample::answer(json!([]), "error");
    failed["errorMessage"] = json!("overloaded");
    script.message(failed);
    script.answer(json!([sample::text("There are **60** notes.\n")]));
    script
}

fn dump(form: Form) -> String {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("d.jsonl");
    script().save(&path);
    let tools = sample::tools();
    let options = DumpOptions {
        form,
        system_prompt: Some(sample::SYSTEM_PROMPT),
        tools: &tools,
        ..DumpOptions::default()
    };
    let mut out = Vec::new();
    text(&SessionView::open(&path).unwrap(), &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// proves: LOP-155
#[test]
fn both_forms_as_expected() {
    let (compact, raw) = (dump(Form::Compact), dump(Form::Raw));
    assert_eq!(compact, include_str!("golden/compact.txt"));
    assert_eq!(raw, include_str!("golden/raw.txt"));
    for text in [&compact, &raw] {
        assert!(!text.contains("EXCLUDED") && !text.contains("LEFT on") && !text.contains("FORGOTTEN"));
    }
    assert!(raw.contains("note 60") && !compact.contains("note 60"), "raw is complete, the other compact");
    assert_eq!(Form::default(), Form::Compact);
}

#[test]
fn options_come_before_the_session() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("d.jsonl");
    script().save(&path);
    let view = SessionView::open(&path).unwrap();
    let options =
        DumpOptions { model: Some("acme/m2"), thinking_level: Some("low"), ..DumpOptions::default() };
    let mut out = Vec::new();
    text(&view, &options, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().starts_with("Model: acme/m2\nThinking: low\n"));
}
