//! Responses input items: shapes, ids, and calls with their outputs.

use super::Check;
use super::fields::{self, entries};
use serde_json::Value;

pub(super) fn check(body: &Value) -> Check {
    let items = match &body["input"] {
        Value::String(text) if !text.is_empty() => return Ok(()),
        Value::Array(items) if !items.is_empty() => items,
        _ => return Err("input: must be a non-empty string or array".into()),
    };
    for (index, item) in items.iter().enumerate() {
        shape(item, &format!("input[{index}]"))?;
    }
    calls_paired(items, "function_call", "function_call_output")?;
    calls_paired(items, "custom_tool_call", "custom_tool_call_output")?;
    unique_ids(items)
}

/// Messages may leave their type out.
pub(super) fn kind(item: &Value) -> &str {
    match item["type"].as_str() {
        Some(kind) => kind,
        None if item.get("role").is_some() => "message",
        None => "",
    }
}

fn shape(item: &Value, at: &str) -> Check {
    match kind(item) {
        "message" => message(item, at),
        "function_call" => {
            fields::known_members(item, at, &["type", "id", "call_id", "name", "arguments", "status"])?;
            call(item, at, "fc_")?;
            fields::arguments(&item["arguments"], &format!("{at}.arguments"))
        }
        "custom_tool_call" => {
            fields::known_members(item, at, &["type", "id", "call_id", "name", "input", "status"])?;
            call(item, at, "ctc_")?;
            string(&item["input"], &format!("{at}.input"))
        }
        "function_call_output" | "custom_tool_call_output" => {
            fields::known_members(item, at, &["type", "id", "call_id", "output", "status"])?;
            call_id(item, at)?;
            output(&item["output"], &format!("{at}.output"))
        }
        "reasoning" => {
            let known = ["type", "id", "summary", "content", "encrypted_content", "status"];
            fields::known_members(item, at, &known)?;
            reasoning(item, at)
        }
        "compaction" => {
            fields::known_members(item, at, &["type", "id", "encrypted_content"])?;
            item_id(item, at, "cmp_")?;
            string(&item["encrypted_content"], &format!("{at}.encrypted_content"))
        }
        other => Err(format!("Invalid value: '{other}' in '{at}.type'")),
    }
}

fn string(value: &Value, at: &str) -> Check {
    if value.is_string() { Ok(()) } else { Err(format!("{at}: must be a string, not {value}")) }
}

/// An id, if sent, has the prefix of its kind and at most 64 characters.
fn item_id(item: &Value, at: &str, prefix: &str) -> Check {
    match item.get("id") {
        None => Ok(()),
        Some(Value::String(id)) if id.starts_with(prefix) && id.len() <= 64 => Ok(()),
        Some(id) => Err(format!(
            "Invalid '{at}.id': {id}. Expected an ID that begins with '{prefix}' and has at most 64 characters."
        )),
    }
}

fn call_id(item: &Value, at: &str) -> Check {
    match item["call_id"].as_str() {
        Some(id) if (1..=64).contains(&id.len()) => Ok(()),
        _ => Err(format!("Invalid '{at}.call_id': {} must have 1 to 64 characters.", item["call_id"])),
    }
}

fn call(item: &Value, at: &str, prefix: &str) -> Check {
    item_id(item, at, prefix)?;
    call_id(item, at)?;
    fields::tool_name(&item["name"], &format!("{at}.name"))
}

fn reasoning(item: &Value, at: &str) -> Check {
    if item.get("id").is_none() {
        return Err(format!("Missing required parameter: '{at}.id'."));
    }
    item_id(item, at, "rs_")?;
    if item["summary"].is_array() {
        Ok(())
    } else {
        Err(format!("Missing required parameter: '{at}.summary'."))
    }
}

fn message(item: &Value, at: &str) -> Check {
    fields::known_members(item, at, &["type", "id", "role", "content", "status", "phase"])?;
    item_id(item, at, "msg_")?;
    let allowed: &[&str] = match item["role"].as_str() {
        Some("assistant") => &["output_text", "refusal"],
        Some("user" | "system" | "developer") => &["input_text", "input_image", "input_file"],
        other => return Err(format!("Invalid value: {other:?} in '{at}.role'")),
    };
    parts(&item["content"], &format!("{at}.content"), allowed)
}

fn output(value: &Value, at: &str) -> Check {
    // An empty output is a valid result of a tool, unlike an empty message.
    if value.is_string() { Ok(()) } else { parts(value, at, &["input_text", "input_image", "input_file"]) }
}

fn parts(content: &Value, at: &str, allowed: &[&str]) -> Check {
    match content {
        Value::String(text) if !text.is_empty() => return Ok(()),
        Value::Array(parts) if !parts.is_empty() => {}
        _ => return Err(format!("{at}: must be a non-empty string or array")),
    }
    for (index, part) in entries(content).iter().enumerate() {
        let at = format!("{at}[{index}]");
        let kind = part["type"].as_str().unwrap_or_default();
        if !allowed.contains(&kind) {
            return Err(format!(
                "Invalid value: '{kind}' in '{at}.type'. Supported values are: {allowed:?}."
            ));
        }
        match kind {
            "input_image" if part.get("file_id").is_none() => {
                fields::image_url(&part["image_url"], &format!("{at}.image_url"))?;
                fields::image_detail(part.get("detail"), &format!("{at}.detail"))?;
            }
            "input_text" | "output_text" => string(&part["text"], &format!("{at}.text"))?,
            "refusal" => string(&part["refusal"], &format!("{at}.refusal"))?,
            _ => {}
        }
    }
    Ok(())
}

/// Every call has exactly one output after it, every output a call before it.
fn calls_paired(items: &[Value], call: &str, output: &str) -> Check {
    let ids = |wanted: &str| -> Vec<(usize, &str)> {
        (items.iter().enumerate())
            .filter(|(_, item)| kind(item) == wanted)
            .map(|(index, item)| (index, item["call_id"].as_str().unwrap_or_default()))
            .collect()
    };
    let (calls, outputs) = (ids(call), ids(output));
    for (index, id) in &calls {
        if calls.iter().filter(|(_, other)| other == id).count() > 1 {
            return Err(format!("input[{index}]: call_id {id:?} was used before"));
        }
        match outputs.iter().filter(|(_, other)| other == id).count() {
            0 => return Err(format!("No tool output found for {} {id}.", call.replace('_', " "))),
            1 => {}
            _ => return Err(format!("input: more than one output for call_id {id:?}")),
        }
    }
    for (index, id) in &outputs {
        if !calls.iter().any(|(before, other)| other == id && before < index) {
            let words = call.replace('_', " ");
            return Err(format!("input[{index}]: No tool call found for {words} output with call_id {id}."));
        }
    }
    Ok(())
}

fn unique_ids(items: &[Value]) -> Check {
    let mut seen = std::collections::HashSet::new();
    match items.iter().filter_map(|item| item["id"].as_str()).find(|id| !seen.insert(*id)) {
        Some(id) => {
            Err(format!("Duplicate item found with id {id}. Remove duplicate items from your input."))
        }
        None => Ok(()),
    }
}
