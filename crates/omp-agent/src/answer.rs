//! One attempt at an answer: send the request, pass on what streams back.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt;
use omp_types::{
    AgentEvent, AssistantBlock, AssistantMessage, Failure, FailureKind, Message, MessageUpdate, StopReason,
    StreamEvent, ToolCall, Usage,
};
use tokio_util::sync::CancellationToken;

use crate::batch::CANCEL_GRACE;
use crate::intent;
use crate::parts::BatchStream;
use crate::request::ToolCache;
use crate::run::Run;
use crate::tool::{Inspection, Tool};
use crate::upkeep::UpkeepError;

/// How one attempt ended, before recovery has looked at it.
pub(crate) enum Attempt {
    Complete(AssistantMessage),
    /// A tool refused a call while it was being written.
    Stopped {
        message: AssistantMessage,
        call: String,
        reason: String,
    },
    Failed(AssistantMessage, Failure),
}

impl Run<'_> {
    pub(crate) async fn attempt(&mut self) -> Attempt {
        let request = self.request();
        let cancel = self.cancel.child_token();
        let mut stream = self.state.model.stream(request, cancel.clone());
        let mut started = false;
        let mut watch = CallWatch::default();
        while let Some(batch) = self.next_batch(&mut stream, &cancel).await {
            for mut event in batch {
                self.begin_message(&mut started);
                watch.look(&event, &self.state.tools, &cancel);
                match event {
                    StreamEvent::Done { message, .. } => return Attempt::Complete(*message),
                    StreamEvent::Error { message, failure, .. } => return watch.settle(*message, failure),
                    StreamEvent::ToolCallEnd { ref mut tool_call, .. } => self.strip_intent(tool_call),
                    _ => {}
                }
                self.emit(AgentEvent::MessageUpdate(MessageUpdate { assistant_message_event: event }));
            }
            self.flow().await;
        }
        self.begin_message(&mut started);
        self.without_terminal_event()
    }

    /// What arrived next. A model that continues after an abort is left behind: Escape works in any case.
    async fn next_batch(
        &self,
        stream: &mut BatchStream,
        cancel: &CancellationToken,
    ) -> Option<Vec<StreamEvent>> {
        let overdue = async {
            cancel.cancelled().await;
            self.fixed.clock.sleep(CANCEL_GRACE).await;
        };
        tokio::select! {
            biased;
            batch = stream.next() => batch,
            () = overdue => None,
        }
    }

    /// A model that breaks its promise of a terminal event must not hang the session.
    fn without_terminal_event(&self) -> Attempt {
        let aborted = self.cancel.is_cancelled();
        let (kind, stop_reason, text) = match aborted {
            true => (FailureKind::Aborted, StopReason::Aborted, "Request was aborted"),
            false => (FailureKind::Transient, StopReason::Error, "The model's stream ended without a result"),
        };
        let failure = Failure { kind, message: text.to_owned(), status: None, retry_after_ms: None };
        let message =
            AssistantMessage { stop_reason, error_message: Some(text.to_owned()), ..self.skeleton() };
        Attempt::Failed(message, failure)
    }

    /// A person stopped what would have made the request fit.
    pub(crate) fn not_sent(&mut self) -> Attempt {
        self.begin_message(&mut false);
        let text = UpkeepError::Aborted.to_string();
        let message = AssistantMessage {
            stop_reason: StopReason::Aborted,
            error_message: Some(text.clone()),
            ..self.skeleton()
        };
        let failure =
            Failure { kind: FailureKind::Aborted, message: text, status: None, retry_after_ms: None };
        Attempt::Failed(message, failure)
    }

    fn begin_message(&mut self, started: &mut bool) {
        if !std::mem::replace(started, true) {
            let message = Arc::new(Message::Assistant(self.skeleton()));
            self.emit(AgentEvent::MessageStart { message });
        }
    }

    /// An answer that has not begun.
    fn skeleton(&self) -> AssistantMessage {
        let identity = self.state.model.identity();
        AssistantMessage {
            content: Vec::new(),
            api: identity.api,
            provider: identity.provider,
            model: identity.id,
            response_id: None,
            usage: Usage::default(),
            stop_reason: StopReason::Stop,
            error_message: None,
            timestamp: self.fixed.clock.now_ms(),
        }
    }

    /// Announces an answer as it will be remembered.
    pub(crate) fn finish_message(&mut self, mut message: AssistantMessage) -> Arc<Message> {
        for block in &mut message.content {
            if let AssistantBlock::ToolCall(call) = block {
                self.strip_intent(call);
            }
        }
        let message = Arc::new(Message::Assistant(message));
        self.announced(&message);
        message
    }

    fn strip_intent(&self, call: &mut ToolCall) {
        let tool = self.state.tools.find(&call.name);
        if tool.is_none_or(|tool| !intent::is_own_parameter(tool.definition())) {
            intent::strip(call);
        }
    }
}

/// Lets tools look at their arguments while these are being written.
#[derive(Default)]
struct CallWatch {
    calls: HashMap<usize, (String, Arc<dyn Tool>)>,
    stopped: Option<(String, String)>,
}

impl CallWatch {
    fn look(&mut self, event: &StreamEvent, tools: &ToolCache, cancel: &CancellationToken) {
        match event {
            StreamEvent::ToolCallStart { content_index, id, name } => {
                if let Some(tool) = tools.find(name) {
                    self.calls.insert(*content_index, (id.clone(), Arc::clone(tool)));
                }
            }
            StreamEvent::ToolCallDelta { content_index, partial: Some(partial), .. }
                if self.stopped.is_none() =>
            {
                if let Some((id, tool)) = self.calls.get(content_index)
                    && let Inspection::Stop(reason) = tool.inspect(partial)
                {
                    self.stopped = Some((id.clone(), reason));
                    cancel.cancel();
                }
            }
            _ => {}
        }
    }

    /// An abort that we caused ourselves is not a failure.
    fn settle(self, mut message: AssistantMessage, failure: Failure) -> Attempt {
        match self.stopped {
            Some((call, reason)) if failure.kind == FailureKind::Aborted => {
                message.stop_reason = StopReason::ToolUse;
                message.error_message = None;
                Attempt::Stopped { message, call, reason }
            }
            _ => Attempt::Failed(message, failure),
        }
    }
}
