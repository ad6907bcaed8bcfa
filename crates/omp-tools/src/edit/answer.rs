//! What an edit tells the model: the new tag, and the lines as they are now.

use omp_edits::hashline::{Tag, preview};
use omp_types::ToolOutput;
use serde_json::{Value, json};

use super::Ready;
use super::compare::unified;
use crate::output::{Details, Meta};

/// `tags` name the new texts.
pub(super) fn answer(ready: &[Ready], tags: &[Tag], warnings: &[String]) -> ToolOutput {
    let mut parts: Vec<String> = ready.iter().zip(tags).map(|(one, tag)| section(one, *tag)).collect();
    let files = ready.len();
    let own = ready
        .iter()
        .flat_map(|one| one.planned.warnings.iter().map(move |warning| named(one, warning, files)));
    let warnings: Vec<String> = warnings.iter().cloned().chain(own).collect();
    if !warnings.is_empty() {
        let rows: String = warnings.iter().map(|warning| format!("\n{warning}")).collect();
        parts.push(format!("Warnings:{rows}"));
    }
    let text = parts.join("\n\n");
    let details = match ready {
        [one] => {
            let mut details = Details::default();
            if let Value::Object(fields) = facts(one) {
                for (name, value) in fields {
                    details = details.with(&name, value);
                }
            }
            details.finish(&Meta::of_path(one.target.path()))
        }
        several => {
            let each: Vec<Value> = several
                .iter()
                .map(|one| {
                    let mut facts = facts(one);
                    facts["path"] = Value::String(one.target.shown.clone());
                    facts
                })
                .collect();
            let diff: String = several.iter().map(diff).collect();
            Details::default()
                .with("diff", diff)
                .with("op", "update")
                .with("perFileResults", each)
                .finish(&Meta::default())
        }
    };
    ToolOutput::text(text).with_details(details)
}

/// A warning, with the file that it is about where there are several.
fn named(one: &Ready, warning: &str, files: usize) -> String {
    match files == 1 || warning.starts_with(&one.target.shown) {
        true => warning.to_owned(),
        false => format!("{}: {warning}", one.target.shown),
    }
}

fn section(one: &Ready, tag: Tag) -> String {
    let mut rows = vec![format!("[{}#{tag}]", one.target.shown)];
    rows.extend(one.planned.blocks.iter().map(omp_edits::hashline::BlockSpan::shown));
    let preview = preview(&one.planned.text, &one.planned.changes);
    rows.extend((!preview.is_empty()).then_some(preview));
    rows.join("\n")
}

fn facts(one: &Ready) -> Value {
    let first = one.planned.changes.first().map_or(1, |change| change.start + 1);
    json!({ "diff": diff(one), "firstChangedLine": first, "op": "update" })
}

fn diff(one: &Ready) -> String {
    unified(&one.target.shown, one.target.document.text(), &one.planned.text)
}
