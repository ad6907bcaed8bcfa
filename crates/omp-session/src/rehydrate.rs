//! Images come back from the blob store before a model reads the conversation.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_types::{AssistantBlock, Message, UserBlock, UserContent};
use serde_json::Value;

use crate::blobs::{BlobHash, BlobStore};

/// Replaces the references in messages by what they stand for. A reference to nothing stays; the blobs that are
/// missing are returned, each once.
pub(crate) fn fill(messages: &mut [Arc<Message>], blobs: &BlobStore) -> Vec<BlobHash> {
    let mut missing = Vec::new();
    for message in messages {
        if !refers(message) {
            continue;
        }
        let Ok(mut value) = serde_json::to_value(&**message) else { continue };
        walk(&mut value, blobs, &mut missing);
        if let Ok(filled) = serde_json::from_value(value) {
            *message = Arc::new(filled);
        }
    }
    missing
}

fn refers(message: &Message) -> bool {
    let content = |content: &UserContent| match content {
        UserContent::Text(_) => false,
        UserContent::Blocks(blocks) => blocks.iter().any(block_refers),
    };
    match message {
        Message::User(user) => content(&user.content),
        Message::Custom(custom) => {
            content(&custom.content) || custom.details.as_ref().is_some_and(value_refers)
        }
        Message::ToolResult(result) => {
            result.content.iter().any(block_refers) || result.details.as_ref().is_some_and(value_refers)
        }
        Message::Assistant(answer) => answer.content.iter().any(|block| match block {
            AssistantBlock::Native(native) => value_refers(&native.value),
            AssistantBlock::ToolCall(call) => call.arguments.values().any(value_refers),
            _ => false,
        }),
    }
}

fn block_refers(block: &UserBlock) -> bool {
    matches!(block, UserBlock::Image(image) if BlobHash::from_reference(&image.data).is_some())
}

fn value_refers(value: &Value) -> bool {
    match value {
        Value::String(text) => BlobHash::from_reference(text).is_some(),
        Value::Array(items) => items.iter().any(value_refers),
        Value::Object(fields) => fields.values().any(value_refers),
        _ => false,
    }
}

fn walk(value: &mut Value, blobs: &BlobStore, missing: &mut Vec<BlobHash>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, blobs, missing)),
        Value::Object(fields) => {
            let is_image = fields.get("type").is_some_and(|kind| kind == "image");
            for (name, value) in fields.iter_mut() {
                match (name.as_str(), value) {
                    ("data", Value::String(data)) if is_image => {
                        replace(data, blobs, missing, |bytes| Some(STANDARD.encode(bytes)));
                    }
                    ("image_url", Value::String(url)) => replace(url, blobs, missing, text),
                    ("image_url", Value::Object(fields)) => {
                        if let Some(Value::String(url)) = fields.get_mut("url") {
                            replace(url, blobs, missing, text);
                        }
                    }
                    (_, value) => walk(value, blobs, missing),
                }
            }
        }
        _ => {}
    }
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}

fn replace(
    place: &mut String,
    blobs: &BlobStore,
    missing: &mut Vec<BlobHash>,
    decode: impl FnOnce(Vec<u8>) -> Option<String>,
) {
    let Some(hash) = BlobHash::from_reference(place) else { return };
    match blobs.get(&hash).and_then(decode) {
        Some(original) => *place = original,
        None if missing.contains(&hash) => {}
        None => missing.push(hash),
    }
}
