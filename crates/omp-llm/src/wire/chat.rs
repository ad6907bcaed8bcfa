//! OpenAI Chat Completions: `POST <base>/chat/completions`, and every server that imitates it.

use omp_types::{Failure, ModelRequest, ParallelTools, StopReason, ThinkingLevel, ToolChoice, ToolDefinition, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Decode, Policy, Progress, Retention, ToolNames, WireRequest};
use crate::answer::Answer;
use crate::history::{self, AssistantPart, IdRules, Turn, UserPart};
use crate::model::{CacheControlFormat, MaxTokensField, Model, ReasoningField, ThinkingFormat};
use crate::sse::SseEvent;

const IDS: IdRules = IdRules { max_len: 40, prefix: "call_" };

pub(super) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    let names = ToolNames::new(&request.tools);
    let compat = &model.compat;
    let mut body = Map::new();
    body.insert("model".into(), model.id.clone().into());
    body.insert("stream".into(), true.into());
    if compat.supports_usage_in_streaming {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if compat.supports_store {
        body.insert("store".into(), false.into());
    }
    let limit = request.options.max_tokens.or(compat.always_send_max_tokens.then_some(model.max_tokens));
    if let Some(limit) = limit {
        let field = match compat.max_tokens_field {
            MaxTokensField::MaxTokens => "max_tokens",
            MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
        };
        body.insert(field.into(), limit.into());
    }
    if let Some(temperature) = request.options.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    insert_thinking(&mut body, model, request.options.thinking);
    if let Some(tier) = &request.options.service_tier {
        body.insert("service_tier".into(), tier.clone().into());
    }
    if let Some(key) = &request.options.prompt_cache_key {
        body.insert("prompt_cache_key".into(), key.clone().into());
        if policy.retention == Retention::Long && compat.long_cache_retention {
            body.insert("prompt_cache_retention".into(), "24h".into());
        }
    }
    body.extend(compat.extra_body.clone());
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| encode_tool(tool, model, policy, &names)).collect();
        body.insert("tools".into(), Value::Array(tools));
        insert_tool_choice(&mut body, model, request, &names);
    }
    body.insert("messages".into(), Value::Array(encode_messages(model, request, &names)));
    WireRequest {
        url: super::join(&model.base_url, "/chat/completions"),
        headers: Vec::new(),
        body: Value::Object(body).to_string(),
        names: names.into_reverse(),
    }
}

fn insert_thinking(body: &mut Map<String, Value>, model: &Model, wanted: ThinkingLevel) {
    let level = model.clamp_level(wanted);
    if !model.reasoning {
        return;
    }
    let on = level != ThinkingLevel::Off;
    match model.compat.thinking_format {
        ThinkingFormat::Openai if on && model.compat.supports_reasoning_effort => {
            body.insert("reasoning_effort".into(), level.name().into());
        }
        ThinkingFormat::Openai => {}
        ThinkingFormat::Openrouter if on => {
            body.insert("reasoning".into(), json!({"effort": level.name()}));
        }
        ThinkingFormat::Openrouter => {}
        ThinkingFormat::Zai => {
            body.insert("thinking".into(), json!({"type": if on { "enabled" } else { "disabled" }}));
        }
        ThinkingFormat::Qwen => {
            body.insert("enable_thinking".into(), on.into());
        }
        ThinkingFormat::QwenChatTemplate => {
            body.insert("chat_template_kwargs".into(), json!({"enable_thinking": on}));
        }
    }
}

fn encode_tool(tool: &ToolDefinition, model: &Model, policy: Policy, names: &ToolNames) -> Value {
    let mut function = Map::new();
    function.insert("name".into(), names.wire(&tool.name).into_owned().into());
    function.insert("description".into(), tool.description.clone().into());
    let (parameters, strict) = super::openai_schema(tool, model, policy);
    function.insert("parameters".into(), parameters);
    if let Some(strict) = strict {
        function.insert("strict".into(), strict.into());
    }
    json!({"type": "function", "function": function})
}

