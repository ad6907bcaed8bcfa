//! What a search looks at: files, directories, and texts behind internal URLs.

use std::path::PathBuf;

use omp_agent::ToolError;

use crate::Context;
use crate::read::selector::{self, Lines, Range};
use crate::resources::{Content, scheme};
use crate::scope::{Place, Places, has_glob};

const EMPTY: &str = "`paths` must contain non-empty paths or globs";

/// Everything a call looks at.
pub(super) struct Targets {
    pub(super) singles: Vec<Single>,
    pub(super) places: Vec<Place>,
    pub(super) missing: Vec<String>,
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
    Text(String),
}

impl Targets {
    pub(super) fn new(context: &Context, entries: &[String]) -> Result<Self, ToolError> {
        let mut targets =
            Self { singles: Vec::new(), places: Vec::new(), missing: Vec::new(), shown: String::new() };
        let mut rest = Vec::new();
        for entry in entries {
            match internal(context, entry)? {
                Some(single) => targets.singles.push(single),
                None => match with_range(context, entry)? {
                    Some(single) => targets.singles.push(single),
                    None => rest.push(entry.clone()),
                },
            }
        }
        if !rest.is_empty() || targets.singles.is_empty() {
            let several = entries.len() > 1;
            match Places::new(context, &rest, EMPTY) {
                Ok(places) => targets.take(context, places),
                Err(error)
                    if several && !targets.singles.is_empty() && error.message.starts_with("Path not") =>
                {
                    targets.missing = rest;
                }
                Err(error) => return Err(error),
            }
        }
        let singles = targets.singles.iter().map(|single| single.label.clone());
        let places = targets.places.iter().map(|place| context.base().display(&place.base));
        targets.shown = singles.chain(places).collect::<Vec<_>>().join(", ");
        Ok(targets)
    }

    /// Files that are named are searched whatever `.gitignore` says.
    fn take(&mut self, context: &Context, places: Places) {
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

    pub(super) fn is_one_file(&self) -> bool {
        self.places.is_empty() && self.singles.len() == 1
    }

    pub(super) fn has_ranges(&self) -> bool {
        self.singles.iter().any(|single| single.ranges.is_some())
    }
}

/// The text or file behind an internal URL.
fn internal(context: &Context, entry: &str) -> Result<Option<Single>, ToolError> {
    let entry = entry.trim();
    let known = scheme(entry).is_some_and(|scheme| context.resources.schemes().contains(&scheme.as_str()));
    if !known {
        return Ok(None);
    }
    let (url, selector) = selector::split(entry).map_err(ToolError::new)?;
    if has_glob(url) {
        return Err(ToolError::new(format!("Glob patterns are not supported for internal URLs: {url}")));
    }
    let resource = context.resources.open(url).map_err(ToolError::new)?;
    let source = match resource.content {
        Content::Path(path) if path.is_dir() => {
            return Err(ToolError::new(format!(
                "{url} is a directory; search its path instead: {}",
                path.display()
            )));
        }
        Content::Path(path) => SourceText::File(path),
        Content::Text(text) => SourceText::Text(text),
    };
    Ok(Some(Single { source, label: url.to_owned(), ranges: ranges(selector.lines) }))
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
    if has_glob(typed) {
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

fn ranges(lines: Lines) -> Option<Vec<Range>> {
    match lines {
        Lines::Default => None,
        Lines::Ranges(ranges) => Some(ranges),
    }
}
