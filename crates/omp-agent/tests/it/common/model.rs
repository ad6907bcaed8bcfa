use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_types::{
    AssistantBlock, AssistantMessage, Failure, FailureKind, ModelRequest, StopReason, StreamEvent,
};
use tokio_util::sync::CancellationToken;

use super::Answer;
use super::answer::{End, Part, aborted, argument_delta, block_events, empty_message, tool_call};

/// A model that gives prepared answers and remembers what it was asked. When the answers run out it says so in
/// an error, so a test that asks too often fails instead of hanging.
pub(crate) struct Script {
    selector: String,
    answers: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<ModelRequest>>,
    forceable: bool,
}

impl Script {
    pub(crate) fn new(selector: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            selector: selector.to_owned(),
            answers: Mutex::new(answers.into_iter().collect()),
            requests: Mutex::default(),
            forceable: true,
        }
    }

    pub(crate) fn unforceable(mut self) -> Self {
        self.forceable = false;
        self
    }

    pub(crate) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Model for Script {
    fn identity(&self) -> ModelIdentity {
        let (provider, id) = self.selector.split_once('/').unwrap();
        ModelIdentity { api: "scripted".to_owned(), provider: provider.to_owned(), id: id.to_owned() }
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        self.requests.lock().unwrap().push(request);
        let next = self.answers.lock().unwrap().pop_front();
        let answer =
            next.unwrap_or_else(|| Answer::failed(FailureKind::Fatal, "the script has no more answers"));
        let telling = Telling {
            parts: answer.parts.into(),
            end: Some(answer.end),
            message: empty_message(&self.selector),
            started: false,
            cancel,
        };
        stream::unfold(telling, Telling::step).boxed()
    }

    fn can_force_tools(&self) -> bool {
        self.forceable
    }
}

/// An answer on its way.
struct Telling {
    parts: VecDeque<Part>,
    /// `None` when the terminal event was sent.
    end: Option<End>,
    message: AssistantMessage,
    started: bool,
    cancel: CancellationToken,
}

impl Telling {
    async fn step(mut self) -> Option<(Vec<StreamEvent>, Self)> {
        self.end.as_ref()?;
        if self.cancel.is_cancelled() && !matches!(self.end, Some(End::Deaf)) {
            return Some((vec![self.fail(aborted())], self));
        }
        if !std::mem::replace(&mut self.started, true) {
            return Some((vec![StreamEvent::Start], self));
        }
        let events = match self.parts.pop_front() {
            Some(part) => self.part(part).await,
            None => self.finish().await?,
        };
        Some((events, self))
    }

    async fn part(&mut self, part: Part) -> Vec<StreamEvent> {
        let content_index = self.message.content.len();
        match part {
            Part::Block(block) => {
                let events = block_events(&block, content_index);
                self.message.content.push(block);
                events
            }
            Part::OpenCall { id, name, partial } => {
                let mut call = tool_call(&id, &name, Default::default());
                call.invalid_arguments = Some("{".to_owned());
                self.message.content.push(AssistantBlock::ToolCall(call));
                vec![
                    StreamEvent::ToolCallStart { content_index, id, name },
                    argument_delta(content_index, &partial),
                ]
            }
            Part::DelayMs(ms) => {
                let sleep = tokio::time::sleep(Duration::from_millis(ms));
                tokio::select! { () = sleep => {}, () = self.cancel.cancelled() => {} }
                Vec::new()
            }
            Part::Until(notify) => {
                tokio::select! { () = notify.notified() => {}, () = self.cancel.cancelled() => {} }
                Vec::new()
            }
        }
    }

    /// The terminal event; `None` when there is none.
    async fn finish(&mut self) -> Option<Vec<StreamEvent>> {
        match self.end.take()? {
            End::Done(reason) => {
                self.message.stop_reason = reason;
                Some(vec![StreamEvent::Done { reason, message: Box::new(self.message.clone()) }])
            }
            End::Failed(failure) => Some(vec![self.fail(failure)]),
            End::Silence => None,
            End::Deaf => std::future::pending().await,
        }
    }

    fn fail(&mut self, failure: Failure) -> StreamEvent {
        self.end = None;
        let aborted = failure.kind == FailureKind::Aborted;
        let reason = if aborted { StopReason::Aborted } else { StopReason::Error };
        self.message.stop_reason = reason;
        self.message.error_message = Some(failure.message.clone());
        StreamEvent::Error { reason, message: Box::new(self.message.clone()), failure }
    }
}
