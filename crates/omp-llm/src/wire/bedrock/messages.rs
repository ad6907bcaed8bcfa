//! The conversation as content blocks.

use serde_json::{Value, json};

use crate::history::{AssistantPart, ResultPart, Turn, UserPart};
use crate::wire::ToolNames;
use crate::wire::caching::Caching;

impl Caching {
    /// Ends the cache here. A point is a block of its own, after what it covers.
    pub(in crate::wire) fn after(self, blocks: &mut Vec<Value>) {
        match self {
            Self::Off => {}
            Self::Short => blocks.push(json!({"cachePoint": {"type": "default"}})),
            Self::Long => blocks.push(json!({"cachePoint": {"type": "default", "ttl": "1h"}})),
        }
    }
}

/// Roles must alternate, and results come first in the message after their calls: neighbours of one role merge.
pub(super) fn encode(turns: &[Turn<'_>], names: &ToolNames, cache: Caching) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in turns {
        let (role, blocks): (&str, Vec<Value>) = match turn {
            Turn::User(parts) | Turn::Developer(parts) => ("user", parts.iter().map(user_block).collect()),
            Turn::Assistant(parts) => {
                ("assistant", parts.iter().filter_map(|part| assistant_block(part, names)).collect())
            }
            Turn::Results(results) => ("user", results.iter().map(result_block).collect()),
        };
        match messages.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    // The newer point writes the cache for the next request, the older finds what the one before has written.
    for (_, content) in messages.iter_mut().rev().filter(|(role, _)| *role == "user").take(2) {
        cache.after(content);
    }
    messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn user_block(part: &UserPart<'_>) -> Value {
    match part {
        UserPart::Text(text) => json!({"text": text}),
        UserPart::Image(image) => {
            let format = image.mime_type.strip_prefix("image/").unwrap_or(&image.mime_type);
            json!({"image": {"format": format, "source": {"bytes": image.data}}})
        }
    }
}

fn assistant_block(part: &AssistantPart<'_>, names: &ToolNames) -> Option<Value> {
    match part {
        AssistantPart::Text { text, .. } => Some(json!({"text": text})),
        AssistantPart::Thinking { text, signature: "" } => {
            Some(json!({"reasoningContent": {"reasoningText": {"text": text}}}))
        }
        AssistantPart::Thinking { text, signature } => {
            Some(json!({"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}}))
        }
        AssistantPart::Redacted { data } => Some(json!({"reasoningContent": {"redactedContent": data}})),
        AssistantPart::Call { id, name, arguments, .. } => Some(json!({
            "toolUse": {"toolUseId": id, "name": names.wire(name), "input": arguments.as_ref()},
        })),
        // Nothing this wire says ever becomes one of these.
        AssistantPart::Native { .. } => None,
    }
}

fn result_block(result: &ResultPart<'_>) -> Value {
    let content: Vec<Value> = match result.content.as_slice() {
        [] => vec![json!({"text": "(no output)"})],
        parts => parts.iter().map(user_block).collect(),
    };
    let status = if result.is_error { "error" } else { "success" };
    json!({"toolResult": {"toolUseId": result.id, "content": content, "status": status}})
}
