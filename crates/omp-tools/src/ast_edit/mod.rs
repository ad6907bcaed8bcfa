//! `ast_edit`: code of a given structure, replaced in many files. The call only shows what would change.

mod answer;
mod plan;

use std::sync::{Arc, Weak};

use omp_agent::{Invocation, Scheduling, ToolError};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::pending::PendingAction;
use crate::uniform::UniformTool;
use plan::{Plan, Promise};

pub(crate) const TOOL: &BuiltinTool = &builtin::AST_EDIT;

pub(crate) struct AstEdit {
    context: Arc<Context>,
}

#[derive(Clone, Deserialize)]
struct Arguments {
    ops: Vec<Operation>,
    paths: Vec<String>,
}

/// One pattern and what takes its place.
#[derive(Clone, Deserialize)]
struct Operation {
    pat: String,
    out: String,
}

impl AstEdit {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }
}

impl UniformTool for AstEdit {
    /// A preview only reads; `resolve` is what writes.
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");
    const SCHEDULING: Scheduling = Scheduling::Exclusive;

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let context = self.context.clone();
        let arguments: Arguments = crate::arguments(call.arguments)?;
        crate::blocking(move || preview(&context, arguments, &call.cancel)).await
    }
}

fn preview(
    context: &Arc<Context>,
    arguments: Arguments,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    check(&arguments.ops)?;
    let plan = Plan::make(context, &arguments.ops, &arguments.paths, cancel)?;
    if plan.files.is_empty() {
        return Ok(answer::nothing(&plan));
    }
    let label = answer::label(plan.total(), plan.files.len());
    let (promises, weak) = (plan.promises(), Arc::downgrade(context));
    let files = plan.files.iter().map(|file| file.path.clone()).collect();
    context.pending.push(PendingAction {
        label,
        source: TOOL.name.to_owned(),
        files,
        apply: Box::new(move |_| apply(&weak, &arguments, &promises)),
        reject: None,
    });
    Ok(answer::preview(context, &plan))
}

fn check(operations: &[Operation]) -> Result<(), ToolError> {
    if operations.is_empty() {
        return Err(ToolError::new("`ops` must contain at least one operation"));
    }
    for (at, operation) in operations.iter().enumerate() {
        if operation.pat.trim().is_empty() {
            return Err(ToolError::new("`pat` must not be empty"));
        }
        if operations[..at].iter().any(|other| other.pat.trim() == operation.pat.trim()) {
            return Err(ToolError::new(format!(
                "The pattern `{}` occurs twice in `ops`; give each pattern one replacement.",
                operation.pat.trim()
            )));
        }
    }
    Ok(())
}

/// Makes the changes of a preview, if they are still the same.
fn apply(
    context: &Weak<Context>,
    arguments: &Arguments,
    promises: &[Promise],
) -> Result<ToolOutput, ToolError> {
    let Some(context) = context.upgrade() else { return Err(ToolError::new("The session has ended.")) };
    let plan = Plan::make(&context, &arguments.ops, &arguments.paths, &CancellationToken::new())?;
    if plan.promises() != promises {
        return Err(ToolError::new(
            "The preview is stale: files have changed since it was made. Nothing was written. Discard it and call \
             ast_edit again.",
        ));
    }
    let details = answer::details(&context, &plan, answer::PreviewState::Applied);
    let total = plan.total();
    let rewrites = plan.files.into_iter().map(plan::FilePlan::rewrite).collect();
    let files = crate::edit::rewrite(&context, rewrites)?;
    Ok(answer::applied(&context, total, &files, details))
}
