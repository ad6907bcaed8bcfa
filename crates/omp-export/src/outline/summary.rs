//! One line about an entry, for the tree.

use omp_session::{Entry, EntryKind};
use omp_types::{AssistantMessage, Message, StopReason, ToolCall};
use serde_json::Value;

use super::OutlineKind;
use crate::number::one_line;

const LONGEST: usize = 90;

/// The entry's kind and line.
pub(super) fn of(entry: &Entry) -> (OutlineKind, String) {
    let (kind, text) = match &entry.kind {
        EntryKind::Message(entry) => of_message(&entry.message),
        EntryKind::CustomMessage(message) => {
            (OutlineKind::Notice, format!("{}: {}", message.custom_type, beginning(&message.content.text())))
        }
        EntryKind::Compaction(compaction) => {
            let text = compaction.short_summary.as_ref().unwrap_or(&compaction.summary);
            (OutlineKind::Summary, format!("Compaction: {}", beginning(text)))
        }
        EntryKind::BranchSummary(branch) => {
            (OutlineKind::Summary, format!("Branch summary: {}", beginning(&branch.summary)))
        }
        EntryKind::SessionInit(init) => (OutlineKind::Notice, format!("Task: {}", beginning(&init.task))),
        EntryKind::ModelChange(_)
        | EntryKind::ThinkingLevelChange(_)
        | EntryKind::Label(_)
        | EntryKind::Custom(_) => (OutlineKind::State, state(entry)),
        _ => (OutlineKind::Event, state(entry)),
    };
    (kind, one_line(&text, LONGEST))
}

fn of_message(message: &Message) -> (OutlineKind, String) {
    match message {
        Message::User(user) => {
            let text = user.content.text();
            (OutlineKind::User, if text.trim().is_empty() { "(image)".to_owned() } else { beginning(&text) })
        }
        Message::Assistant(answer) => of_answer(answer),
        Message::ToolResult(result) => {
            let text = result.content.iter().find_map(|block| block.as_text()).unwrap_or_default();
            (OutlineKind::Result, format!("{} {}", result.tool_name, beginning(text)))
        }
        Message::Custom(custom) => {
            (OutlineKind::Notice, format!("{}: {}", custom.custom_type, beginning(&custom.content.text())))
        }
    }
}

fn of_answer(answer: &AssistantMessage) -> (OutlineKind, String) {
    if let Some(text) = answer.texts().find(|text| !text.trim().is_empty()) {
        return (OutlineKind::Assistant, beginning(text));
    }
    if is_failure(answer) {
        let reason = answer.error_message.as_deref().unwrap_or("aborted");
        return (OutlineKind::Assistant, beginning(reason));
    }
    let calls: Vec<String> =
        answer.tool_calls().map(|call| format!("{} {}", call.name, call_summary(call))).collect();
    if calls.is_empty() {
        (OutlineKind::Assistant, "(no text)".to_owned())
    } else {
        (OutlineKind::Calls, calls.join(" · "))
    }
}

/// Did the answer end before it was finished?
pub(crate) fn is_failure(answer: &AssistantMessage) -> bool {
    matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted)
}

/// What an entry that only records state says.
fn state(entry: &Entry) -> String {
    match &entry.kind {
        EntryKind::ModelChange(change) => match change.role.as_deref() {
            None | Some("default") => format!("Model: {}", change.model),
            Some(role) => format!("Model for {role}: {}", change.model),
        },
        EntryKind::ThinkingLevelChange(change) => format!("Thinking: {}", change.thinking_level),
        EntryKind::ServiceTierChange(change) => {
            format!("Service tier: {}", change.service_tier.as_deref().unwrap_or("none"))
        }
        EntryKind::ModeChange(change) => format!("Mode: {}", change.mode),
        EntryKind::TtsrInjection(injection) => format!("Rules: {}", injection.injected_rules.join(", ")),
        EntryKind::McpToolSelection(selection) => {
            format!("Tools selected: {}", selection.selected_tool_names.join(", "))
        }
        EntryKind::Label(label) => match &label.label {
            Some(label) => format!("Label: {label}"),
            None => "Label removed".to_owned(),
        },
        EntryKind::ModelUsage(request) => format!("Side request: {}, {}", request.purpose, request.model),
        EntryKind::Custom(custom) => format!("State of {}", custom.custom_type),
        kind => format!("Entry of type {}", kind.name()),
    }
}

/// Enough of a text for one line of any length we show, without the marks of Markdown.
fn beginning(text: &str) -> String {
    let start: String = text.chars().take(4 * LONGEST).collect();
    start.replace("**", "").replace(['`', '#'], "")
}

/// What a call is about: the first of its arguments that says so.
pub(crate) fn call_summary(call: &ToolCall) -> String {
    const TELLING: [&str; 13] = [
        "command",
        "path",
        "file_path",
        "pattern",
        "query",
        "url",
        "agent",
        "description",
        "code",
        "action",
        "op",
        "name",
        "input",
    ];
    let telling = TELLING.iter().find_map(|name| call.arguments.get(*name)?.as_str());
    let first = || call.arguments.values().find_map(Value::as_str);
    let text = telling.or_else(first).or(call.intent.as_deref()).or(call.invalid_arguments.as_deref());
    one_line(&text.unwrap_or_default().chars().take(4 * LONGEST).collect::<String>(), LONGEST)
}
