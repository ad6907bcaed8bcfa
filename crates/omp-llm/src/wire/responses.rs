//! OpenAI Responses: `POST <base>/responses`, items instead of messages.

use std::collections::HashMap;

use omp_types::{Failure, FailureKind, ModelRequest, ParallelTools, StopReason, ThinkingLevel, ToolChoice, ToolDefinition, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Decode, Policy, Progress, Retention, StrictPolicy, ToolNames, WireRequest};
use crate::answer::Answer;
use crate::history::{self, AssistantPart, IdRules, ResultPart, Turn, UserPart};
use crate::model::{Model, Strictness};
use crate::schema;
use crate::sse::SseEvent;

const IDS: IdRules = IdRules { max_len: 64, prefix: "call_" };

pub(super) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    let names = ToolNames::new(&request.tools);
    let options = &request.options;
    let mut body = Map::new();
    body.insert("model".into(), model.id.clone().into());
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    if let Some(limit) = options.max_tokens {
        body.insert("max_output_tokens".into(), limit.max(16).into());
    }
    if let Some(temperature) = options.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    let level = model.clamp_level(options.thinking);
    if level != ThinkingLevel::Off && model.compat.supports_reasoning_effort {
        body.insert("reasoning".into(), json!({"effort": level.name(), "summary": "auto"}));
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    if let Some(tier) = &options.service_tier {
        body.insert("service_tier".into(), tier.clone().into());
    }
    if let Some(key) = options.prompt_cache_key.as_ref().or(options.session_id.as_ref()) {
        body.insert("prompt_cache_key".into(), key.clone().into());
        if policy.retention == Retention::Long && model.compat.long_cache_retention {
            body.insert("prompt_cache_retention".into(), "24h".into());
        }
    }
    body.extend(model.compat.extra_body.clone());
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| encode_tool(tool, model, policy, &names)).collect();
        body.insert("tools".into(), Value::Array(tools));
        insert_tool_choice(&mut body, model, request, &names);
    }
    let system = request.system.iter().filter(|block| !block.trim().is_empty()).map(String::as_str);
    let system = system.collect::<Vec<_>>().join("\n\n");
    if !system.is_empty() {
        body.insert("instructions".into(), system.into());
    }
    body.insert("input".into(), Value::Array(encode_input(model, request, &names)));
    WireRequest {
        url: super::join(&model.base_url, "/responses"),
        headers: Vec::new(),
        body: Value::Object(body).to_string(),
        names: names.into_reverse(),
    }
}

fn encode_tool(tool: &ToolDefinition, model: &Model, policy: Policy, names: &ToolNames) -> Value {
    let name = names.wire(&tool.name);
    if tool.free_text {
        return json!({"type": "custom", "name": name, "description": tool.description});
    }
    let (parameters, strict) = super::openai_schema(tool, model, policy);
    let parameters = schema::normalize_for_responses(&parameters);
    let mut encoded = Map::new();
    encoded.insert("type".into(), "function".into());
    encoded.insert("name".into(), name.into_owned().into());
    encoded.insert("description".into(), tool.description.clone().into());
    encoded.insert("parameters".into(), parameters);
    // This API defaults to strict, so a schema that cannot be enforced says so.
    let host_knows = model.compat.strict == Strictness::WherePossible && policy.strict == StrictPolicy::Allowed;
    let fallback = host_knows.then_some(false);
    if let Some(strict) = strict.or(fallback) {
        encoded.insert("strict".into(), strict.into());
    }
    Value::Object(encoded)
}

fn insert_tool_choice(body: &mut Map<String, Value>, model: &Model, request: &ModelRequest, names: &ToolNames) {
    let choice = match &request.options.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Tool(name) => {
            let custom = request.tools.iter().any(|tool| tool.name == *name && tool.free_text);
            let kind = if custom { "custom" } else { "function" };
            Some(json!({"type": kind, "name": names.wire(name)}))
        }
    };
    if let Some(choice) = choice.filter(|_| model.compat.supports_tool_choice) {
        body.insert("tool_choice".into(), choice);
    }
    if request.options.parallel_tools == ParallelTools::OneAtATime {
        body.insert("parallel_tool_calls".into(), false.into());
    }
}

fn encode_input(model: &Model, request: &ModelRequest, names: &ToolNames) -> Vec<Value> {
    let mut items = Vec::new();
    for turn in history::prepare(&request.messages, model, IDS, request.options.identity_from) {
        match turn {
            Turn::User(parts) => {
                items.push(json!({"type": "message", "role": "user", "content": user_content(&parts)}));
            }
            Turn::Assistant(parts) => push_assistant(&mut items, &parts, names),
            Turn::Results(results) => items.extend(results.iter().map(result_item)),
        }
    }
    items
}

