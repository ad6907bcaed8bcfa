//! Paths that cannot be opened, and what may have been meant.

use std::io;
use std::path::Path;

use omp_agent::ToolError;
use omp_workspace::path::Base;

use super::Target;
use crate::Context;

/// How many names are suggested, and how many are compared in a directory that has very many.
const MAX_SUGGESTIONS: usize = 3;
const MAX_COMPARED: usize = 20_000;
/// From 0 (nothing in common) to 1 (the same).
const SIMILAR: f64 = 0.75;

pub(super) fn explain(target: &Target, error: &io::Error) -> ToolError {
    reason(target.context, &target.path, &target.shown(), error)
}

/// The same for a path that is not the target of a read.
pub(crate) fn explain_path(context: &Context, path: &Path, error: &io::Error) -> ToolError {
    reason(context, path, &context.base().display(path), error)
}

fn reason(context: &Context, path: &Path, shown: &str, error: &io::Error) -> ToolError {
    ToolError::new(match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => not_found(context, path, shown),
        io::ErrorKind::PermissionDenied => format!("Permission denied: {shown} cannot be read by this user."),
        io::ErrorKind::WouldBlock => {
            format!("Reading {shown} would block until data arrives. Use bash with a timeout.")
        }
        _ => format!("Cannot read {shown}: {error}."),
    })
}

fn not_found(context: &Context, path: &Path, shown: &str) -> String {
    let base = context.base();
    if let Some(explanation) = dead_link(path, shown, base) {
        return explanation;
    }
    if let Some(explanation) = not_a_selector(shown, base) {
        return explanation;
    }
    let (existing, missing) = deepest_existing(path);
    let suggestions: Vec<String> =
        similar_names(existing, missing).into_iter().map(|name| base.display(&existing.join(name))).collect();
    let place = if path.parent() == Some(existing) {
        String::new()
    } else if existing == base.cwd {
        format!(" The working directory has no '{missing}'.")
    } else {
        format!(" {} has no '{missing}'.", base.display(existing))
    };
    if suggestions.is_empty() {
        return format!("Path '{shown}' not found.{place} Read the directory to list its contents.");
    }
    format!("Path '{shown}' not found.{place} Did you mean {}?", suggestions.join(" or "))
}

/// A symbolic link that leads nowhere, or a path through one.
fn dead_link(path: &Path, shown: &str, base: Base<'_>) -> Option<String> {
    let link = path.ancestors().find(|part| part.is_symlink() && !part.exists())?;
    let target = std::fs::read_link(link).ok()?;
    let leads = format!("is a symbolic link to '{}', which does not exist.", target.display());
    Some(match link == path {
        true => format!("{shown} {leads}"),
        false => format!("Path '{shown}' not found. {} {leads}", base.display(link)),
    })
}

/// `file:something` where the file exists: a part of it was meant.
fn not_a_selector(shown: &str, base: Base<'_>) -> Option<String> {
    let mut splits = shown.match_indices(':').map(|(colon, _)| shown.split_at(colon));
    let (file, part) = splits.find(|(file, _)| base.resolve(file).is_ok_and(|path| path.is_file()))?;
    Some(format!(
        "{file} exists, but '{part}' is not a selector. Use :N, :A-B, :A+C, a list of them, or :raw."
    ))
}

/// The longest part of `path` that exists, and the first name below it that does not.
fn deepest_existing(path: &Path) -> (&Path, &str) {
    let mut missing = path;
    for ancestor in path.ancestors().skip(1) {
        if ancestor.is_dir() {
            let name = missing.file_name().and_then(|name| name.to_str());
            return (ancestor, name.unwrap_or_default());
        }
        missing = ancestor;
    }
    (path, "")
}

fn similar_names(directory: &Path, wanted: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, String)> = entries
        .take(MAX_COMPARED)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .map(|name| (strsim::jaro_winkler(&wanted, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= SIMILAR)
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}
