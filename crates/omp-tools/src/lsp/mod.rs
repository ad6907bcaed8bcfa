//! `lsp`: questions to language servers.
//!
//! [`Lsp`] checks a call and hands it to the file of its action. [`after()`] is what `write` and `edit` do when they are
//! done, [`changes`] what servers are told of any change, [`lsp`] what all share with the session.

mod actions;
mod after;
mod apply;
mod call;
mod catch_up;
mod changes;
mod check;
mod diagnose;
mod format;
mod language_servers;
mod manage;
mod mentions;
mod navigate;
mod project;
mod rename;
mod rename_file;
mod report;
mod request;
mod symbols;
mod text;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_lsp::Limit;
use omp_types::{Approval, ApprovalDetail, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use serde_json::{Map, Value};

use crate::{Context, approval};
pub(crate) use after::{Occasion, after};
use call::{Arguments, Call, Fault, Reply};
pub(crate) use changes::{Before, tell};
pub use language_servers::{LanguageServers, Late, LateFindings, LspSettings};
pub use project::CHECKER_PROGRAMS;

pub(crate) const TOOL: &BuiltinTool = &builtin::LSP;

const DEFAULT_TIMEOUT: f64 = 20.0;
const MIN_TIMEOUT: f64 = 5.0;
const MAX_TIMEOUT: f64 = 60.0;

/// Actions that change nothing.
const READING: [&str; 9] = [
    "diagnostics",
    "definition",
    "type_definition",
    "implementation",
    "references",
    "hover",
    "symbols",
    "status",
    "capabilities",
];

pub(crate) struct Lsp {
    definition: ToolDefinition,
    context: Arc<Context>,
    lsp: Arc<LanguageServers>,
}

impl Lsp {
    /// The tool, if the session has language servers.
    pub(crate) fn new(context: Arc<Context>) -> Option<Self> {
        let lsp = Arc::clone(context.lsp.as_ref()?);
        let definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        lsp.servers.set_editor(Arc::new(apply::Pen(Arc::downgrade(&context))));
        Some(Self { definition, context, lsp })
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolError> {
        let request = invocation.arguments.clone();
        let arguments: Arguments = crate::arguments(invocation.arguments)?;
        let call = Call {
            context: &self.context,
            servers: &self.lsp.servers,
            config: self.lsp.servers.config().await,
            arguments: &arguments,
            limit: Limit::after(timeout(arguments.timeout), &invocation.cancel),
        };
        let reply = match self.act(&call).await {
            Ok(reply) => reply,
            Err(Fault::Aborted) => return Err(ToolError::new("The request was aborted.")),
            Err(Fault::Refused(text)) => Reply::refused(text),
            Err(Fault::Failed(text)) => Reply::refused(format!("LSP error: {text}")),
        };
        Ok(reply.into_output(&arguments.action, &request))
    }

    async fn act(&self, call: &Call<'_>) -> Result<Reply, Fault> {
        match call.arguments.action.as_str() {
            "diagnostics" => diagnose::run(call, self.lsp.settings.deduplicate).await,
            "definition" => navigate::definition(call).await,
            "type_definition" => navigate::type_definition(call).await,
            "implementation" => navigate::implementation(call).await,
            "references" => navigate::references(call).await,
            "hover" => navigate::hover(call).await,
            "symbols" => symbols::run(call).await,
            "rename" => rename::run(call).await,
            "rename_file" => rename_file::run(call).await,
            "code_actions" => actions::run(call).await,
            "status" => Ok(manage::status(call).await),
            "reload" => manage::reload(call).await,
            "capabilities" => manage::capabilities(call).await,
            "request" => request::run(call).await,
            other => Err(Fault::Refused(format!("Unknown action {other:?}."))),
        }
    }
}

fn timeout(seconds: Option<f64>) -> Duration {
    let seconds = seconds.filter(|seconds| !seconds.is_nan()).unwrap_or(DEFAULT_TIMEOUT);
    Duration::from_secs_f64(seconds.clamp(MIN_TIMEOUT, MAX_TIMEOUT))
}

impl Tool for Lsp {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn scheduling(&self, arguments: &Map<String, Value>) -> Scheduling {
        match reads(arguments) {
            true => Scheduling::Shared,
            false => Scheduling::Exclusive,
        }
    }

    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        if reads(arguments) {
            return Some(Approval::READ);
        }
        let typed = ["file", "new_name"].map(|name| arguments.get(name).and_then(Value::as_str));
        let moves = arguments.get("action").is_some_and(|action| action == "rename_file");
        let typed = typed.into_iter().flatten().filter(|_| moves);
        let paths: Vec<PathBuf> = typed.filter_map(|typed| self.context.base().resolve(typed).ok()).collect();
        Some(self.context.agree(TOOL.name, arguments, &paths))
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let mut details = approval::details(arguments, &[("action", "Action")]);
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        details.extend(approval::paths(&self.context, text("file").map(|typed| ("File", typed))));
        let moves = text("action") == Some("rename_file");
        let to = text("new_name").filter(|_| moves).map(|typed| ("New name", typed));
        details.extend(approval::paths(&self.context, to));
        let labels =
            [("symbol", "Symbol"), ("new_name", "New name"), ("query", "Query"), ("payload", "Payload")];
        let others: Vec<_> = labels.into_iter().filter(|(name, _)| !moves || *name != "new_name").collect();
        details.extend(approval::details(arguments, &others));
        details
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.execute(call).boxed()
    }
}

fn reads(arguments: &Map<String, Value>) -> bool {
    arguments.get("action").and_then(Value::as_str).is_some_and(|action| READING.contains(&action))
}

#[cfg(test)]
mod tests {
    use super::timeout;

    #[test]
    fn timeouts_are_clamped() {
        assert_eq!(timeout(None).as_secs(), 20);
        assert_eq!(timeout(Some(1.0)).as_secs(), 5);
        assert_eq!(timeout(Some(500.0)).as_secs(), 60);
        assert_eq!(timeout(Some(f64::NAN)).as_secs(), 20);
    }
}
