//! `rewind`: ends a checkpoint with a report.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_types::{Approval, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::checkpoint::NOT_HERE;
use crate::{Context, Modes};

pub(crate) const TOOL: &BuiltinTool = &builtin::REWIND;

pub(crate) struct Rewind {
    definition: ToolDefinition,
    modes: Arc<Modes>,
}

#[derive(Deserialize)]
struct Arguments {
    report: String,
}

impl Rewind {
    pub(crate) fn new(context: &Context) -> Self {
        let definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        Self { definition, modes: Arc::clone(&context.modes) }
    }

    fn end(&self, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let Arguments { report } = crate::arguments(arguments)?;
        let checkpoints = self.modes.checkpoints.as_ref().ok_or_else(|| ToolError::new(NOT_HERE))?;
        checkpoints.report(&report)?;
        let text = "Rewind requested.\nReport captured for context replacement.";
        Ok(ToolOutput::text(text).with_details(json!({ "report": report.trim(), "rewound": true })))
    }
}

impl Tool for Rewind {
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
        async move { self.end(call.arguments) }.boxed()
    }
}
