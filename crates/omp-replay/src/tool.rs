//! Tools, recorded and played.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Inspection, Invocation, LineInput, Note, Patience, Scheduling, Tool, ToolError, ToolOrigin};
use omp_types::{Approval, ApprovalDetail, ToolDefinition, ToolOutput, ToolTrait, tool_has};
use serde_json::{Map, Value};

use crate::call_order::Order;
use crate::line::{Line, ToolOutcome, ToolRun};
use crate::play::Player;
use crate::record::{Shared, now_ms};

/// A tool whose calls are written down.
pub(crate) struct Recorded {
    pub(crate) inner: Arc<dyn Tool>,
    pub(crate) recorder: Shared,
}

impl Tool for Recorded {
    fn definition(&self) -> &ToolDefinition {
        self.inner.definition()
    }

    fn origin(&self) -> Option<&ToolOrigin> {
        self.inner.origin()
    }

    fn scheduling(&self, arguments: &Map<String, Value>) -> Scheduling {
        self.inner.scheduling(arguments)
    }

    fn patience(&self) -> Patience {
        self.inner.patience()
    }

    fn inspect(&self, partial: &Map<String, Value>) -> Inspection {
        self.inner.inspect(partial)
    }

    fn line_input(&self) -> Option<LineInput> {
        self.inner.line_input()
    }

    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        self.inner.approval(arguments)
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        self.inner.approval_details(arguments)
    }

    fn demand(&self) -> Option<Note> {
        self.inner.demand()
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let (id, arguments) = (call.id.clone(), call.arguments.clone());
        let name = self.definition().name.clone();
        async move {
            let result = self.inner.run(call).await;
            let outcome = match &result {
                Ok(output) => ToolOutcome::Done(output.clone()),
                Err(ToolError { message, details }) => {
                    ToolOutcome::Failed { message: message.clone(), details: details.clone() }
                }
            };
            self.recorder.write(&Line::Tool(ToolRun { at: now_ms(), id, name, arguments, outcome }));
            result
        }
        .boxed()
    }
}

/// A tool that gives back what it gave back then.
pub(crate) struct Played {
    /// As the model got it described then.
    pub(crate) definition: ToolDefinition,
    /// The tool itself, if this program has it.
    pub(crate) inner: Option<Arc<dyn Tool>>,
    pub(crate) player: Arc<Player>,
    pub(crate) order: Arc<Order>,
}

impl Tool for Played {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn scheduling(&self, arguments: &Map<String, Value>) -> Scheduling {
        self.inner.as_ref().map_or(Scheduling::Shared, |inner| inner.scheduling(arguments))
    }

    fn patience(&self) -> Patience {
        self.inner.as_ref().map_or(Patience::Works, |inner| inner.patience())
    }

    fn line_input(&self) -> Option<LineInput> {
        self.inner.as_ref()?.line_input()
    }

    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        match &self.inner {
            // Whoever was asked then is asked again, and answers.
            Some(inner) if self.player.gate.is_followed() => inner.approval(arguments),
            // Whether it ran was decided then.
            _ => Some(Approval::READ),
        }
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        self.inner.as_ref().map(|inner| inner.approval_details(arguments)).unwrap_or_default()
    }

    fn demand(&self) -> Option<Note> {
        self.inner.as_ref()?.demand()
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let ending = self.player.place_of(&call.id).map(|place| self.order.begin(place));
        async move {
            if let Some(ending) = ending {
                ending.turn().await;
            }
            // What a person did meanwhile comes first.
            self.player.border().await;
            let played = self.player.tool(&self.definition.name, &call.id, &call.arguments);
            match self.inner.as_ref().filter(|_| self.is_inward()) {
                Some(inner) => inner.run(call).await,
                None => played,
            }
        }
        .boxed()
    }
}

impl Played {
    /// Does the call change nothing but the session, or ask the person whose answers are played?
    fn is_inward(&self) -> bool {
        let name = self.definition.name.as_str();
        tool_has(name, ToolTrait::SessionOnly)
            || (tool_has(name, ToolTrait::AsksPerson) && self.player.gate.is_followed())
    }
}
