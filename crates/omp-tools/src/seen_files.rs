//! What the model was shown of files, so that an edit can prove that it still fits.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_edits::hashline::{NoopGuard, Snapshots, Tag};
use omp_workspace::conflicts::Conflicts;
use omp_workspace::milestones::Milestones;

/// Shared by the tools of one session that show or change files.
#[derive(Default)]
pub(crate) struct SeenFiles {
    /// The texts that edits refer to.
    snapshots: Mutex<Snapshots>,
    noops: Mutex<NoopGuard>,
    /// Where lines of large files begin.
    pub(crate) milestones: Milestones,
    /// Merge conflicts that were shown.
    pub(crate) conflicts: Conflicts,
}

impl SeenFiles {
    /// Larger files are shown without a tag: a tag needs the whole file, and a window of a huge one should not.
    pub(crate) const MAX_BYTES: u64 = 16 * 1024 * 1024;

    /// Remembers a file's whole text, and which lines of it were displayed.
    pub(crate) fn record(&self, path: &Path, text: &str, lines: &[(usize, usize)]) -> Tag {
        let key = Self::key(path);
        let mut snapshots = self.snapshots();
        let tag = snapshots.record(&key, text);
        for (first, last) in lines {
            snapshots.saw(&key, tag, *first, *last);
        }
        tag
    }

    /// More lines of a remembered text were displayed.
    pub(crate) fn saw(&self, path: &Path, tag: Tag, lines: &[(usize, usize)]) {
        let key = Self::key(path);
        let mut snapshots = self.snapshots();
        lines.iter().for_each(|(first, last)| snapshots.saw(&key, tag, *first, *last));
    }

    pub(crate) fn snapshots(&self) -> MutexGuard<'_, Snapshots> {
        self.snapshots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn noops(&self) -> MutexGuard<'_, NoopGuard> {
        self.noops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One file has one key, whatever links lead to it.
    pub(crate) fn key(path: &Path) -> String {
        let resolved = path.canonicalize();
        resolved.as_deref().unwrap_or(path).to_string_lossy().into_owned()
    }
}
