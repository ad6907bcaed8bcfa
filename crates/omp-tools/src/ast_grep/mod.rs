//! `ast_grep`: code that has a given structure.

mod answer;

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Tool, ToolError};
use omp_syntax::Bounds;
use omp_syntax::pattern::{Match, Source};
use omp_types::{Approval, ToolDefinition, ToolOutput};
use omp_workspace::document::Document;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::structure::{Patterns, Targets, load, look};
use answer::Answer;

pub(crate) const NAME: &str = "ast_grep";

/// Matches on a page.
const PAGE: usize = 50;

pub(crate) struct AstGrep {
    definition: ToolDefinition,
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    pat: String,
    paths: Vec<String>,
    #[serde(default)]
    skip: usize,
}

impl AstGrep {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let definition = crate::definition(NAME, include_str!("prompt.md"), include_str!("schema.json"));
        Self { definition, context }
    }
}

impl Tool for AstGrep {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn approval(&self, _arguments: &Map<String, Value>) -> Option<Approval> {
        Some(Approval::READ)
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let context = self.context.clone();
        async move {
            let arguments: Arguments = crate::arguments(call.arguments)?;
            crate::blocking(move || search(&context, &arguments, &call.cancel)).await
        }
        .boxed()
    }
}

/// A file with matches.
struct Hit {
    path: PathBuf,
    document: Document,
    matches: Vec<Match>,
}

/// What became of a file that was looked at.
enum Looked {
    Hit(Hit),
    /// It could not be parsed, and why.
    Failed(String),
}

fn search(
    context: &Context,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    if arguments.pat.trim().is_empty() {
        return Err(ToolError::new("`pat` must not be empty"));
    }
    let targets = Targets::find(context, &arguments.paths, cancel)?;
    let patterns = Patterns::new(&arguments.pat);
    let wanted = arguments.skip.saturating_add(PAGE);
    let count = |looked: &[Looked]| -> usize {
        let matches = |one: &Looked| if let Looked::Hit(hit) = one { hit.matches.len() } else { 0 };
        looked.iter().map(matches).sum()
    };
    let one = |path: &std::path::Path| look_at(path, context, &patterns, cancel);
    let (looked, files) = look(&targets.files, cancel, &one, |looked| count(looked) > wanted);
    if cancel.is_cancelled() {
        return Err(ToolError::new("Operation aborted"));
    }
    let mut issues = patterns.issues();
    let mut hits = Vec::new();
    for one in looked {
        match one {
            Looked::Hit(hit) => hits.push(hit),
            Looked::Failed(reason) => issues.push(reason),
        }
    }
    Ok(Answer { context, scope: &targets.shown, hits, issues, files, skip: arguments.skip }.output())
}

fn look_at(
    path: &std::path::Path,
    context: &Context,
    patterns: &Patterns<'_>,
    cancel: &CancellationToken,
) -> Option<Looked> {
    let (document, language) = load(path)?;
    let pattern = patterns.of(language)?;
    if !pattern.may_match(document.text()) {
        return None;
    }
    let bounds = Bounds { stop: &|| cancel.is_cancelled() };
    let Some(source) = Source::parse(document.text(), language, bounds) else {
        return Some(Looked::Failed(format!("{}: nested too deeply", context.base().display(path))));
    };
    let matches = source.search(&pattern);
    (!matches.is_empty()).then(|| Looked::Hit(Hit { path: path.to_owned(), document, matches }))
}
