//! `checkpoint`: a mark in the conversation that `rewind` goes back to.

mod state;

use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_types::{Approval, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{Context, Modes};
pub use state::{Checkpoints, Mark, Rewound};

pub(crate) const TOOL: &BuiltinTool = &builtin::CHECKPOINT;

/// The conversation of a sub-agent ends with its report anyway.
pub(crate) const NOT_HERE: &str = "Checkpoint not available in subagents.";

pub(crate) struct Checkpoint {
    definition: ToolDefinition,
    modes: Arc<Modes>,
    now: fn() -> SystemTime,
}

#[derive(Deserialize)]
struct Arguments {
    goal: String,
}

impl Checkpoint {
    pub(crate) fn new(context: &Context) -> Self {
        let definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        Self { definition, modes: Arc::clone(&context.modes), now: context.now }
    }

    fn begin(&self, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let Arguments { goal } = crate::arguments(arguments)?;
        let checkpoints = self.modes.checkpoints.as_ref().ok_or_else(|| ToolError::new(NOT_HERE))?;
        let started = crate::modes::iso((self.now)());
        checkpoints.request(&started)?;
        let text = format!(
            "Checkpoint created.\nGoal: {goal}\nRun your investigation, then call rewind with a concise report."
        );
        Ok(ToolOutput::text(text).with_details(json!({ "goal": goal, "startedAt": started })))
    }
}

impl Tool for Checkpoint {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        Scheduling::Exclusive
    }

    fn approval(&self, _arguments: &Map<String, Value>) -> Option<Approval> {
        TOOL.approval()
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { self.begin(call.arguments) }.boxed()
    }
}
