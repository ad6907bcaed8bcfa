//! The conversation as content blocks.

use serde_json::{Map, Value, json};

use crate::history::{AssistantPart, ResultPart, Turn, UserPart};
use crate::wire::ToolNames;

/// Roles must alternate, and results come first in the message after their calls: neighbours of one role merge.
pub(super) fn encode(turns: &[Turn<'_>], names: &ToolNames) -> Vec<(&'static str, Vec<Value>)> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in turns {
        let (role, blocks): (&str, Vec<Value>) = match turn {
            Turn::User(parts) | Turn::Developer(parts) => ("user", parts.iter().map(user_block).collect()),
            Turn::Assistant(parts) => {
                ("assistant", parts.iter().map(|part| assistant_block(part, names)).collect())
            }
            Turn::Results(results) => ("user", results.iter().map(result_block).collect()),
        };
        match messages.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    messages
}

/// Some imitations of this API look for the call under another name.
pub(super) fn repeat_result_ids(messages: &mut [(&'static str, Vec<Value>)]) {
    for block in messages.iter_mut().flat_map(|(_, blocks)| blocks) {
        if let Some(id) = block.get("tool_use_id").cloned() {
            block["id"] = id;
        }
    }
}

fn user_block(part: &UserPart<'_>) -> Value {
    match part {
        UserPart::Text(text) => json!({"type": "text", "text": text}),
        UserPart::Image(image) => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": image.mime_type, "data": image.data},
        }),
    }
}

fn assistant_block(part: &AssistantPart<'_>, names: &ToolNames) -> Value {
    match part {
        AssistantPart::Text { text, .. } => json!({"type": "text", "text": text}),
        AssistantPart::Thinking { text, signature } => {
            json!({"type": "thinking", "thinking": text, "signature": signature})
        }
        AssistantPart::Redacted { data } => json!({"type": "redacted_thinking", "data": data}),
        AssistantPart::Call { id, name, arguments, .. } => {
            json!({"type": "tool_use", "id": id, "name": names.wire(name), "input": arguments.as_ref()})
        }
        AssistantPart::Native { value } => (*value).clone(),
    }
}

/// What a tool said stays inside its result: it is data, not an instruction.
fn result_block(result: &ResultPart<'_>) -> Value {
    let mut block = Map::new();
    block.insert("type".into(), "tool_result".into());
    block.insert("tool_use_id".into(), result.id.clone().into());
    let content = match result.content.as_slice() {
        [] => Value::String("(no output)".to_owned()),
        [UserPart::Text(text)] => text.as_ref().into(),
        parts => parts.iter().map(user_block).collect(),
    };
    block.insert("content".into(), content);
    if result.is_error {
        block.insert("is_error".into(), true.into());
    }
    Value::Object(block)
}
