//! Writes what was planned: every file, or none.

use std::borrow::Cow;
use std::fs::Permissions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use omp_agent::ToolError;
use omp_types::ToolOutput;
use omp_workspace::write::Mode;
use serde_json::{Value, json};
use similar::ChangeTag;

use super::compare::{Middle, unified};
use super::target::Target;
use super::textual::EditedFile;
use crate::Context;
use crate::lsp::Before;
use crate::notebook::{self, is_notebook};
use crate::output::{Details, Meta};
use crate::plan::Change;

/// Carries out all entries. If one fails, those before it are undone.
pub(super) fn commit(context: &Context, entries: &[EditedFile]) -> Result<ToolOutput, ToolError> {
    for entry in entries {
        may(context, entry)?;
    }
    let mut done = Vec::new();
    let rewritten =
        entries.iter().filter(|entry| entry.changes_text()).filter_map(|entry| entry.old.as_ref());
    if let Some(error) = rewritten.map(|old| old.check_writable(context)).find_map(Result::err) {
        return Err(undo(context, done, &error));
    }
    for entry in entries {
        if let Err(error) = carry_out(context, entry, &mut done) {
            return Err(undo(context, done, &error));
        }
    }
    changed(context, &done);
    for entry in entries {
        context.seen.noops().changed(&entry.shown);
    }
    Ok(answer(entries))
}

/// Refuses what a mode does not allow, before the first file is touched.
fn may(context: &Context, entry: &EditedFile) -> Result<(), ToolError> {
    if entry.new.is_none() {
        return context.may_change(&entry.path, Change::Delete);
    }
    if let Some((to, _)) = &entry.moved_to {
        context.may_change(&entry.path, Change::Rename)?;
        context.may_change(to, Change::Rename)?;
    }
    context.may_change(&entry.path, Change::Write)
}

/// A step that can be undone.
enum Step {
    Directory(PathBuf),
    Created(PathBuf),
    Rewrote {
        path: PathBuf,
        bytes: Vec<u8>,
    },
    Renamed {
        from: PathBuf,
        to: PathBuf,
    },
    Deleted {
        path: PathBuf,
        bytes: Vec<u8>,
        permissions: Option<Permissions>,
    },
    /// A link went; the file that it led to stayed.
    Unlinked {
        path: PathBuf,
        led_to: PathBuf,
    },
}

/// Lists of files are out of date, and servers will be told.
fn changed(context: &Context, done: &[Step]) {
    for step in done {
        match step {
            Step::Directory(_) => {}
            Step::Created(path) => context.changed(path, Before::Absent),
            Step::Rewrote { path, .. } | Step::Deleted { path, .. } | Step::Unlinked { path, .. } => {
                context.changed(path, Before::Present);
            }
            Step::Renamed { from, to } => {
                context.changed(from, Before::Present);
                context.changed(to, Before::Absent);
            }
        }
    }
}

fn carry_out(context: &Context, entry: &EditedFile, done: &mut Vec<Step>) -> Result<(), ToolError> {
    match (&entry.old, &entry.new) {
        // Made and deleted by the same call.
        (None, None) => return Ok(()),
        (None, Some(_)) => create(context, entry, done)?,
        (Some(old), None) => return delete(context, old, entry, done),
        (Some(old), Some(_)) if entry.changes_text() => {
            old.write(context, &old.stored(entry.bytes.clone())?)?;
            done.push(Step::Rewrote { path: entry.path.clone(), bytes: old.original().to_vec() });
        }
        (Some(_), Some(_)) => {}
    }
    match &entry.moved_to {
        Some((to, shown)) => rename(context, (&entry.path, to), shown, done),
        None => Ok(()),
    }
}

fn create(context: &Context, entry: &EditedFile, done: &mut Vec<Step>) -> Result<(), ToolError> {
    if entry.path.symlink_metadata().is_ok() {
        return Err(ToolError::new(format!("{} was created in the meantime.", entry.shown)));
    }
    let mode = if entry.bytes.starts_with(b"#!") { Mode::Executable } else { Mode::Keep };
    let bytes = new_file(entry)?;
    make_directories(&entry.path, done);
    context.put(&entry.path, &bytes, mode).map_err(|error| crate::write::explain(context, &error))?;
    done.push(Step::Created(entry.path.clone()));
    Ok(())
}

