//! The agent as its owner sees it: prompts in, events out, and a handle to steer a run from outside.

use std::sync::Arc;
use std::time::Duration;

use omp_types::{
    AgentEvent, AssistantMessage, CompactionResult, Message, ModelRequest, StopReason, ThinkingLevel,
};
use tokio_util::sync::CancellationToken;

use crate::conduct::Conduct;
use crate::config::AgentConfig;
use crate::control::{Control, Shared};
use crate::fallback::FallbackState;
use crate::parts::{Clock, Gate, Listener, Model, Models, Parts, Setup, Todos};
use crate::prompt::{Outcome, Prompt};
use crate::request::ToolCache;
use crate::run::Run;
use crate::upkeep::{Order, Upkeep, UpkeepError};
use crate::validate::Validators;

/// How long a second prompt waits for the first.
const PROMPT_WAIT: Duration = Duration::from_secs(30);

/// One conversation with one model at a time.
pub struct Agent {
    state: tokio::sync::Mutex<AgentState>,
    fixed: Fixed,
    control: Control,
}

/// Parts that stay for the agent's life.
pub(crate) struct Fixed {
    pub(crate) models: Arc<dyn Models>,
    pub(crate) setup: Arc<dyn Setup>,
    pub(crate) gate: Arc<dyn Gate>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) todos: Option<Arc<dyn Todos>>,
    pub(crate) conduct: Arc<dyn Conduct>,
    pub(crate) upkeep: Arc<dyn Upkeep>,
    pub(crate) validators: Validators,
}

/// What changes from turn to turn; one run owns it at a time.
pub(crate) struct AgentState {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) config: AgentConfig,
    /// The live context.
    pub(crate) messages: Vec<Arc<Message>>,
    /// The same messages as the model reads them.
    pub(crate) wire: Vec<Arc<Message>>,
    pub(crate) fallback: FallbackState,
    pub(crate) listener: Box<dyn Listener>,
    pub(crate) tools: ToolCache,
    pub(crate) forced: Forced,
}

/// A call that is demanded of the model. It stands until an answer has made the call or declined it, so a turn
/// that failed repeats it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Forced {
    #[default]
    Nothing,
    Call {
        tool: String,
        then: AfterForced,
    },
    NoTools,
}

/// What the turn after a demanded call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterForced {
    /// `/force`: the model tells what came of it.
    NoTools,
    /// A nudge of our own: work continues.
    AsUsual,
}

impl AgentState {
    pub(crate) fn push(&mut self, message: Arc<Message>) {
        let wire = crate::correct::wire_copy(&message).map_or_else(|| Arc::clone(&message), Arc::new);
        self.wire.push(wire);
        self.messages.push(message);
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.messages.truncate(len);
        self.wire.truncate(len);
        let identity_from = &mut self.config.request.identity_from;
        *identity_from = len.min(*identity_from);
    }

    /// Puts another conversation in the place of this one. What a provider lost of the old one it has lost of the new
    /// one too.
    pub(crate) fn replace(&mut self, messages: Vec<Arc<Message>>) {
        let forgotten = self.config.request.identity_from > 0;
        self.truncate(0);
        for message in messages {
            self.push(message);
        }
        self.config.request.identity_from = if forgotten { self.messages.len() } else { 0 };
    }

    /// Forgets an answer that will be given again.
    pub(crate) fn drop_last_answer(&mut self) {
        if self.messages.last().is_some_and(|message| message.as_assistant().is_some()) {
            self.truncate(self.messages.len() - 1);
        }
    }

    /// The answer the conversation ends with, not counting results of its calls, and where it stands.
    pub(crate) fn last_answer(&self) -> Option<(usize, &AssistantMessage)> {
        let at = self.messages.iter().rposition(|message| message.as_tool_result().is_none())?;
        Some((at, self.messages[at].as_assistant()?))
    }

