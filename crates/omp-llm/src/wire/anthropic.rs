//! Anthropic Messages: `POST <base>/v1/messages`.

use std::collections::HashMap;

use omp_types::{Failure, ModelRequest, ParallelTools, StopReason, ThinkingLevel, ToolChoice, ToolDefinition, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Decode, Interleaving, Policy, Progress, Retention, ToolNames, WireRequest};
use crate::answer::Answer;
use crate::history::{self, AssistantPart, IdRules, ResultPart, Turn, UserPart};
use crate::model::{CacheControlFormat, Model, ThinkingMode};
use crate::schema;
use crate::sse::SseEvent;

const IDS: IdRules = IdRules { max_len: 64, prefix: "toolu_" };
const VERSION: &str = "2023-06-01";
const INTERLEAVED_BETA: &str = "interleaved-thinking-2025-05-14";
/// The smallest budget the API accepts.
const MIN_BUDGET: u32 = 1024;

pub(super) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    let names = ToolNames::new(&request.tools);
    let options = &request.options;
    let forced = matches!(options.tool_choice, ToolChoice::Required | ToolChoice::Tool(_));
    let max_tokens = options.max_tokens.unwrap_or(model.max_tokens).max(1);
    // Thinking and a forced tool exclude each other on this API; the caller's force is the more specific wish.
    let forced = forced && model.compat.supports_forced_tool_choice;
    let thinking = if forced { None } else { thinking(model, options.thinking, max_tokens) };

    let mut body = Map::new();
    body.insert("model".into(), model.id.clone().into());
    body.insert("stream".into(), true.into());
    body.insert("max_tokens".into(), max_tokens.into());
    if let Some((field, effort)) = &thinking {
        body.insert("thinking".into(), field.clone());
        if let Some(effort) = effort {
            body.insert("output_config".into(), json!({"effort": effort}));
        }
    } else if let Some(temperature) = options.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    if let Some(tier @ ("auto" | "standard_only")) = options.service_tier.as_deref() {
        body.insert("service_tier".into(), tier.into());
    }
    if let Some(session) = &options.session_id {
        body.insert("metadata".into(), json!({"user_id": session}));
    }
    body.extend(model.compat.extra_body.clone());
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| encode_tool(tool, model, &names)).collect();
        body.insert("tools".into(), Value::Array(tools));
        if let Some(choice) = tool_choice(request, forced, &names) {
            body.insert("tool_choice".into(), choice);
        }
    }
    let cache = CacheMarks::new(model, policy);
    let system = encode_system(request, cache);
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    body.insert("messages".into(), encode_messages(model, request, &names, cache).into());

    let mut headers = vec![("anthropic-version", VERSION.to_owned())];
    if thinking.is_some() && model.compat.interleaved_thinking && policy.interleaved == Interleaving::Allowed {
        headers.push(("anthropic-beta", INTERLEAVED_BETA.to_owned()));
    }
    let base = model.base_url.trim_end_matches('/');
    let base = base.strip_suffix("/v1").unwrap_or(base);
    WireRequest {
        url: super::join(base, "/v1/messages"),
        headers,
        body: Value::Object(body).to_string(),
        names: names.into_reverse(),
    }
}

/// The `thinking` field and, for adaptive models, the effort word; `None` when thinking is off.
fn thinking(model: &Model, wanted: ThinkingLevel, max_tokens: u32) -> Option<(Value, Option<&'static str>)> {
    let level = model.clamp_level(wanted);
    if level == ThinkingLevel::Off {
        return None;
    }
    if model.thinking == ThinkingMode::AnthropicAdaptive {
        let effort = match level {
            ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
            ThinkingLevel::Medium => "medium",
            ThinkingLevel::High => "high",
            ThinkingLevel::Xhigh => "xhigh",
            ThinkingLevel::Max => "max",
        };
        return Some((json!({"type": "adaptive"}), Some(effort)));
    }
    let budget = match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal => MIN_BUDGET,
        ThinkingLevel::Low => 4096,
        ThinkingLevel::Medium => 10_240,
        ThinkingLevel::High => 20_480,
        ThinkingLevel::Xhigh | ThinkingLevel::Max => 32_768,
    };
    // Some room must stay for the answer itself.
    let room = max_tokens.checked_sub(MIN_BUDGET).filter(|room| *room >= MIN_BUDGET)?;
    Some((json!({"type": "enabled", "budget_tokens": budget.min(room)}), None))
}

fn encode_tool(tool: &ToolDefinition, model: &Model, names: &ToolNames) -> Value {
    let mut encoded = Map::new();
    encoded.insert("name".into(), names.wire(&tool.name).into_owned().into());
    encoded.insert("description".into(), tool.description.clone().into());
    encoded.insert("input_schema".into(), schema::normalize_for_anthropic(&tool.parameters));
    if model.compat.eager_input_streaming {
        encoded.insert("eager_input_streaming".into(), true.into());
    }
    Value::Object(encoded)
}

