//! One model call: build the request, stream the answer, recover from failure.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt;
use omp_types::{
    AgentEvent, AssistantMessage, Failure, FailureKind, Message, MessageUpdate, ModelRequest, RetryFallback, StopReason,
    StreamEvent, ToolChoice, ToolDefinition, Usage,
};
use tokio_util::sync::CancellationToken;

use crate::agent::Forced;
use crate::fallback::Primary;
use crate::intent;
use crate::parts::AccountAnswer;
use crate::retry::{self, Situation, Verdict};
use crate::run::Run;
use crate::tool::{Inspection, Tool};

/// Tool definitions as last sent; rebuilt only when the set of tools changed.
#[derive(Default)]
pub(crate) struct ToolCache {
    tools: Vec<Arc<dyn Tool>>,
    definitions: Arc<[ToolDefinition]>,
}

/// How a model call ended.
pub(crate) enum Answered {
    Complete(Arc<Message>),
    /// A tool refused a call while it was being written.
    Stopped { message: Arc<Message>, call: String, reason: String },
    Aborted(Arc<Message>),
    Failed(Arc<Message>),
}

/// One attempt, before recovery has looked at it.
enum Attempt {
    Complete(AssistantMessage),
    Stopped { message: AssistantMessage, call: String, reason: String },
    Failed(AssistantMessage, Failure),
}

