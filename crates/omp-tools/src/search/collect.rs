//! Looks through everything, on all cores.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use omp_agent::ToolError;
use omp_workspace::grep::{Found, Query, Row, Style};
use omp_workspace::walk::{Options, walk};
use tokio_util::sync::CancellationToken;

use super::targets::{Single, SourceText, Targets};
use super::{ALONE, TOTAL};
use crate::read::selector::Range;

/// A file with matches.
pub(super) struct FileHit {
    /// `None` for what cannot be edited.
    pub(super) path: Option<PathBuf>,
    /// How an internal URL or a named file is called.
    pub(super) label: Option<String>,
    pub(super) found: Found,
}

/// Files with matches, in the order of their names; named ones first.
pub(super) struct Collected {
    pub(super) files: Vec<FileHit>,
    /// So much was found that looking was stopped.
    pub(super) stopped: bool,
    /// Files that are too large for the pattern.
    pub(super) too_large: usize,
}

pub(super) fn collect(
    targets: &Targets,
    query: &Query,
    style: &Style,
    gitignore: bool,
    cancel: &CancellationToken,
) -> Result<Collected, ToolError> {
    let mut files = Vec::new();
    for single in &targets.singles {
        let found = in_single(single, query, style)?;
        let path = match &single.source {
            SourceText::File(path) => Some(path.clone()),
            SourceText::Fixed(_) | SourceText::Text(_) => None,
        };
        if found.matches > 0 {
            files.push(FileHit { path, label: Some(single.label.clone()), found });
        }
    }
    let (below, too_large) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let total = AtomicUsize::new(files.iter().map(|file| file.found.matches).sum());
    let enough = || total.load(Ordering::Relaxed) >= TOTAL;
    for place in &targets.places {
        let stop = || cancel.is_cancelled() || enough();
        let options =
            Options { hidden: true, gitignore, deadline: None, entries: u64::MAX, cancelled: &stop };
        walk(&place.base, &options, &|entry| {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if !is_file || enough() || !place.wants(entry.path()) {
                return;
            }
            // A file that cannot be read does not spoil the search in the others.
            let found = match query.file(entry.path()) {
                Ok(found) => found,
                Err(error) => {
                    let large = error.kind() == ErrorKind::FileTooLarge;
                    too_large.fetch_add(usize::from(large), Ordering::Relaxed);
                    return;
                }
            };
            if found.matches > 0 {
                total.fetch_add(found.matches, Ordering::Relaxed);
                let hit = FileHit { path: Some(entry.path().to_owned()), label: None, found };
                below.lock().unwrap_or_else(PoisonError::into_inner).push(hit);
            }
        });
    }
    let mut below = below.into_inner().unwrap_or_else(PoisonError::into_inner);
    below.sort_by(|one, two| one.path.cmp(&two.path));
    below.dedup_by(|one, two| one.path == two.path);
    let named: Vec<PathBuf> = files.iter().filter_map(|file| file.path.clone()).collect();
    files
        .extend(below.into_iter().filter(|file| file.path.as_ref().is_none_or(|path| !named.contains(path))));
    Ok(Collected { files, stopped: enough(), too_large: too_large.into_inner() })
}

fn in_single(single: &Single, query: &Query, style: &Style) -> Result<Found, ToolError> {
    let found = match &single.source {
        SourceText::File(path) | SourceText::Fixed(path) => query.file(path),
        SourceText::Text(text) => query.text(text),
    };
    let found =
        found.map_err(|error| ToolError::new(format!("{} cannot be searched: {error}.", single.label)))?;
    Ok(match &single.ranges {
        Some(ranges) => within(found, ranges, style),
        None => found,
    })
}

/// Only the matches in the ranges, with the lines around them.
fn within(found: Found, ranges: &[Range], style: &Style) -> Found {
    let inside =
        |line: u64| ranges.iter().any(|range| line >= range.start && range.end.is_none_or(|end| line <= end));
    let all: Vec<u64> =
        found.rows.iter().filter(|row| row.matched && inside(row.line)).map(|row| row.line).collect();
    let kept = &all[..all.len().min(ALONE)];
    let near = |row: &Row| {
        let around =
            |line: &u64| *line <= row.line + style.before as u64 && row.line <= *line + style.after as u64;
        if row.matched && !inside(row.line) {
            return false;
        }
        if row.matched { kept.contains(&row.line) } else { kept.iter().any(around) }
    };
    Found {
        matches: kept.len(),
        more: all.len() > kept.len() || found.more,
        rows: found.rows.into_iter().filter(near).collect(),
    }
}