fn insert_tool_choice(body: &mut Map<String, Value>, model: &Model, request: &ModelRequest, names: &ToolNames) {
    let forced = matches!(request.options.tool_choice, ToolChoice::Required | ToolChoice::Tool(_));
    let choice = match &request.options.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Tool(name) => Some(json!({"type": "function", "function": {"name": names.wire(name)}})),
    };
    if let Some(choice) = choice
        && model.compat.supports_tool_choice
        && (!forced || model.compat.supports_forced_tool_choice)
    {
        body.insert("tool_choice".into(), choice);
    }
    if request.options.parallel_tools == ParallelTools::OneAtATime {
        body.insert("parallel_tool_calls".into(), false.into());
    }
}

fn encode_messages(model: &Model, request: &ModelRequest, names: &ToolNames) -> Vec<Value> {
    let mut messages = Vec::new();
    let role = if model.reasoning && model.compat.supports_developer_role { "developer" } else { "system" };
    let system = request.system.iter().filter(|block| !block.trim().is_empty()).map(String::as_str);
    let system = system.collect::<Vec<_>>().join("\n\n");
    if !system.is_empty() {
        messages.push(json!({"role": role, "content": system}));
    }
    for turn in history::prepare(&request.messages, model, IDS, request.options.identity_from) {
        match turn {
            Turn::User(parts) => messages.push(json!({"role": "user", "content": user_content(&parts)})),
            Turn::Assistant(parts) => messages.push(assistant_message(&parts, model, names)),
            Turn::Results(results) => push_results(&mut messages, &results, model),
        }
    }
    if model.compat.cache_control == CacheControlFormat::Anthropic {
        mark_cache(&mut messages);
    }
    messages
}

/// Text alone stays a string: the oldest imitations of this API know nothing else.
fn user_content(parts: &[UserPart<'_>]) -> Value {
    if let [UserPart::Text(text)] = parts {
        return text.as_ref().into();
    }
    let part = |part: &UserPart<'_>| match part {
        UserPart::Text(text) => json!({"type": "text", "text": text}),
        UserPart::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    };
    parts.iter().map(part).collect()
}