    /// Where a repeated turn begins: at an answer that broke off, or after messages that nobody answered, because
    /// the tools of the turn were aborted or the run was dropped.
    fn repeat_from(&self) -> Option<usize> {
        let all = self.messages.len();
        match self.last_answer() {
            Some((at, answer)) if matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) => {
                Some(at)
            }
            Some((_, answer)) if answer.tool_calls().next().is_none() => None,
            _ => (all > 0).then_some(all),
        }
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    #[error("the agent is still busy with another prompt; wait for it or abort it")]
    Busy,
    #[error("the session has ended; another one took its place")]
    Ended,
    #[error("Nothing to retry")]
    NothingToRetry,
    #[error("tool \"{0}\" is not active, so it cannot be forced")]
    InactiveTool(String),
    #[error("the current model cannot be forced to call a tool")]
    CannotForce,
    /// What was typed cannot be made into a prompt.
    #[error("{0}")]
    Refused(String),
}

impl Agent {
    pub fn new(parts: Parts, config: AgentConfig) -> Self {
        let control = Control { shared: Arc::new(Shared::new(&config)) };
        Self {
            state: tokio::sync::Mutex::new(AgentState {
                model: parts.model,
                config,
                messages: Vec::new(),
                wire: Vec::new(),
                fallback: FallbackState::default(),
                listener: parts.listener,
                tools: ToolCache::default(),
                forced: Forced::default(),
            }),
            fixed: Fixed {
                models: parts.models,
                setup: parts.setup,
                gate: parts.gate,
                clock: parts.clock,
                todos: parts.todos,
                conduct: parts.conduct,
                upkeep: parts.upkeep,
                validators: Validators::default(),
            },
            control,
        }
    }

    /// A handle for other tasks: steering, queues, abort.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// Runs one prompt until everything has settled.
    pub async fn prompt(&self, prompt: Prompt, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        let mut state = self.exclusive().await?;
        self.revert_fallback(&mut state);
        let message = prompt.message(self.fixed.clock.now_ms());
        Ok(self.run(&mut state, Some(message), cancel).await)
    }

    /// Repeats the last failed or aborted turn with a fresh retry budget.
    pub async fn retry(&self, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        let mut state = self.exclusive().await?;
        let at = state.repeat_from().ok_or(AgentError::NothingToRetry)?;
        state.truncate(at);
        Ok(self.run(&mut state, None, cancel).await)
    }

    /// The next turn must call that tool; the turn after it gets no tools.
    pub async fn force_tool(&self, name: &str) -> Result<(), AgentError> {
        let mut state = self.exclusive().await?;
        if !self.fixed.setup.tools().iter().any(|tool| tool.definition().name == name) {
            return Err(AgentError::InactiveTool(name.to_owned()));
        }
        if !state.model.can_force_tools() {
            return Err(AgentError::CannotForce);
        }
        state.forced = Forced::Call { tool: name.to_owned(), then: AfterForced::NoTools };
        Ok(())
    }

    /// The user's choice of a model; it also ends a fallback.
    pub async fn set_model(&self, model: Arc<dyn Model>, thinking: ThinkingLevel) -> Result<(), AgentError> {
        let mut state = self.exclusive().await?;
        state.model = model;
        state.config.request.thinking = thinking;
        state.fallback.forget();
        Ok(())
    }

    /// How hard the model thinks from the next prompt on; the model stays.
    pub async fn set_thinking(&self, thinking: ThinkingLevel) -> Result<(), AgentError> {
        self.exclusive().await?.config.request.thinking = thinking;
        Ok(())
    }

    /// Changes how the loop behaves, from the next prompt on.
    pub async fn reconfigure(&self, change: impl FnOnce(&mut AgentConfig)) -> Result<(), AgentError> {
        change(&mut self.exclusive().await?.config);
        Ok(())
    }

    /// How hard the model thinks, when nothing else is said. Waits for a run to end.
    pub async fn thinking(&self) -> ThinkingLevel {
        self.state.lock().await.config.request.thinking
    }

    /// Tells the listeners something that is not part of the conversation.
    pub async fn notice(&self, message: String) -> Result<(), AgentError> {
        self.tell([AgentEvent::Notice { message }]).await
    }

    /// Tells the listeners what happened between two runs.
    pub async fn tell(&self, events: impl IntoIterator<Item = AgentEvent>) -> Result<(), AgentError> {
        let mut state = self.exclusive().await?;
        events.into_iter().for_each(|event| state.listener.event(event));
        Ok(())
    }

