//! Writes into files: members of archives, and rows of databases.

use std::path::PathBuf;

use omp_agent::ToolError;
use omp_documents::Stop;
use omp_documents::archive::{self, ArchiveError, Format, inner};
use omp_documents::database::{self, Change, Target};
use omp_types::ToolOutput;
use omp_workspace::path::real_path;
use omp_workspace::turn::Turn;
use tokio_util::sync::CancellationToken;

use super::explain;
use crate::lsp::Before;
use crate::output::{Details, Meta};
use crate::{Context, plan};

/// Writes to what `typed` names inside a file; `None` if it names a file as a whole.
pub(super) fn write(
    context: &Context,
    typed: &str,
    content: &str,
    cancel: &CancellationToken,
) -> Result<Option<ToolOutput>, ToolError> {
    let stop = {
        let cancel = cancel.clone();
        Stop::when(move || cancel.is_cancelled())
    };
    if let Some((path, format, typed)) = archive_target(context, typed)? {
        return member(context, &ArchiveFile { path, format }, typed, content, &stop).map(Some);
    }
    match database_target(context, typed)? {
        Some((path, rest)) => row(context, &path, rest, content, &stop).map(Some),
        None => Ok(None),
    }
}

/// The archive or the database that `typed` leads into.
pub(super) fn file(context: &Context, typed: &str) -> Option<PathBuf> {
    if let Ok(Some((path, ..))) = archive_target(context, typed) {
        return Some(path);
    }
    database_target(context, typed).ok().flatten().map(|(path, _)| path)
}

fn resolve(context: &Context, typed: &str) -> Result<PathBuf, ToolError> {
    context.base().resolve(typed).map_err(|error| ToolError::new(error.to_string()))
}

/// An archive that exists, or else the longest name of one.
fn archive_target<'a>(
    context: &Context,
    typed: &'a str,
) -> Result<Option<(PathBuf, Format, &'a str)>, ToolError> {
    let whole = resolve(context, typed)?;
    if whole.is_dir() || (Format::of(typed).is_none() && whole.symlink_metadata().is_ok()) {
        return Ok(None);
    }
    let mut new = None;
    for (name, inner, format) in archive::splits(typed) {
        let path = resolve(context, name)?;
        if path.is_file() {
            return Ok(Some((path, format, inner)));
        }
        if !path.exists() && new.is_none() {
            new = Some((path, format, inner));
        }
    }
    Ok(new)
}

struct ArchiveFile {
    path: PathBuf,
    format: Format,
}

fn member(
    context: &Context,
    place: &ArchiveFile,
    typed: &str,
    content: &str,
    stop: &Stop,
) -> Result<ToolOutput, ToolError> {
    let name = inner(typed).ok_or_else(|| ToolError::new("Archive path cannot contain '..'"))?;
    if name.is_root() {
        return Err(ToolError::new("Archive write path must target a file inside the archive"));
    }
    if typed.ends_with(['/', '\\']) {
        return Err(ToolError::new("Archive write path must target a file, not a directory"));
    }
    let ArchiveFile { path, format } = place;
    context.may_change(path, plan::Change::Write)?;
    let shown = context.base().display(path);
    let _turn = Turn::wait(path);
    let before = Before::look(path);
    let exact = context.exact(path).map_err(|error| explain(context, &error))?;
    let place = exact.as_deref().map_or(archive::ArchivePath::Named(path), archive::ArchivePath::Exact);
    archive::put(place, *format, &name, content.as_bytes(), (context.now)(), stop).map_err(|error| {
        match error {
            ArchiveError::Write(error) => explain(context, &error),
            other => ToolError::new(format!("{shown} was not changed: {other}.")),
        }
    })?;
    context.changed(path, before);
    let units = content.encode_utf16().count();
    let text = format!("Successfully wrote {units} bytes to {shown}:{}", name.as_str());
    Ok(ToolOutput::text(text).with_details(Details::default().finish(&Meta::default())))
}

/// A database and what is meant in it.
fn database_target<'a>(context: &Context, typed: &'a str) -> Result<Option<(PathBuf, &'a str)>, ToolError> {
    for (name, rest) in database::splits(typed) {
        let path = resolve(context, name)?;
        if database::is_database(&path) {
            return Ok(Some((path, rest)));
        }
        if rest.is_empty() || path.is_dir() || resolve(context, typed)?.symlink_metadata().is_ok() {
            continue;
        }
        let shown = context.base().display(&path);
        return Err(ToolError::new(match path.exists() {
            true => {
                format!(
                    "{shown} is not a SQLite database, so it has no tables. Write the whole file instead."
                )
            }
            false => format!("SQLite database '{shown}' not found"),
        }));
    }
    Ok(None)
}

fn row(
    context: &Context,
    path: &std::path::Path,
    rest: &str,
    content: &str,
    stop: &Stop,
) -> Result<ToolOutput, ToolError> {
    context.may_change(path, plan::Change::Write)?;
    let target = Target::parse(rest).map_err(ToolError::new)?;
    context.borders.check(path).map_err(|error| crate::read::explain(context, path, &error))?;
    if context.modes.reach.is_enforced() && context.has_other_names(path) {
        let shown = context.base().display(path);
        return Err(ToolError::new(format!(
            "{shown} was not changed: it has hard links, which would change too. Use bash with sqlite3."
        )));
    }
    let exact = context.exact(path).map_err(|error| explain(context, &error))?;
    let real = exact.unwrap_or_else(|| real_path(path));
    let change = database::write(&real, &target, content, stop).map_err(|error| {
        let shown = context.base().display(path);
        ToolError::new(format!("{shown} was not changed: {error}"))
    })?;
    context.changed(path, Before::Present);
    let table = &target.table;
    let key = target.key.as_deref().unwrap_or_default();
    let text = match change {
        Change::Inserted => format!("Inserted row into {table}"),
        Change::Updated => format!("Updated row '{key}' in {table}"),
        Change::NothingUpdated => format!("No row updated: {table} has no row '{key}'"),
        Change::Deleted => format!("Deleted row '{key}' from {table}"),
        Change::NothingDeleted => format!("No row deleted: {table} has no row '{key}'"),
    };
    Ok(ToolOutput::text(text).with_details(Details::default().finish(&Meta::of_path(path))))
}
