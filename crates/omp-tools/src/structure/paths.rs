//! The files that a call means.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use globset::{GlobBuilder, GlobMatcher};
use omp_agent::ToolError;
use omp_workspace::walk::{End, Options, WalkEntry, walk_choosing};
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::resources::InternalUrl;
use crate::search_roots::{is_root, refuse_glob, split_pattern};

/// Entries looked at in one walk.
const ENTRIES: u64 = 400_000;

/// Everything a call looks at.
pub(crate) struct Targets {
    /// In the order of their paths, each once.
    pub(crate) files: Vec<PathBuf>,
    /// What was asked for, as the model should see it.
    pub(crate) shown: String,
    /// What was asked for but does not exist.
    missing: Vec<String>,
    /// A tree was too large to be looked at as a whole.
    is_cut: bool,
}

/// One entry of `paths` that exists.
struct StructureRoot {
    base: PathBuf,
    glob: Option<GlobMatcher>,
    /// The entry names `node_modules`, which is skipped otherwise.
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
            let place = StructureRoot::new(context, typed)?;
            if place.base.symlink_metadata().is_ok() {
                places.push(place);
            } else {
                missing.push(typed.to_owned());
            }
        }
        if places.is_empty() {
            return Err(ToolError::new(match missing.as_slice() {
                [] => "`paths` must name at least one file, directory or glob".to_owned(),
                missing => format!("Path not found: {}", missing.join(", ")),
            }));
        }
        let mut files = Vec::new();
        let mut is_cut = false;
        for place in &places {
            is_cut |= place.collect(&mut files, cancel) == End::Entries;
        }
        files.sort();
        files.dedup();
        if places.len() > 1 {
            keep_one_name(&mut files);
        }
        let shown = places.iter().map(|place| context.base().display(&place.base)).collect::<Vec<_>>();
        Ok(Self { files, shown: shown.join(", "), missing, is_cut })
    }

    /// What a model should know before it believes the result.
    pub(crate) fn notes(&self) -> Vec<String> {
        let missing = || format!("Skipped missing paths: {}", self.missing.join(", "));
        let cut =
            || format!("[Only the first {ENTRIES} files and directories were scanned. Narrow the paths]");
        let notes = [(!self.missing.is_empty()).then(missing), self.is_cut.then(cut)];
        notes.into_iter().flatten().collect()
    }
}

/// Several entries may lead to the same file by different names, which must not be changed twice.
fn keep_one_name(files: &mut Vec<PathBuf>) {
    let mut known = HashSet::new();
    files.retain(|path| path.canonicalize().map_or(true, |real| known.insert(real)));
}

impl StructureRoot {
    fn new(context: &Context, typed: &str) -> Result<Self, ToolError> {
        if let Some(url) = InternalUrl::parse(typed) {
            refuse_glob(&url)?;
            return Ok(Self { base: context.file(typed)?, glob: None, modules: true });
        }
        let typed = typed.strip_prefix("./").unwrap_or(typed);
        let (base, glob) = split_pattern(context, typed);
        let path = match base {
            "" if typed.starts_with('/') => PathBuf::from("/"),
            "" => context.cwd.clone(),
            base => context.base().resolve(base).map_err(|error| ToolError::new(error.to_string()))?,
        };
        if is_root(&path) {
            return Err(ToolError::new("Searching from root directory '/' is not allowed"));
        }
        let glob = glob.map(compile).transpose()?;
        if glob.is_some() && path.is_file() {
            return Err(ToolError::new(format!("Path is not a directory: {base}")));
        }
        Ok(Self { base: path, glob, modules: typed.contains("node_modules") })
    }

    fn wants(&self, path: &Path) -> bool {
        let below = path.strip_prefix(&self.base);
        below.is_ok_and(|below| self.glob.as_ref().is_none_or(|glob| glob.is_match(below)))
    }

    /// A file that is named counts whatever `.gitignore` says.
    fn collect(&self, files: &mut Vec<PathBuf>, cancel: &CancellationToken) -> End {
        if !self.base.is_dir() {
            files.push(self.base.clone());
            return End::Complete;
        }
        let stop = || cancel.is_cancelled();
        let options =
            Options { hidden: true, gitignore: true, deadline: None, entries: ENTRIES, cancelled: &stop };
        let found = Mutex::new(Vec::new());
        let enters = |entry: &WalkEntry| self.modules || !entry.path().ends_with("node_modules");
        let end = walk_choosing(&self.base, &options, &enters, &|entry| {
            if entry.is_file() && self.wants(entry.path()) {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
            }
        });
        files.append(&mut found.into_inner().unwrap_or_else(PoisonError::into_inner));
        end
    }
}

/// `*` stays within one directory; `**` does not.
fn compile(glob: &str) -> Result<GlobMatcher, ToolError> {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|error| ToolError::new(format!("Invalid glob '{glob}': {}.", error.kind())))
}
