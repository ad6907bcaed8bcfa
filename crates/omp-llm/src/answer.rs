//! The answer under construction: the wires push into it, events and the final message come out.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use omp_types::{
    AssistantBlock, AssistantMessage, Cost, Failure, FailureKind, NativeBlock, RedactedBlock, StopReason,
    StreamEvent, TextBlock, ThinkingBlock, ToolCall, Usage,
};
use serde_json::{Map, Value};

use crate::arguments::PartialArguments;
use crate::bounds::Bounds;
use crate::model::Model;
use crate::repetition::RepetitionGuard;

/// Collects content blocks in the order in which they opened. An index, once given out, stays.
///
/// Nothing a server sends can break it: a delta for a block that is closed, or of another kind, is ignored.
pub(crate) struct Answer {
    message: AssistantMessage,
    events: Vec<StreamEvent>,
    open: Vec<OpenBlock>,
    /// Tool names that had to be changed for the wire, back to what the caller knows.
    names: HashMap<String, String>,
    prices: Cost,
    guard: Option<RepetitionGuard>,
    bounds: Bounds,
    started: bool,
    ran_away: bool,
}

struct OpenBlock {
    index: usize,
    /// Of a tool call; empty for text.
    arguments: PartialArguments,
}

impl Answer {
    pub(crate) fn new(model: &Model, names: HashMap<String, String>, timestamp: u64) -> Self {
        Self {
            message: model.message(Vec::new(), timestamp),
            events: Vec::new(),
            open: Vec::new(),
            names,
            prices: model.cost,
            guard: model.compat.repetition_guard.then(RepetitionGuard::default),
            bounds: Bounds::default(),
            started: false,
            ran_away: false,
        }
    }

    pub(crate) fn take_events(&mut self) -> Vec<StreamEvent> {
        mem::take(&mut self.events)
    }

    /// Has no block been opened yet?
    pub(crate) fn is_empty(&self) -> bool {
        self.message.content.is_empty()
    }

    /// Does the model repeat itself without end? What it repeated has been cut back to one copy.
    pub(crate) fn ran_away(&self) -> bool {
        self.ran_away
    }

    /// Why the answer ends here, if it is more than an answer may be. Nothing more is taken.
    pub(crate) fn exceeded(&self) -> Option<Failure> {
        self.bounds.failure()
    }

