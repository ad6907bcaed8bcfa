//! The request body.

use omp_types::{ModelRequest, Sampling, ThinkingLevel, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

use super::messages;
use crate::history::{self, Alphabet, IdRules};
use crate::model::Model;
use crate::wire::limit::output_limit;
use crate::wire::{Policy, ToolNames, Toolbox, WireRequest, insert_number, join, openai_schema};

/// This wire has no ids; ours keep calls apart in the session.
const IDS: IdRules = IdRules { max_len: 64, prefix: "call_", alphabet: Alphabet::Any };

pub(in crate::wire) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    let options = &request.options;
    let turns = history::prepare(&request.messages, model, IDS, options.identity_from);
    let toolbox = Toolbox::new(request, &turns);
    let mut body = Map::new();
    body.insert("model".into(), model.wire_id().into());
    body.insert("stream".into(), true.into());
    if let Some(think) = think(model, options.thinking) {
        body.insert("think".into(), think);
    }
    insert_options(&mut body, model, &options.sampling, output_limit(model, request));
    // The API has no choice of tools: what must not be called is not offered. It takes a history of calls without
    // definitions, so no stand-ins are needed.
    if toolbox.choice != ToolChoice::None && !toolbox.tools.is_empty() {
        let tools = toolbox.tools.iter().map(|tool| encode_tool(tool, model, policy, &toolbox.names));
        body.insert("tools".into(), tools.collect());
    }
    body.insert("messages".into(), messages::encode(&turns, request, &toolbox.names).into());
    WireRequest {
        url: join(root(&model.base_url), "/api/chat"),
        headers: vec![("accept", "application/x-ndjson".to_owned())],
        body: Value::Object(body).to_string(),
        names: toolbox.names.into_reverse(),
    }
}

/// Users write the address with and without the path of one of the server's APIs.
fn root(base_url: &str) -> &str {
    let base = base_url.trim_end_matches('/');
    base.strip_suffix("/v1").or_else(|| base.strip_suffix("/api")).unwrap_or(base)
}

/// A model that cannot think refuses the field altogether.
fn think(model: &Model, wanted: ThinkingLevel) -> Option<Value> {
    if !model.reasoning {
        return None;
    }
    Some(match model.clamp_level(wanted) {
        ThinkingLevel::Off => json!(false),
        _ if !model.compat.thinking.effort => json!(true),
        ThinkingLevel::Minimal | ThinkingLevel::Low => json!("low"),
        ThinkingLevel::Medium => json!("medium"),
        ThinkingLevel::High | ThinkingLevel::Xhigh | ThinkingLevel::Max => json!("high"),
    })
}

/// Parameters of the engine are members of `options`. What the user adds there (`num_ctx`, say) joins ours.
fn insert_options(
    body: &mut Map<String, Value>,
    model: &Model,
    sampling: &Sampling,
    max_tokens: Option<u32>,
) {
    let mut options = Map::new();
    insert_number(&mut options, "temperature", sampling.temperature);
    insert_number(&mut options, "top_p", sampling.top_p);
    insert_number(&mut options, "top_k", sampling.top_k);
    insert_number(&mut options, "min_p", sampling.min_p);
    insert_number(&mut options, "repeat_penalty", sampling.repetition_penalty);
    insert_number(&mut options, "presence_penalty", sampling.presence_penalty);
    if let Some(limit) = max_tokens {
        options.insert("num_predict".into(), limit.into());
    }
    let mut extra = model.compat.extra_body.clone();
    if let Some(Value::Object(more)) = extra.shift_remove("options") {
        options.extend(more);
    }
    if !options.is_empty() {
        body.insert("options".into(), options.into());
    }
    body.extend(extra);
}

fn encode_tool(tool: &ToolDefinition, model: &Model, policy: Policy, names: &ToolNames) -> Value {
    let (parameters, _) = openai_schema(tool, model, policy);
    json!({
        "type": "function",
        "function": {
            "name": names.wire(&tool.name),
            "description": tool.description,
            "parameters": parameters,
        },
    })
}
