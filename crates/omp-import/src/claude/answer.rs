//! One answer, from the records it is spread over.

use std::collections::HashSet;

use omp_types::{
    AssistantBlock, AssistantMessage, RedactedBlock, StopReason, TextBlock, ThinkingBlock, ToolCall, Usage,
};
use serde_json::Value;

use crate::json::{arguments, is_true, list, number, text, word};

/// The model of answers that the program wrote itself.
const SYNTHETIC: &str = "<synthetic>";

/// Collects the blocks of an answer in the order of its records.
#[derive(Default)]
pub(super) struct Answer {
    content: Vec<AssistantBlock>,
    /// Each call and where its record is.
    pub(super) calls: Vec<(ToolCall, u64)>,
    called: HashSet<String>,
    /// Blocks that cannot be part of a message here.
    pub(super) strange: Vec<Value>,
    model: Option<String>,
    id: Option<String>,
    usage: Usage,
    stop: Option<String>,
    failure: Option<String>,
}

impl Answer {
    /// Adds the record at `offset`.
    pub(super) fn add(&mut self, record: &Value, offset: u64) {
        let message = &record["message"];
        self.model =
            text(message, "model").filter(|name| *name != SYNTHETIC).map(str::to_owned).or(self.model.take());
        self.id = text(message, "id").map(str::to_owned).or(self.id.take());
        self.stop = text(message, "stop_reason").map(str::to_owned).or(self.stop.take());
        if message["usage"].is_object() {
            self.usage = usage(&message["usage"]);
        }
        if is_true(record, "isApiErrorMessage") {
            self.failure = Some(words(message));
            return;
        }
        match &message["content"] {
            Value::String(text) if !text.is_empty() => self.say(text),
            _ => list(message, "content").iter().for_each(|block| self.block(block, offset)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty() && self.failure.is_none()
    }

    fn say(&mut self, text: &str) {
        self.content.push(AssistantBlock::Text(TextBlock { text: text.to_owned(), text_signature: None }));
    }

    fn block(&mut self, block: &Value, offset: u64) {
        match text(block, "type") {
            Some("text") => self.say(&word(block, "text")),
            Some("thinking") => {
                let thinking_signature = text(block, "signature").map(str::to_owned);
                let thought = ThinkingBlock { thinking: word(block, "thinking"), thinking_signature };
                self.content.push(AssistantBlock::Thinking(thought));
            }
            Some("redacted_thinking") => {
                self.content
                    .push(AssistantBlock::RedactedThinking(RedactedBlock { data: word(block, "data") }));
            }
            Some("tool_use") if text(block, "id").is_some() && text(block, "name").is_some() => {
                self.call(block, offset);
            }
            _ => self.strange.push(block.clone()),
        }
    }

    fn call(&mut self, block: &Value, offset: u64) {
        let id = word(block, "id");
        if !self.called.insert(id.clone()) {
            return;
        }
        let (arguments, invalid_arguments) = arguments(block.get("input"));
        let call = ToolCall {
            id,
            name: word(block, "name"),
            arguments,
            invalid_arguments,
            thought_signature: None,
            intent: None,
            custom: false,
        };
        self.content.push(AssistantBlock::ToolCall(call.clone()));
        self.calls.push((call, offset));
    }

    /// The message. `model` is the last one that answered, for answers that no model gave; it is brought up to date.
    pub(super) fn message(&mut self, model: &mut String, timestamp: u64) -> AssistantMessage {
        if let Some(name) = self.model.take() {
            *model = name;
        }
        let (provider, api) = provider(model);
        AssistantMessage {
            content: std::mem::take(&mut self.content),
            api: api.to_owned(),
            provider: provider.to_owned(),
            model: model.clone(),
            response_id: self.id.take(),
            usage: self.usage,
            stop_reason: self.stop_reason(),
            error_message: self.failure.take(),
            timestamp,
        }
    }

    fn stop_reason(&self) -> StopReason {
        match self.stop.as_deref() {
            _ if self.failure.is_some() => StopReason::Error,
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            _ if !self.calls.is_empty() => StopReason::ToolUse,
            _ => StopReason::Stop,
        }
    }
}

/// The program also talks to Amazon's service, whose models are named otherwise.
fn provider(model: &str) -> (&'static str, &'static str) {
    if model.contains("anthropic.") {
        ("amazon-bedrock", "bedrock-converse-stream")
    } else {
        ("anthropic", "anthropic-messages")
    }
}

fn usage(value: &Value) -> Usage {
    let mut usage = Usage {
        input: number(value, "input_tokens"),
        output: number(value, "output_tokens"),
        cache_read: number(value, "cache_read_input_tokens"),
        cache_write: number(value, "cache_creation_input_tokens"),
        ..Usage::default()
    };
    let counts = [usage.input, usage.output, usage.cache_read, usage.cache_write];
    usage.total_tokens = counts.into_iter().fold(0, u64::saturating_add);
    usage
}

fn words(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        _ => {
            let texts: Vec<&str> =
                list(message, "content").iter().filter_map(|block| text(block, "text")).collect();
            texts.join("\n")
        }
    }
}