fn user_content(parts: &[UserPart<'_>]) -> Value {
    let part = |part: &UserPart<'_>| match part {
        UserPart::Text(text) => json!({"type": "input_text", "text": text}),
        UserPart::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({"type": "input_image", "detail": "auto", "image_url": url})
        }
    };
    parts.iter().map(part).collect()
}

/// A reasoning item is only valid in front of the item it was made with, so one that nothing follows is left out.
fn push_assistant(items: &mut Vec<Value>, parts: &[AssistantPart<'_>], names: &ToolNames) {
    let mut pending = Vec::new();
    for part in parts {
        match part {
            AssistantPart::Thinking { signature, .. } => pending.extend(reasoning_item(signature)),
            AssistantPart::Text { text, identity } => {
                items.append(&mut pending);
                let mut item = Map::new();
                item.insert("type".into(), "message".into());
                if let Some(id) = identity {
                    item.insert("id".into(), (*id).into());
                }
                item.insert("role".into(), "assistant".into());
                item.insert("status".into(), "completed".into());
                item.insert("content".into(), json!([{"type": "output_text", "text": text, "annotations": []}]));
                items.push(Value::Object(item));
            }
            AssistantPart::Call { id, name, arguments, identity, custom } => {
                items.append(&mut pending);
                let mut item = Map::new();
                item.insert("type".into(), if *custom { "custom_tool_call" } else { "function_call" }.into());
                if let Some(identity) = identity {
                    item.insert("id".into(), (*identity).into());
                }
                item.insert("call_id".into(), id.clone().into());
                item.insert("name".into(), names.wire(name).into_owned().into());
                if *custom {
                    item.insert("input".into(), arguments.get("input").cloned().unwrap_or_default());
                } else {
                    let text = serde_json::to_string(arguments.as_ref()).unwrap_or_else(|_| "{}".to_owned());
                    item.insert("arguments".into(), text.into());
                }
                items.push(Value::Object(item));
            }
            AssistantPart::Native { value } => items.push((*value).clone()),
            AssistantPart::Redacted { .. } => {}
        }
    }
}

/// The stored item, verbatim. Without its encrypted content the provider could not read it again.
fn reasoning_item(signature: &str) -> Option<Value> {
    let item: Value = serde_json::from_str(signature).ok()?;
    item.get("encrypted_content").is_some_and(Value::is_string).then_some(item)
}

fn result_item(result: &ResultPart<'_>) -> Value {
    let kind = if result.custom { "custom_tool_call_output" } else { "function_call_output" };
    let only_text = result.content.iter().all(|part| part.text().is_some());
    let output = if only_text {
        let text = result.content.iter().filter_map(UserPart::text).collect::<Vec<_>>().join("\n");
        let text = if text.is_empty() { "(no output)".to_owned() } else { text };
        // This wire has no error flag; the words carry it.
        if result.is_error && !text.to_ascii_lowercase().contains("error") {
            Value::String(format!("Error: {text}"))
        } else {
            Value::String(text)
        }
    } else {
        user_content(&result.content)
    };
    json!({"type": kind, "call_id": result.id, "output": output})
}

/// Assembles one streamed answer.
#[derive(Default)]
pub(super) struct Decoder {
    /// Wire item (by `output_index`) to our block.
    blocks: HashMap<u64, usize>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Event {
    r#type: String,
    #[serde(default)]
    output_index: u64,
    #[serde(default)]
    delta: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
    #[serde(default)]
    input: Option<String>,
    #[serde(default)]
    item: Option<Value>,
    #[serde(default)]
    response: Option<Value>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    error: Option<Value>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        if event.data.trim() == "[DONE]" {
            return Ok(Progress::More);
        }
        let event: Event = serde_json::from_str(event.data).map_err(|error| super::malformed(&error))?;
        let index = event.output_index;
        match event.r#type.as_str() {
            "response.created" | "response.in_progress" => {
                answer.start();
                if let Some(id) = event.response.as_ref().and_then(|r| r["id"].as_str()) {
                    answer.set_response_id(id);
                }
            }
            "response.output_item.added" => self.open(index, event.item.as_ref(), answer),
            "response.output_text.delta" | "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                if let (Some(block), Some(delta)) = (self.blocks.get(&index), event.delta)
                    && answer.push_text(*block, &delta).is_err()
                {
                    answer.finish(StopReason::Stop);
                    return Ok(Progress::Finished);
                }
            }
            "response.refusal.delta" => {
                let text = event.delta.unwrap_or_default();
                if let Some(block) = self.blocks.get(&index) {
                    let _ = answer.push_text(*block, &text);
                }
                self.refusal.get_or_insert_default().push_str(&text);
            }
            "response.reasoning_summary_part.done" => {
                if let Some(block) = self.blocks.get(&index) {
                    let _ = answer.push_text(*block, "\n\n");
                }
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                if let (Some(block), Some(delta)) = (self.blocks.get(&index), event.delta) {
                    answer.push_arguments(*block, &delta);
                }
            }
            "response.function_call_arguments.done" | "response.custom_tool_call_input.done" => {
                if let (Some(block), Some(whole)) = (self.blocks.get(&index), event.arguments.or(event.input)) {
                    answer.complete_arguments(*block, &whole);
                }
            }
            "response.output_item.done" => self.close(index, event.item.as_ref(), answer),
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                return self.terminal(event.response.unwrap_or_default(), answer);
            }
            "error" => return Err(stream_error(&event)),
            _ => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _answer: &mut Answer) -> Result<(), Failure> {
        Err(super::cut_short())
    }
}

