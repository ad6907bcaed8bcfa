//! Messages, and how those of pi differ from ours.

use omp_session::MessageEntry;
use omp_types::{AssistantBlock, AssistantMessage, Message, ToolResultMessage, UserBlock};
use serde_json::{Value, json};

use crate::json::{is_true, list, text, word};

/// What becomes of a message.
pub(super) enum Translated {
    Message(Box<Message>),
    /// The model reads it, people do not.
    Aside(Vec<UserBlock>),
    /// It is kept as it is.
    Kept,
}

pub(super) fn translate(message: &Value) -> Translated {
    match text(message, "role") {
        Some("bashExecution") if is_true(message, "excludeFromContext") => Translated::Kept,
        Some("bashExecution") => Translated::Aside(vec![UserBlock::text(command(message))]),
        Some("branchSummary" | "compactionSummary") if text(message, "summary").is_some() => {
            Translated::Aside(vec![UserBlock::text(word(message, "summary"))])
        }
        Some("hookMessage") => {
            let mut message = message.clone();
            message["role"] = json!("custom");
            read(&message)
        }
        _ => read(message),
    }
}

fn read(message: &Value) -> Translated {
    let read = serde_json::from_value::<MessageEntry>(json!({"message": message}));
    let Ok(entry) = read else { return Translated::Kept };
    let mut message = (*entry.message).clone();
    match &mut message {
        Message::Assistant(answer) => plain_ids(answer),
        Message::ToolResult(result) => plain_result_id(result),
        Message::User(_) | Message::Custom(_) => {}
    }
    Translated::Message(Box::new(message))
}

/// pi writes the two ids of a call on OpenAI's wires as one, and the id of a text as an object.
fn plain_ids(answer: &mut AssistantMessage) {
    for block in &mut answer.content {
        match block {
            AssistantBlock::ToolCall(call) => {
                if let Some((call_id, item)) = call.id.split_once('|') {
                    let item =
                        Some(item.to_owned()).filter(|item| item.starts_with("fc_") && item.len() <= 64);
                    call.thought_signature = call.thought_signature.take().or(item);
                    call.id = call_id.to_owned();
                }
            }
            AssistantBlock::Text(block) => {
                let object =
                    block.text_signature.as_deref().and_then(|id| serde_json::from_str::<Value>(id).ok());
                if let Some(id) = object.as_ref().and_then(|object| text(object, "id")) {
                    block.text_signature = Some(id.to_owned());
                }
            }
            _ => {}
        }
    }
}

fn plain_result_id(result: &mut ToolResultMessage) {
    if let Some((call, _)) = result.tool_call_id.split_once('|') {
        result.tool_call_id = call.to_owned();
    }
}

/// Blocks of an answer or prompt that did not become part of the message.
pub(super) fn lost_blocks(message: &Value) -> Vec<Value> {
    let known = ["text", "image", "thinking", "redactedThinking", "toolCall", "native"];
    let blocks = list(message, "content").iter();
    blocks.filter(|block| !text(block, "type").is_some_and(|kind| known.contains(&kind))).cloned().collect()
}

fn command(message: &Value) -> String {
    let output = text(message, "output").unwrap_or("(no output)").trim_end().to_owned();
    let code = message.get("exitCode").and_then(Value::as_i64).filter(|code| *code != 0);
    let ending = code.map(|code| format!("\n(exit code {code})")).unwrap_or_default();
    format!("The user ran a command: {}\n\n{output}{ending}", word(message, "command"))
}

/// The ids of a message's calls, as pi writes them.
pub(super) fn calls(message: &Value) -> impl Iterator<Item = &str> {
    let calls = list(message, "content").iter().filter(|block| text(block, "type") == Some("toolCall"));
    calls.filter_map(|call| text(call, "id")).map(plain)
}

/// The call whose result a message is.
pub(super) fn answered(message: &Value) -> Option<&str> {
    let id = text(message, "toolCallId").filter(|_| text(message, "role") == Some("toolResult"))?;
    Some(plain(id))
}

fn plain(id: &str) -> &str {
    id.split_once('|').map_or(id, |(call, _)| call)
}

/// The prompt that a record is, if it is one.
pub(crate) fn prompt(record: &Value) -> Option<String> {
    let message = &record["message"];
    if text(record, "type") != Some("message") || text(message, "role") != Some("user") {
        return None;
    }
    let texts = list(message, "content").iter().filter_map(|block| text(block, "text"));
    let words = text(message, "content").map_or_else(|| texts.collect::<Vec<_>>().join("\n"), str::to_owned);
    (!words.trim().is_empty()).then_some(words)
}