    /// Adds a message between two runs, which the next one reads. Waits for a run to end.
    pub async fn note(&self, message: Message) -> Result<(), AgentError> {
        let mut state = self.exclusive().await?;
        let message = Arc::new(message);
        state.listener.event(AgentEvent::MessageStart { message: Arc::clone(&message) });
        state.listener.event(AgentEvent::MessageEnd { message: Arc::clone(&message) });
        state.push(message);
        Ok(())
    }

    /// Starts from an existing conversation.
    pub async fn load(&self, messages: Vec<Arc<Message>>) -> Result<(), AgentError> {
        self.exclusive().await?.replace(messages);
        Ok(())
    }

    /// Makes the conversation shorter between two runs. What is said meanwhile waits, see [`Agent::answer_queued`].
    pub async fn shorten(
        &self,
        order: Order<'_>,
        cancel: CancellationToken,
    ) -> Result<Result<Option<CompactionResult>, UpkeepError>, AgentError> {
        let mut state = self.exclusive().await?;
        let token = cancel.child_token();
        let _reading = self.control.shared.begin(&token);
        let mut run = Run::new(&mut state, &self.fixed, &self.control.shared, token);
        Ok(run.shorten(order).await)
    }

    /// Answers what was queued while no run read it: steering first. `None` if nothing waits.
    pub async fn answer_queued(&self, cancel: CancellationToken) -> Result<Option<Outcome>, AgentError> {
        let mut state = self.exclusive().await?;
        let queues = &self.control.shared.queues;
        let now = self.fixed.clock.now_ms();
        let first = match queues.has_steering() {
            // A run begins with the steering that waits.
            true => None,
            false => {
                let mode = self.control.shared.lock().follow_up_mode;
                let mut waiting = queues.take_follow_ups(mode, now);
                if waiting.is_empty() {
                    return Ok(None);
                }
                Some(waiting.remove(0))
            }
        };
        Ok(Some(self.run(&mut state, first, cancel).await))
    }

    /// The model, and what it would be asked now: the same prompt, tools and conversation, with one more message.
    pub async fn side_request(&self, last: Message) -> Result<(Arc<dyn Model>, ModelRequest), AgentError> {
        let mut state = self.exclusive().await?;
        let model = Arc::clone(&state.model);
        let mut run = Run::new(&mut state, &self.fixed, &self.control.shared, CancellationToken::new());
        let mut request = run.request();
        request.messages.push(Arc::new(last));
        Ok((model, request))
    }

    /// The model that answers now; another one than was chosen after a promotion or a fallback. Waits for a run to end.
    pub async fn model(&self) -> Arc<dyn Model> {
        Arc::clone(&self.state.lock().await.model)
    }

    /// Stops the run, waits until it has ended, and forgets what was queued. Later prompts are refused, also those
    /// that wait already.
    pub async fn retire(&self) {
        self.control.shared.end();
        self.control.abort();
        let _idle = self.state.lock().await;
        self.control.shared.queues.clear();
    }

    /// The live context. Waits for a run to end.
    pub async fn messages(&self) -> Vec<Arc<Message>> {
        self.state.lock().await.messages.clone()
    }

    /// Prompts never interleave: a second one waits for the first, but not for ever.
    async fn exclusive(&self) -> Result<tokio::sync::MutexGuard<'_, AgentState>, AgentError> {
        tokio::select! {
            biased;
            state = self.state.lock() => match self.control.shared.has_ended() {
                true => Err(AgentError::Ended),
                false => Ok(state),
            },
            () = self.fixed.clock.sleep(PROMPT_WAIT) => Err(AgentError::Busy),
        }
    }

    fn revert_fallback(&self, state: &mut AgentState) {
        let policy = state.config.fallbacks.revert;
        if let Some(primary) = state.fallback.revert(policy, self.fixed.clock.now_ms()) {
            state.model = primary.model;
            state.config.request.thinking = primary.thinking;
        }
    }

    async fn run(&self, state: &mut AgentState, user: Option<Message>, cancel: CancellationToken) -> Outcome {
        let token = cancel.child_token();
        let _reading = self.control.shared.begin(&token);
        // A caller that drops this future must not leave a tool behind that still waits for the token.
        let abandoned = token.clone().drop_guard();
        let run = Run::new(state, &self.fixed, &self.control.shared, token.clone());
        let messages = run.execute(user).await;
        abandoned.disarm();
        Outcome { messages, interrupted: token.is_cancelled(), handled: false }
    }
}
