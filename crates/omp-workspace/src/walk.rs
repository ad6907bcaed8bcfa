//! Walks through directories, as fast as two cores allow and never for longer than it may take.

use std::path::Path;
use std::sync::Arc;
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
    let gate = Arc::new(Gate {
        left: AtomicU64::new(options.entries),
        deadline: options.deadline,
        end: AtomicU8::new(End::Complete as u8),
    });
    let entrance = Arc::clone(&gate);
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
        .filter_entry(move |entry| entry.file_name() != ".git" && entrance.admits());
    let seen = AtomicU64::new(0);
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            if seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(CHECK_EVERY) {
                if (options.cancelled)() {
                    gate.close(End::Cancelled);
                } else if gate.is_late() {
                    gate.close(End::Deadline);
                }
            }
            if gate.is_abandoned() {
                return WalkState::Quit;
            }
            if let Ok(entry) = entry
                && entry.depth() > 0
            {
                visit(&entry);
            }
            WalkState::Continue
        })
    });
    gate.end()
}

/// Decides which entries come in at all. A directory is read to its end before its entries are visited, so a limit
/// that only visitors saw would come too late for a directory with millions of them.
struct Gate {
    left: AtomicU64,
    deadline: Option<Instant>,
    end: AtomicU8,
}

impl Gate {
    fn admits(&self) -> bool {
        if self.end.load(Ordering::Relaxed) != End::Complete as u8 {
            return false;
        }
        let take = |left: u64| left.checked_sub(1);
        let Ok(left) = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) else {
            self.close(End::Entries);
            return false;
        };
        if left.is_multiple_of(CHECK_EVERY) && self.is_late() {
            self.close(End::Deadline);
            return false;
        }
        true
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The first reason counts, but one that also ends the visits is stronger than one that does not.
    fn close(&self, why: End) {
        let stronger = |now: u8| {
            let open = now == End::Complete as u8 || (now == End::Entries as u8 && why != End::Entries);
            open.then_some(why as u8)
        };
        let _ = self.end.fetch_update(Ordering::Relaxed, Ordering::Relaxed, stronger);
    }

    /// Nobody waits for the entries that are in already. Those within the number asked for are visited.
    fn is_abandoned(&self) -> bool {
        matches!(self.end(), End::Deadline | End::Cancelled)
    }

    fn end(&self) -> End {
        match self.end.load(Ordering::Relaxed) {
            code if code == End::Deadline as u8 => End::Deadline,
            code if code == End::Entries as u8 => End::Entries,
            code if code == End::Cancelled as u8 => End::Cancelled,
            _ => End::Complete,
        }
    }
}
