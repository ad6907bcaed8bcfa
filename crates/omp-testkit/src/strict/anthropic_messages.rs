//! Anthropic messages: roles and the shape of each content block.

use super::anthropic_turns::{is_server_block, paused, turn_of};
use super::fields::{self, entries, is_name_byte};
use super::{Check, Checker};
use serde_json::Value;

pub(super) fn check(body: &Value, checker: &Checker<'_>) -> Check {
    let Some(messages) = body["messages"].as_array().filter(|list| !list.is_empty()) else {
        return Err("messages: at least one message is required".into());
    };
    for (index, message) in messages.iter().enumerate() {
        shape(message, &format!("messages.{index}"))?;
    }
    roles_alternate(messages, checker)?;
    for (index, message) in messages.iter().enumerate() {
        server_blocks_kept(message, index, checker)?;
    }
    prefill(body, messages, checker)
}

/// The blocks of a message; a string counts as one text block and has none.
pub(super) fn blocks(message: &Value) -> &[Value] {
    entries(&message["content"])
}

fn shape(message: &Value, at: &str) -> Check {
    fields::known_members(message, at, &["role", "content"])?;
    let role = match message["role"].as_str() {
        Some(role @ ("user" | "assistant")) => role,
        other => {
            return Err(format!(
                "{at}.role: Input should be 'user' or 'assistant', not {other:?}; the system prompt \
                                is the top-level `system`"
            ));
        }
    };
    match &message["content"] {
        Value::String(text) if text.trim().is_empty() => {
            Err(format!("{at}: text content blocks must contain non-whitespace text"))
        }
        Value::String(_) => Ok(()),
        Value::Array(blocks) if blocks.is_empty() => Err(format!("{at}: content must be non-empty")),
        Value::Array(blocks) => (blocks.iter().enumerate())
            .try_for_each(|(index, inner)| block(inner, role, &format!("{at}.content.{index}"))),
        _ => Err(format!("{at}.content: must be a string or an array of blocks")),
    }
}

fn block(block: &Value, role: &str, at: &str) -> Check {
    match (role, block["type"].as_str().unwrap_or_default()) {
        (_, "text") => text_block(block, at),
        ("user", "image") => image_block(block, at),
        ("user", "document" | "search_result" | "container_upload") => Ok(()),
        ("user", "tool_result") => result_block(block, at),
        ("assistant", "tool_use") => use_block(block, at),
        ("assistant", "thinking") => {
            fields::known_members(block, at, &["type", "thinking", "signature"])?;
            strings(block, at, &["thinking", "signature"])
        }
        ("assistant", "redacted_thinking") => {
            fields::known_members(block, at, &["type", "data"])?;
            strings(block, at, &["data"])
        }
        ("assistant", _) if is_server_block(block) => Ok(()),
        (_, kind) => Err(format!("{at}: a block of type {kind:?} cannot be in a {role} message")),
    }
}

fn strings(block: &Value, at: &str, names: &[&str]) -> Check {
    match names.iter().find(|name| !block[**name].is_string()) {
        Some(name) => Err(format!("{at}.{name}: Field required")),
        None => Ok(()),
    }
}

pub(super) fn text_block(block: &Value, at: &str) -> Check {
    fields::known_members(block, at, &["type", "text", "cache_control", "citations"])?;
    match block["text"].as_str() {
        None => Err(format!("{at}.text: Field required")),
        Some("") => Err(format!("{at}: text content blocks must be non-empty")),
        Some(text) if text.trim().is_empty() => {
            Err(format!("{at}: text content blocks must contain non-whitespace text"))
        }
        Some(_) => Ok(()),
    }
}

fn image_block(block: &Value, at: &str) -> Check {
    fields::known_members(block, at, &["type", "source", "cache_control"])?;
    let source = &block["source"];
    let known = ["image/jpeg", "image/png", "image/gif", "image/webp"];
    match source["type"].as_str() {
        Some("base64") if !known.iter().any(|kind| source["media_type"] == *kind) => {
            Err(format!("{at}.source.base64.media_type: {} is not one of {known:?}", source["media_type"]))
        }
        Some("base64") if source["data"].as_str().is_none_or(str::is_empty) => {
            Err(format!("{at}.source.base64.data: must be a non-empty string"))
        }
        Some("url") if !source["url"].as_str().is_some_and(|url| url.starts_with("https://")) => {
            Err(format!("{at}.source.url: must be an https URL"))
        }
        Some("base64" | "url" | "file") => Ok(()),
        _ => Err(format!("{at}.source.type: must be 'base64', 'url' or 'file'")),
    }
}

