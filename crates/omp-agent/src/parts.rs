//! Everything the loop uses but does not own.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::Stream;
use futures_util::future::BoxFuture;
use omp_types::{AgentEvent, Approval, Message, ModelRequest, StreamEvent, ThinkingLevel, ToolCall};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::conduct::Conduct;
use crate::tool::{Tool, ToolError};
use crate::upkeep::Upkeep;
use omp_types::ToolOutput;

/// Events of one answer; each item holds what arrived together.
pub type BatchStream = Pin<Box<dyn Stream<Item = Vec<StreamEvent>> + Send>>;

/// A model that can be asked.
pub trait Model: Send + Sync {
    fn identity(&self) -> ModelIdentity;

    /// Streams one answer. Ends with exactly one terminal event, also when `cancel` fires.
    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream;

    /// Can a call of one particular tool be demanded?
    fn can_force_tools(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    pub api: String,
    pub provider: String,
    pub id: String,
}

impl ModelIdentity {
    /// `provider/id`, as users write it.
    pub fn selector(&self) -> String {
        format!("{}/{}", self.provider, self.id)
    }
}

/// Where models come from, for recovery: other accounts of the same model, other models.
pub trait Models: Send + Sync {
    /// The model of a selector and the thinking level it names; `None` when it is unknown or has no credential.
    fn resolve(&self, selector: &str) -> Option<(Arc<dyn Model>, Option<ThinkingLevel>)>;

    /// A usable model for a conversation that no longer fits into this one's window.
    fn larger(&self, _model: &ModelIdentity) -> Option<Arc<dyn Model>> {
        None
    }

    /// The current account hit its limit. The provider's hint says when it will be free again.
    fn usage_limited(&self, _model: &ModelIdentity, _hint_ms: Option<u64>) -> AccountAnswer {
        AccountAnswer::NoSibling
    }
}

/// What can be done about an exhausted account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountAnswer {
    /// The next request uses another account.
    Switched,
    /// Every sibling is exhausted too; the first one is free again after this long.
    FreeAfterMs(u64),
    NoSibling,
}

/// Time and chance, so that tests own both.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> u64;

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// A number in `0.0..1.0`.
    fn random(&self) -> f64;
}

/// Reads the event stream. Called in order, at once, and never dropped.
pub trait Listener: Send + Sync {
    fn event(&mut self, event: AgentEvent);

    /// Lets a slow consumer catch up before more is produced. `None`: nothing to wait for.
    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        None
    }
}

/// What the model is told besides the conversation. Read again before every model call, so that a tool can
/// change it within a run.
pub trait Setup: Send + Sync {
    fn system(&self) -> Arc<[String]>;

    fn tools(&self) -> Vec<Arc<dyn Tool>>;

    /// What must never be far from the current turn, however long the conversation grows.
    fn sticky(&self) -> Option<Arc<str>> {
        None
    }

    /// What goes with a message that says what the user wants; `None` for messages of the program.
    fn beside(&self, message: &Message) -> Option<Beside> {
        matches!(message, Message::User(_)).then(Beside::default)
    }
}

/// What accompanies a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Instructions only the model sees.
    pub notes: Vec<Note>,
    /// Effort until the user's next words.
    pub thinking: Option<ThinkingLevel>,
}

/// A hidden instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The kind of the message in session files.
    pub custom_type: &'static str,
    pub text: Cow<'static, str>,
}

/// The arguments of a call.
pub type Arguments = Map<String, Value>;
/// The arguments with which a call passes a gate, or why it does not.
pub type Passed<'a> = BoxFuture<'a, Result<Arguments, ToolError>>;

/// Stations a call passes on its way: hooks, approval, secrets. What a gate does not decide itself is left to the gate
/// behind it; the last one lets everything through.
pub trait Gate: Send + Sync {
    /// The gate behind this one.
    fn behind(&self) -> Option<&dyn Gate> {
        None
    }

