//! Ollama's chat: everything but the messages.

use super::fields::{self, entries, members};
use super::{Check, Checker, chat, ollama_messages};
use serde_json::Value;

const FIELDS: &[&str] = &["format", "keep_alive", "messages", "model", "options", "stream", "think", "tools"];

/// Names of options and whether they are whole numbers.
const OPTIONS: &[(&str, bool)] = &[
    ("frequency_penalty", false),
    ("min_p", false),
    ("num_batch", true),
    ("num_ctx", true),
    ("num_gpu", true),
    ("num_keep", true),
    ("num_predict", true),
    ("num_thread", true),
    ("presence_penalty", false),
    ("repeat_last_n", true),
    ("repeat_penalty", false),
    ("seed", true),
    ("temperature", false),
    ("top_k", true),
    ("top_p", false),
    ("typical_p", false),
];

/// The server itself ignores what it does not know; a client that sends such a field believes in an effect it does
/// not have.
pub(super) fn check(body: &Value, checker: &Checker<'_>) -> Check {
    fields::known_top_level(body, FIELDS, checker.rules)?;
    fields::required(body, &["model", "messages"])?;
    fields::model(body)?;
    fields::streams(body)?;
    options(body)?;
    think(body)?;
    tools(body)?;
    ollama_messages::check(body)
}

fn options(body: &Value) -> Check {
    let Some(options) = body.get("options") else { return Ok(()) };
    if !options.is_object() {
        return Err("options: must be an object".into());
    }
    for (name, value) in members(options) {
        match OPTIONS.iter().find(|(known, _)| known == name) {
            None => return Err(format!("options.{name}: is not an option")),
            Some((_, true)) if !value.is_i64() && !value.is_u64() => {
                return Err(format!("option {name:?} must be of type integer, not {value}"));
            }
            Some(_) if !value.is_number() => return Err(format!("option {name:?} must be a number")),
            Some(_) => {}
        }
    }
    Ok(())
}

fn think(body: &Value) -> Check {
    match body.get("think") {
        None | Some(Value::Bool(_)) => Ok(()),
        Some(Value::String(level)) if ["low", "medium", "high"].contains(&level.as_str()) => Ok(()),
        Some(other) => Err(format!(
            "invalid think value: {other} (must be \"high\", \"medium\", \"low\", true, or false)"
        )),
    }
}

fn tools(body: &Value) -> Check {
    let Some(tools) = body.get("tools") else { return Ok(()) };
    if entries(tools).is_empty() {
        return Err("tools: must be a non-empty array".into());
    }
    for (index, tool) in entries(tools).iter().enumerate() {
        let at = format!("tools[{index}]");
        if tool["type"] != "function" {
            return Err(format!("{at}.type: must be 'function'"));
        }
        fields::known_members(tool, &at, &["type", "function"])?;
        let function = &tool["function"];
        let known = ["name", "description", "parameters"];
        fields::known_members(function, &format!("{at}.function"), &known)?;
        fields::tool_name(&function["name"], &format!("{at}.function.name"))?;
        chat::openai_parameters(&function["name"], function.get("parameters"), &Value::Null)?;
    }
    fields::unique_tool_names(entries(tools).iter().filter_map(|tool| tool["function"]["name"].as_str()))
}
