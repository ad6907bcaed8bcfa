//! The streamed answer: our own events, without the messages that go with them.

use std::collections::HashMap;

use omp_types::{Failure, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::failure::{self, cut_short, malformed};
use crate::sse::SseEvent;
use crate::wire::text::{Text, count, or_empty};
use crate::wire::{Decode, Progress};

/// The mark that ends the stream.
const DONE: &str = "[DONE]";

/// Assembles one streamed answer.
#[derive(Default)]
pub(in crate::wire) struct Decoder {
    /// Their block index to ours.
    blocks: HashMap<u64, usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    #[serde(default)]
    content_index: u64,
    #[serde(default, borrow)]
    delta: Option<Text<'a>>,
    #[serde(default, borrow)]
    content_signature: Option<Text<'a>>,
    #[serde(default, borrow)]
    id: Option<Text<'a>>,
    #[serde(default, borrow)]
    tool_name: Option<Text<'a>>,
    #[serde(default, borrow)]
    name: Option<Text<'a>>,
    #[serde(default)]
    tool_call: Option<Value>,
    #[serde(default, borrow)]
    reason: Option<Text<'a>>,
    #[serde(default, borrow)]
    error_message: Option<Text<'a>>,
    #[serde(default)]
    usage: Option<Value>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        if event.data.trim() == DONE {
            return Err(cut_short());
        }
        let event: Event<'_> = serde_json::from_str(event.data).map_err(|error| malformed(&error))?;
        let block = self.blocks.get(&event.content_index).copied();
        let signature = or_empty(event.content_signature.as_ref());
        match (&*event.r#type, block) {
            ("start", _) => answer.start(),
            ("text_start", None) => self.open(event.content_index, answer.open_text()),
            ("thinking_start", None) => self.open(event.content_index, answer.open_thinking()),
            ("toolcall_start", None) => {
                let name = or_empty(event.tool_name.as_ref().or(event.name.as_ref()));
                self.open(event.content_index, answer.open_call(or_empty(event.id.as_ref()), name));
            }
            ("text_delta" | "thinking_delta", Some(block)) => {
                answer.push_text(block, or_empty(event.delta.as_ref()));
            }
            ("toolcall_delta", Some(block)) => answer.push_arguments(block, or_empty(event.delta.as_ref())),
            ("text_end", Some(block)) => {
                answer.identify(block, signature);
                answer.close(block);
            }
            ("thinking_end", Some(block)) => {
                answer.sign_thinking(block, signature);
                answer.close(block);
            }
            ("toolcall_end", Some(block)) => end_call(block, &event, answer),
            ("done", _) => {
                set_usage(answer, event.usage.as_ref());
                answer.finish(match or_empty(event.reason.as_ref()) {
                    "length" => StopReason::Length,
                    "toolUse" => StopReason::ToolUse,
                    _ => StopReason::Stop,
                });
                return Ok(Progress::Finished);
            }
            ("error", _) => {
                set_usage(answer, event.usage.as_ref());
                let text = event.error_message.as_ref().map_or(
                    "the gateway reported an error without a \
                     message",
                    |text| text,
                );
                return Err(failure::from_provider(text));
            }
            _ => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _answer: &mut Answer) -> Result<(), Failure> {
        Err(cut_short())
    }
}

impl Decoder {
    fn open(&mut self, theirs: u64, ours: usize) {
        self.blocks.insert(theirs, ours);
    }
}

/// Some gateways repeat the whole call at its end.
fn end_call(block: usize, event: &Event<'_>, answer: &mut Answer) {
    if let Some(call) = &event.tool_call {
        if let Some(arguments) = call.get("arguments").filter(|arguments| arguments.is_object()) {
            answer.settle_unwritten(block, &arguments.to_string());
        }
        answer.identify(block, call["thoughtSignature"].as_str().unwrap_or_default());
    }
    answer.identify(block, or_empty(event.content_signature.as_ref()));
    answer.close(block);
}

fn set_usage(answer: &mut Answer, usage: Option<&Value>) {
    let Some(usage) = usage else { return };
    let of = |name: &str| count(&usage[name]).unwrap_or_default();
    answer.set_usage(Usage {
        input: of("input"),
        output: of("output"),
        cache_read: of("cacheRead"),
        cache_write: of("cacheWrite"),
        ..Usage::default()
    });
}