impl Decoder {
    fn open(&mut self, index: u64, item: Option<&Value>, answer: &mut Answer) {
        let Some(item) = item else { return };
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        let block = match text("type") {
            "message" => answer.open_text(),
            "reasoning" => answer.open_thinking(),
            kind @ ("function_call" | "custom_tool_call") => {
                let block = answer.open_call(text("call_id"), text("name"));
                if kind == "custom_tool_call" {
                    answer.mark_custom(block);
                }
                let already = if kind == "custom_tool_call" { text("input") } else { text("arguments") };
                if !already.is_empty() {
                    answer.push_arguments(block, already);
                }
                block
            }
            _ => return,
        };
        self.blocks.insert(index, block);
    }

    /// The finished item holds what deltas may have left out, and the identity for replay.
    fn close(&mut self, index: u64, item: Option<&Value>, answer: &mut Answer) {
        let Some(item) = item else { return };
        if !self.blocks.contains_key(&index) {
            self.open(index, Some(item), answer);
        }
        let Some(&block) = self.blocks.get(&index) else {
            // Items of server-side tools are kept as they are.
            answer.add_native(item.clone());
            return;
        };
        let id = item["id"].as_str().unwrap_or_default();
        match item["type"].as_str().unwrap_or_default() {
            "reasoning" => answer.sign_thinking(block, &item.to_string()),
            "message" if !id.is_empty() => answer.sign_text(block, id),
            "function_call" | "custom_tool_call" => {
                if let Some(whole) = item["arguments"].as_str().or_else(|| item["input"].as_str()) {
                    answer.complete_arguments(block, whole);
                }
                if !id.is_empty() {
                    answer.sign_call(block, id);
                }
            }
            _ => {}
        }
        answer.close(block);
    }

    fn terminal(&mut self, response: Value, answer: &mut Answer) -> Result<Progress, Failure> {
        if let Some(id) = response["id"].as_str() {
            answer.set_response_id(id);
        }
        answer.set_usage(usage(&response["usage"]));
        if let Some(text) = self.refusal.take() {
            return Err(super::refusal(format!("the provider refused to answer: {text}")));
        }
        match response["status"].as_str().unwrap_or("completed") {
            "failed" | "cancelled" => {
                let text = crate::failure::error_text(&json!({"error": response["error"]}).to_string());
                let text = if text.is_empty() || response["error"].is_null() {
                    format!("the provider ended the answer as {}", response["status"].as_str().unwrap_or("failed"))
                } else {
                    text
                };
                Err(super::provider_error(&text))
            }
            "incomplete" => match response["incomplete_details"]["reason"].as_str() {
                Some("content_filter") => Err(super::refusal("the provider's content filter stopped the answer".to_owned())),
                _ => {
                    answer.finish(StopReason::Length);
                    Ok(Progress::Finished)
                }
            },
            _ => {
                answer.finish(StopReason::Stop);
                Ok(Progress::Finished)
            }
        }
    }
}

fn stream_error(event: &Event) -> Failure {
    let nested = event.error.as_ref().map(|error| crate::failure::error_text(&json!({"error": error}).to_string()));
    let text = nested.or_else(|| event.message.clone()).unwrap_or_else(|| "the provider reported an error".to_owned());
    let text = match &event.code {
        Some(code) if !text.contains(code.as_str()) => format!("{text} [{code}]"),
        _ => text,
    };
    let failure = super::provider_error(&text);
    // An error event without a known cause is the server's fault, not the request's: that would be an HTTP 400.
    if failure.kind == FailureKind::Fatal && event.code.is_none() {
        return Failure { kind: FailureKind::Transient, ..failure };
    }
    failure
}

fn usage(usage: &Value) -> Usage {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let cached = count(&usage["input_tokens_details"]["cached_tokens"]);
    Usage {
        input: count(&usage["input_tokens"]).saturating_sub(cached),
        output: count(&usage["output_tokens"]),
        cache_read: cached,
        ..Usage::default()
    }
}
