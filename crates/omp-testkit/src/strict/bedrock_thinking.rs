//! Reasoning on Bedrock: its parameters, and thoughts that come back unchanged.

use super::fields::{self, entries};
use super::{Check, Checker, bedrock_messages};
use serde_json::Value;

pub(super) fn check(body: &Value, checker: &Checker<'_>) -> Check {
    for (index, message) in entries(&body["messages"]).iter().enumerate() {
        replayed(message, index, checker)?;
    }
    let thinking = &body["additionalModelRequestFields"]["thinking"];
    if thinking["type"] == "enabled" {
        budget(body, thinking)?;
        compatible(body)?;
        begins_with_thought(body)?;
    }
    Ok(())
}

fn replayed(message: &Value, index: usize, checker: &Checker<'_>) -> Check {
    for (place, block) in entries(&message["content"]).iter().enumerate() {
        let Some(reasoning) = block.get("reasoningContent") else { continue };
        let at = format!("messages[{index}].content[{place}].reasoningContent");
        match bedrock_messages::kind(reasoning, &at)? {
            ("reasoningText", words) => {
                fields::known_members(words, &at, &["text", "signature"])?;
                let text = words["text"].as_str().unwrap_or_default();
                if words["signature"] != checker.mint.signature(text) {
                    return Err(format!("{at}: Invalid `signature` in `thinking` block"));
                }
            }
            ("redactedContent", data) if checker.mint.is_redacted(data.as_str().unwrap_or_default()) => {}
            (kind, _) => return Err(format!("{at}.{kind}: could not be verified")),
        }
    }
    Ok(())
}

fn budget(body: &Value, thinking: &Value) -> Check {
    let tokens = thinking["budget_tokens"].as_u64().unwrap_or_default();
    let limit = body["inferenceConfig"]["maxTokens"].as_u64().unwrap_or_default();
    if tokens < 1024 {
        return Err("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024".into());
    }
    if limit <= tokens {
        Err("`max_tokens` must be greater than `thinking.budget_tokens`".into())
    } else {
        Ok(())
    }
}

fn compatible(body: &Value) -> Check {
    let inference = &body["inferenceConfig"];
    let top_k = &body["additionalModelRequestFields"]["top_k"];
    if [&inference["temperature"], &inference["topP"], top_k].iter().any(|value| !value.is_null()) {
        return Err("sampling parameters must be unset when thinking is enabled".into());
    }
    let choice = &body["toolConfig"]["toolChoice"];
    if choice.get("any").is_some() || choice.get("tool").is_some() {
        return Err("Thinking may not be enabled when tool_choice forces tool use.".into());
    }
    Ok(())
}

/// The assistant message that a tool loop began with starts with a thought.
fn begins_with_thought(body: &Value) -> Check {
    let messages = entries(&body["messages"]);
    let is_prompt = |message: &Value| {
        message["role"] == "user"
            && entries(&message["content"]).iter().all(|block| block.get("toolResult").is_none())
    };
    let prompt = messages.iter().rposition(is_prompt).unwrap_or_default();
    let Some(first) = messages.get(prompt + 1) else { return Ok(()) };
    let blocks = entries(&first["content"]);
    let calls = blocks.iter().any(|block| block.get("toolUse").is_some());
    if calls && blocks.first().is_none_or(|block| block.get("reasoningContent").is_none()) {
        return Err("Expected `thinking` or `redacted_thinking`, but found `text` or `tool_use`.".into());
    }
    Ok(())
}
