//! The agent as its owner sees it: prompts in, events out, and a handle to steer a run from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use omp_types::{
    AgentEvent, AssistantMessage, CustomMessage, Message, StopReason, ThinkingLevel, UserContent, UserMessage,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::config::{AgentConfig, InterruptMode, QueueMode};
use crate::fallback::FallbackState;
use crate::parts::{Clock, Gate, Listener, Model, Models, Parts, Setup, Todos};
use crate::queue::{Aside, Delivery, Queued, Queues};
use crate::request::ToolCache;
use crate::run::Run;
use crate::validate::Validators;

/// How long a second prompt waits for the first.
const PROMPT_WAIT: Duration = Duration::from_secs(30);

/// One conversation with one model at a time.
pub struct Agent {
    state: tokio::sync::Mutex<State>,
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
    pub(crate) validators: Validators,
}

/// What changes from turn to turn; one run owns it at a time.
pub(crate) struct State {
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
    /// A nudge of our own: work goes on.
    AsUsual,
}

impl State {
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

/// What the user says.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    pub content: UserContent,
    pub form: PromptForm,
}

/// How a prompt stands in the conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PromptForm {
    /// The user's own words.
    #[default]
    Words,
    /// A text that a command of the user put together.
    Custom { custom_type: &'static str, details: Value },
}

impl Prompt {
    pub fn text(text: impl Into<String>) -> Self {
        Self::words(UserContent::Text(text.into()))
    }

    pub fn words(content: UserContent) -> Self {
        Self { content, form: PromptForm::Words }
    }

    fn message(self, timestamp: u64) -> Message {
        let content = self.content;
        match self.form {
            PromptForm::Words => Message::User(UserMessage { content, steering: false, timestamp }),
            PromptForm::Custom { custom_type, details } => Message::Custom(CustomMessage {
                custom_type: custom_type.to_owned(),
                content,
                display: true,
                details: Some(details),
                timestamp,
            }),
        }
    }
}

/// How a prompt ended, after retries and everything queued have settled.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub messages: Vec<Arc<Message>>,
}