    /// Before approval; may refuse the call or change its arguments, which are then checked against the schema again.
    fn before<'a>(&'a self, tool: &'a Arc<dyn Tool>, call: &'a ToolCall, arguments: Arguments) -> Passed<'a> {
        match self.behind() {
            Some(gate) => gate.before(tool, call, arguments),
            None => Box::pin(std::future::ready(Ok(arguments))),
        }
    }

    /// Before the tool does anything at all; each call of an answer is decided for itself.
    fn approve<'a>(&'a self, pending: &'a PendingCall<'a>) -> BoxFuture<'a, Decision> {
        match self.behind() {
            Some(gate) => gate.approve(pending),
            None => Box::pin(std::future::ready(Decision::Allow)),
        }
    }

    /// Puts real values where placeholders stand.
    fn restore(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        match self.behind() {
            Some(gate) => gate.restore(arguments),
            None => arguments,
        }
    }

    /// After the tool ran; may change what the model sees.
    fn after<'a>(
        &'a self,
        call: &'a ToolCall,
        result: Result<ToolOutput, ToolError>,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        match self.behind() {
            Some(gate) => gate.after(call, result),
            None => Box::pin(std::future::ready(result)),
        }
    }
}

/// A call that is about to run, for those who decide about it.
pub struct PendingCall<'a> {
    pub tool: &'a Arc<dyn Tool>,
    pub call: &'a ToolCall,
    /// As the tool will get them, but for placeholders.
    pub arguments: &'a Map<String, Value>,
    approval: OnceLock<Option<Approval>>,
    advice: OnceLock<Advice>,
}

/// What a gate in front says about the approval of a call, for the gate that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The user's own program agrees to it: no question, unless the call needs one each time.
    Allow,
    /// A person has to decide, whatever the mode is.
    Ask(String),
}

impl<'a> PendingCall<'a> {
    pub fn new(tool: &'a Arc<dyn Tool>, call: &'a ToolCall, arguments: &'a Map<String, Value>) -> Self {
        Self { tool, call, arguments, approval: OnceLock::new(), advice: OnceLock::new() }
    }

    /// Gives advice to the gate that decides. The first one counts.
    pub fn advise(&self, advice: Advice) {
        let _ = self.advice.set(advice);
    }

    pub fn advice(&self) -> Option<&Advice> {
        self.advice.get()
    }

    /// The tool's word on the call ([`Tool::approval`]), asked for once however many gates want to know it.
    pub fn approval(&self) -> Option<Approval> {
        self.approval.get_or_init(|| self.tool.approval(self.arguments)).clone()
    }

    /// The same, for gates that have a thread for it: a tool may look at files before it answers.
    pub async fn approval_by<F>(
        &self,
        ask: impl FnOnce(Arc<dyn Tool>, Map<String, Value>) -> F,
    ) -> Option<Approval>
    where
        F: Future<Output = Option<Approval>>,
    {
        if let Some(known) = self.approval.get() {
            return known.clone();
        }
        let said = ask(Arc::clone(self.tool), self.arguments.clone()).await;
        self.approval.get_or_init(|| said).clone()
    }
}

/// A gate without guards.
pub struct OpenGate;

impl Gate for OpenGate {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Allow,
    /// The reason goes to the model.
    Deny(String),
}

/// The todo list, as far as the loop cares: what is still open.
pub trait Todos: Send + Sync {
    fn open(&self) -> Vec<String>;
}

/// All parts of one agent.
pub struct Parts {
    pub model: Arc<dyn Model>,
    pub models: Arc<dyn Models>,
    pub setup: Arc<dyn Setup>,
    pub gate: Arc<dyn Gate>,
    pub clock: Arc<dyn Clock>,
    pub listener: Box<dyn Listener>,
    pub todos: Option<Arc<dyn Todos>>,
    pub conduct: Arc<dyn Conduct>,
    pub upkeep: Arc<dyn Upkeep>,
}
