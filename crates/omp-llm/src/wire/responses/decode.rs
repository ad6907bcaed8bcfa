//! The streamed answer: items that are added, grow and are done, each at its output index.

use std::collections::HashMap;

use omp_types::{Failure, FailureKind, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::failure::{self, cut_short, malformed};
use crate::sse::SseEvent;
use crate::wire::text::{Text, count};
use crate::wire::{Decode, Progress};

/// Assembles one streamed answer.
#[derive(Default)]
pub(in crate::wire) struct Decoder {
    /// Wire item (by `output_index`) to our block.
    blocks: HashMap<u64, usize>,
    refusal: Option<String>,
}

/// The union of all events. What a field means depends on the type, so those with changing types are read later.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    #[serde(default)]
    output_index: u64,
    #[serde(default, borrow)]
    delta: Option<&'a RawValue>,
    #[serde(default, borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(default, borrow)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    item: Option<Value>,
    #[serde(default)]
    response: Option<Value>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        if event.data.trim() == "[DONE]" {
            return Ok(Progress::More);
        }
        let data = event.data;
        let event: Event<'_> = serde_json::from_str(data).map_err(|error| malformed(&error))?;
        let block = self.blocks.get(&event.output_index).copied();
        match (&*event.r#type, block) {
            (
                "response.output_text.delta"
                | "response.reasoning_summary_text.delta"
                | "response.reasoning_text.delta",
                Some(block),
            ) => answer.push_text(block, &string(event.delta)?),
            (
                "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta",
                Some(block),
            ) => {
                answer.push_arguments(block, &string(event.delta)?);
            }
            (
                "response.function_call_arguments.done" | "response.custom_tool_call_input.done",
                Some(block),
            ) => {
                if let Some(whole) = event.arguments.or(event.input) {
                    answer.complete_arguments(block, &string(Some(whole))?);
                }
            }
            // Parts of a summary are paragraphs.
            ("response.reasoning_summary_part.added", Some(block)) if !answer.is_blank(block) => {
                answer.push_text(block, "\n\n");
            }
            ("response.refusal.delta", _) => self.refuse(block, &string(event.delta)?, answer),
            ("response.output_item.added", _) => {
                self.open(event.output_index, &event.item.unwrap_or_default(), answer);
            }
            ("response.output_item.done", _) => {
                self.close(event.output_index, event.item.unwrap_or_default(), answer);
            }
            ("response.created" | "response.in_progress", _) => {
                answer.start();
                set_id(answer, &event.response.unwrap_or_default());
            }
            ("response.completed" | "response.done", _) => {
                return self.terminal("completed", event.response, answer);
            }
            ("response.incomplete", _) => return self.terminal("incomplete", event.response, answer),
            ("response.failed", _) => return self.terminal("failed", event.response, answer),
            ("response.cancelled", _) => return self.terminal("cancelled", event.response, answer),
            ("error", _) => return Err(stream_error(data)),
            _ => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _answer: &mut Answer) -> Result<(), Failure> {
        Err(cut_short())
    }
}

fn string(raw: Option<&RawValue>) -> Result<Text<'_>, Failure> {
    serde_json::from_str(raw.map_or("\"\"", RawValue::get)).map_err(|error| malformed(&error))
}

fn set_id(answer: &mut Answer, response: &Value) {
    answer.set_response_id(response["id"].as_str().unwrap_or_default());
}

impl Decoder {
    fn refuse(&mut self, block: Option<usize>, words: &str, answer: &mut Answer) {
        if let Some(block) = block {
            answer.push_text(block, words);
        }
        self.refusal.get_or_insert_default().push_str(answer.admit(words));
    }

    fn open(&mut self, index: u64, item: &Value, answer: &mut Answer) -> Option<usize> {
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        let block = match text("type") {
            "message" => answer.open_text(),
            "reasoning" => answer.open_thinking(),
            "function_call" => {
                let block = answer.open_call(text("call_id"), text("name"));
                answer.push_arguments(block, text("arguments"));
                block
            }
            "custom_tool_call" => {
                let block = answer.open_call(text("call_id"), text("name"));
                answer.mark_custom(block);
                answer.push_arguments(block, text("input"));
                block
            }
            _ => return None,
        };
        self.blocks.insert(index, block);
        Some(block)
    }

