//! The request body.

use std::collections::HashMap;

use omp_types::{ModelRequest, Sampling, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

use super::{contents, thinking};
use crate::history::{self, Alphabet, IdRules};
use crate::model::{Api, Model};
use crate::wire::limit::output_limit;
use crate::wire::{ToolNames, Toolbox, WireRequest, insert_number, join};
use omp_schema as schema;

const IDS: IdRules = IdRules { max_len: 64, prefix: "call_", alphabet: Alphabet::Word };

pub(in crate::wire) fn encode(model: &Model, request: &ModelRequest) -> WireRequest {
    let (body, names) = body(model, request);
    WireRequest { url: address(model), headers: Vec::new(), body: Value::Object(body).to_string(), names }
}

/// The body, and the wire names that differ from the tools' own.
pub(in crate::wire) fn body(
    model: &Model,
    request: &ModelRequest,
) -> (Map<String, Value>, HashMap<String, String>) {
    let options = &request.options;
    let turns = history::prepare(&request.messages, model, IDS, options.identity_from);
    let toolbox = Toolbox::new(request, &turns);
    let mut body = Map::new();
    let mut generation = Map::new();
    // A budget for thoughts needs a limit above it, and Claude has no usual one that would do.
    let limit = output_limit(model, request).or_else(|| is_claude(model).then_some(model.max_tokens));
    if let Some(limit) = limit {
        generation.insert("maxOutputTokens".into(), limit.max(1).into());
    }
    insert_sampling(&mut generation, &options.sampling);
    if let Some(config) = thinking::config(model, options, limit.unwrap_or(model.max_tokens)) {
        generation.insert("thinkingConfig".into(), config);
    }
    if !generation.is_empty() {
        body.insert("generationConfig".into(), generation.into());
    }
    body.extend(model.compat.extra_body.clone());
    insert_tools(&mut body, &toolbox, model);
    insert_system(&mut body, request);
    body.insert("contents".into(), contents::encode(&turns, model, &toolbox.names).into());
    (body, toolbox.names.into_reverse())
}

/// The stream of one model. Of the Gemini API users write the base with and without the version; Vertex addresses were
/// completed when the model was chosen.
fn address(model: &Model) -> String {
    let base = model.base_url.trim_end_matches('/');
    let bare = url::Url::parse(base).is_ok_and(|url| url.path() == "/");
    let version = if bare && model.api == Api::GoogleGenerativeAi { "/v1beta" } else { "" };
    join(base, &format!("{version}/models/{}:streamGenerateContent?alt=sse", path_segment(model_name(model))))
}

/// Lists of the service have a prefix before the name.
pub(in crate::wire) fn model_name(model: &Model) -> &str {
    let id = model.wire_id();
    id.strip_prefix("models/").unwrap_or(id)
}

/// The id may hold anything; only plain letters may decide where the request goes. Tuned models have a slash.
fn path_segment(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@' | b'/');
    id.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn insert_sampling(generation: &mut Map<String, Value>, sampling: &Sampling) {
    insert_number(generation, "temperature", sampling.temperature);
    insert_number(generation, "topP", sampling.top_p);
    insert_number(generation, "topK", sampling.top_k);
    insert_number(generation, "presencePenalty", sampling.presence_penalty);
}

fn insert_tools(body: &mut Map<String, Value>, toolbox: &Toolbox<'_>, model: &Model) {
    if toolbox.tools.is_empty() {
        return;
    }
    let forcing = model.compat.supports_tool_choice && model.compat.supports_forced_tool_choice;
    let choice = match &toolbox.choice {
        ToolChoice::None if model.compat.supports_tool_choice => Some(json!({"mode": "NONE"})),
        ToolChoice::Required if forcing => Some(json!({"mode": "ANY"})),
        ToolChoice::Tool(name) if forcing => {
            Some(json!({"mode": "ANY", "allowedFunctionNames": [toolbox.names.wire(name)]}))
        }
        _ => None,
    };
    if let Some(choice) = choice {
        body.insert("toolConfig".into(), json!({"functionCallingConfig": choice}));
    }
    let declarations: Vec<Value> =
        toolbox.tools.iter().map(|tool| declaration(tool, model, &toolbox.names)).collect();
    body.insert("tools".into(), json!([{"functionDeclarations": declarations}]));
}

/// Gemini takes JSON Schema in a field of its own. Claude behind Google's doors knows the older field alone.
fn declaration(tool: &ToolDefinition, model: &Model, names: &ToolNames) -> Value {
    let mut declaration = Map::new();
    declaration.insert("name".into(), names.wire(&tool.name).into());
    declaration.insert("description".into(), tool.description.clone().into());
    let field = if is_claude(model) { "parameters" } else { "parametersJsonSchema" };
    declaration.insert(field.into(), schema::normalize_for_code_assist(&model.id, &tool.parameters));
    Value::Object(declaration)
}

fn is_claude(model: &Model) -> bool {
    bare_name(model).starts_with("claude-")
}

/// A model of another maker behind Google's doors; these know calls by their ids alone.
pub(super) fn is_guest(model: &Model) -> bool {
    is_claude(model) || bare_name(model).starts_with("gpt-oss-")
}

fn bare_name(model: &Model) -> &str {
    model.id.rsplit_once('/').map_or(model.id.as_str(), |(_, name)| name)
}

fn insert_system(body: &mut Map<String, Value>, request: &ModelRequest) {
    let blocks = request.system.iter().filter(|block| !block.trim().is_empty());
    let parts: Vec<Value> = blocks.map(|text| json!({"text": text})).collect();
    if !parts.is_empty() {
        body.insert("systemInstruction".into(), json!({"parts": parts}));
    }
}
