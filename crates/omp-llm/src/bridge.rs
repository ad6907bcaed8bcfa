//! Anthropic Messages and OpenAI Chat Completions say the same things in different shapes: pure functions from one to
//! the other, on JSON, piece by piece.
//!
//! A gateway that offers one wire and forwards to the other is built from these. Ids pass through as they are: both
//! sides treat them as opaque, and a client only ever sees ids of the provider behind the gateway.

use serde_json::{Map, Value, json};

/// Why a piece cannot be said on the other wire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BridgeError {
    #[error("the arguments of call \"{id}\" are not a JSON object: {arguments}")]
    Arguments { id: String, arguments: String },
    #[error("messages[{index}] has an unknown role {role}")]
    Role { index: usize, role: String },
}

/// `{name, description, input_schema}` to `{type: function, function: {name, description, parameters}}`.
pub fn tool_to_openai(tool: &Value) -> Value {
    let function = renamed(tool, &["name", "description", "strict"], "input_schema", "parameters");
    json!({"type": "function", "function": function})
}

/// The way back: the wrapper falls away.
pub fn tool_to_anthropic(tool: &Value) -> Value {
    let mut flat =
        renamed(&tool["function"], &["name", "description", "strict"], "parameters", "input_schema");
    // A function without parameters is allowed there, a tool without schema is not allowed here.
    flat.entry("input_schema").or_insert_with(|| json!({"type": "object", "properties": {}}));
    Value::Object(flat)
}

fn renamed(value: &Value, kept: &[&str], from: &str, to: &str) -> Map<String, Value> {
    let mut out = Map::new();
    for name in kept {
        if let Some(member) = value.get(name) {
            out.insert((*name).to_owned(), member.clone());
        }
    }
    if let Some(member) = value.get(from) {
        out.insert(to.to_owned(), member.clone());
    }
    out
}

/// A `tool_use` block to an entry of `tool_calls`. The input object becomes JSON text, once.
pub fn call_to_openai(block: &Value) -> Value {
    let input = block.get("input").filter(|input| input.is_object()).cloned().unwrap_or_else(|| json!({}));
    json!({
        "id": block["id"],
        "type": "function",
        "function": {"name": block["name"], "arguments": input.to_string()},
    })
}

/// An entry of `tool_calls` to a `tool_use` block. The JSON text is parsed, once; none at all means no arguments.
pub fn call_to_anthropic(call: &Value) -> Result<Value, BridgeError> {
    let text = call["function"]["arguments"].as_str().unwrap_or_default();
    let input = if text.trim().is_empty() {
        Ok(Map::new())
    } else {
        serde_json::from_str::<Map<String, Value>>(text)
    };
    let input = input.map_err(|_| BridgeError::Arguments {
        id: call["id"].as_str().unwrap_or_default().to_owned(),
        arguments: text.to_owned(),
    })?;
    Ok(json!({"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": input}))
}

/// `stop_reason` to `finish_reason`.
pub fn finish_reason(stop_reason: &str) -> &'static str {
    match stop_reason {
        "tool_use" => "tool_calls",
        "max_tokens" | "model_context_window_exceeded" => "length",
        "refusal" => "content_filter",
        _ => "stop",
    }
}

/// `finish_reason` to `stop_reason`.
pub fn stop_reason(finish_reason: &str) -> &'static str {
    match finish_reason {
        "tool_calls" | "function_call" => "tool_use",
        "length" => "max_tokens",
        "content_filter" => "refusal",
        _ => "end_turn",
    }
}

/// Anthropic's one field is two on the other side: the choice, and whether calls may be parallel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenAiToolChoice {
    pub tool_choice: Option<Value>,
    pub parallel_tool_calls: Option<bool>,
}

pub fn tool_choice_to_openai(choice: Option<&Value>) -> OpenAiToolChoice {
    let Some(choice) = choice else { return OpenAiToolChoice::default() };
    let tool_choice = match choice["type"].as_str() {
        Some("any") => Some(json!("required")),
        Some("none") => Some(json!("none")),
        Some("tool") => Some(json!({"type": "function", "function": {"name": choice["name"]}})),
        Some("auto") => Some(json!("auto")),
        _ => None,
    };
    let parallel_tool_calls = choice["disable_parallel_tool_use"].as_bool().map(|disabled| !disabled);
    OpenAiToolChoice { tool_choice, parallel_tool_calls }
}

pub fn tool_choice_to_anthropic(choice: &OpenAiToolChoice) -> Option<Value> {
    let wanted = choice.tool_choice.as_ref();
    let mut out = match wanted.and_then(Value::as_str) {
        Some("required") => json!({"type": "any"}),
        Some("none") => json!({"type": "none"}),
        Some(_) => json!({"type": "auto"}),
        None => match wanted.map(|choice| &choice["function"]["name"]).filter(|name| name.is_string()) {
            Some(name) => json!({"type": "tool", "name": name}),
            // The flag alone needs a choice to live in.
            None => choice.parallel_tool_calls.map(|_| json!({"type": "auto"}))?,
        },
    };
    // Where no tool may be called there is nothing to limit, and the field is refused.
    if let Some(parallel) = choice.parallel_tool_calls.filter(|_| out["type"] != "none") {
        out["disable_parallel_tool_use"] = (!parallel).into();
    }
    Some(out)
}

