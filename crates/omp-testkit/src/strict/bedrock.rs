//! Amazon Bedrock ConverseStream: everything but the messages.

use super::fields::{self, entries, members};
use super::{Check, Checker, bedrock_messages, bedrock_thinking, schema};
use crate::server::RecordedRequest;
use serde_json::Value;

const FIELDS: &[&str] = &[
    "additionalModelRequestFields",
    "additionalModelResponseFieldPaths",
    "guardrailConfig",
    "inferenceConfig",
    "messages",
    "performanceConfig",
    "promptVariables",
    "requestMetadata",
    "serviceTier",
    "system",
    "toolConfig",
];

pub(super) fn check(request: &RecordedRequest, checker: &Checker<'_>) -> Check {
    let body = &request.body;
    address(&request.path)?;
    fields::known_top_level(body, FIELDS, checker.rules)?;
    fields::required(body, &["messages"])?;
    inference(body)?;
    system(body)?;
    tools(body)?;
    tool_choice(body)?;
    cache_points(body)?;
    bedrock_messages::check(body)?;
    bedrock_thinking::check(body, checker)
}

/// The id is one segment of the path, so what separates segments must be encoded.
fn address(path: &str) -> Check {
    let id = path.split_once("/model/").and_then(|(_, rest)| rest.strip_suffix("/converse-stream"));
    match id {
        Some(id) if !id.is_empty() && !id.contains(['/', ':']) => Ok(()),
        _ => Err(format!("{path}: must be /model/<encoded id>/converse-stream")),
    }
}

fn inference(body: &Value) -> Check {
    let Some(config) = body.get("inferenceConfig") else { return Ok(()) };
    if members(config).next().is_none() {
        return Err("inferenceConfig: must not be empty".into());
    }
    fields::known_members(config, "inferenceConfig", &["maxTokens", "stopSequences", "temperature", "topP"])?;
    fields::token_count(config, "maxTokens", 1)?;
    for name in ["temperature", "topP"] {
        let out_of_range = |value: &Value| value.as_f64().is_none_or(|value| !(0.0..=1.0).contains(&value));
        if config.get(name).is_some_and(out_of_range) {
            return Err(format!("inferenceConfig.{name}: must be between 0 and 1"));
        }
    }
    Ok(())
}

fn system(body: &Value) -> Check {
    let Some(system) = body.get("system") else { return Ok(()) };
    if entries(system).is_empty() {
        return Err("system: must be a non-empty array".into());
    }
    for (index, block) in entries(system).iter().enumerate() {
        let at = format!("system[{index}]");
        match bedrock_messages::kind(block, &at)? {
            ("text", text) if text.as_str().is_some_and(|text| !text.trim().is_empty()) => {}
            ("cachePoint", _) if index > 0 => {}
            (kind, _) => return Err(format!("{at}.{kind}: is not possible here")),
        }
    }
    Ok(())
}

fn tools(body: &Value) -> Check {
    let Some(config) = body.get("toolConfig") else { return Ok(()) };
    fields::known_members(config, "toolConfig", &["tools", "toolChoice"])?;
    let tools = entries(&config["tools"]);
    if tools.is_empty() {
        return Err("toolConfig.tools: must have at least 1 member".into());
    }
    for (index, tool) in tools.iter().enumerate() {
        let at = format!("toolConfig.tools[{index}]");
        match bedrock_messages::kind(tool, &at)? {
            ("toolSpec", spec) => tool_spec(spec, &format!("{at}.toolSpec"))?,
            ("cachePoint", _) if index > 0 => {}
            (kind, _) => return Err(format!("{at}.{kind}: is not possible here")),
        }
    }
    fields::unique_tool_names(tools.iter().filter_map(|tool| tool["toolSpec"]["name"].as_str()))
}

fn tool_spec(spec: &Value, at: &str) -> Check {
    fields::known_members(spec, at, &["name", "description", "inputSchema", "strict"])?;
    fields::tool_name(&spec["name"], &format!("{at}.name"))?;
    if spec.get("description").is_some_and(|text| text.as_str().is_none_or(str::is_empty)) {
        return Err(format!("{at}.description: must have a length of at least 1"));
    }
    fields::known_members(&spec["inputSchema"], &format!("{at}.inputSchema"), &["json"])?;
    schema::openai_object(&spec["inputSchema"]["json"]).map_err(|error| format!("{at}.inputSchema: {error}"))
}

fn tool_choice(body: &Value) -> Check {
    let Some(choice) = body["toolConfig"].get("toolChoice") else { return Ok(()) };
    match bedrock_messages::kind(choice, "toolConfig.toolChoice")? {
        ("auto" | "any", _) => Ok(()),
        ("tool", tool) => {
            let mut tools = entries(&body["toolConfig"]["tools"]).iter();
            if tools.any(|known| known["toolSpec"]["name"] == tool["name"]) {
                Ok(())
            } else {
                Err(format!("toolConfig.toolChoice.tool: {} is not among the tools", tool["name"]))
            }
        }
        (kind, _) => Err(format!("toolConfig.toolChoice.{kind}: is not a choice")),
    }
}

/// At most four in all.
fn cache_points(body: &Value) -> Check {
    let is_point = |block: &&Value| block.get("cachePoint").is_some();
    let of = |list: &Value| entries(list).iter().filter(is_point).count();
    let messages = entries(&body["messages"]).iter().map(|message| of(&message["content"]));
    let count = messages.sum::<usize>() + of(&body["system"]) + of(&body["toolConfig"]["tools"]);
    if count > 4 { Err(format!("{count} cachePoint blocks; at most 4 are possible")) } else { Ok(()) }
}
