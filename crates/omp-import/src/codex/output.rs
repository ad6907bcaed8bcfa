//! What tools gave back.

use omp_types::{ToolCall, ToolResultMessage, UserBlock};
use serde_json::Value;

use super::item;
use crate::json::{number, text};

/// The result in an output item. The output is a text, a list of parts, or an object around one of them; commands of
/// early versions wrote such an object into the text.
pub(super) fn result(call: &ToolCall, item: &Value, timestamp: u64) -> ToolResultMessage {
    let output = &item["output"];
    let wrapped = output.as_str().and_then(unwrapped);
    let whole = wrapped.as_ref().unwrap_or(output);
    let metadata = whole.get("metadata").filter(|metadata| metadata.is_object());
    let failed = whole.get("success") == Some(&Value::Bool(false))
        || metadata.is_some_and(|metadata| number(metadata, "exit_code") != 0);
    ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: content(whole),
        details: metadata.cloned(),
        is_error: failed,
        timestamp,
    }
}

fn unwrapped(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let known = value.get("output").is_some_and(Value::is_string) && value.get("metadata").is_some();
    known.then_some(value)
}

fn content(output: &Value) -> Vec<UserBlock> {
    match output {
        Value::String(text) => vec![UserBlock::text(text)],
        Value::Array(parts) => parts.iter().map(item::part).collect(),
        Value::Null => Vec::new(),
        Value::Object(_) => match text(output, "output").or(text(output, "content")) {
            Some(words) => vec![UserBlock::text(words)],
            None if output.get("content").is_some_and(Value::is_array) => content(&output["content"]),
            None if output.get("output").is_some() => Vec::new(),
            None => vec![UserBlock::text(output.to_string())],
        },
        other => vec![UserBlock::text(other.to_string())],
    }
}
