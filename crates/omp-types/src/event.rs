use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::{CompactionReason, CompactionResult, CompactionStrategy, Goal, Message, StreamEvent, ToolOutput};

/// Everything that happens in a session, in order. Print mode, `--mode json`, RPC, ACP, the terminal and the
/// session store read this one stream; none of them has another source.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum AgentEvent {
    AgentStart,
    AgentEnd {
        messages: Vec<Arc<Message>>,
    },
    TurnStart,
    TurnEnd {
        message: Arc<Message>,
        tool_results: Vec<Arc<Message>>,
    },
    MessageStart {
        message: Arc<Message>,
    },
    MessageUpdate(MessageUpdate),
    MessageEnd {
        message: Arc<Message>,
    },
    ToolExecutionStart {
        tool_call_id: String,
        tool_name: String,
        args: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        intent: Option<String>,
    },
    ToolExecutionUpdate {
        tool_call_id: String,
        tool_name: String,
        partial_result: ToolOutput,
    },
    ToolExecutionEnd {
        tool_call_id: String,
        tool_name: String,
        result: ToolOutput,
        is_error: bool,
    },
    AutoRetryStart {
        attempt: u32,
        max_attempts: u32,
        delay_ms: u64,
        error_message: String,
    },
    AutoRetryEnd {
        success: bool,
        attempt: u32,
        /// [`AgentEvent::RETRY_CANCELLED`] if somebody stopped it.
        #[serde(skip_serializing_if = "Option::is_none")]
        final_error: Option<String>,
    },
    RetryFallbackApplied(RetryFallback),
    RetryFallbackSucceeded {
        model: String,
        role: String,
    },
    /// The conversation outgrew a model's context window; one with a larger window continues. Both are `provider/id`.
    ContextPromoted {
        from: String,
        to: String,
    },
    /// The conversation is about to be made shorter.
    AutoCompactionStart {
        reason: CompactionReason,
        action: CompactionStrategy,
    },
    /// It is shorter, or it is as it was: with `error_message` because something failed, with `aborted` because somebody
    /// stopped it. With `will_retry` the turn that did not fit is asked again.
    AutoCompactionEnd {
        reason: CompactionReason,
        action: CompactionStrategy,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<CompactionResult>,
        aborted: bool,
        will_retry: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
    },
    /// The conversation was cut back to an earlier place: so many messages stayed, so many left it. What stands for them
    /// follows as a message.
    ContextRewound {
        kept: usize,
        removed: usize,
    },
    TodoReminder {
        todos: Vec<String>,
        attempt: u32,
        max_attempts: u32,
    },
    /// A goal was set, or stands otherwise than before.
    GoalUpdated {
        goal: Goal,
    },
    /// Something a person should know, outside the conversation.
    Notice {
        message: String,
    },
}

/// A step of the answer being streamed. It carries the delta only, so that a consumer's work stays linear in
/// the size of the answer; the whole message comes with `message_end`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageUpdate {
    pub assistant_message_event: StreamEvent,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RetryFallback {
    pub from: String,
    pub to: String,
    pub role: String,
}

impl AgentEvent {
    /// The final error of retries that somebody stopped.
    pub const RETRY_CANCELLED: &str = "Retry cancelled";
}