fn tool_choice(request: &ModelRequest, forced: bool, names: &ToolNames) -> Option<Value> {
    let single = request.options.parallel_tools == ParallelTools::OneAtATime;
    let mut choice = match &request.options.tool_choice {
        ToolChoice::None => return Some(json!({"type": "none"})),
        ToolChoice::Required if forced => json!({"type": "any"}),
        ToolChoice::Tool(name) if forced => json!({"type": "tool", "name": names.wire(name)}),
        _ if single => json!({"type": "auto"}),
        _ => return None,
    };
    if single {
        choice["disable_parallel_tool_use"] = true.into();
    }
    Some(choice)
}

/// Where prompt-cache breakpoints go and what they look like. The API allows four: the stable first system
/// block, the last system block, and the two newest user turns.
#[derive(Clone, Copy)]
struct CacheMarks {
    on: bool,
    long: bool,
}

impl CacheMarks {
    fn new(model: &Model, policy: Policy) -> Self {
        Self {
            on: model.compat.cache_control == CacheControlFormat::Anthropic,
            long: policy.retention == Retention::Long && model.compat.long_cache_retention,
        }
    }

    fn mark(self, block: &mut Value) {
        if !self.on || !block.is_object() {
            return;
        }
        block["cache_control"] =
            if self.long { json!({"type": "ephemeral", "ttl": "1h"}) } else { json!({"type": "ephemeral"}) };
    }
}

fn encode_system(request: &ModelRequest, cache: CacheMarks) -> Vec<Value> {
    let blocks = request.system.iter().filter(|block| !block.trim().is_empty());
    let mut blocks: Vec<Value> = blocks.map(|text| json!({"type": "text", "text": text})).collect();
    let last = blocks.len().saturating_sub(1);
    for (index, block) in blocks.iter_mut().enumerate() {
        if index == 0 || index == last {
            cache.mark(block);
        }
    }
    blocks
}

/// Roles must alternate, and results come first in the message after their calls: neighbours of one role merge.
fn encode_messages(model: &Model, request: &ModelRequest, names: &ToolNames, cache: CacheMarks) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in history::prepare(&request.messages, model, IDS, request.options.identity_from) {
        let (role, blocks): (&str, Vec<Value>) = match &turn {
            Turn::User(parts) => ("user", parts.iter().map(user_block).collect()),
            Turn::Assistant(parts) => ("assistant", parts.iter().map(|part| assistant_block(part, names)).collect()),
            Turn::Results(results) => ("user", results.iter().map(result_block).collect()),
        };
        match messages.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    if messages.first().is_some_and(|(role, _)| *role == "assistant") {
        messages.insert(0, ("user", vec![json!({"type": "text", "text": "(continued)"})]));
    }
    trim_final_assistant(&mut messages);
    let newest_users = messages.iter_mut().rev().filter(|(role, _)| *role == "user").take(2);
    for (_, content) in newest_users {
        if let Some(block) = content.last_mut() {
            cache.mark(block);
        }
    }
    messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// A conversation that ends with the assistant's words must not end in white space.
fn trim_final_assistant(messages: &mut [(&str, Vec<Value>)]) {
    if let Some(("assistant", content)) = messages.last_mut()
        && let Some(block) = content.last_mut()
        && let Some(text) = block["text"].as_str().map(|text| text.trim_end().to_owned())
    {
        block["text"] = text.into();
    }
}

fn user_block(part: &UserPart<'_>) -> Value {
    match part {
        UserPart::Text(text) => json!({"type": "text", "text": text}),
        UserPart::Image(image) => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": image.mime_type, "data": image.data},
        }),
    }
}

fn assistant_block(part: &AssistantPart<'_>, names: &ToolNames) -> Value {
    match part {
        AssistantPart::Text { text, .. } => json!({"type": "text", "text": text}),
        AssistantPart::Thinking { text, signature } => {
            json!({"type": "thinking", "thinking": text, "signature": signature})
        }
        AssistantPart::Redacted { data } => json!({"type": "redacted_thinking", "data": data}),
        AssistantPart::Call { id, name, arguments, .. } => {
            json!({"type": "tool_use", "id": id, "name": names.wire(name), "input": arguments.as_ref()})
        }
        AssistantPart::Native { value } => (*value).clone(),
    }
}

fn result_block(result: &ResultPart<'_>) -> Value {
    let mut block = Map::new();
    block.insert("type".into(), "tool_result".into());
    block.insert("tool_use_id".into(), result.id.clone().into());
    let content = match result.content.as_slice() {
        [] => Value::String("(no output)".to_owned()),
        [UserPart::Text(text)] => text.as_ref().into(),
        parts => parts.iter().map(user_block).collect(),
    };
    block.insert("content".into(), content);
    if result.is_error {
        block.insert("is_error".into(), true.into());
    }
    Value::Object(block)
}

/// Assembles one streamed answer.
#[derive(Default)]
pub(super) struct Decoder {
    /// Wire block index to ours.
    blocks: HashMap<u64, usize>,
    /// Blocks that only the provider understands, complete when they stop.
    native: HashMap<u64, (Value, String)>,
    stop: Option<String>,
}

