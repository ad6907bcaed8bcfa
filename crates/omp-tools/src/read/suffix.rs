//! A path that does not exist, but is the end of exactly one that does: models often leave out the directories.

use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use omp_agent::ToolError;
use omp_workspace::mount::is_remote;
use omp_workspace::walk::{End, Options, walk};

use super::job::Job;
use crate::resources::aborted;

/// How long the workspace is looked through.
const LIMIT: Duration = Duration::from_millis(5000);
/// Entries looked at.
const MAX_ENTRIES: u64 = 400_000;

/// What a look at the workspace led to.
pub(super) enum Match {
    /// The only path with that end.
    One(PathBuf),
    /// Two of several.
    Several(PathBuf, PathBuf),
    /// None, or it took too long to be sure.
    None,
}

/// Looks for the path below the working directory that ends like `typed`.
pub(super) fn find(job: &Job, typed: &Path) -> Result<Match, ToolError> {
    find_unless(job, typed, is_remote)
}

fn find_unless(job: &Job, typed: &Path, skipped: fn(&Path) -> bool) -> Result<Match, ToolError> {
    let root = &job.context.cwd;
    let ending = ending(typed.strip_prefix(root).unwrap_or(typed));
    if ending.as_os_str().is_empty() || skipped(root) {
        return Ok(Match::None);
    }
    job.slow()?;
    let found = Mutex::new(Vec::new());
    let locked = || found.lock().unwrap_or_else(PoisonError::into_inner);
    let options = Options {
        hidden: true,
        gitignore: true,
        deadline: Some(Instant::now() + LIMIT),
        entries: MAX_ENTRIES,
        cancelled: &|| job.cancel.is_cancelled() || locked().len() > 1,
    };
    let end = walk(root, &options, &|entry| {
        if entry.path().ends_with(&ending) {
            locked().push(entry.path().to_owned());
        }
    });
    if job.cancel.is_cancelled() {
        return Err(ToolError::new(aborted()));
    }
    let mut found = std::mem::take(&mut *locked());
    found.sort_unstable();
    found.truncate(2);
    Ok(match (found.pop(), found.pop()) {
        (Some(one), None) if end == End::Complete => Match::One(one),
        (Some(second), Some(first)) => Match::Several(first, second),
        _ => Match::None,
    })
}

/// The names of a path, without what leads to them from somewhere.
fn ending(path: &Path) -> PathBuf {
    path.components().filter(|component| matches!(component, Component::Normal(_))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn remote_mounts_are_not_looked_through() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("sub")).unwrap();
        std::fs::write(directory.path().join("sub/f"), "x").unwrap();
        let found = |skipped: fn(&Path) -> bool| {
            let job = Job::in_directory(directory.path());
            matches!(find_unless(&job, Path::new("f"), skipped), Ok(Match::One(_)))
        };
        assert!(found(|_| false));
        assert!(!found(|_| true));
    }
}
