//! `checkpoint`: a mark in the conversation that `rewind` goes back to.

mod state;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_types::{Approval, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Context;
pub use state::{Checkpoints, Mark, Rewound};

pub(crate) const TOOL: &BuiltinTool = &builtin::CHECKPOINT;

/// The conversation of a sub-agent ends with its report anyway.
pub(crate) const NOT_HERE: &str = "Checkpoint not available in subagents.";

pub(crate) struct Checkpoint {
    definition: ToolDefinition,
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    goal: String,
}

impl Checkpoint {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        Self { definition, context }
    }

    fn begin(&self, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let Arguments { goal } = crate::arguments(arguments)?;
        let checkpoints = self.context.modes.checkpoints.as_ref().ok_or_else(|| ToolError::new(NOT_HERE))?;
        let started = crate::modes::iso((self.context.now)());
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