impl Outcome {
    /// The last answer, complete or not.
    pub fn last_answer(&self) -> Option<&AssistantMessage> {
        self.messages.iter().rev().find_map(|message| message.as_assistant())
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
}

impl Agent {
    pub fn new(parts: Parts, config: AgentConfig) -> Self {
        let control = Control { shared: Arc::new(Shared::new(&config)) };
        Self {
            state: tokio::sync::Mutex::new(State {
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

    /// Tells whoever listens something that is not part of the conversation.
    pub async fn notice(&self, message: String) -> Result<(), AgentError> {
        self.exclusive().await?.listener.event(AgentEvent::Notice { message });
        Ok(())
    }

    /// Starts from an existing conversation.
    pub async fn load(&self, messages: Vec<Arc<Message>>) -> Result<(), AgentError> {
        let mut state = self.exclusive().await?;
        state.truncate(0);
        for message in messages {
            state.push(message);
        }
        Ok(())
    }

    /// Stops the run, waits until it has ended, and forgets what was queued. Later prompts are refused, also those
    /// that wait already.
    pub async fn retire(&self) {
        self.control.shared.ended.store(true, Ordering::Release);
        self.control.abort();
        let _idle = self.state.lock().await;
        self.control.shared.queues.clear();
    }

    /// The live context. Waits for a run to end.
    pub async fn messages(&self) -> Vec<Arc<Message>> {
        self.state.lock().await.messages.clone()
    }

    /// Prompts never interleave: a second one waits for the first, but not for ever.
    async fn exclusive(&self) -> Result<tokio::sync::MutexGuard<'_, State>, AgentError> {
        tokio::select! {
            biased;
            state = self.state.lock() => match self.control.shared.has_ended() {
                true => Err(AgentError::Ended),
                false => Ok(state),
            },
            () = self.fixed.clock.sleep(PROMPT_WAIT) => Err(AgentError::Busy),
        }
    }

    fn revert_fallback(&self, state: &mut State) {
        let policy = state.config.fallbacks.revert;
        if let Some(primary) = state.fallback.revert(policy, self.fixed.clock.now_ms()) {
            state.model = primary.model;
            state.config.request.thinking = primary.thinking;
        }
    }

    async fn run(&self, state: &mut State, user: Option<Message>, cancel: CancellationToken) -> Outcome {
        let token = cancel.child_token();
        let _reading = self.control.shared.begin(&token);
        // A caller that drops this future must not leave a tool behind that still waits for the token.
        let abandoned = token.clone().drop_guard();
        let run = Run::new(state, &self.fixed, &self.control.shared, token);
        let messages = run.execute(user).await;
        abandoned.disarm();
        Outcome { messages }
    }
}

/// Steers a run from outside. Cheap to clone.
#[derive(Clone)]
pub struct Control {
    shared: Arc<Shared>,
}

impl Control {
    /// Interrupts the run with the user's words.
    pub fn steer(&self, content: UserContent) -> Delivery {
        self.shared.queues.steer(content)
    }

    /// Waits until the run would stop.
    pub fn follow_up(&self, content: UserContent) -> Delivery {
        self.shared.queues.follow_up(content)
    }

    /// A background note for the next step boundary.
    pub fn aside(&self, aside: Aside) {
        self.shared.queues.aside(aside);
    }

    /// Hidden context that rides with the next prompt of the user.
    pub fn next_prompt(&self, message: CustomMessage) {
        self.shared.queues.next_prompt(message);
    }

    /// Stops the run; queues stay.
    pub fn abort(&self) {
        self.shared.lock().run.cancel();
    }

    /// Stops only a waiting retry.
    pub fn abort_retry(&self) {
        self.shared.lock().retry.cancel();
    }

    /// Steering and follow-ups not yet delivered: how many.
    pub fn queued(&self) -> (usize, usize) {
        self.shared.queues.counts()
    }

    /// Takes back what was queued, to put it into an editor.
    pub fn take_queued(&self) -> Queued {
        self.shared.queues.give_back()
    }

    /// Forgets everything that waits: steering, follow-ups, notes, hidden context.
    pub fn drop_queued(&self) {
        self.shared.queues.clear();
    }

    pub fn is_running(&self) -> bool {
        self.shared.queues.is_read()
    }

    pub fn set_steering_mode(&self, mode: QueueMode) {
        self.shared.lock().steering_mode = mode;
    }

    pub fn set_follow_up_mode(&self, mode: QueueMode) {
        self.shared.lock().follow_up_mode = mode;
    }

    pub fn set_interrupt_mode(&self, mode: InterruptMode) {
        self.shared.lock().interrupt_mode = mode;
    }
}

/// What a run and its control share.
pub(crate) struct Shared {
    pub(crate) queues: Queues,
    switches: Mutex<Switches>,
    /// Nothing begins any more.
    ended: AtomicBool,
}

pub(crate) struct Switches {
    pub(crate) run: CancellationToken,
    pub(crate) retry: CancellationToken,
    pub(crate) steering_mode: QueueMode,
    pub(crate) follow_up_mode: QueueMode,
    pub(crate) interrupt_mode: InterruptMode,
}

impl Shared {
    fn new(config: &AgentConfig) -> Self {
        Self {
            queues: Queues::default(),
            switches: Mutex::new(Switches {
                run: CancellationToken::new(),
                retry: CancellationToken::new(),
                steering_mode: config.steering_mode,
                follow_up_mode: config.follow_up_mode,
                interrupt_mode: config.interrupt_mode,
            }),
            ended: AtomicBool::new(false),
        }
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Switches> {
        self.switches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin<'a>(&'a self, token: &CancellationToken) -> Reading<'a> {
        self.lock().run = token.clone();
        // An end that came while the run was being set up has aborted the one before.
        if self.has_ended() {
            token.cancel();
        }
        self.queues.open();
        Reading(&self.queues)
    }
}

/// Marks the agent idle again however the run ends.
struct Reading<'a>(&'a Queues);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
