//! Anthropic tool use: every call answered at once, and only calls.

use super::Check;
use super::anthropic_messages::blocks;
use super::fields::entries;
use serde_json::Value;
use std::collections::HashSet;

pub(super) fn check(body: &Value) -> Check {
    let messages = entries(&body["messages"]);
    unique_ids(messages)?;
    results_first(messages)?;
    for (index, message) in messages.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &messages[before]);
        results_answer(message, before, index)?;
        calls_answered(message, messages.get(index + 1), index)?;
    }
    tools_defined(body, messages)
}

fn ids<'a>(message: &'a Value, kind: &str, key: &str) -> Vec<&'a str> {
    blocks(message)
        .iter()
        .filter(|block| block["type"] == kind)
        .filter_map(|block| block[key].as_str())
        .collect()
}

fn unique_ids(messages: &[Value]) -> Check {
    let mut seen = HashSet::new();
    let all = messages.iter().flat_map(|message| ids(message, "tool_use", "id"));
    match all.into_iter().find(|id| !seen.insert(*id)) {
        Some(id) => Err(format!("messages: `tool_use` ids must be unique, {id:?} is there twice")),
        None => Ok(()),
    }
}

fn results_first(messages: &[Value]) -> Check {
    for (index, message) in messages.iter().enumerate() {
        let kinds: Vec<bool> = blocks(message).iter().map(|block| block["type"] == "tool_result").collect();
        if kinds.is_sorted_by(|before, after| before >= after) {
            continue;
        }
        return Err(format!("messages.{index}: `tool_result` blocks must come first in their message"));
    }
    Ok(())
}

/// Each result belongs to a call of the message before, once.
fn results_answer(message: &Value, before: Option<&Value>, index: usize) -> Check {
    let calls = before.map(|before| ids(before, "tool_use", "id")).unwrap_or_default();
    let server_calls = before.map(|before| ids(before, "server_tool_use", "id")).unwrap_or_default();
    let mut seen = HashSet::new();
    for id in ids(message, "tool_result", "tool_use_id") {
        if server_calls.contains(&id) {
            return Err(format!("messages.{index}: {id:?} is a server tool call; it takes no `tool_result`"));
        }
        if !calls.contains(&id) {
            return Err(format!(
                "messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` \
                 block must have a corresponding `tool_use` block in the previous message."
            ));
        }
        if !seen.insert(id) {
            return Err(format!(
                "messages.{index}: each tool_use must have a single result. Found multiple `tool_result` blocks with \
                 id: {id}"
            ));
        }
    }
    Ok(())
}

fn calls_answered(message: &Value, next: Option<&Value>, index: usize) -> Check {
    let answered = next.map(|next| ids(next, "tool_result", "tool_use_id")).unwrap_or_default();
    let open: Vec<&str> =
        ids(message, "tool_use", "id").into_iter().filter(|id| !answered.contains(id)).collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(format!(
        "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
         `tool_use` block must have a corresponding `tool_result` block in the next message.",
        open.join(", ")
    ))
}

fn tools_defined(body: &Value, messages: &[Value]) -> Check {
    let called = messages.iter().any(|message| !ids(message, "tool_use", "id").is_empty());
    if called && entries(&body["tools"]).is_empty() {
        return Err("Requests which include `tool_use` or `tool_result` blocks must define tools".into());
    }
    Ok(())
}
