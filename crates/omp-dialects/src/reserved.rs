//! Harmony's control tokens in what users, tools and models wrote: servers refuse a request that holds them.
//!
//! Only the copy that is sent is changed; the conversation stays as it is.

use std::sync::Arc;

use omp_types::{
    AssistantBlock, AssistantMessage, CustomMessage, Message, ModelRequest, ToolResultMessage, UserBlock,
    UserContent, UserMessage,
};
use serde_json::{Map, Value};

use super::leak::CONTROL_TOKENS;

/// Is the model behind this id served with harmony?
pub fn is_harmony_served(model_id: &str) -> bool {
    let id = model_id.to_ascii_lowercase();
    ["gpt-oss", "gpt-5", "codex"].iter().any(|family| id.contains(family))
}

/// The request with every control token made inert. `None` when it holds none.
pub fn inert(request: &ModelRequest) -> Option<ModelRequest> {
    let messages: Vec<Option<Message>> =
        request.messages.iter().map(|message| inert_message(message)).collect();
    if messages.iter().all(Option::is_none) {
        return None;
    }
    let pairs = request.messages.iter().zip(messages);
    let messages = pairs.map(|(old, new)| new.map_or_else(|| old.clone(), Arc::new)).collect();
    Some(ModelRequest { messages, ..request.clone() })
}

/// `None` when there is nothing to change.
fn inert_message(message: &Message) -> Option<Message> {
    match message {
        Message::User(user) => {
            let content = inert_content(&user.content)?;
            Some(Message::User(UserMessage { content, ..user.clone() }))
        }
        Message::Custom(custom) => {
            let content = inert_content(&custom.content)?;
            Some(Message::Custom(CustomMessage { content, ..custom.clone() }))
        }
        Message::ToolResult(result) => {
            let content = inert_blocks(&result.content)?;
            Some(Message::ToolResult(ToolResultMessage { content, ..result.clone() }))
        }
        Message::Assistant(assistant) => {
            let mut copy = assistant.clone();
            inert_arguments(&mut copy).then_some(Message::Assistant(copy))
        }
    }
}

fn inert_content(content: &UserContent) -> Option<UserContent> {
    match content {
        UserContent::Text(text) => inert_text(text).map(UserContent::Text),
        UserContent::Blocks(blocks) => inert_blocks(blocks).map(UserContent::Blocks),
    }
}

fn inert_blocks(blocks: &[UserBlock]) -> Option<Vec<UserBlock>> {
    let mut copy = blocks.to_vec();
    let mut changed = false;
    for block in &mut copy {
        if let UserBlock::Text(text) = block
            && let Some(inert) = inert_text(&text.text)
        {
            text.text = inert;
            changed = true;
        }
    }
    changed.then_some(copy)
}

fn inert_arguments(message: &mut AssistantMessage) -> bool {
    let mut changed = false;
    for block in &mut message.content {
        if let AssistantBlock::ToolCall(call) = block {
            changed |= inert_map(&mut call.arguments);
        }
    }
    changed
}

fn inert_map(map: &mut Map<String, Value>) -> bool {
    inert_values(map.values_mut())
}

/// All of them, not only up to the first that changes.
fn inert_values<'v>(values: impl Iterator<Item = &'v mut Value>) -> bool {
    let mut changed = false;
    for value in values {
        changed |= inert_value(value);
    }
    changed
}

fn inert_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match inert_text(text) {
            Some(inert) => {
                *text = inert;
                true
            }
            None => false,
        },
        Value::Array(items) => inert_values(items.iter_mut()),
        Value::Object(map) => inert_map(map),
        _ => false,
    }
}

/// `<|start|>` becomes `<\|start\|>`: as readable, and no token any more.
fn inert_text(text: &str) -> Option<String> {
    if !text.contains("<|") || !CONTROL_TOKENS.iter().any(|token| text.contains(token)) {
        return None;
    }
    let escaped = CONTROL_TOKENS
        .iter()
        .fold(text.to_owned(), |text, token| text.replace(token, &token.replace('|', "\\|")));
    Some(escaped)
}
