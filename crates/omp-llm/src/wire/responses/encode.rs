//! The request body.

use std::collections::HashMap;

use omp_types::{ModelRequest, ThinkingLevel, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

use super::items;
use crate::history::{self, Alphabet, IdRules};
use crate::model::Model;
use crate::wire::limit::output_limit;
use crate::wire::{
    Policy, Retention, ToolNames, Toolbox, WireRequest, insert_number, join, joined_system, knows_strict,
    openai_schema,
};
use omp_schema as schema;

pub(super) const IDS: IdRules = IdRules { max_len: 64, prefix: "call_", alphabet: Alphabet::Any };
/// The API refuses smaller limits.
const LEAST_OUTPUT: u32 = 16;

/// What a host of this API wants differently.
pub(in crate::wire) struct Variant<'a> {
    /// The name by which the host knows the model.
    pub(in crate::wire) model: &'a str,
    pub(in crate::wire) limits: Limits,
}

/// Whether output limits, sampling parameters and cache times may be sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::wire) enum Limits {
    Sent,
    Withheld,
}

pub(in crate::wire) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    let variant = Variant { model: model.wire_id(), limits: Limits::Sent };
    let (body, names) = body(model, request, policy, &variant);
    WireRequest {
        url: join(&model.base_url, "/responses"),
        headers: Vec::new(),
        body: body.to_string(),
        names,
    }
}

/// The body, and the wire names of tools that are to be undone in the answer.
pub(in crate::wire) fn body(
    model: &Model,
    request: &ModelRequest,
    policy: Policy,
    variant: &Variant<'_>,
) -> (Value, HashMap<String, String>) {
    let options = &request.options;
    let turns = history::prepare(&request.messages, model, IDS, options.identity_from);
    let toolbox = Toolbox::new(request, &turns);
    let mut body = Map::new();
    body.insert("model".into(), variant.model.into());
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    if variant.limits == Limits::Sent {
        insert_limits(&mut body, model, request);
    }
    insert_reasoning(&mut body, model, options.thinking);
    if let Some(tier) = &options.service_tier {
        body.insert("service_tier".into(), tier.clone().into());
    }
    if let Some(key) = options.prompt_cache_key.as_ref().or(options.session_id.as_ref()) {
        body.insert("prompt_cache_key".into(), key.clone().into());
        if policy.retention == Retention::Long
            && model.compat.long_cache_retention
            && variant.limits == Limits::Sent
        {
            body.insert("prompt_cache_retention".into(), "24h".into());
        }
    }
    body.extend(model.compat.extra_body.clone());
    insert_tools(&mut body, &toolbox, model, policy);
    toolbox.restrict_parallel(&mut body, options.parallel_tools);
    if let Some(system) = joined_system(request) {
        body.insert("instructions".into(), system.into());
    }
    body.insert("input".into(), items::encode(&turns, model, &toolbox.names).into());
    (Value::Object(body), toolbox.names.into_reverse())
}

fn insert_limits(body: &mut Map<String, Value>, model: &Model, request: &ModelRequest) {
    let options = &request.options;
    if let Some(limit) = output_limit(model, request) {
        body.insert("max_output_tokens".into(), limit.max(LEAST_OUTPUT).into());
    }
    insert_number(body, "temperature", options.sampling.temperature);
    insert_number(body, "top_p", options.sampling.top_p);
}

/// Nothing is stored at the provider, so the sealed form of the reasoning must be asked for, also where the model
/// thinks without being told to.
fn insert_reasoning(body: &mut Map<String, Value>, model: &Model, wanted: ThinkingLevel) {
    if !model.reasoning || !model.compat.thinking.effort {
        return;
    }
    let mut reasoning = json!({"effort": model.effort(wanted).name()});
    if model.clamp_level(wanted) != ThinkingLevel::Off {
        reasoning["summary"] = "auto".into();
    }
    body.insert("reasoning".into(), reasoning);
    body.insert("include".into(), json!(["reasoning.encrypted_content"]));
}

fn insert_tools(body: &mut Map<String, Value>, toolbox: &Toolbox<'_>, model: &Model, policy: Policy) {
    let has_tools = toolbox.define(body, |tool| encode_tool(tool, model, policy, &toolbox.names));
    let choice = tool_choice(toolbox, model).filter(|_| has_tools && toolbox.accepts_choice(model));
    if let Some(choice) = choice {
        body.insert("tool_choice".into(), choice);
    }
}

fn tool_choice(toolbox: &Toolbox<'_>, model: &Model) -> Option<Value> {
    match &toolbox.choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Tool(name) => {
            let custom = toolbox.tools.iter().any(|tool| tool.name == *name && is_custom(tool, model));
            let kind = if custom { "custom" } else { "function" };
            Some(json!({"type": kind, "name": toolbox.names.wire(name)}))
        }
    }
}

fn is_custom(tool: &ToolDefinition, model: &Model) -> bool {
    tool.free_text && model.compat.custom_tools
}

fn encode_tool(tool: &ToolDefinition, model: &Model, policy: Policy, names: &ToolNames) -> Value {
    let name = names.wire(&tool.name);
    if is_custom(tool, model) {
        return json!({"type": "custom", "name": name, "description": tool.description});
    }
    let (parameters, strict) = openai_schema(tool, model, policy);
    let mut encoded = Map::new();
    encoded.insert("type".into(), "function".into());
    encoded.insert("name".into(), name.into());
    encoded.insert("description".into(), tool.description.clone().into());
    encoded.insert("parameters".into(), schema::normalize_for_responses(&parameters));
    // This API defaults to strict, so a schema that cannot be enforced says so.
    if let Some(strict) = strict.or(knows_strict(model, policy).then_some(false)) {
        encoded.insert("strict".into(), strict.into());
    }
    Value::Object(encoded)
}
