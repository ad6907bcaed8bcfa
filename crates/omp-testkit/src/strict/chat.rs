//! OpenAI Chat Completions: everything but the messages.

use super::fields::{self, entries};
use super::{Check, Checker, chat_messages, schema, schema_strict};
use serde_json::Value;

const FIELDS: &[&str] = &[
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
];

pub(super) fn check(body: &Value, checker: &Checker<'_>) -> Check {
    fields::known_top_level(body, FIELDS, checker.rules)?;
    fields::required(body, &["model", "messages"])?;
    fields::model(body)?;
    fields::streams(body)?;
    one_token_limit(body)?;
    fields::token_count(body, "max_tokens", 1)?;
    fields::token_count(body, "max_completion_tokens", 1)?;
    stream_options(body)?;
    tools(body)?;
    tool_choice(body)?;
    parallel_tool_calls(body)?;
    chat_messages::check(body, checker)
}

fn one_token_limit(body: &Value) -> Check {
    if body.get("max_tokens").is_some() && body.get("max_completion_tokens").is_some() {
        return Err(
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.".into()
        );
    }
    Ok(())
}

fn stream_options(body: &Value) -> Check {
    let Some(options) = body.get("stream_options") else { return Ok(()) };
    if !options.is_object() {
        return Err("stream_options: must be an object".into());
    }
    fields::known_members(options, "stream_options", &["include_usage", "include_obfuscation"])
}

fn tools(body: &Value) -> Check {
    let Some(list) = body.get("tools") else { return Ok(()) };
    let Some(tools) = list.as_array() else { return Err("tools: must be an array".into()) };
    if tools.is_empty() {
        return Err("Invalid 'tools': empty array. Expected an array with minimum length 1.".into());
    }
    for (index, tool) in tools.iter().enumerate() {
        function_tool(tool, &format!("tools[{index}]"))?;
    }
    fields::unique_tool_names(tools.iter().filter_map(|tool| tool["function"]["name"].as_str()))
}

fn function_tool(tool: &Value, at: &str) -> Check {
    match tool["type"].as_str() {
        Some("function") => {}
        Some("custom") => return fields::tool_name(&tool["custom"]["name"], &format!("{at}.custom.name")),
        other => return Err(format!("{at}.type: must be 'function' or 'custom', not {other:?}")),
    }
    fields::known_members(tool, at, &["type", "function"])?;
    let function = &tool["function"];
    fields::known_members(
        function,
        &format!("{at}.function"),
        &["name", "description", "parameters", "strict"],
    )?;
    fields::tool_name(&function["name"], &format!("{at}.function.name"))?;
    openai_parameters(&function["name"], function.get("parameters"), &function["strict"])
}

/// The parameter schema of a function on either OpenAI wire.
pub(super) fn openai_parameters(name: &Value, parameters: Option<&Value>, strict: &Value) -> Check {
    let named = |error: String| {
        format!("Invalid schema for function '{}': {error}", name.as_str().unwrap_or_default())
    };
    if let Some(parameters) = parameters {
        schema::openai_object(parameters).map_err(named)?;
        if strict == true {
            schema_strict::check(parameters).map_err(named)?;
        }
    } else if strict == true {
        return Err(named("strict functions need 'parameters'".into()));
    }
    Ok(())
}

fn tool_choice(body: &Value) -> Check {
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    let tools = entries(&body["tools"]);
    if tools.is_empty() {
        return Err("'tool_choice' is only allowed when 'tools' are specified.".into());
    }
    let name = &choice["function"]["name"];
    match choice.as_str() {
        Some("auto" | "none" | "required") => Ok(()),
        Some(other) => Err(format!("tool_choice: {other:?} is not one of 'none', 'auto', 'required'")),
        None if choice["type"] == "allowed_tools" || choice["type"] == "custom" => Ok(()),
        None if tools.iter().any(|tool| tool["function"]["name"] == *name && name.is_string()) => Ok(()),
        None => Err(format!("Tool choice {name} not found in 'tools' parameter.")),
    }
}

fn parallel_tool_calls(body: &Value) -> Check {
    if body.get("parallel_tool_calls").is_some() && entries(&body["tools"]).is_empty() {
        return Err("'parallel_tool_calls' is only allowed when 'tools' are specified.".into());
    }
    Ok(())
}