fn use_block(block: &Value, at: &str) -> Check {
    fields::known_members(block, at, &["type", "id", "name", "input", "cache_control", "caller"])?;
    let id = block["id"].as_str().unwrap_or_default();
    if id.is_empty() || !id.bytes().all(is_name_byte) {
        return Err(format!("{at}.id: String should match pattern '^[a-zA-Z0-9_-]+$', not {}", block["id"]));
    }
    fields::tool_name(&block["name"], &format!("{at}.name"))?;
    if block["input"].is_object() {
        Ok(())
    } else {
        Err(format!("{at}.input: Input should be a valid dictionary, not {}", block["input"]))
    }
}

fn result_block(block: &Value, at: &str) -> Check {
    fields::known_members(block, at, &["type", "tool_use_id", "content", "is_error", "cache_control"])?;
    strings(block, at, &["tool_use_id"])?;
    if block.get("is_error").is_some_and(|flag| !flag.is_boolean()) {
        return Err(format!("{at}.is_error: Input should be a valid boolean"));
    }
    let empty = match &block["content"] {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.is_empty(),
        other => return Err(format!("{at}.content: must be a string or an array of blocks, not {other}")),
    };
    if empty && block["is_error"] == true {
        return Err(format!("{at}: content cannot be empty if `is_error` is true"));
    }
    for (index, part) in entries(&block["content"]).iter().enumerate() {
        let at = format!("{at}.content.{index}");
        match part["type"].as_str() {
            Some("text") => text_block(part, &at)?,
            Some("image") => image_block(part, &at)?,
            Some("document" | "search_result" | "tool_reference") => {}
            other => return Err(format!("{at}.type: {other:?} cannot be in a tool_result")),
        }
    }
    Ok(())
}

/// The services merge equal roles; we do not, since a client that relies on it has lost track of its turns. The one
/// exception is the continuation of a paused turn.
fn roles_alternate(messages: &[Value], checker: &Checker<'_>) -> Check {
    if messages[0]["role"] != "user" {
        return Err("messages.0: first message must use the \"user\" role".into());
    }
    for (index, pair) in messages.windows(2).enumerate() {
        if pair[0]["role"] == pair[1]["role"] && !paused(&pair[0], checker.turns) {
            return Err(format!(
                "messages.{}: roles must alternate between \"user\" and \"assistant\", but found multiple {} roles \
                 in a row",
                index + 1,
                pair[0]["role"]
            ));
        }
    }
    Ok(())
}

/// Blocks of server tools come back verbatim with their turn, results after their call.
fn server_blocks_kept(message: &Value, index: usize, checker: &Checker<'_>) -> Check {
    let sent = blocks(message);
    for block in sent.iter().filter(|block| block["type"] != "tool_result") {
        let Some(id) = block["tool_use_id"].as_str() else { continue };
        if !sent.iter().any(|other| other["type"] == "server_tool_use" && other["id"] == id) {
            return Err(format!(
                "messages.{index}: {} without the server_tool_use {id:?} it belongs to",
                block["type"]
            ));
        }
    }
    let Some(turn) = turn_of(message, checker.turns) else { return Ok(()) };
    for expected in turn.blocks.iter().filter(|block| is_server_block(block)) {
        if !sent.iter().any(|block| without_breakpoint(block) == *expected) {
            return Err(format!(
                "messages.{index}: blocks of server tools must be replayed verbatim; missing or changed: {expected}"
            ));
        }
    }
    Ok(())
}

fn without_breakpoint(block: &Value) -> Value {
    let mut block = block.clone();
    block.as_object_mut().map(|members| members.shift_remove("cache_control"));
    block
}

/// An assistant message at the end is a prefill, or a paused turn sent back to be continued.
fn prefill(body: &Value, messages: &[Value], checker: &Checker<'_>) -> Check {
    let Some(last) = messages.last().filter(|last| last["role"] == "assistant") else { return Ok(()) };
    if paused(last, checker.turns) {
        return Ok(());
    }
    if super::anthropic_thinking::is_on(body) {
        return Err("messages: the conversation must end with a user message when thinking is enabled".into());
    }
    let text = last["content"].as_str().or_else(|| blocks(last).last()?["text"].as_str()).unwrap_or_default();
    if text.ends_with(char::is_whitespace) {
        return Err("messages: final assistant content cannot end with trailing whitespace".into());
    }
    Ok(())
}
