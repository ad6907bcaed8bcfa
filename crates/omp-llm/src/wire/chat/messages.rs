//! The conversation as chat messages.

use omp_types::{ImageDetail, ModelRequest};
use serde_json::{Map, Value, json};

use crate::history::{AssistantPart, ResultPart, Turn, UserPart};
use crate::model::{CacheControlFormat, Model};
use crate::wire::{ToolNames, data_url, joined_system};

pub(super) fn encode(
    turns: &[Turn<'_>],
    request: &ModelRequest,
    model: &Model,
    names: &ToolNames,
) -> Vec<Value> {
    let mut messages = Vec::new();
    let role = if model.reasoning && model.compat.supports_developer_role { "developer" } else { "system" };
    if model.compat.chat.multiple_system_messages {
        let blocks = request.system.iter().filter(|block| !block.trim().is_empty());
        messages.extend(blocks.map(|block| json!({"role": role, "content": block})));
    } else if let Some(system) = joined_system(request) {
        messages.push(json!({"role": role, "content": system}));
    }
    for turn in turns {
        match turn {
            Turn::User(parts) | Turn::Developer(parts) => {
                push_user(&mut messages, &user_content(parts, model), model);
            }
            Turn::Assistant(parts) => messages.push(assistant_message(parts, model, names)),
            Turn::Results(results) => push_results(&mut messages, results, model, names),
        }
    }
    if model.compat.cache_control == CacheControlFormat::Anthropic {
        mark_cache(&mut messages);
    }
    messages
}

/// The provider whose own API this is.
const OPENAI: &str = "openai";
/// What stands where a host insists on words that nobody said.
const RESULTS_READ: &str = "(results read)";
const CALLING: &str = "(calling a tool)";
const NO_REASONING: &str = "(no reasoning was kept)";

fn push_user(messages: &mut Vec<Value>, content: &Value, model: &Model) {
    let after_results = messages.last().is_some_and(|last| last["role"] == "tool");
    if after_results && model.compat.chat.assistant_after_results {
        messages.push(json!({"role": "assistant", "content": RESULTS_READ}));
    }
    messages.push(json!({"role": "user", "content": content}));
}

/// Text alone stays a string: the oldest imitations of this API know nothing else.
fn user_content(parts: &[UserPart<'_>], model: &Model) -> Value {
    match parts {
        [UserPart::Text(text)] => text.as_ref().into(),
        parts => parts.iter().map(|part| content_part(part, model)).collect(),
    }
}

fn content_part(part: &UserPart<'_>, model: &Model) -> Value {
    match part {
        UserPart::Text(text) => json!({"type": "text", "text": text}),
        UserPart::Image(image) => match image.detail {
            None => json!({"type": "image_url", "image_url": {"url": data_url(image)}}),
            Some(ImageDetail::Original) => {
                // Imitations of this API know the older word at most.
                let detail = if model.provider == OPENAI { "original" } else { "high" };
                json!({"type": "image_url", "image_url": {"url": data_url(image), "detail": detail}})
            }
        },
    }
}

fn assistant_message(parts: &[AssistantPart<'_>], model: &Model, names: &ToolNames) -> Value {
    let mut text = Vec::new();
    let mut reasoning = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match part {
            AssistantPart::Text { text: block, .. } => text.push(*block),
            AssistantPart::Thinking { text: block, .. } => reasoning.push(*block),
            AssistantPart::Call { id, name, arguments, .. } => calls.push(json!({
                "id": id,
                "type": "function",
                "function": {"name": names.wire(name), "arguments": Value::Object((**arguments).clone()).to_string()},
            })),
            // Nothing this wire says ever becomes one of these.
            AssistantPart::Redacted { .. } | AssistantPart::Native { .. } => {}
        }
    }
    let quirks = &model.compat.chat;
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    let mut text = text.join("\n");
    let mut reasoning = reasoning.join("\n");
    if quirks.thinking_as_text && !reasoning.is_empty() {
        text = format!("<thinking>\n{reasoning}\n</thinking>\n{text}").trim_end().to_owned();
        reasoning.clear();
    }
    if quirks.reasoning_for_calls {
        // Hosts that check it look at every turn once there were calls, and where they begin cannot be known before.
        if quirks.synthetic_reasoning && reasoning.is_empty() {
            reasoning = NO_REASONING.to_owned();
        }
    } else if calls.is_empty() {
        // Only the thoughts that led to calls are wanted back.
        reasoning.clear();
    }
    let content = match (text.is_empty(), calls.is_empty()) {
        (true, false) if quirks.text_for_calls => CALLING.into(),
        (true, false) => Value::Null,
        _ => Value::String(text),
    };
    message.insert("content".into(), content);
    if !reasoning.is_empty() {
        message.insert(model.compat.thinking.field.name().into(), reasoning.into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

/// One `tool` message per result. Images cannot ride in a tool message; they follow in a user message.
fn push_results(messages: &mut Vec<Value>, results: &[ResultPart<'_>], model: &Model, names: &ToolNames) {
    let mut images = Vec::new();
    for result in results {
        let mut message = Map::new();
        message.insert("role".into(), "tool".into());
        message.insert("tool_call_id".into(), result.id.clone().into());
        if model.compat.requires_tool_result_name {
            message.insert("name".into(), names.wire(result.name).into());
        }
        message.insert("content".into(), result.flagged_text().into());
        messages.push(Value::Object(message));
        for picture in result.content.iter().filter(|part| part.text().is_none()) {
            images.push(json!({"type": "text", "text": format!("Image from {}:", result.name)}));
            images.push(content_part(picture, model));
        }
    }
    if !images.is_empty() {
        push_user(messages, &images.into(), model);
    }
}

/// Anthropic models behind this wire cache up to marked blocks: the system prompt, and the newest message with text
/// that can carry a mark.
fn mark_cache(messages: &mut [Value]) {
    let is_system = |message: &Value| message["role"] == "system" || message["role"] == "developer";
    if let Some(system) = messages.first_mut().filter(|first| is_system(first)) {
        mark(system);
    }
    let carries = |message: &&mut Value| {
        (message["role"] == "user" || message["role"] == "assistant") && !message["content"].is_null()
    };
    if let Some(newest) = messages.iter_mut().rev().find(carries) {
        mark(newest);
    }
}

fn mark(message: &mut Value) {
    let mut parts = match message["content"].take() {
        Value::Array(parts) => parts,
        text => vec![json!({"type": "text", "text": text})],
    };
    if let Some(part) = parts.last_mut().and_then(Value::as_object_mut) {
        part.insert("cache_control".into(), json!({"type": "ephemeral"}));
    }
    message["content"] = parts.into();
}
