//! What an edit would change, for the question about it. Nothing is written, and nothing is remembered.

use std::borrow::Cow;
use std::path::Path;

use omp_agent::ToolError;
use omp_hashline::parse;
use omp_types::ApprovalDetail;
use omp_workspace::text::LineEnding;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::compare::unified;
use super::mode::EditMode;
use super::target::Target;
use super::{Arguments, answer, commit, sections, textual};
use crate::Context;

/// The difference against the files as they are now; why there is none, if the edit does not fit them.
pub(super) fn details(context: &Context, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
    match difference(context, arguments) {
        Ok(value) if value.is_empty() => Vec::new(),
        Ok(value) => vec![ApprovalDetail { label: ApprovalDetail::DIFFERENCE, value }],
        Err(error) => vec![ApprovalDetail { label: "Fails", value: first_sentence(&error.message) }],
    }
}

/// The rest is advice for the model.
fn first_sentence(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let sentence = line.split(". ").next().unwrap_or_default();
    format!("{}.", sentence.trim_end_matches(['.', ':']))
}

/// What another text would change in a text file that is there.
pub(crate) fn difference_to(context: &Context, path: &Path, new: &str) -> Option<String> {
    path.symlink_metadata().ok()?;
    let old = Target::load(context, path.to_owned(), None).ok()?;
    let has_returns =
        LineEnding::detect(&old.document.charset().decode(old.document.bytes())) == LineEnding::CrLf;
    let new = if has_returns { Cow::Owned(new.replace("\r\n", "\n")) } else { Cow::Borrowed(new) };
    let text = old.document.text();
    (text != new).then(|| unified(&old.shown, text, &new))
}

fn difference(context: &Context, arguments: &Map<String, Value>) -> Result<String, ToolError> {
    let (arguments, cancel) = (arguments.clone(), CancellationToken::new());
    if context.settings.edit_mode != EditMode::Hashline {
        let entries = textual::planned(context, arguments, &cancel)?;
        return Ok(entries.iter().map(commit::diff).collect());
    }
    let Arguments { input } = crate::arguments(arguments)?;
    let patch = parse(&input, &context.cwd).map_err(|error| ToolError::new(error.to_string()))?;
    let ready = sections(context, &patch, &cancel)?;
    Ok(ready.iter().map(answer::diff).collect())
}
