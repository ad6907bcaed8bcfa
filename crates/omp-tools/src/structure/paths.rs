//! The files that a call means.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use globset::{GlobBuilder, GlobMatcher};
use omp_agent::ToolError;
use omp_workspace::walk::{Options, walk};
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::resources::InternalUrl;
use crate::scope::{has_glob, refuse_glob};

/// Entries looked at in one walk.
const ENTRIES: u64 = 400_000;

/// Everything a call looks at.
pub(crate) struct Targets {
    /// In the order of their paths, each once.
    pub(crate) files: Vec<PathBuf>,
    /// What was asked for, as the model should see it.
    pub(crate) shown: String,
}

/// One entry of `paths` that exists.
struct Place {
    base: PathBuf,
    glob: Option<GlobMatcher>,
    /// The entry names `node_modules`, which is passed over otherwise.
    modules: bool,
}

impl Targets {
    pub(crate) fn find(
        context: &Context,
        entries: &[String],
        cancel: &CancellationToken,
    ) -> Result<Self, ToolError> {
        let mut places = Vec::new();
        let mut missing = Vec::new();
        for entry in entries {
            let typed = entry.trim();
            if typed.is_empty() {
                return Err(ToolError::new("`paths` must contain non-empty paths or globs"));
            }
            let place = Place::new(context, typed)?;
            if place.base.symlink_metadata().is_ok() {
                places.push(place);
            } else {
                missing.push(typed);
            }
        }
        if places.is_empty() {
            return Err(ToolError::new(match missing.as_slice() {
                [] => "`paths` must name at least one file, directory or glob".to_owned(),
                missing => format!("Path not found: {}", missing.join(", ")),
            }));
        }
        let mut files = Vec::new();
        for place in &places {
            place.collect(&mut files, cancel);
        }
        files.sort();
        files.dedup();
        let shown = places.iter().map(|place| context.base().display(&place.base)).collect::<Vec<_>>();
        Ok(Self { files, shown: shown.join(", ") })
    }
}

impl Place {
    fn new(context: &Context, typed: &str) -> Result<Self, ToolError> {
        if let Some(url) = InternalUrl::parse(typed) {
            refuse_glob(&url)?;
            return Ok(Self { base: context.file(typed)?, glob: None, modules: true });
        }
        let typed = typed.strip_prefix("./").unwrap_or(typed);
        let parts: Vec<&str> = typed.split('/').collect();
        let first = parts.iter().position(|part| has_glob(part)).unwrap_or(parts.len());
        let (base, glob) = (parts[..first].join("/"), parts[first..].join("/"));
        let base = match base.as_str() {
            "" if typed.starts_with('/') => PathBuf::from("/"),
            "" => context.cwd.clone(),
            base => context.base().resolve(base).map_err(|error| ToolError::new(error.to_string()))?,
        };
        if base == Path::new("/") {
            return Err(ToolError::new("Searching from root directory '/' is not allowed"));
        }
        let glob = (!glob.is_empty()).then(|| compile(&glob)).transpose()?;
        Ok(Self { base, glob, modules: typed.contains("node_modules") })
    }

    fn wants(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.base) else { return false };
        let inside = || below.iter().any(|part| part == "node_modules");
        (self.modules || !inside()) && self.glob.as_ref().is_none_or(|glob| glob.is_match(below))
    }

    /// A file that is named counts whatever `.gitignore` says.
    fn collect(&self, files: &mut Vec<PathBuf>, cancel: &CancellationToken) {
        if !self.base.is_dir() {
            if self.glob.is_none() {
                files.push(self.base.clone());
            }
            return;
        }
        let stop = || cancel.is_cancelled();
        let options =
            Options { hidden: true, gitignore: true, deadline: None, entries: ENTRIES, cancelled: &stop };
        let found = Mutex::new(Vec::new());
        walk(&self.base, &options, &|entry| {
            if entry.is_file() && self.wants(entry.path()) {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
            }
        });
        files.append(&mut found.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
}

/// `*` stays within one directory; `**` does not.
fn compile(glob: &str) -> Result<GlobMatcher, ToolError> {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|error| ToolError::new(format!("The pattern '{glob}' makes no sense: {}.", error.kind())))
}
