//! The streamed answer: blocks that start, grow and stop, each at its index.

use std::collections::HashMap;

use omp_types::{Failure, StopReason, Usage};
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
    native: HashMap<u64, NativeBlock>,
    stop: Option<String>,
}

/// A block that only the provider understands, complete when it stops.
struct NativeBlock {
    block: Value,
    /// Its `input`, which streams like that of any tool.
    input: String,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    #[serde(default)]
    index: u64,
    #[serde(default, borrow)]
    delta: Option<Delta<'a>>,
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
struct Delta<'a> {
    #[serde(default, borrow)]
    r#type: Option<Text<'a>>,
    #[serde(default, borrow)]
    text: Option<Text<'a>>,
    #[serde(default, borrow)]
    thinking: Option<Text<'a>>,
    #[serde(default, borrow)]
    signature: Option<Text<'a>>,
    #[serde(default, borrow)]
    partial_json: Option<Text<'a>>,
    #[serde(default, borrow)]
    stop_reason: Option<Text<'a>>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        let event: Event<'_> = serde_json::from_str(event.data).map_err(|error| malformed(&error))?;
        match &*event.r#type {
            "content_block_delta" => {
                if let Some(delta) = &event.delta {
                    self.delta(event.index, delta, answer);
                }
            }
            "content_block_start" => self.open(event.index, event.content_block.unwrap_or_default(), answer),
            "content_block_stop" => self.close(event.index, answer),
            "message_start" => {
                answer.start();
                let message = event.message.unwrap_or_default();
                answer.set_response_id(message["id"].as_str().unwrap_or_default());
                merge_usage(answer, &message["usage"]);
            }
            "message_delta" => {
                if let Some(reason) = event.delta.and_then(|delta| delta.stop_reason) {
                    self.stop = Some(reason.to_owned());
                }
                merge_usage(answer, &event.usage.unwrap_or_default());
            }
            "message_stop" => {
                self.complete(answer)?;
                return Ok(Progress::Finished);
            }
            "error" => {
                let text = event.error.as_ref().and_then(failure::error_value);
                return Err(failure::from_provider(
                    &text.unwrap_or_else(|| "api_error without a message".to_owned()),
                ));
            }
            // `ping`, and whatever the API learns to say.
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
                answer.push_text(opened, text("text"));
                opened
            }
            "thinking" => {
                let opened = answer.open_thinking();
                answer.push_text(opened, text("thinking"));
                answer.sign_thinking(opened, text("signature"));
                opened
            }
            "redacted_thinking" => answer.add_redacted(text("data")),
            "tool_use" => {
                let opened = answer.open_call(text("id"), text("name"));
                // Empty when the input streams; imitations that do not stream it put it here.
                if block["input"].as_object().is_some_and(|input| !input.is_empty()) {
                    answer.push_arguments(opened, &block["input"].to_string());
                }
                opened
            }
            "" => return,
            _ => {
                self.native.insert(index, NativeBlock { block, input: String::new() });
                return;
            }
        };
        self.blocks.insert(index, opened);
    }

    fn delta(&mut self, index: u64, delta: &Delta<'_>, answer: &mut Answer) {
        if let Some(native) = self.native.get_mut(&index) {
            native.input.push_str(answer.admit(or_empty(delta.partial_json.as_ref())));
            return;
        }
        let Some(&block) = self.blocks.get(&index) else { return };
        match or_empty(delta.r#type.as_ref()) {
            "text_delta" => answer.push_text(block, or_empty(delta.text.as_ref())),
            "thinking_delta" => answer.push_text(block, or_empty(delta.thinking.as_ref())),
            "signature_delta" => answer.sign_thinking(block, or_empty(delta.signature.as_ref())),
            "input_json_delta" => answer.push_arguments(block, or_empty(delta.partial_json.as_ref())),
            _ => {}
        }
    }

    fn close(&mut self, index: u64, answer: &mut Answer) {
        if let Some(NativeBlock { mut block, input }) = self.native.remove(&index) {
            if let (Some(members), Ok(input @ Value::Object(_))) =
                (block.as_object_mut(), serde_json::from_str(&input))
            {
                members.insert("input".into(), input);
            }
            answer.add_native(block);
        } else if let Some(&block) = self.blocks.get(&index) {
            answer.close(block);
        }
    }

    fn complete(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        let Some(reason) = self.stop.take() else { return Err(cut_short()) };
        let reason = match reason.as_str() {
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "tool_use" => StopReason::ToolUse,
            "pause_turn" => StopReason::Pause,
            "refusal" => return Err(failure::refusal("the model refused to answer (stop reason: refusal)")),
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
        if let Some(count) = count(&usage[key]) {
            *field = count;
        }
    };
    set(&mut merged.input, "input_tokens");
    set(&mut merged.output, "output_tokens");
    set(&mut merged.cache_read, "cache_read_input_tokens");
    set(&mut merged.cache_write, "cache_creation_input_tokens");
    answer.set_usage(merged);
}
