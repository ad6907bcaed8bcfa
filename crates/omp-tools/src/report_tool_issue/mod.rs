//! `report_tool_issue`: the model says what is wrong with a tool, for those who work on it. The list stays on this machine.

use std::sync::Arc;
use std::time::SystemTime;

use omp_agent::{Invocation, ToolError};
use omp_stats::ToolReports;
use omp_types::{BuiltinTool, ToolOutput, builtin};
use serde::Deserialize;

use crate::uniform::UniformTool;
use crate::{Context, arguments, blocking};

pub(crate) const TOOL: &BuiltinTool = &builtin::REPORT_TOOL_ISSUE;

pub(crate) struct ReportToolIssue {
    reports: Option<ToolReports>,
    now: fn() -> SystemTime,
}

#[derive(Deserialize)]
struct Arguments {
    tool: String,
    report: String,
}

impl ReportToolIssue {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { reports: context.settings.tool_reports.as_deref().map(ToolReports::new), now: context.now }
    }
}

impl UniformTool for ReportToolIssue {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let Arguments { tool, report } = arguments(call.arguments)?;
        let reports = self
            .reports
            .clone()
            .ok_or_else(|| ToolError::new("Reports cannot be recorded in this session."))?;
        let now = jiff::Timestamp::try_from((self.now)()).unwrap_or_default();
        let added = blocking(move || {
            let added = reports.add(&tool, &report, now, env!("CARGO_PKG_VERSION"));
            added.map_err(|error| ToolError::new(format!("The report was not recorded: {error}.")))
        });
        Ok(ToolOutput::text(format!("Recorded as report {}. Continue with the task.", added.await?)))
    }
}
