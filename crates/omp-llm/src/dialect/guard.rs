//! The answers of models that leak harmony's headers, watched.

use std::sync::Arc;

use futures_util::StreamExt;
use omp_types::{AssistantBlock, AssistantMessage, Failure, FailureKind, LineTool, StopReason, StreamEvent};
use serde_json::Value;

use super::audit::{self, LeakRecords};
use crate::client::BatchStream;
use crate::model::{Api, Model};
use omp_dialects::{Leak, contaminated, find_leak, line_text};

/// Ends a text in a line language early; what stands before it is carried out.
const ABORT: &str = "*** Abort\n";

/// The provider whose models are known to do it.
pub(crate) fn is_affected(model: &Model) -> bool {
    model.api == Api::OpenAiCodexResponses || model.provider == "openai-codex"
}

/// Looks at finished answers.
pub(crate) struct Guard {
    pub(crate) model: Arc<Model>,
    pub(crate) lines: Vec<LineTool>,
    pub(crate) records: LeakRecords,
}

impl Guard {
    /// A finished answer with a leak becomes a failure. What comes with it is what can be trusted: nothing, or the
    /// answer up to a call that could be cut.
    pub(crate) fn watch(self, events: BatchStream) -> BatchStream {
        Box::pin(events.map(move |batch| batch.into_iter().map(|event| self.checked(event)).collect()))
    }

    fn checked(&self, event: StreamEvent) -> StreamEvent {
        let StreamEvent::Done { reason, mut message } = event else { return event };
        let Some(leak) = find_leak(&message, &self.lines) else {
            return StreamEvent::Done { reason, message };
        };
        let text = contaminated(&message, &leak, &self.lines).unwrap_or_default();
        let removed = text.get(leak.clean..).unwrap_or_default();
        let record = audit::record(&leak, &self.model, removed, self.records);
        self.keep_trusted(&mut message, &leak);
        message.stop_reason = StopReason::Error;
        message.error_message = Some(record.clone());
        let failure =
            Failure { kind: FailureKind::Contaminated, message: record, status: None, retry_after_ms: None };
        StreamEvent::Error { reason: StopReason::Error, message, failure }
    }

    /// Whatever follows a leak is never worth keeping, even where it parses.
    fn keep_trusted(&self, message: &mut AssistantMessage, leak: &Leak) {
        if !leak.cuttable || !self.cut(&mut message.content[leak.block], leak) {
            message.content.clear();
            return;
        }
        message.content.truncate(leak.block + 1);
        message.response_id = None;
        message.content.retain_mut(unseal);
    }

    /// Ends the call at the last clean line; `false` when no line is clean.
    fn cut(&self, block: &mut AssistantBlock, leak: &Leak) -> bool {
        let AssistantBlock::ToolCall(call) = block else { return false };
        let Some((parameter, text)) = line_text(call, &self.lines) else { return false };
        let clean = &text[..leak.clean];
        if clean.trim().is_empty() {
            return false;
        }
        let (parameter, text) = (parameter.to_owned(), format!("{clean}{ABORT}"));
        call.arguments.insert(parameter, Value::String(text));
        true
    }
}

/// The provider sealed its reasoning for the answer as it was. `false` for blocks that are nothing without the seal.
fn unseal(block: &mut AssistantBlock) -> bool {
    match block {
        AssistantBlock::Text(text) => text.text_signature = None,
        AssistantBlock::Thinking(thinking) => thinking.thinking_signature = None,
        AssistantBlock::ToolCall(call) => call.thought_signature = None,
        AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => return false,
    }
    true
}
