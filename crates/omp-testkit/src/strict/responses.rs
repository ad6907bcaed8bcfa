//! OpenAI Responses: everything but the input items.

use super::fields::{self, entries};
use super::{Check, Checker, chat, responses_items, responses_reasoning, schema};
use serde_json::Value;

const FIELDS: &[&str] = &[
    "background",
    "context_management",
    "conversation",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

pub(super) fn check(body: &Value, checker: &Checker<'_>) -> Check {
    fields::known_top_level(body, FIELDS, checker.rules)?;
    fields::required(body, &["model", "input"])?;
    fields::model(body)?;
    fields::streams(body)?;
    fields::token_count(body, "max_output_tokens", 16)?;
    include(body)?;
    tools(body)?;
    tool_choice(body)?;
    encrypted_reasoning_asked(body)?;
    responses_items::check(body)?;
    responses_reasoning::check(body, checker)
}

fn include(body: &Value) -> Check {
    const KNOWN: &[&str] = &[
        "code_interpreter_call.outputs",
        "computer_call_output.output.image_url",
        "file_search_call.results",
        "message.input_image.image_url",
        "message.output_text.logprobs",
        "reasoning.encrypted_content",
        "web_search_call.action.sources",
        "web_search_call.results",
    ];
    match entries(&body["include"]).iter().find(|entry| !KNOWN.iter().any(|known| *entry == known)) {
        Some(entry) => Err(format!("Invalid value: {entry}. Supported values for 'include' are: {KNOWN:?}")),
        None => Ok(()),
    }
}

fn tools(body: &Value) -> Check {
    let tools = entries(&body["tools"]);
    for (index, tool) in tools.iter().enumerate() {
        let at = format!("tools[{index}]");
        match tool["type"].as_str() {
            Some("function") => function_tool(tool, &at)?,
            Some("custom") => fields::tool_name(&tool["name"], &format!("{at}.name"))?,
            Some(_) => {}
            None => return Err(format!("Missing required parameter: '{at}.type'.")),
        }
    }
    fields::unique_tool_names(tools.iter().filter_map(|tool| tool["name"].as_str()))
}

/// Flat: name and parameters beside the type, not in a `function` object.
fn function_tool(tool: &Value, at: &str) -> Check {
    if tool.get("name").is_none() {
        return Err(format!("Missing required parameter: '{at}.name'."));
    }
    fields::known_members(tool, at, &["type", "name", "description", "parameters", "strict"])?;
    fields::tool_name(&tool["name"], &format!("{at}.name"))?;
    let Some(parameters) = tool.get("parameters") else {
        return Err(format!("Missing required parameter: '{at}.parameters'."));
    };
    let name = tool["name"].as_str().unwrap_or_default();
    schema::without_one_of(parameters)
        .map_err(|error| format!("Invalid schema for function '{name}': {error}"))?;
    chat::openai_parameters(&tool["name"], Some(parameters), &tool["strict"])
}

fn tool_choice(body: &Value) -> Check {
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    let tools = entries(&body["tools"]);
    match choice.as_str() {
        Some("auto" | "none") => Ok(()),
        Some("required") if !tools.is_empty() => Ok(()),
        Some(other) => Err(format!("tool_choice: {other:?} is not possible with {} tools", tools.len())),
        None if choice["type"] != "function" && choice["type"] != "custom" => Ok(()),
        None if tools.iter().any(|tool| tool["name"] == choice["name"]) => Ok(()),
        None => Err(format!("Tool choice {} not found in 'tools' parameter.", choice["name"])),
    }
}

/// Without storage the service forgets its reasoning, so a client that wants it must ask for the sealed form.
fn encrypted_reasoning_asked(body: &Value) -> Check {
    let effort = &body["reasoning"]["effort"];
    let reasons = body["reasoning"].is_object() && *effort != "none";
    let asked = entries(&body["include"]).iter().any(|entry| entry == "reasoning.encrypted_content");
    if body["store"] == false && reasons && !asked {
        return Err(
            "include: must contain 'reasoning.encrypted_content' when store is false and reasoning is \
                    requested"
                .into(),
        );
    }
    Ok(())
}
