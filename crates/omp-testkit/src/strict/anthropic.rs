//! Anthropic Messages: everything but the messages.

use super::fields::{self, entries};
use super::{
    Check, Checker, anthropic_cache, anthropic_messages, anthropic_results, anthropic_thinking, schema,
};
use serde_json::Value;

const FIELDS: &[&str] = &[
    "cache_control",
    "container",
    "context_management",
    "inference_geo",
    "max_tokens",
    "mcp_servers",
    "messages",
    "metadata",
    "model",
    "output_config",
    "output_format",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];
const TOOL_FIELDS: &[&str] = &[
    "allowed_callers",
    "cache_control",
    "defer_loading",
    "description",
    "eager_input_streaming",
    "input_examples",
    "input_schema",
    "name",
    "strict",
    "type",
];

pub(super) fn check(body: &Value, checker: &Checker<'_>) -> Check {
    fields::known_top_level(body, FIELDS, checker.rules)?;
    fields::required(body, &["model", "max_tokens", "messages"])?;
    fields::model(body)?;
    fields::streams(body)?;
    fields::token_count(body, "max_tokens", 1)?;
    system(body)?;
    tools(body)?;
    tool_choice(body)?;
    metadata(body)?;
    anthropic_thinking::parameters(body)?;
    anthropic_messages::check(body, checker)?;
    anthropic_results::check(body)?;
    anthropic_thinking::history(body, checker)?;
    anthropic_cache::check(body)
}

/// A string or text blocks, none of them empty.
fn system(body: &Value) -> Check {
    match &body["system"] {
        Value::Null => return Ok(()),
        Value::String(text) if !text.trim().is_empty() => return Ok(()),
        Value::Array(blocks) if !blocks.is_empty() => {}
        _ => return Err("system: must be a non-empty string or array of text blocks".into()),
    }
    for (index, block) in entries(&body["system"]).iter().enumerate() {
        if block["type"] != "text" {
            return Err(format!("system.{index}.type: Input should be 'text'"));
        }
        anthropic_messages::text_block(block, &format!("system.{index}"))?;
    }
    Ok(())
}

fn tools(body: &Value) -> Check {
    let tools = entries(&body["tools"]);
    for (index, tool) in tools.iter().enumerate() {
        let at = format!("tools.{index}");
        fields::tool_name(&tool["name"], &format!("{at}.name"))?;
        // Any other type is one of Anthropic's own tools, whose fields differ by version.
        if tool.get("type").is_none_or(|kind| kind == "custom") {
            client_tool(tool, &at)?;
        }
    }
    fields::unique_tool_names(tools.iter().filter_map(|tool| tool["name"].as_str()))
}

fn client_tool(tool: &Value, at: &str) -> Check {
    fields::known_members(tool, &format!("{at}.custom"), TOOL_FIELDS)?;
    let Some(input) = tool.get("input_schema") else {
        return Err(format!("{at}.custom.input_schema: Field required"));
    };
    schema::anthropic_object(input).map_err(|error| format!("{at}.custom.input_schema: {error}"))?;
    if tool["strict"] == true {
        schema::anthropic_strict(input).map_err(|error| format!("{at}.custom.input_schema: {error}"))?;
    }
    Ok(())
}

fn tool_choice(body: &Value) -> Check {
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    let tools = entries(&body["tools"]);
    fields::known_members(choice, "tool_choice", &["type", "name", "disable_parallel_tool_use"])?;
    match choice["type"].as_str() {
        Some("none") => Ok(()),
        Some("auto" | "any") if !tools.is_empty() => Ok(()),
        Some("tool") if tools.iter().any(|tool| tool["name"] == choice["name"]) => Ok(()),
        Some("tool") => Err(format!("Tool '{}' not found in provided tools", choice["name"])),
        Some("auto" | "any") => Err("tool_choice may only be specified while providing tools".into()),
        _ => Err(format!("tool_choice: {choice} does not match any of 'auto', 'any', 'tool', 'none'")),
    }
}

fn metadata(body: &Value) -> Check {
    fields::known_members(&body["metadata"], "metadata", &["user_id"])
}