    /// Counts text that a wire keeps itself until it is complete; the part that may be kept.
    pub(crate) fn admit<'t>(&mut self, text: &'t str) -> &'t str {
        self.bounds.admit(text)
    }

    /// Something to know about an answer that is none the less complete.
    pub(crate) fn remark(&mut self, words: &str) {
        self.message.error_message = Some(words.to_owned());
    }

    pub(crate) fn start(&mut self) {
        if !mem::replace(&mut self.started, true) {
            self.events.push(StreamEvent::Start);
        }
    }

    /// The provider's id of the answer; every chunk repeats it on some wires.
    pub(crate) fn set_response_id(&mut self, id: &str) {
        if !id.is_empty() && self.message.response_id.as_deref() != Some(id) {
            self.message.response_id = Some(id.to_owned());
        }
    }

    pub(crate) fn set_usage(&mut self, usage: Usage) {
        // No answer has that many tokens; sums of hostile counts must not overflow.
        let sane = |count: u64| count.min(1 << 48);
        self.message.usage = Usage {
            input: sane(usage.input),
            output: sane(usage.output),
            cache_read: sane(usage.cache_read),
            cache_write: sane(usage.cache_write),
            ..Usage::default()
        };
    }

    pub(crate) fn usage(&self) -> Usage {
        self.message.usage
    }

    pub(crate) fn open_text(&mut self) -> usize {
        if let Some(last) = self.full(false) {
            return last;
        }
        let index = self.open_block(AssistantBlock::Text(TextBlock::default()));
        self.events.push(StreamEvent::TextStart { content_index: index });
        index
    }

    pub(crate) fn open_thinking(&mut self) -> usize {
        if let Some(last) = self.full(false) {
            return last;
        }
        let index = self.open_block(AssistantBlock::Thinking(ThinkingBlock::default()));
        self.events.push(StreamEvent::ThinkingStart { content_index: index });
        index
    }

    /// Ids are what results are matched by, so one that is missing or was used before is replaced.
    pub(crate) fn open_call(&mut self, id: &str, wire_name: &str) -> usize {
        if let Some(last) = self.full(true) {
            return last;
        }
        let taken = id.is_empty() || self.message.tool_calls().any(|call| call.id == id);
        let id = if taken { format!("call_{:016x}", fastrand::u64(..)) } else { self.admit(id).to_owned() };
        let known = self.known_name(wire_name);
        let name = self.admit(&known).to_owned();
        let call = ToolCall {
            id: id.clone(),
            name: name.clone(),
            arguments: Map::new(),
            invalid_arguments: None,
            thought_signature: None,
            intent: None,
            custom: false,
        };
        let index = self.open_block(AssistantBlock::ToolCall(call));
        self.events.push(StreamEvent::ToolCallStart { content_index: index, id, name });
        index
    }

    /// A block that is complete at once and means something to its provider only.
    pub(crate) fn add_native(&mut self, value: Value) -> usize {
        if let Some(last) = self.full(false) {
            return last;
        }
        let size = value.to_string();
        let fits = self.admit(&size).len() == size.len();
        let value = if fits { value } else { Value::Null };
        let api = self.message.api.clone();
        self.add(AssistantBlock::Native(NativeBlock { api, value }))
    }

    pub(crate) fn add_redacted(&mut self, data: &str) -> usize {
        if let Some(last) = self.full(false) {
            return last;
        }
        let data = self.admit(data).to_owned();
        self.add(AssistantBlock::RedactedThinking(RedactedBlock { data }))
    }

    /// Appends to an open text or thinking block.
    pub(crate) fn push_text(&mut self, index: usize, delta: &str) {
        if !self.is_open(index) {
            return;
        }
        let delta = self.admit(delta).to_owned();
        if delta.is_empty() {
            return;
        }
        let text = match &mut self.message.content[index] {
            AssistantBlock::Text(block) => {
                block.text.push_str(&delta);
                self.events.push(StreamEvent::TextDelta { content_index: index, delta });
                &mut block.text
            }
            AssistantBlock::Thinking(block) => {
                block.thinking.push_str(&delta);
                self.events.push(StreamEvent::ThinkingDelta { content_index: index, delta });
                &mut block.thinking
            }
            _ => return,
        };
        if let Some(guard) = &mut self.guard {
            self.ran_away |= guard.collapse(text);
        }
    }

    /// Is this a text or thinking block without a word in it?
    pub(crate) fn is_blank(&self, index: usize) -> bool {
        match &self.message.content[index] {
            AssistantBlock::Text(block) => block.text.is_empty(),
            AssistantBlock::Thinking(block) => block.thinking.is_empty(),
            _ => false,
        }
    }

    pub(crate) fn push_arguments(&mut self, index: usize, delta: &str) {
        if self.open_call_at(index).is_none() {
            return;
        }
        let delta = self.bounds.admit(delta);
        let Some(open) = self.open_call_at(index).filter(|_| !delta.is_empty()) else { return };
        let partial = open.arguments.push(delta).map(Arc::new);
        self.events.push(StreamEvent::ToolCallDelta {
            content_index: index,
            delta: delta.to_owned(),
            partial,
        });
    }

    /// The provider's own final text of the arguments; what the deltas left out is delivered now.
    pub(crate) fn complete_arguments(&mut self, index: usize, whole: &str) {
        let Some(open) = self.open_call_at(index) else { return };
        let missing = whole.strip_prefix(open.arguments.text()).unwrap_or_default().to_owned();
        let more = whole.len().saturating_sub(open.arguments.text().len());
        if self.bounds.admit(&whole[whole.floor_char_boundary(whole.len() - more)..]).is_empty() && more > 0 {
            return;
        }
        let Some(open) = self.open_call_at(index) else { return };
        open.arguments.set(whole);
        if !missing.is_empty() {
            self.events.push(StreamEvent::ToolCallDelta {
                content_index: index,
                delta: missing,
                partial: None,
            });
        }
    }

    /// Whole arguments for a call of which nothing was streamed.
    pub(crate) fn settle_unwritten(&mut self, index: usize, whole: &str) {
        if self.open_call_at(index).is_some_and(|open| open.arguments.text().is_empty()) {
            self.complete_arguments(index, whole);
        }
    }

    /// A name that comes later than its call.
    pub(crate) fn name_call(&mut self, index: usize, wire_name: &str) {
        let name = self.known_name(wire_name);
        if let AssistantBlock::ToolCall(call) = &mut self.message.content[index]
            && call.name.is_empty()
        {
            call.name = self.bounds.admit(&name).to_owned();
        }
    }

    /// Appends to the signature of a thinking block.
    pub(crate) fn sign_thinking(&mut self, index: usize, signature: &str) {
        if signature.is_empty() || !self.is_open(index) {
            return;
        }
        if let AssistantBlock::Thinking(block) = &mut self.message.content[index] {
            let signature = self.bounds.admit(signature);
            block.thinking_signature.get_or_insert_default().push_str(signature);
        }
    }

    /// The provider's identity of a text block or a call.
    pub(crate) fn identify(&mut self, index: usize, identity: &str) {
        let identity = self.bounds.admit(identity);
        if identity.is_empty() {
            return;
        }
        match &mut self.message.content[index] {
            AssistantBlock::Text(block) => block.text_signature = Some(identity.to_owned()),
            AssistantBlock::ToolCall(call) => call.thought_signature = Some(identity.to_owned()),
            _ => {}
        }
    }

    pub(crate) fn mark_custom(&mut self, index: usize) {
        if let AssistantBlock::ToolCall(call) = &mut self.message.content[index] {
            call.custom = true;
        }
    }

    /// Ends a block; ending it twice does nothing.
    pub(crate) fn close(&mut self, index: usize) {
        let Some(position) = self.open.iter().position(|open| open.index == index) else { return };
        let open = self.open.remove(position);
        match &mut self.message.content[index] {
            AssistantBlock::Text(_) => self.events.push(StreamEvent::TextEnd { content_index: index }),
            AssistantBlock::Thinking(_) => {
                self.events.push(StreamEvent::ThinkingEnd { content_index: index });
            }
            AssistantBlock::ToolCall(call) => {
                settle_arguments(call, open.arguments);
                self.events.push(StreamEvent::ToolCallEnd { content_index: index, tool_call: call.clone() });
            }
            AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => {}
        }
    }

    /// Ends a call that was not written to its end, whatever its arguments look like: it cannot run.
    pub(crate) fn spoil(&mut self, index: usize) {
        let Some(position) = self.open.iter().position(|open| open.index == index) else { return };
        let open = self.open.remove(position);
        if let AssistantBlock::ToolCall(call) = &mut self.message.content[index] {
            call.invalid_arguments = Some(open.arguments.text().to_owned());
            self.events.push(StreamEvent::ToolCallEnd { content_index: index, tool_call: call.clone() });
        }
    }

    /// The answer is complete. Whether tools are to be run is decided by the calls that are there: engines vary in
    /// the reason they give.
    pub(crate) fn finish(&mut self, reason: StopReason) {
        self.start();
        while let Some(open) = self.open.first() {
            self.close(open.index);
        }
        let has_calls = self.message.tool_calls().next().is_some();
        let reason = match reason {
            StopReason::Stop if has_calls => StopReason::ToolUse,
            StopReason::ToolUse if !has_calls => StopReason::Stop,
            other => other,
        };
        let message = self.message(reason);
        self.events.push(StreamEvent::Done { reason, message });
    }

    /// The answer broke off. What had arrived is kept; a call whose arguments were still streaming is kept as
    /// one that cannot run.
    pub(crate) fn fail(&mut self, failure: Failure) {
        self.start();
        for open in mem::take(&mut self.open) {
            if let AssistantBlock::ToolCall(call) = &mut self.message.content[open.index] {
                call.invalid_arguments = Some(open.arguments.text().to_owned());
            }
        }
        let reason = match failure.kind {
            FailureKind::Aborted => StopReason::Aborted,
            _ => StopReason::Error,
        };
        self.message.error_message = Some(failure.message.clone());
        self.bounds.cut(&mut self.message);
        let message = self.message(reason);
        self.events.push(StreamEvent::Error { reason, message, failure });
    }

    fn message(&mut self, reason: StopReason) -> Box<AssistantMessage> {
        let content = mem::take(&mut self.message.content);
        let usage = self.message.usage.priced(&self.prices);
        Box::new(AssistantMessage { content, usage, stop_reason: reason, ..self.message.clone() })
    }

    fn add(&mut self, block: AssistantBlock) -> usize {
        self.start();
        self.message.content.push(block);
        self.message.content.len() - 1
    }

    /// Counts a block. Behind the bound the last one stands for all that follow, and takes nothing any more.
    fn full(&mut self, is_call: bool) -> Option<usize> {
        let fits = self.bounds.admit_block(is_call);
        self.message.content.len().checked_sub(1).filter(|_| !fits)
    }

    fn open_block(&mut self, block: AssistantBlock) -> usize {
        let index = self.add(block);
        self.open.push(OpenBlock { index, arguments: PartialArguments::default() });
        if let Some(guard) = &mut self.guard {
            *guard = RepetitionGuard::default();
        }
        index
    }

    fn is_open(&self, index: usize) -> bool {
        self.open.iter().any(|open| open.index == index)
    }

    fn open_call_at(&mut self, index: usize) -> Option<&mut OpenBlock> {
        let is_call = matches!(self.message.content.get(index), Some(AssistantBlock::ToolCall(_)));
        self.open.iter_mut().find(|open| is_call && open.index == index)
    }

    fn known_name(&self, wire_name: &str) -> String {
        self.names.get(wire_name).map_or(wire_name, String::as_str).to_owned()
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
