//! Prompt caches live on prefixes: a request must extend the one before it.

use super::Check;
use super::fields::entries;
use crate::server::{RecordedRequest, Wire};
use serde_json::{Value, json};

/// System and tools byte for byte, then the previous messages as an exact prefix.
pub(super) fn extends(request: &RecordedRequest, previous: Option<&RecordedRequest>) -> Check {
    let Some(previous) = previous.filter(|previous| previous.wire == request.wire) else { return Ok(()) };
    let (old, new) = (&previous.body, &request.body);
    let (system, messages) = match request.wire {
        Wire::OpenAiCompletions | Wire::OllamaChat => (None, "messages"),
        Wire::BedrockConverseStream => (Some("system"), "messages"),
        Wire::OpenAiResponses | Wire::AzureOpenAiResponses | Wire::OpenAiCodexResponses => {
            (Some("instructions"), "input")
        }
        Wire::AnthropicMessages => (Some("system"), "messages"),
        Wire::GoogleGenerativeAi | Wire::GoogleGeminiCli | Wire::GoogleVertex => {
            (Some("systemInstruction"), "contents")
        }
    };
    for field in ["tools", "toolConfig"].into_iter().chain(system) {
        if bytes(&old[field]) != bytes(&new[field]) {
            return Err(format!("stable prefix: `{field}` differs from request {}", previous.index));
        }
    }
    let (before, now) = (entries(&old[messages]), entries(&new[messages]));
    for (index, message) in before.iter().enumerate() {
        if now.get(index).map(canonical) != Some(canonical(message)) {
            let fate = if index < now.len() { "differs from" } else { "is missing, it was in" };
            return Err(format!("stable prefix: `{messages}` {index} {fate} request {}", previous.index));
        }
    }
    Ok(())
}

/// Key order counts: it is part of what a cache hashes.
fn bytes(value: &Value) -> String {
    value.to_string()
}

/// Breakpoints move with every request and are no part of the prompt, nor is the spelling of a lone text block.
fn canonical(message: &Value) -> String {
    let mut message = without_breakpoints(message);
    if let Some(text) = message["content"].as_str() {
        message["content"] = json!([{"type": "text", "text": text}]);
    }
    bytes(&message)
}

fn without_breakpoints(value: &Value) -> Value {
    match value {
        Value::Array(list) => {
            (list.iter()).filter(|value| value.get("cachePoint").is_none()).map(without_breakpoints).collect()
        }
        Value::Object(map) => (map.iter())
            .filter(|(name, _)| *name != "cache_control")
            .map(|(name, value)| (name.clone(), without_breakpoints(value)))
            .collect(),
        other => other.clone(),
    }
}
