//! `search`: lines of files that match a pattern.

mod answer;
mod archive;
mod collect;
mod internal;
mod targets;

use std::sync::Arc;

use omp_agent::{Invocation, ToolError};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use omp_workspace::grep::{Query, Style};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::uniform::UniformTool;
use answer::Answer;
use archive::Members;
use internal::Internal;
use targets::Targets;

pub(crate) const TOOL: &BuiltinTool = &builtin::SEARCH;

/// Files on a page.
const PAGE: usize = 20;
/// Matches of a file among several.
const PER_FILE: usize = 20;
/// Matches of a file that is searched alone.
const ALONE: usize = 200;
/// Matches collected before pages are made.
const TOTAL: usize = 2000;

pub(crate) struct Search {
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    paths: Paths,
    i: Option<bool>,
    gitignore: Option<bool>,
    skip: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Paths {
    One(String),
    Several(Vec<String>),
}

impl Arguments {
    fn paths(&self) -> Vec<String> {
        match &self.paths {
            Paths::One(path) => vec![path.clone()],
            Paths::Several(paths) => paths.clone(),
        }
    }
}

impl Search {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }
}

impl UniformTool for Search {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let context = self.context.clone();
        let arguments: Arguments = crate::arguments(call.arguments)?;
        let mut entries = arguments.paths();
        let internal = Internal::take(&context, &mut entries, &call.cancel).await?;
        crate::blocking(move || search(&context, &arguments, internal, &entries, &call.cancel)).await
    }
}

fn search(
    context: &Context,
    arguments: &Arguments,
    mut internal: Internal,
    entries: &[String],
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let pattern = arguments.pattern.trim();
    if pattern.is_empty() {
        return Err(ToolError::new("Pattern must not be empty"));
    }
    let skip = match arguments.skip {
        Some(skip) if !skip.is_finite() || skip < 0.0 => {
            return Err(ToolError::new("Skip must be a non-negative number"));
        }
        skip => skip.unwrap_or(0.0).floor() as usize,
    };
    let (members, entries) = Members::among(context, entries, cancel)?;
    internal.singles.extend(members.singles);
    let targets = Targets { skipped: members.skipped, ..Targets::new(context, internal, &entries)? };
    let alone = targets.is_one_file();
    let style = Style {
        ignore_case: arguments.i.unwrap_or(false),
        before: context.settings.search.before,
        after: context.settings.search.after,
        limit: if alone { ALONE } else { PER_FILE },
    };
    let query =
        Query::new(pattern, style).map_err(|error| ToolError::new(format!("Invalid regex: {error}")))?;
    let gitignore = arguments.gitignore.unwrap_or(true);
    let collected = collect::collect(context, &targets, &query, gitignore, cancel)?;
    if cancel.is_cancelled() {
        return Err(ToolError::new("Operation aborted"));
    }
    Ok(Answer { context, targets: &targets, collected, alone, skip: if alone { 0 } else { skip } }.output())
}

#[cfg(test)]
mod tests;