fn delete(
    context: &Context,
    old: &Target,
    entry: &EditedFile,
    done: &mut Vec<Step>,
) -> Result<(), ToolError> {
    old.check_unchanged()?;
    let path = entry.path.clone();
    let permissions = std::fs::metadata(&path).map(|metadata| metadata.permissions()).ok();
    let step = match std::fs::read_link(&path) {
        Ok(led_to) => Step::Unlinked { path, led_to },
        Err(_) => Step::Deleted { path, bytes: old.original().to_vec(), permissions },
    };
    context
        .remove_entry(&entry.path)
        .map_err(|error| ToolError::new(format!("Cannot delete {}: {error}.", entry.shown)))?;
    done.push(step);
    Ok(())
}

/// A new notebook is given by its cells.
fn new_file(entry: &EditedFile) -> Result<Cow<'_, [u8]>, ToolError> {
    if !is_notebook(&entry.path) {
        return Ok(Cow::Borrowed(&entry.bytes));
    }
    let text = String::from_utf8_lossy(&entry.bytes);
    Ok(Cow::Owned(notebook::whole(&entry.shown, None, &text)?.into_bytes()))
}

fn rename(
    context: &Context,
    (from, to): (&Path, &Path),
    shown: &str,
    done: &mut Vec<Step>,
) -> Result<(), ToolError> {
    let explain =
        |error: std::io::Error| ToolError::new(format!("Cannot move the file to {shown}: {error}."));
    if to.symlink_metadata().is_ok() {
        return Err(ToolError::new(format!("Cannot move the file to {shown}: the target already exists.")));
    }
    make_directories(to, done);
    match context.rename_entry(from, to) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices && !from.is_symlink() => {
            return carry_over(context, (from, to), done).map_err(explain);
        }
        renamed => renamed.map_err(explain)?,
    }
    done.push(Step::Renamed { from: from.to_owned(), to: to.to_owned() });
    Ok(())
}

/// Moves a file to another file system, where it is written again.
fn carry_over(context: &Context, (from, to): (&Path, &Path), done: &mut Vec<Step>) -> std::io::Result<()> {
    let (bytes, permissions) = (std::fs::read(from)?, std::fs::metadata(from)?.permissions());
    context.put(to, &bytes, Mode::Private).map_err(std::io::Error::other)?;
    done.push(Step::Created(to.to_owned()));
    std::fs::set_permissions(to, permissions.clone())?;
    context.remove_entry(from)?;
    done.push(Step::Deleted { path: from.to_owned(), bytes, permissions: Some(permissions) });
    Ok(())
}

/// Makes the directories that a new name needs. Where that fails, taking the name fails and tells why.
fn make_directories(path: &Path, done: &mut Vec<Step>) {
    let missing = path.ancestors().skip(1).take_while(|directory| directory.symlink_metadata().is_err());
    let missing: Vec<&Path> = missing.collect();
    for directory in missing.into_iter().rev() {
        if std::fs::create_dir(directory).is_ok() {
            done.push(Step::Directory(directory.to_owned()));
        }
    }
}

/// Takes back what was done, the last step first.
fn undo(context: &Context, done: Vec<Step>, error: &ToolError) -> ToolError {
    let mut stuck = Vec::new();
    changed(context, &done);
    for step in done.into_iter().rev() {
        let (path, undone) = match step {
            // One that somebody else put something into meanwhile is theirs.
            Step::Directory(path) => {
                let _ = std::fs::remove_dir(&path);
                continue;
            }
            Step::Created(path) => (path.clone(), context.remove_entry(&path).is_ok()),
            Step::Rewrote { path, bytes } => (path.clone(), context.put(&path, &bytes, Mode::Keep).is_ok()),
            Step::Renamed { from, to } => (to.clone(), context.rename_entry(&to, &from).is_ok()),
            Step::Deleted { path, bytes, permissions } => {
                let written = context.put(&path, &bytes, Mode::Private).is_ok();
                let set = permissions.is_none_or(|bits| std::fs::set_permissions(&path, bits).is_ok());
                (path, written && set)
            }
            Step::Unlinked { path, led_to } => {
                let linked = std::os::unix::fs::symlink(led_to, &path).is_ok();
                (path, linked)
            }
        };
        if !undone {
            stuck.push(context.base().display(&path));
        }
    }
    ToolError::new(match stuck.is_empty() {
        true => format!("{} Nothing was changed.", error.message),
        false => format!(
            "{} The other changes were rolled back, except in {}: read these files again.",
            error.message,
            stuck.join(", ")
        ),
    })
}

