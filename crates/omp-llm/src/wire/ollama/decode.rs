//! The streamed answer: pieces of one message, then a last value that says why it ended.

use omp_types::{Failure, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::failure::{self, cut_short, malformed};
use crate::sse::SseEvent;
use crate::wire::text::{CalledFunction, Text, count, or_empty};
use crate::wire::words::{DeltaKind, Words};
use crate::wire::{Decode, Progress};

/// Assembles one streamed answer.
#[derive(Default)]
pub(in crate::wire) struct Decoder {
    /// The text or thinking block that is growing.
    words: Words,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default, borrow)]
    message: Option<Message<'a>>,
    #[serde(default)]
    done: bool,
    #[serde(default, borrow)]
    done_reason: Option<Text<'a>>,
    #[serde(default)]
    prompt_eval_count: Value,
    #[serde(default)]
    eval_count: Value,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default, borrow)]
    content: Option<Text<'a>>,
    #[serde(default, borrow)]
    thinking: Option<Text<'a>>,
    #[serde(default, borrow)]
    tool_calls: Option<Vec<Call<'a>>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(default, borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    function: CalledFunction<'a>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        let event: Event<'_> = serde_json::from_str(event.data).map_err(|error| malformed(&error))?;
        if let Some(error) = event.error {
            let text = failure::error_value(&error);
            let text = text.unwrap_or_else(|| "the server reported an error without a message".to_owned());
            return Err(failure::from_provider(&text));
        }
        answer.start();
        if let Some(message) = &event.message {
            self.words.push(DeltaKind::Thinking, or_empty(message.thinking.as_ref()), answer);
            self.words.push(DeltaKind::Text, or_empty(message.content.as_ref()), answer);
            for call in message.tool_calls.iter().flatten() {
                self.call(call, answer);
            }
        }
        if !event.done {
            return Ok(Progress::More);
        }
        answer.set_usage(Usage {
            input: count(&event.prompt_eval_count).unwrap_or(0),
            output: count(&event.eval_count).unwrap_or(0),
            ..Usage::default()
        });
        let reason = match or_empty(event.done_reason.as_ref()) {
            "length" => StopReason::Length,
            // A server that loads or unloads the model answers with nothing but this.
            reason @ ("load" | "unload") if answer.is_empty() => {
                return Err(failure::transient(format!(
                    "the server only finished a model {reason}; try again"
                )));
            }
            _ => StopReason::Stop,
        };
        answer.finish(reason);
        Ok(Progress::Finished)
    }

    fn end(&mut self, _answer: &mut Answer) -> Result<(), Failure> {
        Err(cut_short())
    }
}

impl Decoder {
    /// Calls come whole. Their arguments are an object, in imitations of the API a string that holds one.
    fn call(&mut self, call: &Call<'_>, answer: &mut Answer) {
        self.words.close(answer);
        let block = answer.open_call(or_empty(call.id.as_ref()), or_empty(call.function.name.as_ref()));
        let raw = call.function.arguments.map_or("", RawValue::get);
        match serde_json::from_str::<String>(raw) {
            Ok(text) => answer.push_arguments(block, &text),
            Err(_) if raw == "null" => {}
            Err(_) => answer.push_arguments(block, raw),
        }
        answer.close(block);
    }
}
