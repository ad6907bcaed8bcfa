//! The answers of models that leak harmony's headers, watched.

use futures_util::StreamExt;
use omp_types::{StopReason, StreamEvent};

use super::leak::{Leak, Surface, find_leak};
use crate::client::BatchStream;
use crate::failure::transient;
use crate::model::{Api, Model};

/// The provider whose models are known to do it.
pub(crate) fn is_affected(model: &Model) -> bool {
    model.api == Api::OpenAiCodexResponses || model.provider == "openai-codex"
}

/// A finished answer with a leak becomes a failure that is worth another try, and nothing of it is kept.
pub(crate) fn guard(events: BatchStream) -> BatchStream {
    Box::pin(events.map(|batch| batch.into_iter().map(checked).collect()))
}

fn checked(event: StreamEvent) -> StreamEvent {
    let StreamEvent::Done { reason, message } = event else { return event };
    let Some(leak) = find_leak(&message) else { return StreamEvent::Done { reason, message } };
    let failure = transient(describe(&leak));
    let mut message = message;
    message.content.clear();
    message.stop_reason = StopReason::Error;
    message.error_message = Some(failure.message.clone());
    StreamEvent::Error { reason: StopReason::Error, message, failure }
}

fn describe(leak: &Leak) -> String {
    let place = match &leak.surface {
        Surface::Text => "its text".to_owned(),
        Surface::Thinking => "its reasoning".to_owned(),
        Surface::Arguments(tool) => format!("the arguments of {tool}"),
    };
    format!(
        "the model wrote parts of its internal message format into {place} ({} bytes); the answer was discarded",
        leak.removed
    )
}