    /// The finished item holds what deltas may have left out, and the identity for replay.
    fn close(&mut self, index: u64, item: Value, answer: &mut Answer) {
        let known = self.blocks.get(&index).copied();
        let Some(block) = known.or_else(|| self.open(index, &item, answer)) else {
            // Items of server-side tools are kept as they are.
            if item.is_object() {
                answer.add_native(item);
            }
            return;
        };
        if answer.is_blank(block) {
            answer.push_text(block, &item_text(&item));
        }
        let text = |key: &str| item[key].as_str();
        match text("type").unwrap_or_default() {
            "reasoning" => answer.sign_thinking(block, &item.to_string()),
            "message" => answer.identify(block, text("id").unwrap_or_default()),
            "function_call" | "custom_tool_call" => {
                if let Some(whole) = text("arguments").or(text("input")) {
                    answer.complete_arguments(block, whole);
                }
                answer.identify(block, text("id").unwrap_or_default());
            }
            _ => {}
        }
        answer.close(block);
    }

    fn terminal(
        &mut self,
        status: &str,
        response: Option<Value>,
        answer: &mut Answer,
    ) -> Result<Progress, Failure> {
        let response = response.unwrap_or_default();
        set_id(answer, &response);
        answer.set_usage(usage(&response["usage"]));
        if let Some(words) = self.refusal.take() {
            return Err(failure::refusal(format!("the provider refused to answer: {words}")));
        }
        let reason = match response["status"].as_str().unwrap_or(status) {
            failed @ ("failed" | "cancelled") => {
                let text = failure::error_value(&response["error"]);
                let text = text.unwrap_or_else(|| format!("the provider ended the answer as {failed}"));
                return Err(failure::from_provider(&text));
            }
            "incomplete" if response["incomplete_details"]["reason"] == "content_filter" => {
                return Err(failure::refusal("the provider's content filter stopped the answer"));
            }
            "incomplete" => StopReason::Length,
            _ => StopReason::Stop,
        };
        // Servers that do not stream items send them all at the end.
        if answer.is_empty() {
            for (index, item) in response["output"].as_array().into_iter().flatten().enumerate() {
                self.close(index as u64, item.clone(), answer);
            }
        }
        answer.finish(reason);
        Ok(Progress::Finished)
    }
}

/// The words of a finished message or reasoning item.
fn item_text(item: &Value) -> String {
    let parts =
        |key: &str| item[key].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    match item["type"].as_str() {
        Some("message") => parts("content").collect(),
        Some("reasoning") => parts("summary").collect::<Vec<_>>().join("\n\n"),
        _ => String::new(),
    }
}

/// The error lies in the event itself or in an `error` object, depending on the server.
fn stream_error(data: &str) -> Failure {
    let event: Value = serde_json::from_str(data).unwrap_or_default();
    let mut error = if event["error"].is_object() { event["error"].clone() } else { event };
    // The type of the event is no label for the error.
    if error["type"] == "error"
        && let Some(members) = error.as_object_mut()
    {
        members.shift_remove("type");
    }
    let text = failure::error_value(&error).unwrap_or_else(|| "the provider reported an error".to_owned());
    let failure = failure::from_provider(&text);
    // An error event without a known cause is the server's fault, not the request's: that would be an HTTP 400.
    if failure.kind == FailureKind::Fatal && error["code"].is_null() {
        return failure::transient(text);
    }
    failure
}

pub(super) fn usage(usage: &Value) -> Usage {
    let cached = count(&usage["input_tokens_details"]["cached_tokens"]).unwrap_or(0);
    Usage {
        input: count(&usage["input_tokens"]).unwrap_or(0).saturating_sub(cached),
        output: count(&usage["output_tokens"]).unwrap_or(0),
        cache_read: cached,
        ..Usage::default()
    }
}
