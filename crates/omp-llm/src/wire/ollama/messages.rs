//! The conversation as chat messages. Text is one string; pictures stand beside it.

use omp_types::ModelRequest;
use serde_json::{Map, Value, json};

use crate::history::{AssistantPart, ResultPart, Turn, UserPart};
use crate::wire::{ToolNames, joined_system};

pub(super) fn encode(turns: &[Turn<'_>], request: &ModelRequest, names: &ToolNames) -> Vec<Value> {
    let mut messages = Vec::new();
    if let Some(system) = joined_system(request) {
        messages.push(json!({"role": "system", "content": system}));
    }
    for turn in turns {
        match turn {
            Turn::User(parts) | Turn::Developer(parts) => messages.push(user_message(parts)),
            Turn::Assistant(parts) => messages.push(assistant_message(parts, names)),
            Turn::Results(results) => push_results(&mut messages, results, names),
        }
    }
    messages
}

fn user_message(parts: &[UserPart<'_>]) -> Value {
    let text: Vec<&str> = parts.iter().filter_map(UserPart::text).collect();
    let mut message = Map::new();
    message.insert("role".into(), "user".into());
    message.insert("content".into(), text.join("\n").into());
    let images = images(parts);
    if !images.is_empty() {
        message.insert("images".into(), images.into());
    }
    Value::Object(message)
}

fn images(parts: &[UserPart<'_>]) -> Vec<Value> {
    let data = |part: &UserPart<'_>| match part {
        UserPart::Image(image) => Some(Value::from(image.data.as_str())),
        UserPart::Text(_) => None,
    };
    parts.iter().filter_map(data).collect()
}

fn assistant_message(parts: &[AssistantPart<'_>], names: &ToolNames) -> Value {
    let mut text = Vec::new();
    let mut thinking = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match part {
            AssistantPart::Text { text: block, .. } => text.push(*block),
            AssistantPart::Thinking { text: block, .. } => thinking.push(*block),
            AssistantPart::Call { name, arguments, .. } => calls.push(json!({
                "function": {"name": names.wire(name), "arguments": arguments.as_ref()},
            })),
            // Nothing this wire says ever becomes one of these.
            AssistantPart::Redacted { .. } | AssistantPart::Native { .. } => {}
        }
    }
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    message.insert("content".into(), text.join("\n").into());
    if !thinking.is_empty() {
        message.insert("thinking".into(), thinking.join("\n").into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

/// Results are matched by their order and the tool's name. Templates of models render no pictures inside a result,
/// so those follow in a user message.
fn push_results(messages: &mut Vec<Value>, results: &[ResultPart<'_>], names: &ToolNames) {
    let mut shown = Vec::new();
    let mut captions = Vec::new();
    for result in results {
        let name = names.wire(result.name);
        messages.push(json!({"role": "tool", "tool_name": name, "content": result.flagged_text()}));
        let pictures = images(&result.content);
        captions.extend(pictures.iter().map(|_| format!("Image from {}", result.name)));
        shown.extend(pictures);
    }
    if !shown.is_empty() {
        messages.push(json!({"role": "user", "content": captions.join("\n"), "images": shown}));
    }
}
