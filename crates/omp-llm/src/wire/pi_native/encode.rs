//! The request body.

use omp_types::{Message, ModelRequest, ThinkingLevel, ToolChoice, ToolDefinition, UserContent, UserMessage};
use serde_json::{Map, Value, json};

use crate::model::Model;
use crate::wire::limit::output_limit;
use crate::wire::{WireRequest, insert_number, join};

pub(in crate::wire) fn encode(model: &Model, request: &ModelRequest) -> WireRequest {
    let system: Vec<&String> = request.system.iter().filter(|block| !block.trim().is_empty()).collect();
    let mut context = Map::new();
    if !system.is_empty() {
        context.insert("systemPrompt".into(), json!(system));
    }
    if !request.tools.is_empty() {
        context.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    context.insert(
        "messages".into(),
        request.messages.iter().filter(|message| !is_silent(message)).map(|message| said(message)).collect(),
    );
    // The conversation stays last, so that consecutive requests share their prefix.
    let body = json!({
        "modelId": model.id,
        "stream": true,
        "options": options(model, request),
        "context": context,
    });
    // Users write the base with and without the version.
    let base = model.base_url.trim_end_matches('/');
    WireRequest {
        url: join(base.strip_suffix("/v1").unwrap_or(base), "/v1/pi/stream"),
        headers: Vec::new(),
        body: body.to_string(),
        names: Default::default(),
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
}

/// A note that is for people alone, such as a private command.
fn is_silent(message: &Message) -> bool {
    matches!(message, Message::Custom(custom) if matches!(&custom.content, UserContent::Text(text) if text.is_empty()))
}

/// What the program said itself is the user's to the other side.
fn said(message: &Message) -> Value {
    let plain = match message {
        Message::Custom(custom) => Message::User(UserMessage {
            content: custom.content.clone(),
            steering: false,
            sealed: None,
            timestamp: custom.timestamp,
        }),
        Message::User(user) => Message::User(UserMessage { steering: false, sealed: None, ..user.clone() }),
        other => return json!(other),
    };
    json!(plain)
}

/// What was left open stays open: the other side knows its defaults.
fn options(model: &Model, request: &ModelRequest) -> Value {
    let options = &request.options;
    let mut out = Map::new();
    let level = model.clamp_level(options.thinking);
    if level != ThinkingLevel::Off {
        out.insert("reasoning".into(), level.name().into());
    }
    if let Some(limit) = output_limit(model, request) {
        out.insert("maxTokens".into(), limit.into());
    }
    insert_number(&mut out, "temperature", options.sampling.temperature);
    insert_number(&mut out, "topP", options.sampling.top_p);
    insert_number(&mut out, "topK", options.sampling.top_k);
    insert_number(&mut out, "minP", options.sampling.min_p);
    insert_number(&mut out, "presencePenalty", options.sampling.presence_penalty);
    insert_number(&mut out, "repetitionPenalty", options.sampling.repetition_penalty);
    let texts = [
        ("serviceTier", &options.service_tier),
        ("sessionId", &options.session_id),
        ("promptCacheKey", &options.prompt_cache_key),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            out.insert(name.into(), text.clone().into());
        }
    }
    match &options.tool_choice {
        ToolChoice::Auto => {}
        ToolChoice::None => drop(out.insert("toolChoice".into(), "none".into())),
        ToolChoice::Required => drop(out.insert("toolChoice".into(), "any".into())),
        ToolChoice::Tool(name) => {
            out.insert("toolChoice".into(), json!({"type": "tool", "name": name}));
        }
    }
    Value::Object(out)
}
