//! The answer under construction: the wires push into it, events and the final message come out.

use std::collections::HashMap;
use std::sync::Arc;

use omp_types::{
    AssistantBlock, AssistantMessage, Failure, NativeBlock, RedactedBlock, StopReason, StreamEvent, TextBlock,
    ThinkingBlock, ToolCall, Usage,
};
use serde_json::{Map, Value};

use crate::arguments::PartialArguments;
use crate::model::Model;

/// Collects content blocks in the order in which they opened. An index, once given out, stays.
pub(crate) struct Answer {
    message: AssistantMessage,
    events: Vec<StreamEvent>,
    calls: HashMap<usize, PartialArguments>,
    open: Vec<usize>,
    /// Tool names that had to be changed for the wire, back to what the caller knows.
    names: HashMap<String, String>,
    prices: omp_types::Cost,
    guard: Option<RepetitionGuard>,
    started: bool,
}

impl Answer {
    pub(crate) fn new(model: &Model, names: HashMap<String, String>, timestamp: u64) -> Self {
        Self {
            message: AssistantMessage {
                content: Vec::new(),
                api: model.api.name().to_owned(),
                provider: model.provider.clone(),
                model: model.id.clone(),
                response_id: None,
                usage: Usage::default(),
                stop_reason: StopReason::Stop,
                error_message: None,
                timestamp,
            },
            events: Vec::new(),
            calls: HashMap::new(),
            open: Vec::new(),
            names,
            prices: model.cost,
            guard: model.compat.repetition_guard.then(RepetitionGuard::default),
            started: false,
        }
    }

    pub(crate) fn take_events(&mut self) -> Vec<StreamEvent> {
        std::mem::take(&mut self.events)
    }

    /// Has anything arrived that a person or a tool could have acted on?
    pub(crate) fn is_empty(&self) -> bool {
        self.message.content.is_empty()
    }

    pub(crate) fn start(&mut self) {
        if !std::mem::replace(&mut self.started, true) {
            self.events.push(StreamEvent::Start);
        }
    }

    pub(crate) fn set_response_id(&mut self, id: &str) {
        if !id.is_empty() {
            self.message.response_id = Some(id.to_owned());
        }
    }

    pub(crate) fn set_usage(&mut self, usage: Usage) {
        self.message.usage = usage;
    }

    pub(crate) fn usage(&self) -> Usage {
        self.message.usage
    }

    fn add(&mut self, block: AssistantBlock) -> usize {
        self.start();
        self.message.content.push(block);
        self.message.content.len() - 1
    }

    pub(crate) fn open_text(&mut self) -> usize {
        let index = self.add(AssistantBlock::Text(TextBlock::default()));
        self.open.push(index);
        self.events.push(StreamEvent::TextStart { content_index: index });
        self.restart_guard();
        index
    }

    pub(crate) fn open_thinking(&mut self) -> usize {
        let index = self.add(AssistantBlock::Thinking(ThinkingBlock::default()));
        self.open.push(index);
        self.events.push(StreamEvent::ThinkingStart { content_index: index });
        self.restart_guard();
        index
    }

    pub(crate) fn open_call(&mut self, id: &str, wire_name: &str) -> usize {
        let name = self.names.get(wire_name).map_or(wire_name, String::as_str).to_owned();
        let call = ToolCall {
            id: id.to_owned(),
            name: name.clone(),
            arguments: Map::new(),
            invalid_arguments: None,
            thought_signature: None,
            intent: None,
            custom: false,
        };
        let index = self.add(AssistantBlock::ToolCall(call));
        self.open.push(index);
        self.calls.insert(index, PartialArguments::default());
        self.events.push(StreamEvent::ToolCallStart { content_index: index, id: id.to_owned(), name });
        index
    }

    /// A block that is complete at once and means something to its provider only.
    pub(crate) fn add_native(&mut self, value: Value) -> usize {
        let api = self.message.api.clone();
        self.add(AssistantBlock::Native(NativeBlock { api, value }))
    }