fn answer(entries: &[EditedFile]) -> ToolOutput {
    let mut rows: Vec<String> = entries.iter().map(headline).collect();
    let notes: Vec<String> = entries.iter().flat_map(warnings).collect();
    if !notes.is_empty() {
        rows.push(format!("\nWarnings:\n{}", notes.join("\n")));
    }
    let details = match entries {
        [one] => {
            let mut details = Details::default();
            for (name, value) in facts(one) {
                details = details.with(name, value);
            }
            details.finish(&Meta::of_path(&one.path))
        }
        several => {
            let each = several.iter().map(|one| {
                let path = [("path", Value::from(one.shown.clone()))];
                path.into_iter().chain(facts(one)).map(|(name, value)| (name.to_owned(), value)).collect()
            });
            let each: Vec<Value> = each.map(Value::Object).collect();
            let diff: String = several.iter().map(diff).collect();
            Details::default().with("diff", diff).with("perFileResults", each).finish(&Meta::default())
        }
    };
    ToolOutput::text(rows.join("\n")).with_details(details)
}

/// What was done to a file, in a few words.
fn headline(entry: &EditedFile) -> String {
    let (added, removed, _) = counts(entry);
    let shown = &entry.shown;
    match (&entry.old, &entry.new, &entry.moved_to) {
        (_, None, _) => format!("Deleted {shown}"),
        (None, _, Some((_, to))) => format!("Created {to} ({added} lines)"),
        (None, ..) => format!("Created {shown} ({added} lines)"),
        (_, _, Some((_, to))) => format!("Moved {shown} to {to} (+{added} -{removed} lines)"),
        _ => format!("Updated {shown} (+{added} -{removed} lines)"),
    }
}

/// Remarks, and the lines as they are now, since something was not as the model thought.
fn warnings(entry: &EditedFile) -> Vec<String> {
    if entry.notes.is_empty() {
        return Vec::new();
    }
    let mut rows: Vec<String> = entry.notes.iter().map(|note| format!("{}: {note}", entry.shown)).collect();
    let changes = changes(entry.old_text(), entry.new_text());
    rows.push(omp_edits::hashline::preview(entry.new_text(), &changes));
    rows
}

/// The lines that differ, for the preview.
pub(super) fn changes(old: &str, new: &str) -> Vec<omp_edits::hashline::Change> {
    let rows: Vec<&str> = new.lines().collect();
    let middle = Middle::of(old, new);
    let diff = middle.diff();
    let groups = diff.ops().iter().filter(|op| op.tag() != similar::DiffTag::Equal);
    groups
        .map(|op| omp_edits::hashline::Change {
            start: middle.before + op.old_range().start,
            removed: op.old_range().len(),
            inserted: op
                .new_range()
                .filter_map(|line| rows.get(middle.before + line))
                .map(|row| (*row).to_owned())
                .collect(),
        })
        .collect()
}

/// Lines added, lines removed, and the first line that differs.
fn counts(entry: &EditedFile) -> (usize, usize, usize) {
    let middle = Middle::of(entry.old_text(), entry.new_text());
    let diff = middle.diff();
    let (mut added, mut removed, mut first) = (0, 0, None);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Insert => added += 1,
            ChangeTag::Delete => removed += 1,
        }
        first = first.or(change.new_index().or(change.old_index()));
    }
    (added, removed, first.map_or(1, |line| middle.before + line + 1))
}

fn facts(entry: &EditedFile) -> Vec<(&'static str, Value)> {
    let op = match (&entry.old, &entry.new) {
        (None, _) => "create",
        (_, None) => "delete",
        _ => "update",
    };
    let mut facts =
        vec![("diff", json!(diff(entry))), ("firstChangedLine", json!(counts(entry).2)), ("op", json!(op))];
    if let Some((_, to)) = &entry.moved_to {
        facts.push(("move", json!(to)));
    }
    facts
}

fn diff(entry: &EditedFile) -> String {
    unified(&entry.shown, entry.old_text(), entry.new_text())
}
