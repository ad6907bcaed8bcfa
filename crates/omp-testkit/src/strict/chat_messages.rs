//! Chat Completions messages: roles, contents, and calls with their answers.

use super::fields::{self, entries};
use super::{Check, Checker};
use serde_json::Value;
use std::collections::HashSet;

pub(super) fn check(body: &Value, checker: &Checker<'_>) -> Check {
    let Some(messages) = body["messages"].as_array().filter(|list| !list.is_empty()) else {
        return Err("messages: must be a non-empty array".into());
    };
    for (index, message) in messages.iter().enumerate() {
        shape(message, &format!("messages[{index}]"))?;
    }
    system_first(messages)?;
    call_ids(messages, checker.rules.max_call_id)?;
    calls_answered(messages)?;
    tools_defined(body, messages)
}

fn shape(message: &Value, at: &str) -> Check {
    let content = &message["content"];
    let at_content = format!("{at}.content");
    match message["role"].as_str() {
        Some("system" | "developer") => {
            fields::known_members(message, at, &["role", "content", "name"])?;
            text_content(content, &at_content, &["text"])?;
            not_empty(content, &at_content)
        }
        Some("user") => {
            fields::known_members(message, at, &["role", "content", "name"])?;
            user_content(content, &at_content)?;
            not_empty(content, &at_content)
        }
        Some("assistant") => assistant(message, at),
        Some("tool") => {
            fields::known_members(message, at, &["role", "content", "tool_call_id"])?;
            text_content(content, &at_content, &["text"])
        }
        other => Err(format!(
            "{at}.role: {other:?} is not one of 'system', 'developer', 'user', 'assistant', 'tool'"
        )),
    }
}

fn not_empty(content: &Value, at: &str) -> Check {
    let empty = match content {
        Value::String(text) => text.is_empty(),
        other => entries(other).is_empty(),
    };
    if empty { Err(format!("{at}: must not be empty")) } else { Ok(()) }
}

/// A string, or parts of the `allowed` kinds with text in them.
fn text_content(content: &Value, at: &str, allowed: &[&str]) -> Check {
    let Some(parts) = content.as_array() else {
        return if content.is_string() {
            Ok(())
        } else {
            Err(format!("{at}: must be a string or an array of text parts, not {content}"))
        };
    };
    for (index, part) in parts.iter().enumerate() {
        let kind = part["type"].as_str().unwrap_or_default();
        if !allowed.contains(&kind) || !part[kind].is_string() {
            return Err(format!("{at}[{index}]: must be a part of type {allowed:?}, not {part}"));
        }
    }
    Ok(())
}

fn user_content(content: &Value, at: &str) -> Check {
    let Some(parts) = content.as_array() else { return text_content(content, at, &["text"]) };
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{at}[{index}]");
        match part["type"].as_str() {
            Some("text") if part["text"].as_str().is_some_and(|text| !text.is_empty()) => {}
            Some("image_url") => {
                fields::image_url(&part["image_url"]["url"], &format!("{at}.image_url.url"))?;
                fields::image_detail(part["image_url"].get("detail"), &format!("{at}.image_url.detail"))?;
            }
            Some("input_audio" | "file") => {}
            _ => {
                return Err(format!("{at}: must be a text, image_url, input_audio or file part, not {part}"));
            }
        }
    }
    Ok(())
}

/// `reasoning_content` is not OpenAI's, but our stream sends it, so it may come back.
fn assistant(message: &Value, at: &str) -> Check {
    let known = ["role", "content", "name", "refusal", "tool_calls", "audio", "reasoning_content"];
    fields::known_members(message, at, &known)?;
    let content = message.get("content").filter(|content| !content.is_null());
    if let Some(content) = content {
        text_content(content, &format!("{at}.content"), &["text", "refusal"])?;
    }
    if let Some(calls) = message.get("tool_calls") {
        if entries(calls).is_empty() {
            return Err(format!("Invalid '{at}.tool_calls': empty array."));
        }
        for (index, call) in entries(calls).iter().enumerate() {
            tool_call(call, &format!("{at}.tool_calls[{index}]"))?;
        }
        return Ok(());
    }
    let says_something = content.is_some_and(|content| not_empty(content, at).is_ok());
    if says_something || message["refusal"].is_string() {
        Ok(())
    } else {
        Err(format!("{at}: an assistant message must have content or tool_calls"))
    }
}

fn tool_call(call: &Value, at: &str) -> Check {
    if call["type"] != "function" {
        return Err(format!("{at}.type: must be 'function', not {}", call["type"]));
    }
    fields::known_members(call, at, &["id", "type", "function"])?;
    fields::known_members(&call["function"], &format!("{at}.function"), &["name", "arguments"])?;
    fields::tool_name(&call["function"]["name"], &format!("{at}.function.name"))?;
    fields::arguments(&call["function"]["arguments"], &format!("{at}.function.arguments"))
}

fn system_first(messages: &[Value]) -> Check {
    let is_system = |message: &Value| message["role"] == "system" || message["role"] == "developer";
    let start = messages.iter().take_while(|message| is_system(message)).count();
    match messages[start..].iter().position(is_system) {
        Some(offset) => {
            Err(format!("messages[{}]: system and developer messages belong at the start", start + offset))
        }
        None => Ok(()),
    }
}

fn call_ids(messages: &[Value], longest: usize) -> Check {
    let mut seen = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        for call in entries(&message["tool_calls"]) {
            let id = call["id"].as_str().unwrap_or_default();
            if id.is_empty() || id.chars().count() > longest {
                return Err(format!(
                    "messages[{index}].tool_calls: id {id:?} must have 1 to {longest} characters"
                ));
            }
            if !seen.insert(id) {
                return Err(format!("messages[{index}].tool_calls: id {id:?} was used before"));
            }
        }
    }
    Ok(())
}

/// After an assistant message with calls come its tool messages, one per id, and nothing else before them.
fn calls_answered(messages: &[Value]) -> Check {
    let mut open: Vec<&str> = Vec::new();
    let mut caller = 0;
    for (index, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(position) = open.iter().position(|open| *open == id) else {
                return Err(format!(
                    "messages[{index}]: messages with role 'tool' must be a response to a preceding message with \
                     'tool_calls'; {id:?} is not open"
                ));
            };
            open.remove(position);
            continue;
        }
        unanswered(caller, &open)?;
        caller = index;
        open = entries(&message["tool_calls"]).iter().filter_map(|call| call["id"].as_str()).collect();
    }
    unanswered(caller, &open)
}

fn unanswered(caller: usize, open: &[&str]) -> Check {
    if open.is_empty() {
        return Ok(());
    }
    Err(format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
         messages[{caller}]: no response for {open:?}"
    ))
}

fn tools_defined(body: &Value, messages: &[Value]) -> Check {
    let called = messages.iter().any(|message| message.get("tool_calls").is_some());
    if called && entries(&body["tools"]).is_empty() {
        return Err("messages hold tool calls, but 'tools' is missing".into());
    }
    Ok(())
}