/// Anthropic messages, and the system prompt that stands beside them, as chat messages.
pub fn messages_to_openai(system: Option<&Value>, messages: &[Value]) -> Vec<Value> {
    let mut out = Vec::new();
    if let Some(text) = system.map(plain_text).filter(|text| !text.is_empty()) {
        out.push(json!({"role": "system", "content": text}));
    }
    for message in messages {
        let blocks = blocks(&message["content"]);
        if message["role"] == "assistant" {
            out.extend(assistant_to_openai(&blocks));
        } else {
            push_user(&mut out, &blocks);
        }
    }
    out
}

/// A content field as blocks; a string is one text block.
fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}

/// All text in a content field.
fn plain_text(content: &Value) -> String {
    let texts: Vec<String> =
        blocks(content).iter().filter_map(|block| block["text"].as_str()).map(str::to_owned).collect();
    texts.join("\n")
}

/// Text and calls. Reasoning is signed for its own provider and stays behind; nothing is left of a message that was
/// only that.
fn assistant_to_openai(blocks: &[Value]) -> Option<Value> {
    let calls: Vec<Value> =
        blocks.iter().filter(|block| block["type"] == "tool_use").map(call_to_openai).collect();
    let text = plain_text(&Value::Array(blocks.to_vec()));
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    message.insert("content".into(), if text.is_empty() { Value::Null } else { text.into() });
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Some(Value::Object(message))
}

/// One message with N results becomes N `tool` messages; what else it holds follows in a user message.
fn push_user(out: &mut Vec<Value>, blocks: &[Value]) {
    let mut parts = Vec::new();
    for block in blocks {
        if block["type"] == "tool_result" {
            out.push(
                json!({"role": "tool", "tool_call_id": block["tool_use_id"], "content": result_text(block)}),
            );
            let inner = block["content"].as_array().into_iter().flatten();
            parts.extend(inner.filter(|part| part["type"] == "image").filter_map(part_to_openai));
        } else {
            parts.extend(part_to_openai(block));
        }
    }
    match parts.as_slice() {
        [] => {}
        [part] if part["type"] == "text" => out.push(json!({"role": "user", "content": part["text"]})),
        _ => out.push(json!({"role": "user", "content": parts})),
    }
}

/// There is no error flag over there; the words carry it.
fn result_text(block: &Value) -> String {
    let text = plain_text(&block["content"]);
    if block["is_error"] == true { format!("Error: {text}") } else { text }
}

fn part_to_openai(block: &Value) -> Option<Value> {
    let source = &block["source"];
    match block["type"].as_str()? {
        "text" => Some(json!({"type": "text", "text": block["text"]})),
        "image" if source["type"] == "base64" => {
            let url = format!("data:{};base64,{}", source["media_type"].as_str()?, source["data"].as_str()?);
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        "image" => Some(json!({"type": "image_url", "image_url": {"url": source["url"].as_str()?}})),
        _ => None,
    }
}

/// A conversation in Anthropic's shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnthropicMessages {
    pub system: Option<String>,
    pub messages: Vec<Value>,
}

/// Chat messages as Anthropic messages. Roles alternate there, so neighbours merge, and the results of one turn
/// share one user message, in front of any text.
pub fn messages_to_anthropic(messages: &[Value]) -> Result<AnthropicMessages, BridgeError> {
    let mut system = Vec::new();
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let (role, blocks) = match message["role"].as_str() {
            Some("system" | "developer") => {
                system.push(plain_text(&message["content"]));
                continue;
            }
            Some("user") => ("user", user_to_anthropic(&message["content"])),
            Some("tool") => ("user", vec![result_to_anthropic(message)]),
            Some("assistant") => ("assistant", assistant_to_anthropic(message)?),
            _ => return Err(BridgeError::Role { index, role: message["role"].to_string() }),
        };
        match out.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => out.push((role, blocks)),
        }
    }
    let messages = out.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
    Ok(AnthropicMessages { system: (!system.is_empty()).then(|| system.join("\n\n")), messages })
}

fn result_to_anthropic(message: &Value) -> Value {
    json!({
        "type": "tool_result",
        "tool_use_id": message["tool_call_id"],
        "content": plain_text(&message["content"]),
    })
}

fn user_to_anthropic(content: &Value) -> Vec<Value> {
    blocks(content).iter().filter_map(part_to_anthropic).collect()
}

/// Empty text is refused over there.
fn part_to_anthropic(part: &Value) -> Option<Value> {
    match part["type"].as_str()? {
        "text" => part["text"]
            .as_str()
            .filter(|text| !text.is_empty())
            .map(|text| json!({"type": "text", "text": text})),
        "image_url" => {
            let url = part["image_url"]["url"].as_str()?;
            let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
            let source = match inline {
                Some((media_type, data)) => json!({"type": "base64", "media_type": media_type, "data": data}),
                None => json!({"type": "url", "url": url}),
            };
            Some(json!({"type": "image", "source": source}))
        }
        _ => None,
    }
}

fn assistant_to_anthropic(message: &Value) -> Result<Vec<Value>, BridgeError> {
    let mut blocks = user_to_anthropic(&message["content"]);
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        blocks.push(call_to_anthropic(call)?);
    }
    Ok(blocks)
}
