//! Asks the model until there is an answer: retries, other accounts, other models.

use std::sync::Arc;
use std::time::Duration;

use omp_types::{AgentEvent, AssistantBlock, AssistantMessage, Failure, FailureKind, Message, RetryFallback};
use tokio_util::sync::CancellationToken;

use crate::answer::Attempt;
use crate::fallback::Primary;
use crate::leak;
use crate::parts::AccountAnswer;
use crate::retry;
use crate::run::Run;

/// How a model call ended when everything was tried.
pub(crate) enum Answered {
    Complete(Arc<Message>),
    /// A tool refused a call while it was being written.
    Stopped {
        message: Arc<Message>,
        call: String,
        reason: String,
    },
    /// It failed or was aborted.
    Broken(Arc<Message>),
}

/// What is done about a failure.
enum Recovery {
    Again { delay_ms: u64, switched: Option<RetryFallback> },
    GiveUp(String),
}

impl Recovery {
    fn at_once() -> Self {
        Self::Again { delay_ms: 0, switched: None }
    }
}

/// What was tried for one turn so far.
#[derive(Default)]
struct Tries {
    retries: u32,
    /// The role in which another model took over.
    role: Option<String>,
    /// Models whose window was too small. None of them is asked twice, so that promotion ends.
    outgrown: Vec<String>,
    /// Answers that were thrown away because of leaked markup.
    leaks: u32,
    /// The conversation was made shorter for this turn.
    shortened: bool,
}

