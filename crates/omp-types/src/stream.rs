use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{AssistantMessage, StopReason, ToolCall};

/// One step of a model answer. Every answer is `Start`, then blocks (start, deltas, end, each with the index of
/// its content block), then exactly one of `Done` and `Error`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum StreamEvent {
    Start,
    TextStart {
        content_index: usize,
    },
    TextDelta {
        content_index: usize,
        delta: String,
    },
    TextEnd {
        content_index: usize,
    },
    ThinkingStart {
        content_index: usize,
    },
    ThinkingDelta {
        content_index: usize,
        delta: String,
    },
    ThinkingEnd {
        content_index: usize,
    },
    #[serde(rename = "toolcall_start")]
    ToolCallStart {
        content_index: usize,
        id: String,
        name: String,
    },
    #[serde(rename = "toolcall_delta")]
    ToolCallDelta {
        content_index: usize,
        delta: String,
        /// The arguments as far as they can be read, refreshed now and then; for views, never for running.
        #[serde(skip)]
        partial: Option<Arc<Map<String, Value>>>,
    },
    #[serde(rename = "toolcall_end")]
    ToolCallEnd {
        content_index: usize,
        tool_call: ToolCall,
    },
    /// The answer is complete. The message itself travels with `message_end`.
    Done {
        reason: StopReason,
        #[serde(skip)]
        message: Box<AssistantMessage>,
    },
    /// The answer failed or was aborted; `message` keeps what had arrived.
    Error {
        /// `Aborted` or `Error`.
        reason: StopReason,
        #[serde(skip)]
        message: Box<AssistantMessage>,
        #[serde(flatten)]
        failure: Failure,
    },
}

/// Why an answer did not complete, with everything that decides what to do next.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub kind: FailureKind,
    #[serde(rename = "errorMessage")]
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the provider asked us to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// Classes of failure. The wire that saw the failure decides the class, because it alone knows the wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FailureKind {
    Aborted,
    /// Overload, 5xx, network, time-outs, streams cut before they began: worth another try.
    Transient,
    /// 429: too many requests for the moment.
    RateLimit,
    /// The account's quota is used up: another account or model can help, waiting rarely does.
    UsageLimit,
    /// The conversation no longer fits the model's window.
    ContextOverflow,
    /// A safety classifier refused.
    Refusal,
    /// Provider-side conversation state is gone; sending everything again helps.
    StaleState,
    /// Markup of the model's own format got into the answer. The message that comes with it holds what can be
    /// trusted: nothing, or calls of which one was cut.
    Contaminated,
    /// Missing or rejected credentials.
    Auth,
    /// Nothing listens at an address of this machine: another model can help, waiting does not.
    NotListening,
    /// The request itself is wrong, or the answer cannot be understood.
    Fatal,
}

impl StreamEvent {
    /// The message of a terminal event.
    pub fn terminal(&self) -> Option<&AssistantMessage> {
        match self {
            Self::Done { message, .. } | Self::Error { message, .. } => Some(message),
            _ => None,
        }
    }
}
