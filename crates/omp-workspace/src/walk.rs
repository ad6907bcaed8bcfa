//! Walks through directories, as fast as two cores allow and never for longer than it may take.

use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

use ignore::{DirEntry, WalkBuilder, WalkState};

/// What a walk passes over, and when it ends.
pub struct Options<'a> {
    /// Look at names that begin with a dot.
    pub hidden: bool,
    /// Pass over what `.gitignore` and its kin name.
    pub gitignore: bool,
    /// Give up then; what was found stays.
    pub deadline: Option<Instant>,
    /// Give up after so many entries.
    pub entries: u64,
    /// Somebody no longer wants to know.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Complete,
    Deadline,
    Entries,
    Cancelled,
}

/// How often the clock is looked at.
const CHECK_EVERY: u64 = 64;

/// Visits everything below `root`, but not `root` itself. Several threads visit at once. What cannot be read is passed
/// over, and so is the inside of `.git`.
pub fn walk(root: &Path, options: &Options<'_>, visit: &(dyn Fn(&DirEntry) + Sync)) -> End {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(!options.hidden)
        .ignore(options.gitignore)
        .git_ignore(options.gitignore)
        .git_global(options.gitignore)
        .git_exclude(options.gitignore)
        .parents(options.gitignore)
        // A directory need not be a repository to say what it does not want to show.
        .require_git(false)
        .follow_links(false)
        .threads(std::thread::available_parallelism().map_or(2, usize::from))
        .filter_entry(|entry| entry.file_name() != ".git");
    let seen = AtomicU64::new(0);
    let end = AtomicU8::new(0);
    let stop = |why: End| {
        let _ = end.compare_exchange(0, why as u8, Ordering::Relaxed, Ordering::Relaxed);
        WalkState::Quit
    };
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            let count = seen.fetch_add(1, Ordering::Relaxed);
            if count >= options.entries {
                return stop(End::Entries);
            }
            if count.is_multiple_of(CHECK_EVERY) {
                if (options.cancelled)() {
                    return stop(End::Cancelled);
                }
                if options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return stop(End::Deadline);
                }
            }
            if let Ok(entry) = entry
                && entry.depth() > 0
            {
                visit(&entry);
            }
            WalkState::Continue
        })
    });
    match end.load(Ordering::Relaxed) {
        code if code == End::Deadline as u8 => End::Deadline,
        code if code == End::Entries as u8 => End::Entries,
        code if code == End::Cancelled as u8 => End::Cancelled,
        _ => End::Complete,
    }
}
