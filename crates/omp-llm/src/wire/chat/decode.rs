//! The streamed answer: chunks with a piece of text, of reasoning, or of a call's arguments.

use omp_types::{Failure, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::failure::{self, cut_short, malformed};
use crate::model::{Model, ReasoningField};
use crate::sse::SseEvent;
use crate::wire::text::{CalledFunction, Text, count, or_empty};
use crate::wire::words::{DeltaKind, Words};
use crate::wire::{Decode, Progress};

/// Assembles one streamed answer.
pub(in crate::wire) struct Decoder {
    reasoning_first: ReasoningField,
    words: Words,
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
struct Chunk<'a> {
    #[serde(default, borrow)]
    id: Option<Text<'a>>,
    #[serde(default, borrow)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default, borrow)]
    delta: Option<Delta<'a>>,
    #[serde(default, borrow)]
    finish_reason: Option<Text<'a>>,
    /// Some servers put the usage here.
    #[serde(default)]
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(default, borrow)]
    content: Option<Text<'a>>,
    #[serde(default, borrow)]
    refusal: Option<Text<'a>>,
    #[serde(default, borrow)]
    reasoning_content: Option<Text<'a>>,
    #[serde(default, borrow)]
    reasoning: Option<Text<'a>>,
    #[serde(default, borrow)]
    reasoning_text: Option<Text<'a>>,
    #[serde(default, borrow)]
    tool_calls: Option<Vec<CallDelta<'a>>>,
}

#[derive(Deserialize)]
struct CallDelta<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default, borrow)]
    id: Option<Text<'a>>,
    #[serde(default, borrow)]
    function: Option<CalledFunction<'a>>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        if event.data.trim() == "[DONE]" {
            // The server says itself that this is all; a reason it forgot is not worth losing the answer for.
            self.finish.get_or_insert(StopReason::Stop);
            self.complete(answer)?;
            return Ok(Progress::Finished);
        }
        let chunk: Chunk<'_> = serde_json::from_str(event.data).map_err(|error| malformed(&error))?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            let text = failure::error_value(&error).unwrap_or_else(|| error.to_string());
            return Err(failure::from_provider(&text));
        }
        answer.start();
        answer.set_response_id(or_empty(chunk.id.as_ref()));
        let mut usage = chunk.usage;
        if let Some(choice) = chunk.choices.into_iter().flatten().next() {
            usage = usage.or(choice.usage);
            if let Some(delta) = &choice.delta {
                self.delta(delta, answer)?;
            }
            if let Some(reason) = &choice.finish_reason {
                self.finish = Some(self.stop_reason(reason));
            }
        }
        if let Some(usage) = usage.filter(Value::is_object) {
            answer.set_usage(read_usage(&usage));
        }
        Ok(Progress::More)
    }

    /// Some servers never send `[DONE]`; a finish reason is as good.
    fn end(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        self.complete(answer)
    }
}

impl Decoder {
    pub(in crate::wire) fn new(model: &Model) -> Self {
        Self {
            reasoning_first: model.compat.thinking.field,
            words: Words::default(),
            calls: Vec::new(),
            finish: None,
            refused: false,
        }
    }

    fn delta(&mut self, delta: &Delta<'_>, answer: &mut Answer) -> Result<(), Failure> {
        self.words.push(DeltaKind::Thinking, self.reasoning(delta), answer);
        self.words.push(DeltaKind::Text, or_empty(delta.content.as_ref()), answer);
        let refusal = or_empty(delta.refusal.as_ref());
        self.refused |= !refusal.is_empty();
        self.words.push(DeltaKind::Text, refusal, answer);
        for call in delta.tool_calls.iter().flatten() {
            self.call(call, answer)?;
        }
        Ok(())
    }

    /// Engines disagree on the name of the field, and some fill two with the same words.
    fn reasoning<'d>(&self, delta: &'d Delta<'_>) -> &'d str {
        let field = |field: ReasoningField| match field {
            ReasoningField::ReasoningContent => delta.reasoning_content.as_ref(),
            ReasoningField::Reasoning => delta.reasoning.as_ref(),
            ReasoningField::ReasoningText => delta.reasoning_text.as_ref(),
        };
        let candidates = std::iter::once(self.reasoning_first).chain(ReasoningField::ALL);
        candidates
            .map(|candidate| or_empty(field(candidate)))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }

    fn call(&mut self, delta: &CallDelta<'_>, answer: &mut Answer) -> Result<(), Failure> {
        let function = delta.function.as_ref();
        let name = or_empty(function.and_then(|function| function.name.as_ref()));
        let id = or_empty(delta.id.as_ref());
        let block = match self.find(delta.index, id, name) {
            Some(call) => {
                answer.name_call(call.block, name);
                call.block
            }
            None => {
                self.words.close(answer);
                let wire_index = delta.index.unwrap_or(self.calls.len() as u64);
                let block = answer.open_call(id, name);
                self.calls.push(StreamedCall { wire_index, block, id: id.to_owned() });
                block
            }
        };
        if let Some(arguments) = function.and_then(|function| function.arguments) {
            push_arguments(block, arguments, answer)?;
        }
        Ok(())
    }

    /// Calls are told apart by `index`; servers that leave it out, or give every call the same, by `id`. A
    /// fragment that says neither belongs to the newest.
    fn find(&self, index: Option<u64>, id: &str, name: &str) -> Option<&StreamedCall> {
        let same_call = |call: &&StreamedCall| match index {
            Some(index) => call.wire_index == index && (id.is_empty() || name.is_empty() || call.id == id),
            None if id.is_empty() => name.is_empty(),
            None => call.id == id,
        };
        self.calls.iter().rev().find(same_call)
    }

    fn stop_reason(&mut self, reason: &str) -> StopReason {
        match reason {
            "length" => StopReason::Length,
            "tool_calls" | "function_call" => StopReason::ToolUse,
            "content_filter" => {
                self.refused = true;
                StopReason::Error
            }
            _ => StopReason::Stop,
        }
    }

    fn complete(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        let Some(reason) = self.finish.take() else { return Err(cut_short()) };
        if self.refused {
            return Err(failure::refusal("the provider refused to answer"));
        }
        answer.finish(reason);
        Ok(())
    }
}

fn push_arguments(block: usize, arguments: &RawValue, answer: &mut Answer) -> Result<(), Failure> {
    let raw = arguments.get();
    if raw.starts_with('"') {
        let text: Text<'_> = serde_json::from_str(raw).map_err(|error| malformed(&error))?;
        answer.push_arguments(block, &text);
    } else if raw != "null" {
        answer.push_arguments(block, raw);
    }
    Ok(())
}

/// The prompt count of this wire includes what came from and went to the cache; ours does not.
fn read_usage(usage: &Value) -> Usage {
    let details = &usage["prompt_tokens_details"];
    let read = count(&details["cached_tokens"]).or(count(&usage["prompt_cache_hit_tokens"])).unwrap_or(0);
    let write = count(&details["cache_write_tokens"]).unwrap_or(0);
    Usage {
        input: count(&usage["prompt_tokens"]).unwrap_or(0).saturating_sub(read).saturating_sub(write),
        output: count(&usage["completion_tokens"]).unwrap_or(0),
        cache_read: read,
        cache_write: write,
        ..Usage::default()
    }
}
