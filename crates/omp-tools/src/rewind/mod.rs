//! `rewind`: ends a checkpoint with a report.

use std::sync::Arc;

use omp_agent::{Invocation, Scheduling, ToolError};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::checkpoint::NOT_HERE;
use crate::uniform::UniformTool;
use crate::{Context, Modes};

pub(crate) const TOOL: &BuiltinTool = &builtin::REWIND;

pub(crate) struct Rewind {
    modes: Arc<Modes>,
}

#[derive(Deserialize)]
struct Arguments {
    report: String,
}

impl Rewind {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { modes: Arc::clone(&context.modes) }
    }

    fn end(&self, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let Arguments { report } = crate::arguments(arguments)?;
        let checkpoints = self.modes.checkpoints.as_ref().ok_or_else(|| ToolError::new(NOT_HERE))?;
        checkpoints.report(&report)?;
        let text = "Rewind requested.\nReport captured for context replacement.";
        Ok(ToolOutput::text(text).with_details(json!({ "report": report.trim(), "rewound": true })))
    }
}

impl UniformTool for Rewind {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");
    const SCHEDULING: Scheduling = Scheduling::Exclusive;

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        self.end(call.arguments)
    }
}