impl Run<'_> {
    /// Asks the model until there is an answer or nothing more can be done.
    pub(crate) async fn ask(&mut self) -> Answered {
        let mut tries = Tries::default();
        loop {
            let attempt = match self.fit().await {
                true => self.attempt().await,
                false => self.not_sent(),
            };
            let (message, failure) = match self.salvage(attempt) {
                Attempt::Complete(message) => {
                    let message = self.succeeded(message, tries);
                    return Answered::Complete(message);
                }
                Attempt::Stopped { message, call, reason } => {
                    let message = self.succeeded(message, tries);
                    return Answered::Stopped { message, call, reason };
                }
                Attempt::Failed(message, failure) => (message, failure),
            };
            if let Some(broken) = self.failed(message, &failure, &mut tries).await {
                return Answered::Broken(broken);
            }
        }
    }

    fn succeeded(&mut self, message: AssistantMessage, tries: Tries) -> Arc<Message> {
        let message = self.finish_message(message);
        self.end_retries(&tries, None);
        if let Some(role) = tries.role {
            let model = self.state.model.identity().selector();
            self.emit(AgentEvent::RetryFallbackSucceeded { model, role });
        }
        message
    }

    /// Prepares another attempt, or returns the message that ends the turn. A failed message that is tried
    /// again has been announced but never enters the live context.
    async fn failed(
        &mut self,
        message: AssistantMessage,
        failure: &Failure,
        tries: &mut Tries,
    ) -> Option<Arc<Message>> {
        if failure.kind == FailureKind::Aborted {
            let message = self.finish_message(message);
            self.end_retries(tries, Some(AgentEvent::RETRY_CANCELLED.to_owned()));
            return Some(message);
        }
        if let Some(promoted) = self.promote(failure, shows_something(&message), tries) {
            self.finish_message(message);
            self.emit(promoted);
            return None;
        }
        let overflow = failure.kind == FailureKind::ContextOverflow && !shows_something(&message);
        if overflow && !std::mem::replace(&mut tries.shortened, true) {
            let message = self.finish_message(message);
            if self.recover_overflow(failure).await {
                return None;
            }
            self.end_retries(tries, Some(failure.message.clone()));
            return Some(message);
        }
        let recovery = if failure.kind == FailureKind::Contaminated {
            tries.leaks += 1;
            self.after_leak(failure, tries.leaks)
        } else {
            self.recover(failure, shows_something(&message), tries.retries)
        };
        match recovery {
            Recovery::GiveUp(text) => {
                // The text that ends the chain may say more than the last failure did.
                let message =
                    self.finish_message(AssistantMessage { error_message: Some(text.clone()), ..message });
                self.end_retries(tries, Some(text));
                Some(message)
            }
            Recovery::Again { delay_ms, switched } => {
                let message = self.finish_message(message);
                self.wait_for_retry(delay_ms, switched, failure, tries).await.err().map(|Cancelled| message)
            }
        }
    }

    /// Continues with a larger model when the conversation does not fit into this one's window.
    fn promote(&mut self, failure: &Failure, visible: bool, tries: &mut Tries) -> Option<AgentEvent> {
        let overflow = failure.kind == FailureKind::ContextOverflow;
        if !overflow || visible || !self.state.config.context_promotion {
            return None;
        }
        let current = self.state.model.identity();
        let from = current.selector();
        tries.outgrown.push(from.clone());
        let larger = self.fixed.models.larger(&current)?;
        let to = larger.identity().selector();
        if tries.outgrown.contains(&to) {
            return None;
        }
        self.state.model = larger;
        Some(AgentEvent::ContextPromoted { from, to })
    }

    /// Closes the pair that `auto_retry_start` opened, if it did.
    fn end_retries(&mut self, tries: &Tries, final_error: Option<String>) {
        if tries.retries > 0 {
            let success = final_error.is_none();
            self.emit(AgentEvent::AutoRetryEnd { success, attempt: tries.retries, final_error });
        }
    }

    /// What can be done about a failure: forget stale state, another account, another model, or wait.
    fn recover(&mut self, failure: &Failure, visible: bool, retries: u32) -> Recovery {
        if !retry::is_allowed(failure, visible, retries, &self.state.config.retry) {
            return Recovery::GiveUp(failure.message.clone());
        }
        let mut failure = failure.clone();
        match failure.kind {
            FailureKind::StaleState => return self.forget_identities(failure),
            FailureKind::UsageLimit => match self.other_account(failure.retry_after_ms) {
                AccountAnswer::Switched => return Recovery::at_once(),
                AccountAnswer::FreeAfterMs(ms) => failure.retry_after_ms = Some(ms),
                AccountAnswer::NoSibling => {}
            },
            // It passes soon; only an account that is free now is better than waiting.
            FailureKind::RateLimit
                if self.other_account(failure.retry_after_ms) == AccountAnswer::Switched =>
            {
                return Recovery::at_once();
            }
            _ => {}
        }
        if let Some(switched) = self.take_over(&failure) {
            return Recovery::Again { delay_ms: 0, switched: Some(switched) };
        }
        if matches!(failure.kind, FailureKind::Refusal | FailureKind::NotListening) {
            return Recovery::GiveUp(failure.message);
        }
        match retry::wait_ms(&failure, retries, self.fixed.clock.random(), &self.state.config.retry) {
            Ok(delay_ms) => Recovery::Again { delay_ms, switched: None },
            Err(text) => Recovery::GiveUp(text),
        }
    }

    /// The same question is usually answered cleanly. A model that continues like that is not worth more of it.
    fn after_leak(&self, failure: &Failure, leaks: u32) -> Recovery {
        if self.state.config.retry.enabled && leaks <= leak::MAX_RETRIES {
            return Recovery::at_once();
        }
        Recovery::GiveUp(leak::given_up(&failure.message, leaks))
    }

    /// The provider lost its side of the conversation, so everything is sent again. Once: when nothing is left
    /// to forget, the failure has another cause.
    fn forget_identities(&mut self, failure: Failure) -> Recovery {
        let all = self.state.messages.len();
        let before = std::mem::replace(&mut self.state.config.request.identity_from, all);
        if before == all { Recovery::GiveUp(failure.message) } else { Recovery::at_once() }
    }

    /// Marks the account as used up. A wait ends when the first account is free, this one or a sibling.
    fn other_account(&self, hint_ms: Option<u64>) -> AccountAnswer {
        const MARGIN_MS: u64 = 1000;
        match self.fixed.models.usage_limited(&self.state.model.identity(), hint_ms) {
            AccountAnswer::FreeAfterMs(ms) => {
                let sibling = ms.saturating_add(MARGIN_MS);
                AccountAnswer::FreeAfterMs(hint_ms.map_or(sibling, |hint| hint.min(sibling)))
            }
            other => other,
        }
    }

    /// Switches to the next model of the chain, if one can take over.
    fn take_over(&mut self, failure: &Failure) -> Option<RetryFallback> {
        let current =
            Primary { model: Arc::clone(&self.state.model), thinking: self.state.config.request.thinking };
        let takeover = self.state.fallback.take_over(
            &self.state.config.fallbacks,
            self.fixed.models.as_ref(),
            &current,
            failure,
            self.fixed.clock.now_ms(),
        )?;
        self.state.model = takeover.model;
        self.state.config.request.thinking = takeover.thinking;
        Some(takeover.switched)
    }

    async fn wait_for_retry(
        &mut self,
        delay_ms: u64,
        switched: Option<RetryFallback>,
        failure: &Failure,
        tries: &mut Tries,
    ) -> Result<(), Cancelled> {
        tries.retries += 1;
        // Whoever hears of the wait must be able to cancel it, so the switch is there before the event.
        let token = self.cancel.child_token();
        self.shared.lock().retry = token.clone();
        if let Some(switched) = switched {
            tries.role = Some(switched.role.clone());
            self.emit(AgentEvent::RetryFallbackApplied(switched));
        }
        self.emit(AgentEvent::AutoRetryStart {
            attempt: tries.retries,
            max_attempts: self.state.config.retry.max_retries,
            delay_ms,
            error_message: failure.message.clone(),
        });
        let waited = self.wait(delay_ms, &token).await;
        if waited.is_err() {
            self.end_retries(tries, Some(AgentEvent::RETRY_CANCELLED.to_owned()));
        }
        waited
    }

    async fn wait(&self, delay_ms: u64, token: &CancellationToken) -> Result<(), Cancelled> {
        let sleep = async {
            if delay_ms > 0 {
                self.fixed.clock.sleep(Duration::from_millis(delay_ms)).await;
            }
        };
        tokio::select! {
            biased;
            () = token.cancelled() => Err(Cancelled),
            () = sleep => Ok(()),
        }
    }
}

/// The user did not want to wait for a retry.
struct Cancelled;

/// Did the answer get as far as text, thinking or a call?
fn shows_something(message: &AssistantMessage) -> bool {
    message.content.iter().any(|block| match block {
        AssistantBlock::Text(text) => !text.text.is_empty(),
        AssistantBlock::Thinking(thinking) => !thinking.thinking.is_empty(),
        AssistantBlock::RedactedThinking(_) => false,
        AssistantBlock::ToolCall(_) | AssistantBlock::Native(_) => true,
    })
}
