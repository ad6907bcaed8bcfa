//! Bedrock messages: taking turns, blocks of one member, and calls with their answers.

use super::Check;
use super::fields::{self, entries, members};
use super::ollama_messages::is_base64;
use serde_json::Value;
use std::collections::HashSet;

pub(super) fn check(body: &Value) -> Check {
    let messages = entries(&body["messages"]);
    if messages.first().is_none_or(|first| first["role"] != "user") {
        return Err("A conversation must start with a user message.".into());
    }
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        fields::known_members(message, &at, &["role", "content"])?;
        if index > 0 && message["role"] == messages[index - 1]["role"] {
            return Err(format!("{at}: roles must alternate between \"user\" and \"assistant\""));
        }
        content(message, &at)?;
    }
    if messages.last().is_some_and(|last| last["role"] == "assistant") {
        return Err("The conversation must end with a user message.".into());
    }
    calls_answered(messages)?;
    tools_defined(body, messages)
}

/// The one member of a union.
pub(super) fn kind<'v>(block: &'v Value, at: &str) -> Result<(&'v str, &'v Value), String> {
    let mut all = members(block);
    match (all.next(), all.next()) {
        (Some((kind, value)), None) => Ok((kind, value)),
        _ => Err(format!("{at}: must have exactly one member, not {block}")),
    }
}

fn content(message: &Value, at: &str) -> Check {
    let blocks = entries(&message["content"]);
    if blocks.is_empty() {
        return Err(format!("The content field at {at} is empty."));
    }
    for (index, block) in blocks.iter().enumerate() {
        let at = format!("{at}.content[{index}]");
        let (kind, value) = kind(block, &at)?;
        let at = format!("{at}.{kind}");
        match (message["role"].as_str(), kind) {
            (Some("user" | "assistant"), "text") => text(value, &at)?,
            (Some("user" | "assistant"), "cachePoint") if index > 0 => cache_point(value, &at)?,
            (Some("user"), "image") => image(value, &at)?,
            (Some("user"), "toolResult") => tool_result(value, &at)?,
            (Some("assistant"), "toolUse") => tool_use(value, &at)?,
            (Some("assistant"), "reasoningContent") => {}
            (role, _) => return Err(format!("{at}: is not possible for role {role:?} here")),
        }
    }
    Ok(())
}

fn text(value: &Value, at: &str) -> Check {
    match value.as_str() {
        Some(text) if !text.trim().is_empty() => Ok(()),
        _ => Err(format!("{at}: The text field in the ContentBlock object is blank.")),
    }
}

fn cache_point(value: &Value, at: &str) -> Check {
    fields::known_members(value, at, &["type", "ttl"])?;
    let ttl = value.get("ttl").is_none_or(|ttl| ttl == "5m" || ttl == "1h");
    if value["type"] == "default" && ttl {
        Ok(())
    } else {
        Err(format!("{at}: {value} is not a cache point"))
    }
}

fn image(value: &Value, at: &str) -> Check {
    fields::known_members(value, at, &["format", "source"])?;
    fields::known_members(&value["source"], at, &["bytes"])?;
    let format = value["format"].as_str().unwrap_or_default();
    if !["png", "jpeg", "gif", "webp"].contains(&format) {
        return Err(format!("{at}.format: {format:?} is not an image format"));
    }
    if value["source"]["bytes"].as_str().is_some_and(is_base64) {
        Ok(())
    } else {
        Err(format!("{at}.source.bytes: must be base64"))
    }
}

fn id(value: &Value, at: &str) -> Check {
    fields::tool_name(&value["toolUseId"], &format!("{at}.toolUseId"))
}

fn tool_use(value: &Value, at: &str) -> Check {
    fields::known_members(value, at, &["toolUseId", "name", "input"])?;
    id(value, at)?;
    fields::tool_name(&value["name"], &format!("{at}.name"))?;
    if value["input"].is_object() { Ok(()) } else { Err(format!("{at}.input: must be an object")) }
}

fn tool_result(value: &Value, at: &str) -> Check {
    fields::known_members(value, at, &["toolUseId", "content", "status"])?;
    id(value, at)?;
    if !["success", "error"].iter().any(|status| value["status"] == *status) {
        return Err(format!("{at}.status: must be success or error"));
    }
    if entries(&value["content"]).is_empty() {
        return Err(format!("{at}.content: must not be empty"));
    }
    for (index, block) in entries(&value["content"]).iter().enumerate() {
        let at = format!("{at}.content[{index}]");
        match kind(block, &at)? {
            ("text", words) => text(words, &at)?,
            ("image", picture) => image(picture, &at)?,
            ("json", _) => {}
            (kind, _) => return Err(format!("{at}.{kind}: is not possible in a result")),
        }
    }
    Ok(())
}

fn ids<'v>(message: Option<&'v Value>, kind: &str) -> Vec<&'v str> {
    let blocks = message.map(|message| entries(&message["content"])).unwrap_or_default();
    blocks.iter().filter_map(|block| block.get(kind)?["toolUseId"].as_str()).collect()
}

/// The results of a turn are in the very next message, each once, before anything else in it.
fn calls_answered(messages: &[Value]) -> Check {
    let mut seen = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        let results = ids(Some(message), "toolResult");
        let calls = ids(index.checked_sub(1).map(|before| &messages[before]), "toolUse");
        let (mut wanted, mut given) = (calls, results.clone());
        wanted.sort_unstable();
        given.sort_unstable();
        if wanted != given {
            return Err(format!(
                "Expected toolResult blocks at messages[{index}].content for the following Ids: {wanted:?}, found {given:?}"
            ));
        }
        let front = entries(&message["content"]).iter().take(results.len());
        if front.filter(|block| block.get("toolResult").is_some()).count() != results.len() {
            return Err(format!("messages[{index}]: toolResult blocks come first"));
        }
        if let Some(id) = ids(Some(message), "toolUse").into_iter().find(|id| !seen.insert(*id)) {
            return Err(format!("messages[{index}]: toolUse id {id:?} was used before"));
        }
    }
    Ok(())
}

fn tools_defined(body: &Value, messages: &[Value]) -> Check {
    let called = messages.iter().any(|message| !ids(Some(message), "toolUse").is_empty());
    if called && body.get("toolConfig").is_none() {
        return Err(
            "The toolConfig field must be defined when using toolUse and toolResult content blocks.".into()
        );
    }
    Ok(())
}
