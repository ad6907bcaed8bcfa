//! `checkpoint`: a mark in the conversation that `rewind` goes back to.

mod state;

use std::sync::Arc;
use std::time::SystemTime;

use omp_agent::{Invocation, Scheduling, ToolError};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::uniform::UniformTool;
use crate::{Context, Modes};
pub use state::{Checkpoints, Mark, Rewound};

pub(crate) const TOOL: &BuiltinTool = &builtin::CHECKPOINT;

/// The conversation of a sub-agent ends with its report anyway.
pub(crate) const NOT_HERE: &str = "Checkpoint not available in subagents.";

pub(crate) struct Checkpoint {
    modes: Arc<Modes>,
    now: fn() -> SystemTime,
}

#[derive(Deserialize)]
struct Arguments {
    goal: String,
}

impl Checkpoint {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { modes: Arc::clone(&context.modes), now: context.now }
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

impl UniformTool for Checkpoint {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");
    const SCHEDULING: Scheduling = Scheduling::Exclusive;

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        self.begin(call.arguments)
    }
}
