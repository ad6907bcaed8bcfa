//! Where `find` and `search` look: the entries of their `paths`.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use omp_agent::ToolError;
use omp_workspace::walk::WalkEntry;

use crate::Context;
use crate::resources::InternalUrl;

/// One place to look at.
pub(crate) struct SearchRoot {
    /// The file, or the directory to walk through.
    pub(crate) base: PathBuf,
    /// Of the names below, those that are meant; `None` for a path without a pattern.
    pub(crate) glob: Option<GlobMatcher>,
    /// The pattern ends with a slash.
    directories_only: bool,
}

/// The places of a call, and what was asked for but does not exist.
pub(crate) struct SearchRoots {
    pub(crate) found: Vec<SearchRoot>,
    pub(crate) missing: Vec<String>,
}

const GLOB: [char; 4] = ['*', '?', '[', '{'];

/// Does a text hold characters of a pattern?
pub(crate) fn has_glob(text: &str) -> bool {
    text.contains(GLOB)
}

/// The directory before the first part with a pattern, and the pattern. `[id]` and `{x}` may be names: where there is a
/// file or directory of that name, it is meant.
pub(crate) fn split_pattern<'a>(context: &Context, typed: &'a str) -> (&'a str, Option<&'a str>) {
    let mut start = 0;
    for part in typed.split('/') {
        let end = start + part.len();
        if has_glob(part) && (part.contains(['*', '?']) || !is_there(context, &typed[..end])) {
            return (&typed[..start.saturating_sub(1)], Some(&typed[start..]));
        }
        start = end + 1;
    }
    (typed, None)
}

fn is_there(context: &Context, typed: &str) -> bool {
    context.base().resolve(typed).is_ok_and(|path| path.symlink_metadata().is_ok())
}

/// Internal URLs name one thing each. A question mark begins a query if it looks like one.
pub(crate) fn refuse_glob(url: &InternalUrl) -> Result<(), ToolError> {
    let query = url.rest().strip_prefix(url.target()).unwrap_or_default();
    let is_pattern = has_glob(url.target()) || (query.starts_with('?') && !query.contains('='));
    match is_pattern {
        true => Err(ToolError::new(format!("Glob patterns are not supported for internal URLs: {url}"))),
        false => Ok(()),
    }
}

impl SearchRoots {
    /// Finds every entry. Several in one string are taken apart where that makes sense of them.
    pub(crate) fn new(context: &Context, entries: &[String], empty: &str) -> Result<Self, ToolError> {
        let mut places = Self { found: Vec::new(), missing: Vec::new() };
        let mut count = 0;
        for entry in entries {
            let entry = unquoted(entry.trim()).replace('\\', "/");
            if entry.is_empty() {
                return Err(ToolError::new(empty));
            }
            for part in parts(context, &entry) {
                count += 1;
                let place = SearchRoot::new(context, &part)?;
                match place.base.symlink_metadata() {
                    Ok(_) => places.found.push(place),
                    Err(_) => places.missing.push(part),
                }
            }
        }
        if count == 0 {
            return Err(ToolError::new(empty));
        }
        if places.found.is_empty() {
            return Err(ToolError::new(format!("Path not found: {}", places.missing.join(", "))));
        }
        Ok(places)
    }

    /// The places in one word.
    pub(crate) fn shown(&self, context: &Context) -> String {
        let shown: Vec<String> = self.found.iter().map(|place| context.base().display(&place.base)).collect();
        shown.join(", ")
    }

    pub(crate) fn missing_notice(&self) -> Option<String> {
        (!self.missing.is_empty()).then(|| format!("Skipped missing paths: {}", self.missing.join(", ")))
    }
}

impl SearchRoot {
    fn new(context: &Context, typed: &str) -> Result<Self, ToolError> {
        if let Some(url) = InternalUrl::parse(typed) {
            refuse_glob(&url)?;
            return Ok(Self::at(context.file(typed)?));
        }
        let (base, glob) = split(context, typed);
        let path = match base.as_str() {
            "" => context.cwd.clone(),
            base => context.base().resolve(base).map_err(|error| ToolError::new(error.to_string()))?,
        };
        let directories_only = glob.as_deref().is_some_and(|glob| glob.ends_with('/'));
        let glob = glob.map(|glob| compile(glob.trim_end_matches('/'))).transpose()?;
        if is_root(&path) {
            return Err(ToolError::new("Searching from root directory '/' is not allowed"));
        }
        if glob.is_some() && path.is_file() {
            return Err(ToolError::new(format!("Path is not a directory: {base}")));
        }
        Ok(Self { base: path, glob, directories_only })
    }

    /// A path without a pattern.
    pub(crate) fn at(base: PathBuf) -> Self {
        Self { base, glob: None, directories_only: false }
    }

    /// Is a file below the base meant?
    pub(crate) fn wants(&self, path: &Path) -> bool {
        !self.directories_only && self.fits(path)
    }

    /// Is something below the base meant, whatever it is?
    pub(crate) fn wants_entry(&self, entry: &WalkEntry) -> bool {
        if entry.is_directory() { self.fits(entry.path()) } else { self.wants(entry.path()) }
    }

    fn fits(&self, path: &Path) -> bool {
        let Some(glob) = &self.glob else { return true };
        path.strip_prefix(&self.base).is_ok_and(|below| glob.is_match(below))
    }
}

/// As [`split_pattern`]. A pattern in the first part is meant at every depth.
fn split(context: &Context, typed: &str) -> (String, Option<String>) {
    let typed = typed.strip_prefix("./").unwrap_or(typed);
    match split_pattern(context, typed) {
        (base, None) => (base.to_owned(), None),
        ("", Some(glob)) if typed.starts_with('/') => ("/".to_owned(), Some(glob.to_owned())),
        ("", Some(glob)) if !glob.starts_with("**/") => (String::new(), Some(format!("**/{glob}"))),
        (base, Some(glob)) => (base.to_owned(), Some(glob.to_owned())),
    }
}

/// Is it the root of the file system, by whatever name?
pub(crate) fn is_root(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| real == Path::new("/"))
}

fn compile(glob: &str) -> Result<GlobMatcher, ToolError> {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|error| ToolError::new(format!("Invalid glob '{glob}': {}.", error.kind())))
}

/// A string that holds several paths. Commas and semicolons separate if one part exists, blanks only if all do.
fn parts(context: &Context, entry: &str) -> Vec<String> {
    let exists = |text: &str| {
        if InternalUrl::parse(text).is_some() {
            return context.file(text).is_ok_and(|path| path.symlink_metadata().is_ok());
        }
        let (base, _) = split(context, text);
        let resolved = match base.as_str() {
            "" => Some(context.cwd.clone()),
            base => context.base().resolve(base).ok(),
        };
        resolved.is_some_and(|path| path.symlink_metadata().is_ok())
    };
    let whole = || vec![entry.to_owned()];
    let is_list =
        split_pattern(context, entry).1.is_some() && entry.contains([',', ';']) && !entry.contains('{');
    if exists(entry) && !is_list {
        return whole();
    }
    let split_at = |separators: &[char]| -> Vec<String> {
        let parts = entry.split(separators).map(str::trim).filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let listed = split_at(&[',', ';']);
    if listed.len() > 1 && !entry.contains('{') && listed.iter().any(|part| exists(part)) {
        return listed;
    }
    let spaced = split_at(&[' ', '\t', '\n']);
    if spaced.len() > 1 && spaced.iter().all(|part| exists(part)) {
        return spaced;
    }
    whole()
}

fn unquoted(text: &str) -> &str {
    let within = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\'', '`'].into_iter().find_map(within).unwrap_or(text)
}
