//! Anthropic extended thinking: what it may be combined with, and that its blocks come back untouched.

use super::anthropic_messages::blocks;
use super::anthropic_turns::{is_server_block, turn_of};
use super::fields::{self, entries};
use super::{Check, Checker};
use serde_json::Value;

pub(super) fn is_on(body: &Value) -> bool {
    matches!(body["thinking"]["type"].as_str(), Some("enabled" | "adaptive"))
}

/// The `thinking` field and its neighbours.
pub(super) fn parameters(body: &Value) -> Check {
    let Some(thinking) = body.get("thinking") else { return Ok(()) };
    fields::known_members(thinking, "thinking", &["type", "budget_tokens", "display"])?;
    match thinking["type"].as_str() {
        Some("enabled") => budget(body)?,
        Some("adaptive" | "disabled") if thinking.get("budget_tokens").is_some() => {
            return Err("thinking.budget_tokens: only allowed with type 'enabled'".into());
        }
        Some("adaptive" | "disabled") => {}
        other => return Err(format!("thinking.type: {other:?} is not 'enabled', 'adaptive' or 'disabled'")),
    }
    if !is_on(body) {
        return Ok(());
    }
    sampling(body)?;
    match body["tool_choice"]["type"].as_str() {
        Some("any" | "tool") => Err("Thinking may not be enabled when tool_choice forces tool use.".into()),
        _ => Ok(()),
    }
}

fn budget(body: &Value) -> Check {
    let budget = body["thinking"]["budget_tokens"].as_u64().unwrap_or_default();
    if budget < 1024 {
        return Err("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024".into());
    }
    if budget >= body["max_tokens"].as_u64().unwrap_or_default() {
        return Err("`max_tokens` must be greater than `thinking.budget_tokens`.".into());
    }
    Ok(())
}

fn sampling(body: &Value) -> Check {
    if body.get("temperature").is_some_and(|value| value.as_f64() != Some(1.0)) {
        return Err("`temperature` may only be set to 1 when thinking is enabled.".into());
    }
    if body.get("top_k").is_some() {
        return Err("`top_k` must be unset when thinking is enabled.".into());
    }
    Ok(())
}

/// The blocks in the history.
pub(super) fn history(body: &Value, checker: &Checker<'_>) -> Check {
    let messages = entries(&body["messages"]);
    for (index, message) in messages.iter().enumerate() {
        for (place, block) in blocks(message).iter().enumerate() {
            minted_here(block, &format!("messages.{index}.content.{place}"), checker)?;
        }
        comes_first(message, index, checker)?;
    }
    if is_on(body) { kept_in_tool_loop(messages, checker) } else { Ok(()) }
}

fn minted_here(block: &Value, at: &str, checker: &Checker<'_>) -> Check {
    match block["type"].as_str() {
        Some("thinking") => {
            let expected = checker.mint.signature(block["thinking"].as_str().unwrap_or_default());
            if block["signature"] == expected {
                Ok(())
            } else {
                Err(format!("{at}: Invalid `signature` in `thinking` block"))
            }
        }
        Some("redacted_thinking")
            if !checker.mint.is_redacted(block["data"].as_str().unwrap_or_default()) =>
        {
            Err(format!("{at}: Invalid `data` in `redacted_thinking` block"))
        }
        _ => Ok(()),
    }
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}

/// Thinking comes before everything but server tools, unless the server itself put it elsewhere.
fn comes_first(message: &Value, index: usize, checker: &Checker<'_>) -> Check {
    let ordered = |blocks: &[Value]| {
        let mut spoken = false;
        for block in blocks {
            if is_thinking(block) && spoken {
                return false;
            }
            // After a server tool the model may think again.
            spoken = !is_thinking(block) && !is_server_block(block);
        }
        true
    };
    if ordered(blocks(message)) || turn_of(message, checker.turns).is_some_and(|turn| !ordered(&turn.blocks))
    {
        return Ok(());
    }
    Err(format!("messages.{index}: `thinking` blocks must come first in an assistant message"))
}

/// Since the last words of the user, every turn that was answered with results must begin as it was made.
fn kept_in_tool_loop(messages: &[Value], checker: &Checker<'_>) -> Check {
    let is_result =
        |message: &Value| blocks(message).first().is_some_and(|block| block["type"] == "tool_result");
    let start = messages.iter().rposition(|message| message["role"] == "user" && !is_result(message));
    for (index, message) in messages.iter().enumerate().skip(start.unwrap_or_default()) {
        let sent = blocks(message);
        if !sent.iter().any(|block| block["type"] == "tool_use") {
            continue;
        }
        let Some(turn) = turn_of(message, checker.turns) else { continue };
        let Some(expected) = turn.blocks.first().filter(|block| is_thinking(block)) else { continue };
        if sent.first() != Some(expected) {
            let found = sent.first().map_or("nothing", |block| block["type"].as_str().unwrap_or_default());
            return Err(format!(
                "messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. \
                 When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceding \
                 the lastmost set of `tool_use` and `tool_result` blocks)."
            ));
        }
    }
    Ok(())
}
