//! Removing what nothing refers to, and old sessions where a limit was set. First a plan, which can be shown; then
//! the deed.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::artifacts::artifacts_directory;
use crate::blobs::{self, BlobHash};
use crate::file::TEMPORARY;
use crate::fsck::references;
use crate::sessions::Sessions;
use crate::usage::{for_each_file, is_set_aside};
use crate::{index, layout, lock, slice};

/// Read at once when looking for references.
const BUFFER: usize = 1024 * 1024;

/// What may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcPolicy {
    /// Nothing that was changed more recently goes, whatever else is said here.
    pub grace: Duration,
    /// Sessions that were not changed for longer go.
    pub session_age: Option<Duration>,
    /// When sessions and their artifacts take more, the oldest go until they do not.
    pub session_bytes: Option<u64>,
    /// When logs take more, the oldest go until they do not.
    pub log_bytes: Option<u64>,
}

impl Default for GcPolicy {
    /// A week of grace; no session and no log goes.
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(7 * 24 * 3600),
            session_age: None,
            session_bytes: None,
            log_bytes: None,
        }
    }
}

/// Why something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garbage {
    /// No session refers to the image.
    Blob,
    /// The session of these artifacts is gone.
    Artifacts,
    /// An index, a lock or a half-written file that nobody needs.
    Working,
    /// Older than the policy allows, or too much.
    Session,
    /// Too much.
    Log,
}

/// Something that may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcItem {
    /// A file or a directory.
    pub path: PathBuf,
    /// Why it goes.
    pub garbage: Garbage,
    /// What that gains.
    pub bytes: u64,
}

/// What would go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcPlan {
    /// In no order that matters.
    pub items: Vec<GcItem>,
    /// Sessions that could not be read; images stay as long as there are any, for they may be theirs.
    pub unreadable: Vec<PathBuf>,
}

/// What went.
#[derive(Debug, Default)]
pub struct GcReport {
    /// How many files and directories.
    pub removed: usize,
    /// What that gained.
    pub bytes: u64,
    /// What did not go, and why.
    pub failed: Vec<(PathBuf, io::Error)>,
}

impl GcPlan {
    /// What the plan gains.
    pub fn bytes(&self) -> u64 {
        self.items.iter().map(|item| item.bytes).sum()
    }
}

/// A session as the collector sees it.
struct KeptSession {
    path: PathBuf,
    modified: SystemTime,
    bytes: u64,
}

impl Sessions {
    /// What may go at the time `now`. Nothing is changed.
    pub fn gc_plan(&self, policy: &GcPolicy, now: SystemTime) -> GcPlan {
        let old = |path: &Path| is_older(path, now, policy.grace);
        let mut plan = GcPlan::default();
        let mut sessions = Vec::new();
        for directory in self.session_directories() {
            sessions.extend(sessions_in(&directory));
            plan.leftovers(&directory, &old);
        }
        plan.old_sessions(sessions, policy, now);
        plan.old_logs(&self.logs(), policy.log_bytes, &old);
        self.unused_blobs(&mut plan, &old);
        plan
    }

    /// Removes what a plan names.
    pub fn gc(&self, plan: &GcPlan) -> GcReport {
        let mut report = GcReport::default();
        for item in &plan.items {
            let removed = match item.garbage {
                Garbage::Session => self.delete(&item.path),
                Garbage::Artifacts => std::fs::remove_dir_all(&item.path),
                Garbage::Blob | Garbage::Working | Garbage::Log => std::fs::remove_file(&item.path),
            };
            match removed {
                Ok(()) => {
                    report.removed += 1;
                    report.bytes += item.bytes;
                }
                Err(error) => report.failed.push((item.path.clone(), error)),
            }
        }
        report
    }

    fn unused_blobs(&self, plan: &mut GcPlan, old: &impl Fn(&Path) -> bool) {
        let store = self.blobs();
        let gone: HashSet<&PathBuf> = plan
            .items
            .iter()
            .filter(|item| item.garbage == Garbage::Session)
            .map(|item| &item.path)
            .collect();
        let mut used = HashSet::new();
        let mut unreadable = Vec::new();
        let elsewhere = store.remembered();
        for directory in [self.root.path()].iter().chain(&elsewhere).chain(&self.explicit) {
            for_each_file(directory, 0, &mut |path, _| {
                let session = path.extension().is_some_and(|extension| extension == layout::EXTENSION);
                if (session || is_set_aside(path)) && !gone.contains(&path.to_path_buf()) {
                    let read = File::open(path).and_then(|file| collect_references(file, &mut used));
                    if read.is_err() {
                        unreadable.push(path.to_owned());
                    }
                }
            });
        }
        plan.unreadable = unreadable;
        if !plan.unreadable.is_empty() {
            return;
        }
        for_each_file(store.directory(), 0, &mut |path, bytes| {
            let name = path.file_stem().and_then(|name| name.to_str()).and_then(BlobHash::parse);
            if name.is_some_and(|hash| !used.contains(&hash)) && old(path) {
                // A second name for the same bytes gains nothing.
                let bytes = if path.extension().is_none() { bytes } else { 0 };
                plan.items.push(GcItem { path: path.to_owned(), garbage: Garbage::Blob, bytes });
            }
        });
    }
}

