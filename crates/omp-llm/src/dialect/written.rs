//! Between a wire and everything behind it: an answer that is a call in writing becomes that call.
//!
//! Words that may become one are held back until the answer is complete or they cannot any more, so that nothing is shown
//! that turns out to be a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt;
use omp_types::{
    AssistantBlock, AssistantMessage, ModelRequest, StopReason, StreamEvent, ToolCall, ToolChoice,
    ToolDefinition,
};
use serde_json::Value;

use super::Lifting;
use crate::client::BatchStream;
use crate::compat::Host;
use crate::model::{Api, Model};
use omp_dialects::{Dialect, Written, may_become_written_calls, written_calls};

/// More than this is no call that anybody wants to hold back.
const LONGEST: usize = 1024 * 1024;

/// Servers that read the calls of their models themselves.
const OFFICIAL: [&str; 2] = ["api.openai.com", "api.anthropic.com"];

/// Was it said that calls come as text? Once is enough.
#[derive(Clone, Debug, Default)]
pub(crate) struct SaidOnce(Arc<AtomicBool>);

/// May an answer of this model to this request be a call in writing?
pub(crate) fn is_read(model: &Model, request: &ModelRequest) -> bool {
    let wire = matches!(
        model.api,
        Api::OpenAiCompletions | Api::OpenAiResponses | Api::AnthropicMessages | Api::OllamaChat
    );
    let host = Host::of(&model.base_url);
    let official = OFFICIAL.iter().any(|name| host.is(name));
    wire && !official && !request.tools.is_empty() && request.options.tool_choice != ToolChoice::None
}

/// Wraps the events of one answer. `request` is what the caller asked, with its tools.
pub(crate) fn read(
    model: &Model,
    request: &ModelRequest,
    lifting: Option<Lifting>,
    said: SaidOnce,
    events: BatchStream,
) -> BatchStream {
    let mut reader = Reader {
        tools: Arc::clone(&request.tools),
        are_tags_read: matches!(lifting, Some(Lifting::Dialect(Dialect::Qwen3 | Dialect::Glm))),
        remark: remark(model),
        said,
        held: Held::Nothing,
    };
    let batches = events.map(move |batch| {
        let mut out = Vec::with_capacity(batch.len());
        batch.into_iter().for_each(|event| reader.event(event, &mut out));
        out
    });
    Box::pin(batches.filter(|batch| std::future::ready(!batch.is_empty())))
}

fn remark(model: &Model) -> String {
    format!(
        "The server of {} returns tool calls as text, which omp only recognises if the answer contains \
         nothing else. Enable the server's tool call parser (llama.cpp: --jinja; vLLM: \
         --enable-auto-tool-choice), or set tools.format to {}",
        model.selector(),
        Dialect::of_model(&model.id).name(),
    )
}

/// Words that are not shown yet.
enum Held {
    Nothing,
    /// Of the block at this place.
    Words(usize, String),
    /// The answer has shown that it is none.
    Given,
}

struct Reader {
    tools: Arc<[ToolDefinition]>,
    /// Whoever reads what comes out knows the tags of families.
    are_tags_read: bool,
    remark: String,
    said: SaidOnce,
    held: Held,
}

impl Reader {
    fn event(&mut self, event: StreamEvent, out: &mut Vec<StreamEvent>) {
        match (&mut self.held, event) {
            (Held::Nothing, StreamEvent::TextStart { content_index }) => {
                self.held = Held::Words(content_index, String::new());
            }
            (Held::Words(at, words), StreamEvent::TextDelta { content_index, delta })
                if *at == content_index =>
            {
                words.push_str(&delta);
                if words.len() > LONGEST || !may_become_written_calls(words, self.are_tags_read) {
                    self.give(out);
                }
            }
            (Held::Words(at, _), StreamEvent::TextEnd { content_index }) if *at == content_index => {}
            (Held::Words(..), StreamEvent::Done { reason, message }) => self.done(reason, message, out),
            // Behind words that stand alone something else comes.
            (Held::Words(..), event) => {
                self.give(out);
                out.push(event);
            }
            (_, event) => out.push(event),
        }
    }

    /// Shows what was held back. Its block may end later than the wire said; readers do not mind.
    fn give(&mut self, out: &mut Vec<StreamEvent>) {
        if let Held::Words(content_index, words) = std::mem::replace(&mut self.held, Held::Given) {
            out.push(StreamEvent::TextStart { content_index });
            if !words.is_empty() {
                out.push(StreamEvent::TextDelta { content_index, delta: words });
            }
        }
    }

    fn done(&mut self, reason: StopReason, mut message: Box<AssistantMessage>, out: &mut Vec<StreamEvent>) {
        let Held::Words(at, words) = &self.held else { return };
        let (at, alone) = (*at, reason == StopReason::Stop && stands_alone(&message, *at));
        let calls = written_calls(words, &self.tools).filter(|_| alone);
        let Some(calls) = calls else {
            self.give(out);
            out.push(StreamEvent::TextEnd { content_index: at });
            out.push(StreamEvent::Done { reason, message });
            return;
        };
        message.content.truncate(at);
        for call in calls.into_iter().map(called) {
            announce(message.content.len(), &call, out);
            message.content.push(AssistantBlock::ToolCall(call));
        }
        message.stop_reason = StopReason::ToolUse;
        if !self.said.0.swap(true, Ordering::Relaxed) {
            message.error_message = Some(self.remark.clone());
        }
        out.push(StreamEvent::Done { reason: StopReason::ToolUse, message });
    }
}

/// Is the block all that was said? Thoughts do not count.
fn stands_alone(message: &AssistantMessage, at: usize) -> bool {
    let is_thought = |block: &AssistantBlock| {
        matches!(block, AssistantBlock::Thinking(_) | AssistantBlock::RedactedThinking(_))
    };
    at + 1 == message.content.len() && message.content[..at].iter().all(is_thought)
}

fn called(Written { name, arguments }: Written) -> ToolCall {
    ToolCall {
        id: format!("call_{:016x}", fastrand::u64(..)),
        name,
        arguments,
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    }
}

fn announce(content_index: usize, call: &ToolCall, out: &mut Vec<StreamEvent>) {
    let delta = Value::Object(call.arguments.clone()).to_string();
    let (id, name) = (call.id.clone(), call.name.clone());
    out.push(StreamEvent::ToolCallStart { content_index, id, name });
    out.push(StreamEvent::ToolCallDelta { content_index, delta, partial: None });
    out.push(StreamEvent::ToolCallEnd { content_index, tool_call: call.clone() });
}
