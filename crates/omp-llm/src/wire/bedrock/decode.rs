//! The streamed answer: blocks that grow and stop, a reason, then what it cost.

use std::collections::HashMap;

use omp_types::{Failure, FailureKind, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::failure::{self, cut_short, malformed};
use crate::sse::SseEvent;
use crate::wire::text::{Text, count, or_empty};
use crate::wire::{Decode, Progress};

/// Assembles one streamed answer.
#[derive(Default)]
pub(in crate::wire) struct Decoder {
    /// Wire block index to ours.
    blocks: HashMap<u64, usize>,
    stop: Option<String>,
}

/// The union of all events; the name of the event says which it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(default)]
    content_block_index: u64,
    #[serde(default, borrow)]
    start: Option<Start<'a>>,
    #[serde(default, borrow)]
    delta: Option<Delta<'a>>,
    #[serde(default, borrow)]
    stop_reason: Option<Text<'a>>,
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start<'a> {
    #[serde(default, borrow)]
    tool_use: Option<ToolUse<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUse<'a> {
    #[serde(default, borrow)]
    tool_use_id: Option<Text<'a>>,
    #[serde(default, borrow)]
    name: Option<Text<'a>>,
    #[serde(default, borrow)]
    input: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta<'a> {
    #[serde(default, borrow)]
    text: Option<Text<'a>>,
    #[serde(default, borrow)]
    tool_use: Option<ToolUse<'a>>,
    #[serde(default, borrow)]
    reasoning_content: Option<Reasoning<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reasoning<'a> {
    #[serde(default, borrow)]
    text: Option<Text<'a>>,
    #[serde(default, borrow)]
    signature: Option<Text<'a>>,
    #[serde(default, borrow)]
    redacted_content: Option<Text<'a>>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        if event.name == "error" || event.name.ends_with("Exception") {
            return Err(exception(event.name, event.data));
        }
        let name = event.name;
        let event: Event<'_> = serde_json::from_str(event.data).map_err(|error| malformed(&error))?;
        match name {
            "messageStart" => answer.start(),
            "contentBlockStart" => {
                if let Some(tool) = event.start.and_then(|start| start.tool_use) {
                    let id = or_empty(tool.tool_use_id.as_ref());
                    let block = answer.open_call(id, or_empty(tool.name.as_ref()));
                    self.blocks.insert(event.content_block_index, block);
                }
            }
            "contentBlockDelta" => {
                if let Some(delta) = &event.delta {
                    self.delta(event.content_block_index, delta, answer);
                }
            }
            "contentBlockStop" => {
                if let Some(&block) = self.blocks.get(&event.content_block_index) {
                    answer.close(block);
                }
            }
            "messageStop" => self.stop = Some(or_empty(event.stop_reason.as_ref()).to_owned()),
            // The last event, after the stop.
            "metadata" => {
                answer.set_usage(usage(&event.usage));
                if self.stop.is_some() {
                    self.complete(answer)?;
                    return Ok(Progress::Finished);
                }
            }
            _ => {}
        }
        Ok(Progress::More)
    }

    /// Gateways leave the costs out.
    fn end(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        self.complete(answer)
    }
}

impl Decoder {
    fn delta(&mut self, index: u64, delta: &Delta<'_>, answer: &mut Answer) {
        if let Some(tool) = &delta.tool_use
            && let Some(&block) = self.blocks.get(&index)
        {
            answer.push_arguments(block, or_empty(tool.input.as_ref()));
        }
        if let Some(text) = &delta.text {
            let block = *self.blocks.entry(index).or_insert_with(|| answer.open_text());
            answer.push_text(block, text);
        }
        let Some(reasoning) = &delta.reasoning_content else { return };
        if let Some(data) = &reasoning.redacted_content {
            self.blocks.entry(index).or_insert_with(|| answer.add_redacted(data));
            return;
        }
        let block = *self.blocks.entry(index).or_insert_with(|| answer.open_thinking());
        answer.push_text(block, or_empty(reasoning.text.as_ref()));
        answer.sign_thinking(block, or_empty(reasoning.signature.as_ref()));
    }

    fn complete(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        let Some(reason) = self.stop.take() else { return Err(cut_short()) };
        let reason = match reason.as_str() {
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "tool_use" => StopReason::ToolUse,
            "guardrail_intervened" | "content_filtered" | "refusal" => {
                return Err(failure::refusal(format!("the answer was stopped ({reason})")));
            }
            "malformed_model_output" | "malformed_tool_use" => {
                return Err(failure::transient(format!("the model's output could not be read ({reason})")));
            }
            _ => StopReason::Stop,
        };
        answer.finish(reason);
        Ok(())
    }
}

/// Exceptions have names, and those say more than their words.
fn exception(name: &str, data: &str) -> Failure {
    let error: Value = serde_json::from_str(data).unwrap_or_default();
    let words = failure::error_value(&error).unwrap_or_else(|| "no message".to_owned());
    let text = if name == "error" { words } else { format!("{words} [{name}]") };
    let mut failure = failure::from_provider(&text);
    failure.kind = match (name, failure.kind) {
        ("throttlingException", FailureKind::UsageLimit) => FailureKind::UsageLimit,
        // Rates are counted in tokens too, so the words sound like an overflow and are none.
        ("throttlingException", _) => FailureKind::RateLimit,
        (
            "internalServerException"
            | "serviceUnavailableException"
            | "modelStreamErrorException"
            | "modelTimeoutException"
            | "error",
            FailureKind::Fatal,
        ) => FailureKind::Transient,
        // "Try again" in the words of a refused request does not make it right.
        ("validationException", FailureKind::Transient | FailureKind::RateLimit) => FailureKind::Fatal,
        (_, kind) => kind,
    };
    failure
}

fn usage(usage: &Value) -> Usage {
    let of = |key: &str| count(&usage[key]).unwrap_or(0);
    Usage {
        input: of("inputTokens"),
        output: of("outputTokens"),
        cache_read: of("cacheReadInputTokens"),
        cache_write: of("cacheWriteInputTokens"),
        ..Usage::default()
    }
}
