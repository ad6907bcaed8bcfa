//! The streamed answer: chunks of parts, each of them text, a thought or a whole call.

use omp_types::{Failure, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::status;
use crate::answer::Answer;
use crate::failure::{self, cut_short, malformed};
use crate::sse::SseEvent;
use crate::wire::text::{Text, count, or_empty};
use crate::wire::words::{DeltaKind, Words};
use crate::wire::{Decode, Progress};

/// Assembles one streamed answer.
#[derive(Default)]
pub(in crate::wire) struct Decoder {
    words: Words,
    finish: Option<String>,
    /// The model's own words on why it stopped.
    explanation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(default, borrow)]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(default)]
    prompt_feedback: Option<Value>,
    #[serde(default)]
    usage_metadata: Option<Value>,
    #[serde(default, borrow)]
    response_id: Option<Text<'a>>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default, borrow)]
    content: Option<Content<'a>>,
    #[serde(default, borrow)]
    finish_reason: Option<Text<'a>>,
    #[serde(default, borrow)]
    finish_message: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(default, borrow)]
    parts: Option<Vec<ContentPart<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentPart<'a> {
    #[serde(default, borrow)]
    text: Option<Text<'a>>,
    #[serde(default)]
    thought: Option<bool>,
    #[serde(default, borrow)]
    thought_signature: Option<Text<'a>>,
    #[serde(default, borrow)]
    function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
struct FunctionCall<'a> {
    #[serde(default, borrow)]
    id: Option<Text<'a>>,
    #[serde(default, borrow)]
    name: Option<Text<'a>>,
    #[serde(default, borrow)]
    args: Option<&'a RawValue>,
}

impl Decode for Decoder {
    /// Never `Finished`: older models repeat the finish reason in every chunk, so the end of the stream is the end.
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        let chunk: Chunk<'_> = serde_json::from_str(event.data).map_err(|error| malformed(&error))?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(status::in_stream(&error));
        }
        if let Some(feedback) = &chunk.prompt_feedback {
            check_prompt(feedback)?;
        }
        answer.start();
        answer.set_response_id(or_empty(chunk.response_id.as_ref()));
        if let Some(usage) = chunk.usage_metadata.filter(Value::is_object) {
            answer.set_usage(read_usage(&usage));
        }
        if let Some(candidate) = chunk.candidates.into_iter().flatten().next() {
            self.candidate(&candidate, answer);
        }
        Ok(Progress::More)
    }

    fn end(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        let Some(reason) = self.finish.take() else { return Err(cut_short()) };
        answer.finish(stop_reason(&reason, self.explanation.as_deref())?);
        Ok(())
    }
}

impl Decoder {
    fn candidate(&mut self, candidate: &Candidate<'_>, answer: &mut Answer) {
        let parts = candidate.content.as_ref().and_then(|content| content.parts.as_ref());
        for part in parts.into_iter().flatten() {
            self.part(part, answer);
        }
        if let Some(reason) = candidate.finish_reason.as_deref().filter(|reason| !reason.is_empty()) {
            self.finish = Some(reason.to_owned());
            self.explanation = candidate.finish_message.as_deref().map(str::to_owned);
        }
    }

    fn part(&mut self, part: &ContentPart<'_>, answer: &mut Answer) {
        let signature = or_empty(part.thought_signature.as_ref());
        if let Some(call) = &part.function_call {
            self.call(call, signature, answer);
            return;
        }
        let words = or_empty(part.text.as_ref());
        let kind = if part.thought == Some(true) { DeltaKind::Thinking } else { DeltaKind::Text };
        self.words.push(kind, words, answer);
        // A signature may come alone, after the words it belongs to.
        match self.words.open() {
            Some((DeltaKind::Thinking, block)) => answer.sign_thinking(block, signature),
            Some((DeltaKind::Text, block)) => answer.identify(block, signature),
            None => {}
        }
    }

    /// Calls come whole: one start, one delta, one end.
    fn call(&mut self, call: &FunctionCall<'_>, signature: &str, answer: &mut Answer) {
        self.words.close(answer);
        let block = answer.open_call(or_empty(call.id.as_ref()), or_empty(call.name.as_ref()));
        let arguments = call.args.map(RawValue::get).filter(|raw| *raw != "null").unwrap_or("{}");
        answer.push_arguments(block, arguments);
        answer.identify(block, signature);
        answer.close(block);
    }
}

/// A prompt that the provider does not let through has no candidates.
fn check_prompt(feedback: &Value) -> Result<(), Failure> {
    let Some(reason) = feedback["blockReason"].as_str() else { return Ok(()) };
    let words = feedback["blockReasonMessage"].as_str().unwrap_or_default();
    let words = if words.is_empty() { String::new() } else { format!(": {words}") };
    Err(failure::refusal(format!("the provider blocked the prompt (block reason: {reason}){words}")))
}

fn stop_reason(reason: &str, explanation: Option<&str>) -> Result<StopReason, Failure> {
    let explained = explanation.map(|words| format!(": {words}")).unwrap_or_default();
    match reason {
        "MAX_TOKENS" => Ok(StopReason::Length),
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => {
            let text = format!("the provider stopped the answer (finish reason: {reason}){explained}");
            Err(failure::refusal(text))
        }
        "MALFORMED_FUNCTION_CALL"
        | "MALFORMED_RESPONSE"
        | "UNEXPECTED_TOOL_CALL"
        | "TOO_MANY_TOOL_CALLS"
        | "OTHER" => Err(failure::transient(format!(
            "the model did not complete its answer (finish reason: {reason}){explained}"
        ))),
        "MISSING_THOUGHT_SIGNATURE" => Err(failure::fatal(format!(
            "the conversation lacks a thought signature (finish reason: {reason}){explained}"
        ))),
        _ => Ok(StopReason::Stop),
    }
}

/// The prompt count of this wire includes what came from the cache, and thoughts are counted beside the answer.
fn read_usage(usage: &Value) -> Usage {
    let number = |key: &str| count(&usage[key]).unwrap_or(0);
    let cached = number("cachedContentTokenCount");
    let prompt = number("promptTokenCount").saturating_add(number("toolUsePromptTokenCount"));
    Usage {
        input: prompt.saturating_sub(cached),
        output: number("candidatesTokenCount").saturating_add(number("thoughtsTokenCount")),
        cache_read: cached,
        ..Usage::default()
    }
}
