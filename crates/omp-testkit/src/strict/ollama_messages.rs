//! Ollama messages: roles, pictures, and calls with their answers in order.

use super::Check;
use super::fields::{self, entries};
use serde_json::Value;

pub(super) fn check(body: &Value) -> Check {
    let Some(messages) = body["messages"].as_array().filter(|list| !list.is_empty()) else {
        return Err("messages: must be a non-empty array".into());
    };
    for (index, message) in messages.iter().enumerate() {
        shape(message, &format!("messages[{index}]"))?;
    }
    let late = messages.iter().skip(1).position(|message| message["role"] == "system");
    if let Some(offset) = late {
        return Err(format!("messages[{}]: the system message belongs at the start", offset + 1));
    }
    calls_answered(messages)?;
    match messages.last().map(|message| &message["role"]) {
        Some(role) if role == "user" || role == "tool" => Ok(()),
        _ => Err("the last message must be the user's or a tool's".into()),
    }
}

fn shape(message: &Value, at: &str) -> Check {
    let text = message["content"].as_str();
    let Some(text) = text else { return Err(format!("{at}.content: must be a string")) };
    match message["role"].as_str() {
        Some("system") => {
            fields::known_members(message, at, &["role", "content"])?;
            not_empty(text, at)
        }
        Some("user") => {
            fields::known_members(message, at, &["role", "content", "images"])?;
            images(message, at)?;
            if message.get("images").is_some() { Ok(()) } else { not_empty(text, at) }
        }
        Some("assistant") => assistant(message, text, at),
        Some("tool") => {
            fields::known_members(message, at, &["role", "content", "tool_name"])?;
            fields::tool_name(&message["tool_name"], &format!("{at}.tool_name"))
        }
        other => Err(format!("{at}.role: {other:?} is not one of 'system', 'user', 'assistant', 'tool'")),
    }
}

fn not_empty(text: &str, at: &str) -> Check {
    if text.is_empty() { Err(format!("{at}.content: must not be empty")) } else { Ok(()) }
}

/// Pictures are bare base64, without a type in front.
fn images(message: &Value, at: &str) -> Check {
    let Some(images) = message.get("images") else { return Ok(()) };
    if entries(images).is_empty() {
        return Err(format!("{at}.images: must be a non-empty array"));
    }
    match entries(images).iter().find(|image| !image.as_str().is_some_and(is_base64)) {
        Some(_) => Err(format!("{at}.images: illegal base64 data")),
        None => Ok(()),
    }
}

pub(super) fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty()
        && text.len().is_multiple_of(4)
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

fn assistant(message: &Value, text: &str, at: &str) -> Check {
    fields::known_members(message, at, &["role", "content", "thinking", "tool_calls"])?;
    let Some(calls) = message.get("tool_calls") else { return not_empty(text, at) };
    if entries(calls).is_empty() {
        return Err(format!("{at}.tool_calls: must be a non-empty array"));
    }
    for (index, call) in entries(calls).iter().enumerate() {
        let at = format!("{at}.tool_calls[{index}]");
        fields::known_members(call, &at, &["function"])?;
        fields::known_members(&call["function"], &at, &["name", "arguments"])?;
        fields::tool_name(&call["function"]["name"], &format!("{at}.function.name"))?;
        if !call["function"]["arguments"].is_object() {
            return Err(format!("{at}.function.arguments: must be an object"));
        }
    }
    Ok(())
}

/// There are no ids: the answers follow their calls, in the same order and under the same names.
fn calls_answered(messages: &[Value]) -> Check {
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let name = message["tool_name"].as_str().unwrap_or_default();
            if open.first() != Some(&name) {
                return Err(format!("messages[{index}]: a result of {name:?} where {open:?} are open"));
            }
            open.remove(0);
            continue;
        }
        if !open.is_empty() {
            return Err(format!("messages[{index}]: the calls {open:?} have no answers"));
        }
        open = entries(&message["tool_calls"])
            .iter()
            .filter_map(|call| call["function"]["name"].as_str())
            .collect();
    }
    if open.is_empty() { Ok(()) } else { Err(format!("the calls {open:?} have no answers")) }
}
