//! The request body.

use omp_types::{ModelRequest, Sampling, ThinkingLevel, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

use super::messages;
use crate::compat::Host;
use crate::history::{self, Alphabet, IdRules};
use crate::model::{MaxTokensField, Model, ThinkingFormat};
use crate::wire::limit::output_limit;
use crate::wire::{Policy, Retention, ToolNames, Toolbox, WireRequest, insert_number, join, openai_schema};

/// OpenAI takes 40 characters.
const IDS: IdRules = IdRules { max_len: 40, prefix: "call_", alphabet: Alphabet::Any };
/// Mistral takes exactly nine.
const NINE_LETTERS: IdRules = IdRules { max_len: 9, prefix: "", alphabet: Alphabet::NineLetters };

pub(in crate::wire) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    let options = &request.options;
    let compat = &model.compat;
    let ids = if compat.chat.nine_letter_ids { NINE_LETTERS } else { IDS };
    let turns = history::prepare(&request.messages, model, ids, options.identity_from);
    let toolbox = Toolbox::new(request, &turns);
    let choice = tool_choice(&toolbox, model);
    let mut body = Map::new();
    body.insert("model".into(), model.wire_id().into());
    body.insert("stream".into(), true.into());
    if compat.supports_usage_in_streaming {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if compat.supports_store {
        body.insert("store".into(), false.into());
    }
    if let Some(limit) = output_limit(model, request) {
        let field = match compat.max_tokens_field {
            MaxTokensField::MaxTokens => "max_tokens",
            MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
        };
        body.insert(field.into(), limit.into());
    }
    insert_sampling(&mut body, model, &options.sampling);
    if may_reason(model, &toolbox, choice.as_ref()) {
        insert_thinking(&mut body, model, options.thinking);
    }
    if let Some(tier) = &options.service_tier {
        body.insert("service_tier".into(), tier.clone().into());
    }
    if let Some(key) = &options.prompt_cache_key {
        body.insert("prompt_cache_key".into(), key.clone().into());
        if policy.retention == Retention::Long && compat.long_cache_retention {
            body.insert("prompt_cache_retention".into(), "24h".into());
        }
    }
    insert_routing(&mut body, model);
    body.extend(compat.extra_body.clone());
    toolbox.define(&mut body, |tool| encode_tool(tool, model, policy, &toolbox.names));
    toolbox.restrict_parallel(&mut body, options.parallel_tools);
    if let Some(choice) = choice {
        body.insert("tool_choice".into(), choice);
    }
    body.insert("messages".into(), messages::encode(&turns, request, model, &toolbox.names).into());
    WireRequest {
        url: join(&model.base_url, "/chat/completions"),
        headers: Vec::new(),
        body: Value::Object(body).to_string(),
        names: toolbox.names.into_reverse(),
    }
}

/// Three of the names are OpenAI's own; the others are what the servers of open models agreed on.
fn insert_sampling(body: &mut Map<String, Value>, model: &Model, sampling: &Sampling) {
    insert_number(body, "temperature", sampling.temperature);
    insert_number(body, "top_p", sampling.top_p);
    insert_number(body, "presence_penalty", sampling.presence_penalty);
    if model.compat.extended_sampling {
        insert_number(body, "top_k", sampling.top_k);
        insert_number(body, "min_p", sampling.min_p);
        insert_number(body, "repetition_penalty", sampling.repetition_penalty);
    }
}

/// Some hosts refuse reasoning together with a choice of tools; the choice is the more specific wish.
fn may_reason(model: &Model, toolbox: &Toolbox<'_>, choice: Option<&Value>) -> bool {
    let quirks = &model.compat.chat;
    let forced = choice.is_some() && toolbox.forced();
    quirks.reasoning_params
        && !(quirks.no_reasoning_with_forced_tools && forced)
        && !(quirks.no_reasoning_with_tool_choice && choice.is_some())
}

/// Which upstream providers an aggregator may use. Other hosts would not know what is meant.
fn insert_routing(body: &mut Map<String, Value>, model: &Model) {
    let (host, quirks) = (Host::of(&model.base_url), &model.compat.chat);
    if host.is("openrouter.ai") && !quirks.openrouter_routing.is_empty() {
        body.insert("provider".into(), Value::Object(quirks.openrouter_routing.clone()));
    }
    if host.is("ai-gateway.vercel.sh") && !quirks.vercel_routing.is_empty() {
        body.insert("providerOptions".into(), json!({"gateway": quirks.vercel_routing}));
    }
}

fn insert_thinking(body: &mut Map<String, Value>, model: &Model, wanted: ThinkingLevel) {
    if !model.reasoning {
        return;
    }
    let level = model.clamp_level(wanted);
    let on = level != ThinkingLevel::Off;
    let own = |level: ThinkingLevel| model.compat.chat.effort_words.get(level.name())?.as_str();
    let effort = model.effort(wanted);
    let word = own(level).or_else(|| own(effort)).unwrap_or_else(|| effort.name());
    let (field, value) = match model.compat.thinking.format {
        ThinkingFormat::Openai if model.compat.thinking.effort => ("reasoning_effort", json!(word)),
        ThinkingFormat::Openrouter => ("reasoning", json!({"effort": word})),
        ThinkingFormat::Openai => return,
        ThinkingFormat::Zai => ("thinking", json!({"type": if on { "enabled" } else { "disabled" }})),
        ThinkingFormat::Qwen => ("enable_thinking", json!(on)),
        ThinkingFormat::QwenChatTemplate => ("chat_template_kwargs", json!({"enable_thinking": on})),
    };
    body.insert(field.into(), value);
}

fn tool_choice(toolbox: &Toolbox<'_>, model: &Model) -> Option<Value> {
    if toolbox.tools.is_empty() {
        return None;
    }
    let choice = match &toolbox.choice {
        ToolChoice::Auto => return None,
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({"type": "function", "function": {"name": toolbox.names.wire(name)}}),
    };
    toolbox.accepts_choice(model).then_some(choice)
}

fn encode_tool(tool: &ToolDefinition, model: &Model, policy: Policy, names: &ToolNames) -> Value {
    let mut function = Map::new();
    function.insert("name".into(), names.wire(&tool.name).into());
    function.insert("description".into(), tool.description.clone().into());
    let (parameters, strict) = openai_schema(tool, model, policy);
    function.insert("parameters".into(), parameters);
    if let Some(strict) = strict {
        function.insert("strict".into(), strict.into());
    }
    json!({"type": "function", "function": function})
}