    pub(crate) fn add_redacted(&mut self, data: &str) -> usize {
        self.add(AssistantBlock::RedactedThinking(RedactedBlock { data: data.to_owned() }))
    }

    /// Appends to a text or thinking block. `Err` means the model began to repeat itself without end; what it
    /// repeated has been cut back to one copy and the stream should be closed.
    pub(crate) fn push_text(&mut self, index: usize, delta: &str) -> Result<(), Repetition> {
        if delta.is_empty() {
            return Ok(());
        }
        let (text, event) = match &mut self.message.content[index] {
            AssistantBlock::Text(block) => {
                (&mut block.text, StreamEvent::TextDelta { content_index: index, delta: delta.to_owned() })
            }
            AssistantBlock::Thinking(block) => {
                (&mut block.thinking, StreamEvent::ThinkingDelta { content_index: index, delta: delta.to_owned() })
            }
            _ => return Ok(()),
        };
        text.push_str(delta);
        self.events.push(event);
        if let Some(guard) = &mut self.guard
            && let Some(unit) = guard.check(text)
        {
            collapse(text, unit);
            return Err(Repetition);
        }
        Ok(())
    }

    pub(crate) fn push_arguments(&mut self, index: usize, delta: &str) {
        let Some(arguments) = self.calls.get_mut(&index) else { return };
        let partial = arguments.push(delta).map(Arc::new);
        self.events.push(StreamEvent::ToolCallDelta { content_index: index, delta: delta.to_owned(), partial });
    }

    /// The provider's own final text of the arguments; deltas that were missing are delivered now.
    pub(crate) fn complete_arguments(&mut self, index: usize, whole: &str) {
        let Some(arguments) = self.calls.get_mut(&index) else { return };
        let seen = arguments.text().len();
        if seen == 0 && !whole.is_empty() {
            self.events.push(StreamEvent::ToolCallDelta {
                content_index: index,
                delta: whole.to_owned(),
                partial: None,
            });
        }
        arguments.set(whole);
    }

    pub(crate) fn sign_thinking(&mut self, index: usize, signature: &str) {
        if let AssistantBlock::Thinking(block) = &mut self.message.content[index] {
            block.thinking_signature.get_or_insert_default().push_str(signature);
        }
    }

    pub(crate) fn sign_text(&mut self, index: usize, signature: &str) {
        if let AssistantBlock::Text(block) = &mut self.message.content[index] {
            block.text_signature = Some(signature.to_owned());
        }
    }

    pub(crate) fn sign_call(&mut self, index: usize, signature: &str) {
        if let AssistantBlock::ToolCall(call) = &mut self.message.content[index] {
            call.thought_signature = Some(signature.to_owned());
        }
    }

    pub(crate) fn mark_custom(&mut self, index: usize) {
        if let AssistantBlock::ToolCall(call) = &mut self.message.content[index] {
            call.custom = true;
        }
    }

