//! What the loop needs of a tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_types::{Approval, ApprovalDetail, ToolDefinition, ToolOutput};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::origin::ToolOrigin;
use crate::parts::Note;

/// A tool the model can call. Implementations live above this crate; the loop only schedules them.
pub trait Tool: Send + Sync {
    fn definition(&self) -> &ToolDefinition;

    /// Where the tool comes from; `None` for those of the program itself.
    fn origin(&self) -> Option<&ToolOrigin> {
        None
    }

    /// May this call overlap with others of the same message?
    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        Scheduling::Shared
    }

    /// Tools that only wait for something else are interrupted by steering even in `wait` mode.
    fn patience(&self) -> Patience {
        Patience::Works
    }

    /// Looks at arguments that are still streaming. A call that can only fail is stopped before the model has
    /// written all of it; the reason becomes its result.
    fn inspect(&self, _partial: &Map<String, Value>) -> Inspection {
        Inspection::GoOn
    }

    /// The parameter that holds operations line by line, if the tool has one: text that a model spoiled is cut at
    /// the last whole operation instead of being thrown away.
    fn line_input(&self) -> Option<LineInput> {
        None
    }

    /// How much this call can do. `None` says nothing, and is treated as if the call could do anything. May wait for
    /// the disk.
    fn approval(&self, _arguments: &Map<String, Value>) -> Option<Approval> {
        None
    }

    /// What a person should see of the call before deciding about it.
    fn approval_details(&self, _arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        Vec::new()
    }

    /// The files that the call names, as the model wrote them: for those who judge calls by the files they touch.
    fn files(&self, _arguments: &Map<String, Value>) -> Vec<String> {
        Vec::new()
    }

    /// Must the model call this tool now? The note tells it why. Asked when the tools of an answer have run and when the
    /// model would stop; until the call was made, or the model has refused it too often, nothing else is asked of it.
    fn demand(&self) -> Option<Note> {
        None
    }

    /// Runs one call whose arguments already match the schema. When `call.cancel` fires the tool ends what it
    /// started and returns soon: `Ok` if the work was complete after all, which the model then learns, and an
    /// error otherwise. A tool that takes too long about it is dropped.
    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;
}

/// Input in a line language. A line `*** Abort` ends it: what stands before is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineInput {
    /// The parameter's name.
    pub parameter: &'static str,
    /// How the text begins when it is in this form; empty when it always is.
    pub header: &'static str,
}

/// How a call may share time with the other calls of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// Runs beside other shared calls.
    Shared,
    /// Waits for every earlier call and holds back every later one.
    Exclusive,
}

/// Whether a running call does work of its own or merely waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    Works,
    OnlyWaits,
}

/// A tool's word on a call that is still being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inspection {
    GoOn,
    Stop(String),
}

/// One call, as the tool sees it.
pub struct Invocation {
    pub id: String,
    pub arguments: Map<String, Value>,
    pub cancel: CancellationToken,
    pub updates: Updates,
}

/// Progress from a running tool; every value replaces the one before.
#[derive(Clone)]
pub struct Updates(Arc<dyn Fn(ToolOutput) + Send + Sync>);

impl Updates {
    pub fn new(deliver: impl Fn(ToolOutput) + Send + Sync + 'static) -> Self {
        Self(Arc::new(deliver))
    }

    /// For callers that do not show progress.
    pub fn ignored() -> Self {
        Self::new(|_| {})
    }

    pub fn send(&self, partial: ToolOutput) {
        (self.0)(partial);
    }
}

/// A failed call. The message goes to the model, so it says what was wrong and what to do instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    pub message: String,
    pub details: Option<Value>,
}

impl ToolError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), details: None }
    }

    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }
}
