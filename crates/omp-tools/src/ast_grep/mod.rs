//! `ast_grep`: code that has a given structure.

mod answer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_agent::{Invocation, ToolError};
use omp_syntax::Bounds;
use omp_syntax::pattern::{Match, Source};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use omp_workspace::document::Document;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::structure::{Loaded, NO_CODE, Patterns, Targets, load, look, too_large};
use crate::uniform::UniformTool;
use answer::Answer;

pub(crate) const TOOL: &BuiltinTool = &builtin::AST_GREP;

/// Matches on a page.
const PAGE: usize = 50;

pub(crate) struct AstGrep {
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
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }
}

impl UniformTool for AstGrep {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let context = self.context.clone();
        let arguments: Arguments = crate::arguments(call.arguments)?;
        crate::blocking(move || search(&context, &arguments, &call.cancel)).await
    }
}

/// A file with matches.
struct Hit {
    path: PathBuf,
    document: Document,
    matches: Vec<Match>,
}

/// What became of a file of a language that we know.
enum Looked {
    Hit(Hit),
    Nothing,
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
    let one = |path: &Path| look_at(path, context, &patterns, cancel, wanted.saturating_add(1));
    let (looked, files) = look(&targets.files, cancel, &one, |looked| count(looked) > wanted);
    if cancel.is_cancelled() {
        return Err(ToolError::new("Operation aborted"));
    }
    let mut issues = patterns.issues();
    let mut notes = targets.notes();
    if looked.is_empty() {
        notes.push(NO_CODE.to_owned());
    }
    let mut hits = Vec::new();
    for one in looked {
        match one {
            Looked::Hit(hit) => hits.push(hit),
            Looked::Nothing => {}
            Looked::Failed(reason) => issues.push(reason),
        }
    }
    Ok(Answer { context, scope: &targets.shown, hits, issues, notes, files, skip: arguments.skip }.output())
}

fn look_at(
    path: &Path,
    context: &Context,
    patterns: &Patterns<'_>,
    cancel: &CancellationToken,
    most: usize,
) -> Option<Looked> {
    let shown = || context.base().display(path);
    let (document, language) = match load(context, path)? {
        Loaded::Code(document, language) => (document, language),
        Loaded::TooLarge => return Some(Looked::Failed(too_large(&shown()))),
    };
    let Some(pattern) = patterns.of(language).filter(|pattern| pattern.may_match(document.text())) else {
        return Some(Looked::Nothing);
    };
    let bounds = Bounds { stop: &|| cancel.is_cancelled() };
    let Some(source) = Source::parse(document.text(), language, bounds) else {
        return Some(Looked::Failed(format!("{}: nested too deeply", shown())));
    };
    let matches = source.search_some(&pattern, most);
    Some(match matches.is_empty() {
        true => Looked::Nothing,
        false => Looked::Hit(Hit { path: path.to_owned(), document, matches }),
    })
}
