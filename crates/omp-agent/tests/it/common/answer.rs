use std::sync::Arc;

use omp_types::{
    AssistantBlock, AssistantMessage, Failure, FailureKind, StopReason, StreamEvent, TextBlock,
    ThinkingBlock, ToolCall, Usage,
};
use serde_json::{Map, Value};
use tokio::sync::Notify;

/// One answer of a scripted model, part by part.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) parts: Vec<Part>,
    pub(crate) end: End,
}

#[derive(Clone)]
pub(crate) enum Part {
    Block(AssistantBlock),
    /// A call whose arguments never become complete: what the model wrote so far.
    OpenCall {
        id: String,
        name: String,
        partial: Map<String, Value>,
    },
    DelayMs(u64),
    Until(Arc<Notify>),
}

#[derive(Clone)]
pub(crate) enum End {
    Done(StopReason),
    Failed(Failure),
    /// The stream just stops, against its promise.
    Silence,
    /// Never ends, not even when cancelled.
    Deaf,
}

impl Answer {
    pub(crate) fn new() -> Self {
        Self { parts: Vec::new(), end: End::Done(StopReason::Stop) }
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::new().and_text(text)
    }

    pub(crate) fn call(id: &str, name: &str, arguments: Value) -> Self {
        Self::new().and_call(id, name, arguments)
    }

    /// Fails before anything was said.
    pub(crate) fn failed(kind: FailureKind, message: &str) -> Self {
        Self::new().fail(kind, message)
    }

    pub(crate) fn and_text(mut self, text: &str) -> Self {
        let block = TextBlock { text: text.to_owned(), text_signature: None };
        self.parts.push(Part::Block(AssistantBlock::Text(block)));
        self
    }

    pub(crate) fn and_thinking(mut self, text: &str) -> Self {
        let block = ThinkingBlock { thinking: text.to_owned(), thinking_signature: None };
        self.parts.push(Part::Block(AssistantBlock::Thinking(block)));
        self
    }

    pub(crate) fn and_call(mut self, id: &str, name: &str, arguments: Value) -> Self {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.parts.push(Part::Block(AssistantBlock::ToolCall(tool_call(id, name, arguments))));
        self.end(StopReason::ToolUse)
    }

    /// A complete call whose arguments are not JSON.
    pub(crate) fn and_garbled_call(mut self, id: &str, name: &str, raw: &str) -> Self {
        let mut call = tool_call(id, name, Map::new());
        call.invalid_arguments = Some(raw.to_owned());
        self.parts.push(Part::Block(AssistantBlock::ToolCall(call)));
        self.end(StopReason::ToolUse)
    }

    pub(crate) fn and_open_call(mut self, id: &str, name: &str, partial: Value) -> Self {
        let Value::Object(partial) = partial else { panic!("arguments are an object") };
        self.parts.push(Part::OpenCall { id: id.to_owned(), name: name.to_owned(), partial });
        self
    }

    pub(crate) fn delay(mut self, ms: u64) -> Self {
        self.parts.push(Part::DelayMs(ms));
        self
    }

    /// Goes on when the test says so.
    pub(crate) fn until(mut self, notify: &Arc<Notify>) -> Self {
        self.parts.push(Part::Until(Arc::clone(notify)));
        self
    }

    pub(crate) fn end(mut self, reason: StopReason) -> Self {
        self.end = End::Done(reason);
        self
    }

    pub(crate) fn fail(mut self, kind: FailureKind, message: &str) -> Self {
        self.end =
            End::Failed(Failure { kind, message: message.to_owned(), status: None, retry_after_ms: None });
        self
    }

    pub(crate) fn retry_after(mut self, ms: u64) -> Self {
        if let End::Failed(failure) = &mut self.end {
            failure.retry_after_ms = Some(ms);
        }
        self
    }

    pub(crate) fn silence(mut self) -> Self {
        self.end = End::Silence;
        self
    }

    pub(crate) fn deaf(mut self) -> Self {
        self.end = End::Deaf;
        self
    }
}

pub(crate) fn tool_call(id: &str, name: &str, arguments: Map<String, Value>) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments,
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    }
}

pub(crate) fn aborted() -> Failure {
    let message = "Request was aborted".to_owned();
    Failure { kind: FailureKind::Aborted, message, status: None, retry_after_ms: None }
}

pub(crate) fn empty_message(selector: &str) -> AssistantMessage {
    let (provider, model) = selector.split_once('/').unwrap();
    AssistantMessage {
        content: Vec::new(),
        api: "scripted".to_owned(),
        provider: provider.to_owned(),
        model: model.to_owned(),
        response_id: None,
        usage: Usage::default(),
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: 0,
    }
}

/// The events that build a block up, as a wire would send them.
pub(crate) fn block_events(block: &AssistantBlock, content_index: usize) -> Vec<StreamEvent> {
    match block {
        AssistantBlock::Text(text) => vec![
            StreamEvent::TextStart { content_index },
            StreamEvent::TextDelta { content_index, delta: text.text.clone() },
            StreamEvent::TextEnd { content_index },
        ],
        AssistantBlock::Thinking(thinking) => vec![
            StreamEvent::ThinkingStart { content_index },
            StreamEvent::ThinkingDelta { content_index, delta: thinking.thinking.clone() },
            StreamEvent::ThinkingEnd { content_index },
        ],
        AssistantBlock::ToolCall(call) => vec![
            StreamEvent::ToolCallStart { content_index, id: call.id.clone(), name: call.name.clone() },
            argument_delta(content_index, &call.arguments),
            StreamEvent::ToolCallEnd { content_index, tool_call: call.clone() },
        ],
        AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => Vec::new(),
    }
}

pub(crate) fn argument_delta(content_index: usize, arguments: &Map<String, Value>) -> StreamEvent {
    let delta = serde_json::to_string(arguments).unwrap();
    StreamEvent::ToolCallDelta { content_index, delta, partial: Some(Arc::new(arguments.clone())) }
}