#[derive(Deserialize)]
struct Event {
    r#type: String,
    #[serde(default)]
    index: u64,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    content_block: Option<Value>,
    #[serde(default)]
    message: Option<Value>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    thinking: Option<String>,
    #[serde(default)]
    signature: Option<String>,
    #[serde(default)]
    partial_json: Option<String>,
    #[serde(default)]
    stop_reason: Option<String>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        let event: Event = serde_json::from_str(event.data).map_err(|error| super::malformed(&error))?;
        match event.r#type.as_str() {
            "message_start" => {
                answer.start();
                let message = event.message.unwrap_or_default();
                answer.set_response_id(message["id"].as_str().unwrap_or_default());
                merge_usage(answer, &message["usage"]);
            }
            "content_block_start" => self.open(event.index, event.content_block.unwrap_or_default(), answer),
            "content_block_delta" => {
                if let Some(delta) = event.delta
                    && self.delta(event.index, delta, answer) == Progress::Finished
                {
                    return Ok(Progress::Finished);
                }
            }
            "content_block_stop" => self.close(event.index, answer),
            "message_delta" => {
                if let Some(reason) = event.delta.and_then(|delta| delta.stop_reason) {
                    self.stop = Some(reason);
                }
                merge_usage(answer, &event.usage.unwrap_or_default());
            }
            "message_stop" => {
                self.complete(answer)?;
                return Ok(Progress::Finished);
            }
            "error" => {
                let body = json!({"error": event.error.unwrap_or_default()}).to_string();
                return Err(super::provider_error(&crate::failure::error_text(&body)));
            }
            _ => {}
        }
        Ok(Progress::More)
    }

    /// Some imitations close the connection right after the stop reason.
    fn end(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        self.complete(answer)
    }
}

impl Decoder {
    fn open(&mut self, index: u64, block: Value, answer: &mut Answer) {
        let text = |key: &str| block[key].as_str().unwrap_or_default();
        let opened = match text("type") {
            "text" => {
                let opened = answer.open_text();
                let _ = answer.push_text(opened, text("text"));
                opened
            }
            "thinking" => {
                let opened = answer.open_thinking();
                let _ = answer.push_text(opened, text("thinking"));
                opened
            }
            "redacted_thinking" => answer.add_redacted(text("data")),
            "tool_use" => {
                let opened = answer.open_call(text("id"), text("name"));
                if block["input"].as_object().is_some_and(|input| !input.is_empty()) {
                    answer.push_arguments(opened, &block["input"].to_string());
                }
                opened
            }
            _ => {
                self.native.insert(index, (block, String::new()));
                return;
            }
        };
        self.blocks.insert(index, opened);
    }

    fn delta(&mut self, index: u64, delta: Delta, answer: &mut Answer) -> Progress {
        if let Some((_, json)) = self.native.get_mut(&index) {
            json.push_str(delta.partial_json.as_deref().unwrap_or_default());
            return Progress::More;
        }
        let Some(&block) = self.blocks.get(&index) else { return Progress::More };
        match delta.r#type.as_str() {
            "text_delta" | "thinking_delta" => {
                let text = delta.text.or(delta.thinking).unwrap_or_default();
                if answer.push_text(block, &text).is_err() {
                    answer.finish(StopReason::Stop);
                    return Progress::Finished;
                }
            }
            "signature_delta" => answer.sign_thinking(block, &delta.signature.unwrap_or_default()),
            "input_json_delta" => {
                let fragment = delta.partial_json.unwrap_or_default();
                if !fragment.is_empty() {
                    answer.push_arguments(block, &fragment);
                }
            }
            _ => {}
        }
        Progress::More
    }

    fn close(&mut self, index: u64, answer: &mut Answer) {
        if let Some((mut block, json)) = self.native.remove(&index) {
            if let Ok(input @ Value::Object(_)) = serde_json::from_str(&json) {
                block["input"] = input;
            }
            answer.add_native(block);
        } else if let Some(&block) = self.blocks.get(&index) {
            answer.close(block);
        }
    }

    fn complete(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        let Some(reason) = self.stop.take() else { return Err(super::cut_short()) };
        let reason = match reason.as_str() {
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "tool_use" => StopReason::ToolUse,
            "pause_turn" => StopReason::Pause,
            "refusal" => return Err(super::refusal("the model refused to answer (stop reason: refusal)".to_owned())),
            _ => StopReason::Stop,
        };
        answer.finish(reason);
        Ok(())
    }
}

/// Counts in later events are cumulative: they replace what came before, field by field.
fn merge_usage(answer: &mut Answer, usage: &Value) {
    let mut merged: Usage = answer.usage();
    let set = |field: &mut u64, key: &str| {
        if let Some(count) = usage[key].as_u64() {
            *field = count;
        }
    };
    set(&mut merged.input, "input_tokens");
    set(&mut merged.output, "output_tokens");
    set(&mut merged.cache_read, "cache_read_input_tokens");
    set(&mut merged.cache_write, "cache_creation_input_tokens");
    answer.set_usage(merged);
}