impl GcPlan {
    fn old_sessions(&mut self, mut sessions: Vec<KeptSession>, policy: &GcPolicy, now: SystemTime) {
        sessions.sort_by_key(|session| session.modified);
        let mut total: u64 = sessions.iter().map(|session| session.bytes).sum();
        for session in sessions {
            let age = now.duration_since(session.modified).unwrap_or_default();
            let too_old = policy.session_age.is_some_and(|limit| age > limit);
            let too_much = policy.session_bytes.is_some_and(|limit| total > limit);
            if age >= policy.grace && (too_old || too_much) {
                total -= session.bytes;
                self.items.push(GcItem {
                    path: session.path,
                    garbage: Garbage::Session,
                    bytes: session.bytes,
                });
            }
        }
    }

    fn old_logs(&mut self, logs: &Path, limit: Option<u64>, old: &impl Fn(&Path) -> bool) {
        let Some(limit) = limit else { return };
        let mut files = Vec::new();
        for_each_file(logs, 0, &mut |path, bytes| files.push((modified(path), path.to_owned(), bytes)));
        files.sort();
        let mut total: u64 = files.iter().map(|(_, _, bytes)| bytes).sum();
        for (_, path, bytes) in files {
            if total > limit && old(&path) {
                total -= bytes;
                self.items.push(GcItem { path, garbage: Garbage::Log, bytes });
            }
        }
    }

    /// What belongs to no session, or was never finished.
    fn leftovers(&mut self, directory: &Path, old: &impl Fn(&Path) -> bool) {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(metadata) = entry.metadata() else { continue };
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let name = entry.file_name().to_string_lossy().into_owned();
            let garbage = if metadata.is_dir() {
                let session = layout::beside(&path, layout::EXTENSION);
                (layout::is_session_name(&path) && !session.exists()).then_some(Garbage::Artifacts)
            } else {
                let session = path.with_extension("");
                let ours = session.extension().is_some_and(|extension| extension == layout::EXTENSION);
                let side =
                    ours && [index::EXTENSION, lock::EXTENSION].contains(&extension) && !session.exists();
                let unfinished = name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1);
                (side || unfinished).then_some(Garbage::Working)
            };
            if let Some(garbage) = garbage.filter(|_| old(&path)) {
                let bytes = if metadata.is_dir() { size_below(&path) } else { metadata.len() };
                self.items.push(GcItem { path, garbage, bytes });
            }
        }
    }
}

fn sessions_in(directory: &Path) -> Vec<KeptSession> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let session = path.extension().is_some_and(|extension| extension == layout::EXTENSION);
        let Ok(metadata) = entry.metadata() else { continue };
        let session = session && metadata.is_file() && layout::is_session_name(&path);
        // What cannot be read as a session may be anything, and nobody said that it may go.
        if session && matches!(slice::header_of(&path), Ok(Some(_))) {
            let bytes = metadata.len() + size_below(&artifacts_directory(&path));
            found.push(KeptSession {
                modified: metadata.modified().unwrap_or(SystemTime::now()),
                path,
                bytes,
            });
        }
    }
    found
}

fn size_below(directory: &Path) -> u64 {
    let mut sum = 0;
    for_each_file(directory, 0, &mut |_, bytes| sum += bytes);
    sum
}

fn modified(path: &Path) -> SystemTime {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::now())
}

/// A time in the future, from a clock that was wrong, is no age.
fn is_older(path: &Path, now: SystemTime, than: Duration) -> bool {
    now.duration_since(modified(path)).is_ok_and(|age| age >= than)
}

/// Every blob that is named anywhere in a file.
fn collect_references(mut file: File, used: &mut HashSet<BlobHash>) -> io::Result<()> {
    let overlap = blobs::PREFIX.len() + 64;
    let mut buffer = vec![0; BUFFER];
    let mut kept = 0;
    loop {
        let read = file.read(&mut buffer[kept..])?;
        if read == 0 {
            return Ok(());
        }
        let filled = kept + read;
        used.extend(references(&buffer[..filled]));
        // A reference may continue in the next part.
        kept = filled.min(overlap);
        buffer.copy_within(filled - kept..filled, 0);
    }
}