impl Run<'_> {
    /// Asks the model until there is an answer or nothing more can be done.
    pub(crate) async fn ask(&mut self) -> Answered {
        let mut retries = 0;
        let mut fallback_role = None;
        loop {
            let (message, failure) = match self.attempt().await {
                Attempt::Complete(message) => {
                    self.report_success(retries, fallback_role.take());
                    return Answered::Complete(self.finish_message(message));
                }
                Attempt::Stopped { message, call, reason } => {
                    self.report_success(retries, fallback_role.take());
                    return Answered::Stopped { message: self.finish_message(message), call, reason };
                }
                Attempt::Failed(message, failure) => (message, failure),
            };
            if failure.kind == FailureKind::Aborted {
                return Answered::Aborted(self.finish_message(message));
            }
            let visible = !message.content.is_empty();
            match self.recover(&failure, visible, retries) {
                Recovery::GiveUp(text) => {
                    // The text that ends the chain may say more than the last failure did.
                    let message = self.finish_message(AssistantMessage { error_message: Some(text.clone()), ..message });
                    if retries > 0 {
                        self.emit(AgentEvent::AutoRetryEnd { success: false, attempt: retries, final_error: Some(text) });
                    }
                    return Answered::Failed(message);
                }
                Recovery::Again { delay_ms, switched } => {
                    retries += 1;
                    let message = self.finish_message(message);
                    if let Some(switched) = switched {
                        fallback_role = Some(switched.role.clone());
                        self.emit(AgentEvent::RetryFallbackApplied(switched));
                    }
                    self.emit(AgentEvent::AutoRetryStart {
                        attempt: retries,
                        max_attempts: self.state.config.retry.max_retries,
                        delay_ms,
                        error_message: failure.message.clone(),
                    });
                    if !self.wait_for_retry(delay_ms).await {
                        let cancelled = "Retry cancelled".to_owned();
                        self.emit(AgentEvent::AutoRetryEnd { success: false, attempt: retries, final_error: Some(cancelled) });
                        return Answered::Failed(message);
                    }
                }
            }
        }
    }

    fn report_success(&mut self, retries: u32, role: Option<String>) {
        if retries > 0 {
            self.emit(AgentEvent::AutoRetryEnd { success: true, attempt: retries, final_error: None });
        }
        if let Some(role) = role {
            let model = self.state.model.identity().selector();
            self.emit(AgentEvent::RetryFallbackSucceeded { model, role });
        }
    }

    fn finish_message(&mut self, mut message: AssistantMessage) -> Arc<Message> {
        for block in &mut message.content {
            if let omp_types::AssistantBlock::ToolCall(call) = block {
                intent::strip(call);
            }
        }
        let message = Arc::new(Message::Assistant(message));
        self.emit(AgentEvent::MessageEnd { message: Arc::clone(&message) });
        message
    }

    async fn attempt(&mut self) -> Attempt {
        let request = self.request();
        let tools = self.state.tools.tools.clone();
        let cancel = self.cancel.child_token();
        let mut stream = self.state.model.stream(request, cancel.clone());
        let mut started = false;
        let mut watch = CallWatch::default();
        while let Some(batch) = stream.next().await {
            for event in batch {
                if !started {
                    started = true;
                    let message = Arc::new(Message::Assistant(self.skeleton()));
                    self.emit(AgentEvent::MessageStart { message });
                }
                if watch.stopped.is_none() {
                    watch.look(&event, &tools, &cancel);
                }
                match event {
                    StreamEvent::Done { message, .. } => return Attempt::Complete(*message),
                    StreamEvent::Error { message, failure, .. } => return watch.settle(*message, failure),
                    event => self.emit(AgentEvent::MessageUpdate(MessageUpdate { assistant_message_event: event })),
                }
            }
            self.flow().await;
        }
        // A model that breaks its promise of a terminal event must not hang the session.
        let failure = Failure {
            kind: FailureKind::Transient,
            message: "the model's stream ended without a result".to_owned(),
            status: None,
            retry_after_ms: None,
        };
        let message = AssistantMessage {
            stop_reason: StopReason::Error,
            error_message: Some(failure.message.clone()),
            ..self.skeleton()
        };
        Attempt::Failed(message, failure)
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

    /// The tool set and the system prompt are read anew: a tool may have changed them.
    fn request(&mut self) -> ModelRequest {
        let tools = self.fixed.setup.tools();
        let cache = &mut self.state.tools;
        let same = cache.tools.len() == tools.len() && cache.tools.iter().zip(&tools).all(|(a, b)| Arc::ptr_eq(a, b));
        if !same {
            let tracing = self.state.config.intent_tracing;
            let define = |tool: &Arc<dyn Tool>| match tracing {
                true => intent::with_intent(tool.definition()),
                false => tool.definition().clone(),
            };
            cache.definitions = tools.iter().map(define).collect();
            cache.tools = tools;
        }
        let mut options = self.state.config.request.clone();
        match &self.state.forced {
            Forced::Nothing => {}
            Forced::Call(name) => options.tool_choice = ToolChoice::Tool(name.clone()),
            Forced::NoTools => options.tool_choice = ToolChoice::None,
        }
        ModelRequest {
            system: self.fixed.setup.system(),
            tools: Arc::clone(&self.state.tools.definitions),
            messages: self.state.wire.clone(),
            options,
        }
    }

    /// The tools the last request offered.
    pub(crate) fn offered_tools(&self) -> Vec<Arc<dyn Tool>> {
        self.state.tools.tools.clone()
    }

    /// What can be done about a failure: forget stale state, another account, another model, or wait.
    fn recover(&mut self, failure: &Failure, visible: bool, retries: u32) -> Recovery {
        let give_up = || Recovery::GiveUp(failure.message.clone());
        let config = &self.state.config.retry;
        if !config.enabled || visible {
            return give_up();
        }
        let refusal = failure.kind == FailureKind::Refusal;
        if !refusal && (!retry::is_retryable(failure, visible) || retries >= config.max_retries) {
            return give_up();
        }
        if failure.kind == FailureKind::StaleState {
            let all = self.state.messages.len();
            let already_reset = std::mem::replace(&mut self.state.config.request.identity_from, all) == all;
            return if already_reset { give_up() } else { Recovery::now() };
        }
        let mut failure = failure.clone();
        if failure.kind == FailureKind::UsageLimit {
            match self.fixed.models.usage_limited(&self.state.model.identity(), failure.retry_after_ms) {
                AccountAnswer::Switched => return Recovery::now(),
                AccountAnswer::FreeAfterMs(ms) => {
                    let sibling = ms + 1000;
                    failure.retry_after_ms = Some(failure.retry_after_ms.map_or(sibling, |hint| hint.min(sibling)));
                }
                AccountAnswer::NoSibling => {}
            }
        }
        if let Some(switched) = self.take_over(&failure) {
            return Recovery::Again { delay_ms: 0, switched: Some(switched) };
        }
        let situation =
            Situation { failure: &failure, visible_output: visible, retries, random: self.fixed.clock.random() };
        match retry::decide(&situation, &self.state.config.retry) {
            Verdict::RetryAfterMs(delay_ms) => Recovery::Again { delay_ms, switched: None },
            Verdict::GiveUp(text) => Recovery::GiveUp(text),
        }
    }

    /// Switches to the next model of the chain, if one can take over.
    fn take_over(&mut self, failure: &Failure) -> Option<RetryFallback> {
        let current = Primary { model: Arc::clone(&self.state.model), thinking: self.state.config.request.thinking };
        let takeover = self.state.fallback.take_over(
            &self.state.config.fallbacks,
            self.fixed.models.as_ref(),
            &current,
            failure,
            self.fixed.clock.now_ms(),
        )?;
        self.state.model = takeover.model;
        if let Some(level) = takeover.thinking {
            self.state.config.request.thinking = level;
        }
        Some(RetryFallback { from: takeover.from, to: takeover.to, role: takeover.role })
    }

    /// `false` when the wait was cancelled.
    async fn wait_for_retry(&mut self, delay_ms: u64) -> bool {
        let token = self.cancel.child_token();
        self.shared.lock().retry = token.clone();
        if delay_ms == 0 {
            return !token.is_cancelled();
        }
        let sleep = self.fixed.clock.sleep(std::time::Duration::from_millis(delay_ms));
        tokio::select! {
            biased;
            () = token.cancelled() => false,
            () = sleep => true,
        }
    }
}

enum Recovery {
    Again { delay_ms: u64, switched: Option<RetryFallback> },
    GiveUp(String),
}

impl Recovery {
    fn now() -> Self {
        Self::Again { delay_ms: 0, switched: None }
    }
}

/// Lets tools look at their arguments while these are being written.
#[derive(Default)]
struct CallWatch {
    calls: HashMap<usize, (String, Option<Arc<dyn Tool>>)>,
    stopped: Option<(String, String)>,
}

impl CallWatch {
    fn look(&mut self, event: &StreamEvent, tools: &[Arc<dyn Tool>], cancel: &CancellationToken) {
        match event {
            StreamEvent::ToolCallStart { content_index, id, name } => {
                let tool = tools.iter().find(|tool| tool.definition().name == *name).cloned();
                self.calls.insert(*content_index, (id.clone(), tool));
            }
            StreamEvent::ToolCallDelta { content_index, partial: Some(partial), .. } => {
                if let Some((id, Some(tool))) = self.calls.get(content_index)
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