fn assistant_message(parts: &[AssistantPart<'_>], model: &Model, names: &ToolNames) -> Value {
    let mut text = Vec::new();
    let mut reasoning = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match part {
            AssistantPart::Text { text: block, .. } => text.push(*block),
            AssistantPart::Thinking { text: block, .. } => reasoning.push(*block),
            AssistantPart::Call { id, name, arguments, .. } => calls.push(json!({
                "id": id,
                "type": "function",
                "function": {
                    "name": names.wire(name),
                    "arguments": serde_json::to_string(arguments.as_ref()).unwrap_or_else(|_| "{}".to_owned()),
                },
            })),
            AssistantPart::Redacted { .. } | AssistantPart::Native { .. } => {}
        }
    }
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { text.join("\n").into() };
    message.insert("content".into(), content);
    if !reasoning.is_empty() {
        message.insert(model.compat.reasoning_field.name().into(), reasoning.join("\n").into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

/// One `tool` message per result. Images cannot ride in a tool message; they follow in a user message.
fn push_results(messages: &mut Vec<Value>, results: &[history::ResultPart<'_>], model: &Model) {
    let mut images = Vec::new();
    for result in results {
        let texts: Vec<&str> = result.content.iter().filter_map(UserPart::text).collect();
        let mut text = texts.join("\n");
        let pictures: Vec<_> = result.content.iter().filter(|part| matches!(part, UserPart::Image(_))).collect();
        if text.is_empty() {
            text = if pictures.is_empty() { "(no output)" } else { "(see the image below)" }.to_owned();
        }
        // This wire has no error flag; the words carry it.
        if result.is_error && !text.to_ascii_lowercase().contains("error") {
            text = format!("Error: {text}");
        }
        let mut message = Map::new();
        message.insert("role".into(), "tool".into());
        message.insert("tool_call_id".into(), result.id.clone().into());
        if model.compat.requires_tool_result_name {
            message.insert("name".into(), result.name.into());
        }
        message.insert("content".into(), text.into());
        messages.push(Value::Object(message));
        images.extend(pictures.into_iter().map(|picture| (result.name, picture)));
    }
    if !images.is_empty() {
        let parts = images.iter().flat_map(|(name, picture)| {
            let label = UserPart::Text(format!("Image from {name}:").into());
            [label, picture.reborrow()]
        });
        let parts: Vec<_> = parts.collect();
        messages.push(json!({"role": "user", "content": user_content(&parts)}));
    }
}

/// Anthropic models behind this wire cache up to marked blocks: the system prompt and the newest message.
fn mark_cache(messages: &mut [Value]) {
    let last = messages.len().saturating_sub(1);
    for (index, message) in messages.iter_mut().enumerate() {
        let role = message["role"].as_str().unwrap_or_default().to_owned();
        if !(role == "system" || role == "developer" || (index == last && role == "user")) {
            continue;
        }
        let content = message["content"].take();
        let mut parts = match content {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            Value::Array(parts) => parts,
            other => vec![other],
        };
        if let Some(part) = parts.last_mut().and_then(Value::as_object_mut) {
            part.insert("cache_control".into(), json!({"type": "ephemeral"}));
        }
        message["content"] = parts.into();
    }
}

/// Assembles one streamed answer.
pub(super) struct Decoder {
    reasoning_first: ReasoningField,
    text: Option<usize>,
    thinking: Option<usize>,
    calls: Vec<StreamedCall>,
    finish: Option<StopReason>,
    refused: bool,
}

struct StreamedCall {
    wire_index: u64,
    block: usize,
    id: String,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
    /// Some servers put the usage here.
    #[serde(default)]
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
    #[serde(default)]
    reasoning_text: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    prompt_cache_hit_tokens: u64,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
    #[serde(default)]
    cache_write_tokens: Option<u64>,
}

impl Decoder {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            reasoning_first: model.compat.reasoning_field,
            text: None,
            thinking: None,
            calls: Vec::new(),
            finish: None,
            refused: false,
        }
    }

    fn delta(&mut self, delta: Delta, answer: &mut Answer) -> Result<Progress, Failure> {
        if let Some(thought) = self.reasoning(&delta) {
            let index = match self.thinking {
                Some(index) => index,
                None => {
                    self.close_text(answer);
                    *self.thinking.insert(answer.open_thinking())
                }
            };
            if answer.push_text(index, &thought).is_err() {
                return Ok(self.stop_here(answer));
            }
        }
        if delta.refusal.as_ref().is_some_and(|text| !text.is_empty()) {
            self.refused = true;
        }
        let text = delta.content.or(delta.refusal).filter(|text| !text.is_empty());
        if let Some(text) = text {
            let index = match self.text {
                Some(index) => index,
                None => {
                    self.close_thinking(answer);
                    *self.text.insert(answer.open_text())
                }
            };
            if answer.push_text(index, &text).is_err() {
                return Ok(self.stop_here(answer));
            }
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.call(call, answer);
        }
        Ok(Progress::More)
    }

    fn reasoning(&self, delta: &Delta) -> Option<String> {
        let field = |field: ReasoningField| match field {
            ReasoningField::ReasoningContent => delta.reasoning_content.as_ref(),
            ReasoningField::Reasoning => delta.reasoning.as_ref(),
            ReasoningField::ReasoningText => delta.reasoning_text.as_ref(),
        };
        let candidates = std::iter::once(self.reasoning_first).chain(ReasoningField::ALL);
        candidates.filter_map(field).find(|text| !text.is_empty()).cloned()
    }

    /// Calls are told apart by `index`; servers that leave it out are told apart by `id`.
    fn call(&mut self, delta: CallDelta, answer: &mut Answer) {
        let id = delta.id.filter(|id| !id.is_empty());
        let name = delta.function.as_ref().and_then(|function| function.name.clone()).filter(|name| !name.is_empty());
        let known = self.calls.iter().position(|call| match (delta.index, &id) {
            (Some(index), Some(id)) => call.wire_index == index && (call.id == *id || name.is_none()),
            (Some(index), None) => call.wire_index == index,
            (None, Some(id)) => call.id == *id,
            (None, None) => false,
        });
        let last = (delta.index.is_none() && id.is_none()).then(|| self.calls.len().checked_sub(1)).flatten();
        let position = known.or(last).unwrap_or_else(|| {
            self.close_text(answer);
            self.close_thinking(answer);
            let wire_index = delta.index.unwrap_or(self.calls.len() as u64);
            let id = id.unwrap_or_else(|| format!("call_{:016x}", fastrand::u64(..)));
            let block = answer.open_call(&id, name.as_deref().unwrap_or_default());
            self.calls.push(StreamedCall { wire_index, block, id });
            self.calls.len() - 1
        });
        if let Some(arguments) = delta.function.and_then(|function| function.arguments)
            && !arguments.is_empty()
        {
            answer.push_arguments(self.calls[position].block, &arguments);
        }
    }

    fn close_text(&mut self, answer: &mut Answer) {
        if let Some(index) = self.text.take() {
            answer.close(index);
        }
    }

    fn close_thinking(&mut self, answer: &mut Answer) {
        if let Some(index) = self.thinking.take() {
            answer.close(index);
        }
    }

    fn stop_here(&mut self, answer: &mut Answer) -> Progress {
        answer.finish(StopReason::Stop);
        Progress::Finished
    }

    fn complete(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        let Some(reason) = self.finish.take() else { return Err(super::cut_short()) };
        if self.refused {
            return Err(super::refusal("the provider refused to answer".to_owned()));
        }
        answer.finish(reason);
        Ok(())
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        if event.data.trim() == "[DONE]" {
            self.complete(answer)?;
            return Ok(Progress::Finished);
        }
        let chunk: Chunk = serde_json::from_str(event.data).map_err(|error| super::malformed(&error))?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(super::provider_error(&crate::failure::error_text(&json!({"error": error}).to_string())));
        }
        answer.start();
        if let Some(id) = &chunk.id {
            answer.set_response_id(id);
        }
        if let Some(usage) = chunk.usage {
            answer.set_usage(usage.into());
        }
        for choice in chunk.choices.into_iter().take(1) {
            if let Some(usage) = choice.usage {
                answer.set_usage(usage.into());
            }
            if let Some(delta) = choice.delta
                && self.delta(delta, answer)? == Progress::Finished
            {
                return Ok(Progress::Finished);
            }
            if let Some(reason) = choice.finish_reason {
                self.finish = Some(match reason.as_str() {
                    "length" => StopReason::Length,
                    "tool_calls" | "function_call" => StopReason::ToolUse,
                    "content_filter" => {
                        self.refused = true;
                        StopReason::Error
                    }
                    _ => StopReason::Stop,
                });
            }
        }
        Ok(Progress::More)
    }

    /// Some servers never send `[DONE]`; a finish reason is as good.
    fn end(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        self.complete(answer)
    }
}

impl From<WireUsage> for Usage {
    fn from(usage: WireUsage) -> Self {
        let details = usage.prompt_tokens_details;
        let read = details.as_ref().and_then(|d| d.cached_tokens).unwrap_or(usage.prompt_cache_hit_tokens);
        let write = details.and_then(|d| d.cache_write_tokens).unwrap_or(0);
        Self {
            input: usage.prompt_tokens.saturating_sub(read + write),
            output: usage.completion_tokens,
            cache_read: read,
            cache_write: write,
            ..Self::default()
        }
    }
}