    /// Ends a block; ending it twice does nothing.
    pub(crate) fn close(&mut self, index: usize) {
        let Some(position) = self.open.iter().position(|open| *open == index) else { return };
        self.open.remove(position);
        match &mut self.message.content[index] {
            AssistantBlock::Text(_) => self.events.push(StreamEvent::TextEnd { content_index: index }),
            AssistantBlock::Thinking(_) => self.events.push(StreamEvent::ThinkingEnd { content_index: index }),
            AssistantBlock::ToolCall(call) => {
                settle_arguments(call, self.calls.remove(&index).unwrap_or_default());
                self.events.push(StreamEvent::ToolCallEnd { content_index: index, tool_call: call.clone() });
            }
            _ => {}
        }
    }

    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.open.contains(&index)
    }

    pub(crate) fn has_calls(&self) -> bool {
        self.message.tool_calls().next().is_some()
    }

    /// The answer is complete. Calls present with a plain stop still count as tool use: engines vary.
    pub(crate) fn finish(&mut self, reason: StopReason) {
        self.start();
        for index in self.open.clone() {
            self.close(index);
        }
        let reason = match reason {
            StopReason::Stop if self.has_calls() => StopReason::ToolUse,
            other => other,
        };
        self.message.stop_reason = reason;
        self.message.usage = self.message.usage.priced(&self.prices);
        self.events.push(StreamEvent::Done { reason, message: Box::new(self.message.clone()) });
    }

    /// The answer broke off. What had arrived is kept; a call whose arguments were still streaming is kept as
    /// one that cannot run.
    pub(crate) fn fail(&mut self, failure: Failure) {
        self.start();
        for index in std::mem::take(&mut self.open) {
            if let AssistantBlock::ToolCall(call) = &mut self.message.content[index] {
                let arguments = self.calls.remove(&index).unwrap_or_default();
                call.invalid_arguments = Some(arguments.text().to_owned());
            }
        }
        let reason = match failure.kind {
            omp_types::FailureKind::Aborted => StopReason::Aborted,
            _ => StopReason::Error,
        };
        self.message.stop_reason = reason;
        self.message.error_message = Some(failure.message.clone());
        self.message.usage = self.message.usage.priced(&self.prices);
        self.events.push(StreamEvent::Error { reason, message: Box::new(self.message.clone()), failure });
    }

    fn restart_guard(&mut self) {
        if let Some(guard) = &mut self.guard {
            *guard = RepetitionGuard::default();
        }
    }
}

fn settle_arguments(call: &mut ToolCall, arguments: PartialArguments) {
    if call.custom {
        call.arguments.insert("input".to_owned(), Value::String(arguments.text().to_owned()));
        return;
    }
    match arguments.finish() {
        Ok(map) => call.arguments = map,
        Err(raw) => call.invalid_arguments = Some(raw),
    }
}

/// The model repeats one unit without end.
#[derive(Debug)]
pub(crate) struct Repetition;

/// Finds a unit of 2 to 60 characters with letters that fills the end of the text at least four times and over
/// at least 180 characters.
#[derive(Default)]
struct RepetitionGuard {
    checked: usize,
}

impl RepetitionGuard {
    const MIN_SPAN: usize = 180;
    const MIN_COPIES: usize = 4;
    const UNITS: std::ops::RangeInclusive<usize> = 2..=60;
    /// Looking again is worth it only after some new text.
    const STEP: usize = 48;

    /// The length in bytes of the repeated unit, if the text ends in a runaway repetition.
    fn check(&mut self, text: &str) -> Option<usize> {
        if text.len() < Self::MIN_SPAN || text.len() - self.checked < Self::STEP {
            return None;
        }
        self.checked = text.len();
        let bytes = text.as_bytes();
        // Bytes stand in for characters here: a unit of wide characters is at most four times as long.
        (2..=Self::UNITS.end() * 4).find(|&unit| {
            let span = Self::MIN_SPAN.max(unit * Self::MIN_COPIES);
            let Some(tail) = bytes.len().checked_sub(span).map(|from| &bytes[from..]) else { return false };
            if tail[tail.len() - 1] != tail[tail.len() - 1 - unit] || tail[unit..] != tail[..tail.len() - unit] {
                return false;
            }
            let Some(copy) = text.get(text.len() - unit..) else { return false };
            Self::UNITS.contains(&copy.chars().count()) && copy.chars().any(char::is_alphabetic)
        })
    }
}

/// Cuts a text that ends in copies of its last `unit` bytes back to one copy.
fn collapse(text: &mut String, unit: usize) {
    let bytes = text.as_bytes();
    let mut start = bytes.len() - unit;
    while start > 0 && bytes[start - 1] == bytes[start - 1 + unit] {
        start -= 1;
    }
    let mut end = start + unit;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text.truncate(end);
}
