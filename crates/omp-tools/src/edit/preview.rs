//! What an edit would change, for the question about it: all of it, so that nothing hides behind its length. Nothing is
//! written, and nothing is remembered.

use std::borrow::Cow;
use std::path::Path;

use omp_agent::ToolError;
use omp_types::ApprovalDetail;
use omp_workspace::text::LineEnding;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::compare::whole;
use super::mode::EditMode;
use super::parsed::LastParsed;
use super::target::Target;
use super::textual::EditedFile;
use super::{Arguments, Ready, sections, textual};
use crate::Context;

/// The label of the reason why an edit cannot be carried out.
pub(super) const FAILS: &str = "Fails";

/// What becomes of the files as they are now: moves, deletions, the difference. Why nothing does, if the edit does not fit
/// them.
pub(super) fn details(
    context: &Context,
    parsed: &LastParsed,
    arguments: &Map<String, Value>,
) -> Vec<ApprovalDetail> {
    let detail = |label, value| ApprovalDetail { label, value };
    let (files, difference) = match changes(context, parsed, arguments) {
        Ok(changes) => changes,
        Err(error) => return vec![detail(FAILS, first_sentence(&error.message))],
    };
    let mut details = files;
    details.extend((!difference.is_empty()).then(|| detail(ApprovalDetail::DIFFERENCE, difference)));
    details
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
    (text != new).then(|| whole(&old.shown, text, &new))
}

/// What happens to files as a whole, and to their lines.
fn changes(
    context: &Context,
    parsed: &LastParsed,
    arguments: &Map<String, Value>,
) -> Result<(Vec<ApprovalDetail>, String), ToolError> {
    let (arguments, cancel) = (arguments.clone(), CancellationToken::new());
    if context.settings.edit.mode != EditMode::Hashline {
        let entries = textual::planned(context, parsed, arguments, &cancel)?;
        let difference = |entry: &EditedFile| whole(&entry.shown, entry.old_text(), entry.new_text());
        let difference = entries.iter().map(difference).collect();
        return Ok((entries.iter().flat_map(whole_file).collect(), difference));
    }
    let Arguments { input } = crate::arguments(arguments)?;
    let parsed = parsed.of(EditMode::Hashline, &input, &context.cwd);
    let ready = sections(context, parsed.lines()?, &cancel)?;
    let difference = |one: &Ready| whole(&one.target.shown, one.target.document.text(), &one.planned.text);
    Ok((Vec::new(), ready.iter().map(difference).collect()))
}

fn whole_file(entry: &EditedFile) -> Option<ApprovalDetail> {
    match (&entry.new, &entry.moved_to) {
        (None, _) => Some(ApprovalDetail { label: "Deletes", value: entry.shown.clone() }),
        (Some(_), Some((_, to))) => {
            Some(ApprovalDetail { label: "Moves", value: format!("{} to {to}", entry.shown) })
        }
        _ => None,
    }
}
