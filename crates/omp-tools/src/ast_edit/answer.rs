//! A structural edit as text.

use omp_types::ToolOutput;
use serde_json::{Value, json};

use super::plan::{FilePlan, Plan};
use crate::Context;
use crate::edit::Rewritten;
use crate::output::{Details, Meta, cap};
use crate::structure::issues_note;

/// Characters shown of a line.
const COLUMNS: usize = 120;

/// Is it shown, or done?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PreviewState {
    Shown,
    Applied,
}

/// `3 replacements in 2 files`
pub(super) fn label(replacements: usize, files: usize) -> String {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    format!("{replacements} replacement{} in {files} file{}", plural(replacements), plural(files))
}

pub(super) fn nothing(plan: &Plan) -> ToolOutput {
    let mut parts = vec!["No replacements made".to_owned()];
    parts.extend(plan.notes.iter().cloned());
    parts.extend(issues_note(&plan.issues));
    let details = facts(plan, PreviewState::Shown).finish(&Meta::default());
    ToolOutput::text(parts.join("\n\n")).with_details(details)
}

pub(super) fn preview(context: &Context, plan: &Plan) -> ToolOutput {
    let mut parts: Vec<String> = plan.files.iter().map(|file| self::file(context, file)).collect();
    if plan.limited {
        parts.push("Limit reached; narrow paths.".to_owned());
    }
    parts.extend(plan.notes.iter().cloned());
    parts.extend(issues_note(&plan.issues));
    let label = label(plan.total(), plan.files.len());
    let (text, truncation) = cap(parts.join("\n\n"));
    let text = format!("{text}\n\nPreview: {label}. Nothing is written until `resolve` applies it.");
    let details = details(context, plan, PreviewState::Shown);
    let meta = Meta { truncation, ..Meta::default() };
    ToolOutput::text(text).with_details(details.finish(&meta))
}

fn file(context: &Context, file: &FilePlan) -> String {
    let mut rows = vec![format!("# {}", context.base().display(&file.path))];
    for (line, one) in file.numbered() {
        let before = first_line(&file.old[one.range.clone()]);
        rows.push(format!("-{line}:{before}\n+{line}:{}", first_line(&one.inserted)));
    }
    rows.join("\n")
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(COLUMNS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

pub(super) fn applied(context: &Context, total: usize, files: &[Rewritten], details: Details) -> ToolOutput {
    let mut text = format!("Applied {}.", label(total, files.len()));
    if context.shows_anchors() {
        let tags: String = files.iter().map(|file| format!("\n[{}#{}]", file.shown, file.tag)).collect();
        text.push_str(&format!("\n{tags}"));
    }
    let (text, truncation) = cap(text);
    let meta = Meta { truncation, ..Meta::default() };
    ToolOutput::text(text).with_details(details.finish(&meta))
}

/// The facts of a run with those of each file.
pub(super) fn details(context: &Context, plan: &Plan, state: PreviewState) -> Details {
    let each: Vec<Value> = plan
        .files
        .iter()
        .map(|file| json!({ "path": context.base().display(&file.path), "count": file.replacements.len() }))
        .collect();
    facts(plan, state).with("fileReplacements", each)
}

fn facts(plan: &Plan, state: PreviewState) -> Details {
    let details = Details::default()
        .with("totalReplacements", plan.total())
        .with("filesTouched", plan.files.len())
        .with("filesSearched", plan.searched)
        .with("applied", state == PreviewState::Applied)
        .with("limitReached", plan.limited);
    match plan.issues.is_empty() {
        true => details,
        false => details.with("parseErrors", plan.issues.clone()),
    }
}
