//! An answer that is not whole yet, with the results of its calls.

use std::collections::HashMap;

use omp_types::{AssistantBlock, AssistantMessage, StopReason, ToolCall, ToolResultMessage, Usage};
use serde_json::Value;

use crate::json::{number, word};

/// The items between two inputs.
#[derive(Default)]
pub(super) struct Pending {
    content: Vec<AssistantBlock>,
    /// Calls without a result.
    open: HashMap<String, ToolCall>,
    results: HashMap<String, ToolResultMessage>,
    usage: Option<Usage>,
    /// Something is missing that the provider would look for, so that its ids are of no use.
    anonymous: bool,
    /// Bytes of the records it was made of.
    pub(super) length: u64,
    pub(super) began: u64,
}

impl Pending {
    pub(super) fn add(&mut self, block: AssistantBlock) {
        // The items behind a thought that cannot be replayed cannot bring it, as the provider wants.
        self.anonymous |=
            matches!(&block, AssistantBlock::Thinking(thought) if thought.thinking_signature.is_none());
        if let AssistantBlock::ToolCall(call) = &block {
            self.open.insert(call.id.clone(), call.clone());
        }
        self.content.push(block);
    }

    pub(super) fn forget_ids(&mut self) {
        self.anonymous |= !self.is_empty();
    }

    /// Has the model been told a result? Then the next item is part of another answer.
    pub(super) fn is_answered(&self) -> bool {
        !self.results.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// The call that a result is for, if it has none yet.
    pub(super) fn open_call(&self, id: &str) -> Option<&ToolCall> {
        self.open.get(id)
    }

    /// Is there a call whose result may still come?
    pub(super) fn waits(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn has_call(&self, id: &str) -> bool {
        self.open.contains_key(id) || self.results.contains_key(id)
    }

    pub(super) fn answer(&mut self, result: ToolResultMessage) {
        self.open.remove(&result.tool_call_id);
        self.results.insert(result.tool_call_id.clone(), result);
    }

    /// The tokens of this answer; events are sometimes repeated.
    pub(super) fn count(&mut self, event: &Value) {
        let last = &event["info"]["last_token_usage"];
        if last.is_object() && self.usage.is_none() {
            self.usage = Some(usage(last));
        }
    }

    /// The message, and its calls with the result of each.
    pub(super) fn finish(
        mut self,
        model: &Model,
    ) -> (AssistantMessage, Vec<(ToolCall, Option<ToolResultMessage>)>) {
        if self.anonymous {
            self.content.iter_mut().for_each(without_ids);
        }
        let calls: Vec<ToolCall> = self.content.iter().filter_map(call).cloned().collect();
        let stop_reason = if calls.is_empty() { StopReason::Stop } else { StopReason::ToolUse };
        let message = AssistantMessage {
            content: self.content,
            api: model.api.to_owned(),
            provider: model.provider.clone(),
            model: model.id.clone(),
            response_id: None,
            usage: self.usage.unwrap_or_default(),
            stop_reason,
            error_message: None,
            timestamp: self.began,
        };
        let mut results = self.results;
        let calls = calls.into_iter().map(|call| {
            let result = results.remove(&call.id);
            (call, result)
        });
        (message, calls.collect())
    }
}

fn call(block: &AssistantBlock) -> Option<&ToolCall> {
    match block {
        AssistantBlock::ToolCall(call) => Some(call),
        _ => None,
    }
}

fn without_ids(block: &mut AssistantBlock) {
    match block {
        AssistantBlock::Text(text) => text.text_signature = None,
        AssistantBlock::Thinking(thought) => thought.thinking_signature = None,
        AssistantBlock::ToolCall(call) => call.thought_signature = None,
        AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => {}
    }
}

/// Tokens that came from the cache are part of the input there.
fn usage(value: &Value) -> Usage {
    let (cache_read, cache_write) =
        (number(value, "cached_input_tokens"), number(value, "cache_write_input_tokens"));
    let whole = number(value, "input_tokens");
    let output = number(value, "output_tokens");
    Usage {
        input: whole.saturating_sub(cache_read).saturating_sub(cache_write),
        output,
        cache_read,
        cache_write,
        total_tokens: whole.saturating_add(output),
        ..Usage::default()
    }
}

/// Who answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) provider: String,
    pub(super) api: &'static str,
    pub(super) id: String,
}

impl Model {
    /// The provider that the session's description names. With the usual one, people are logged in to the service
    /// that Codex is made for.
    pub(super) fn of(meta: &Value) -> Self {
        let provider = word(meta, "model_provider");
        match provider.as_str() {
            "" | "openai" => {
                Self { provider: "openai-codex".to_owned(), api: "openai-codex-responses", id: String::new() }
            }
            _ => Self { provider, api: "openai-responses", id: String::new() },
        }
    }
}
