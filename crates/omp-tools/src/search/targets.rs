//! What a search looks at: files, directories, and texts behind internal URLs.

use std::path::PathBuf;

use omp_agent::ToolError;

use super::internal::Internal;
use crate::Context;
use crate::read::selector::{self, Lines, Range};
use crate::search_roots::{SearchRoot, SearchRoots, split_pattern};

const EMPTY: &str = "`paths` must contain non-empty paths or globs";

/// Everything a call looks at.
pub(super) struct Targets {
    pub(super) singles: Vec<Single>,
    pub(super) places: Vec<SearchRoot>,
    pub(super) missing: Vec<String>,
    /// Members of archives that are not text.
    pub(super) skipped: Vec<String>,
    pub(super) shown: String,
}

/// One text.
pub(super) struct Single {
    pub(super) source: SourceText,
    pub(super) label: String,
    /// Only these lines count.
    pub(super) ranges: Option<Vec<Range>>,
}

pub(super) enum SourceText {
    File(PathBuf),
    /// Behind an internal URL; cannot be edited.
    Fixed(PathBuf),
    /// Behind an internal URL, and no file.
    Text(String),
}

impl Targets {
    /// `internal` is what the internal URLs among the entries name, `entries` are the others.
    pub(super) fn new(context: &Context, internal: Internal, entries: &[String]) -> Result<Self, ToolError> {
        let Internal { singles, places } = internal;
        let several = entries.len() + singles.len() + places.len() > 1;
        let mut targets =
            Self { singles, places, missing: Vec::new(), skipped: Vec::new(), shown: String::new() };
        let mut rest = Vec::new();
        for entry in entries {
            match with_range(context, entry)? {
                Some(single) => targets.singles.push(single),
                None => rest.push(entry.clone()),
            }
        }
        let is_empty = targets.singles.is_empty() && targets.places.is_empty();
        if !rest.is_empty() || is_empty {
            match SearchRoots::new(context, &rest, EMPTY) {
                Ok(places) => targets.take(context, places),
                Err(error) if several && !is_empty && error.message.starts_with("Path not") => {
                    targets.missing = rest;
                }
                Err(error) => return Err(error),
            }
        }
        targets.drop_repeated();
        let singles = targets.singles.iter().map(|single| single.label.clone());
        let places = targets.places.iter().map(|place| context.base().display(&place.base));
        targets.shown = singles.chain(places).collect::<Vec<_>>().join(", ");
        Ok(targets)
    }

    /// Files that are named are searched whatever `.gitignore` says.
    fn take(&mut self, context: &Context, places: SearchRoots) {
        self.missing = places.missing;
        for place in places.found {
            match place.glob.is_none() && !place.base.is_dir() {
                true => self.singles.push(Single {
                    label: context.base().display(&place.base),
                    source: SourceText::File(place.base),
                    ranges: None,
                }),
                false => self.places.push(place),
            }
        }
    }

    /// A file may be named twice.
    fn drop_repeated(&mut self) {
        let mut known: Vec<(PathBuf, Option<Vec<Range>>)> = Vec::new();
        self.singles.retain(|single| {
            let SourceText::File(path) = &single.source else { return true };
            let this = (path.clone(), single.ranges.clone());
            let is_new = !known.contains(&this);
            known.push(this);
            is_new
        });
    }

    pub(super) fn is_one_file(&self) -> bool {
        self.places.is_empty() && self.singles.len() == 1
    }
}

/// A file with a line range. A name that has a colon of its own is meant as it is.
fn with_range(context: &Context, entry: &str) -> Result<Option<Single>, ToolError> {
    let entry = entry.trim();
    let resolve =
        |path: &str| context.base().resolve(path).map_err(|error| ToolError::new(error.to_string()));
    if entry.is_empty() || !entry.contains(':') || resolve(entry)?.symlink_metadata().is_ok() {
        return Ok(None);
    }
    let (typed, selector) = selector::split(entry).map_err(ToolError::new)?;
    let Some(ranges) = ranges(selector.lines) else { return Ok(None) };
    if split_pattern(context, typed).1.is_some() {
        return Err(ToolError::new(format!(
            "Line-range selector requires a single file, not a glob: {typed}"
        )));
    }
    let path = resolve(typed)?;
    if path.is_dir() {
        return Err(ToolError::new(format!(
            "Line-range selector requires a single file: {typed} is a directory"
        )));
    }
    if path.symlink_metadata().is_err() {
        return Err(ToolError::new(format!("Path not found for line-range selector: {typed}")));
    }
    let label = context.base().display(&path);
    Ok(Some(Single { source: SourceText::File(path), label, ranges: Some(ranges) }))
}

pub(super) fn ranges(lines: Lines) -> Option<Vec<Range>> {
    match lines {
        Lines::Default => None,
        Lines::Ranges(ranges) => Some(ranges),
    }
}
