//! Changes that a server proposes, made as the edits of a model are made.
//!
//! A server is a stranger: what it proposes may only touch files of the project, whatever links lead there, and either all
//! of it is done or nothing.

use std::path::Path;
use std::sync::{Arc, Weak};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::ToolError;
use omp_lsp::edits::{self, IfExists, Operation, WorkspaceEdit};
use omp_lsp::position::Encoding;
use omp_lsp::{Client, Editor};
use omp_types::{ToolOutput, UserBlock};

use super::call::Fault;
use super::catch_up::outdated;
use super::tell;
use crate::edit::{Foreign, make};
use crate::{Context, blocking};
use omp_workspace::path::real_path;

/// Makes the changes that servers ask for by themselves.
pub(super) struct Pen(pub(super) Weak<Context>);

impl Editor for Pen {
    fn apply(&self, edit: WorkspaceEdit, encoding: Encoding) -> BoxFuture<'static, Result<(), String>> {
        let context = self.0.upgrade();
        async move {
            let context = context.ok_or("The session has ended.")?;
            apply(&context, edit, encoding).await.map(drop).map_err(|error| error.message)
        }
        .boxed()
    }
}

/// Makes all changes of a server that was asked, or none.
pub(super) async fn proposed(
    context: &Arc<Context>,
    edit: WorkspaceEdit,
    client: &Client,
) -> Result<ToolOutput, ToolError> {
    match outdated(client, &edit).await {
        None => apply(context, edit, client.encoding()).await,
        Some(path) => Err(ToolError::new(format!(
            "{} changed while {} was working on the request, so its line numbers are out of date. Nothing \
             was changed; try again.",
            context.base().display(&path),
            client.name()
        ))),
    }
}

/// Makes all changes, or none.
async fn apply(
    context: &Arc<Context>,
    edit: WorkspaceEdit,
    encoding: Encoding,
) -> Result<ToolOutput, ToolError> {
    let own = Arc::clone(context);
    let made = blocking(move || {
        let mut all = Vec::new();
        for operation in edit.operations {
            all.extend(translated(&own, operation, encoding)?);
        }
        match all.is_empty() {
            true => Ok(ToolOutput::text("Nothing to change")),
            false => make(&own, all),
        }
    })
    .await;
    tell(context).await;
    made
}

fn translated(
    context: &Context,
    operation: Operation,
    encoding: Encoding,
) -> Result<Option<Foreign>, ToolError> {
    Ok(Some(match operation {
        Operation::Edit { path, edits } => {
            inside(context, &path)?;
            let change = move |text: &str| edits::apply(text, &edits, encoding);
            Foreign::Update { path, change: Box::new(change) }
        }
        Operation::Create { path, if_exists } => {
            inside(context, &path)?;
            match (path.symlink_metadata().is_ok(), if_exists) {
                (true, IfExists::Ignore) => return Ok(None),
                (true, IfExists::Overwrite) => {
                    Foreign::Update { path, change: Box::new(|_| Ok(String::new())) }
                }
                _ => Foreign::Create { path },
            }
        }
        Operation::Rename { from, to, if_exists } => {
            inside(context, &from)?;
            inside(context, &to)?;
            if if_exists == IfExists::Ignore && to.symlink_metadata().is_ok() {
                return Ok(None);
            }
            Foreign::Rename { from, to }
        }
        Operation::Delete { path, missing_is_fine } => {
            inside(context, &path)?;
            if missing_is_fine && path.symlink_metadata().is_err() {
                return Ok(None);
            }
            Foreign::Delete { path }
        }
    }))
}

/// Refuses files outside the project.
fn inside(context: &Context, path: &Path) -> Result<(), ToolError> {
    match real_path(path).starts_with(real_path(&context.cwd)) {
        true => Ok(()),
        false => Err(ToolError::new(format!(
            "The server tried to change {}, which is outside the project. Nothing was changed.",
            path.display()
        ))),
    }
}

/// What is proposed, one line for each file.
pub(super) fn preview(context: &Context, edit: &WorkspaceEdit) -> String {
    let shown = |path: &Path| context.base().display(path);
    let row = |operation: &Operation| match operation {
        Operation::Edit { path, edits } => format!("  {}: {} edit(s)", shown(path), edits.len()),
        Operation::Create { path, .. } => format!("  create {}", shown(path)),
        Operation::Rename { from, to, .. } => format!("  rename {} → {}", shown(from), shown(to)),
        Operation::Delete { path, .. } => format!("  delete {}", shown(path)),
    };
    edit.operations.iter().map(row).collect::<Vec<_>>().join("\n")
}

/// What was done, one line for each file.
pub(super) fn lines(output: &ToolOutput) -> String {
    let text: String = output.content.iter().filter_map(UserBlock::as_text).collect();
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

impl From<ToolError> for Fault {
    fn from(error: ToolError) -> Self {
        Self::Failed(error.message)
    }
}
