//! Walks through directories, as fast as two cores allow and never for longer than it may take.

use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
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
/// Entries that may wait for their visit. A directory is read to its end before its entries are visited, and one with
/// millions of them would fill the memory.
const WAITING: u64 = 20_000;
/// Entries beyond that are handed over one by one; so many are on their way.
const HANDED_OVER: usize = 256;

/// Visits everything below `root`, but not `root` itself. Several threads visit at once. What cannot be read is passed
/// over, and so is the inside of `.git`.
pub fn walk(root: &Path, options: &Options<'_>, visit: &(dyn Fn(&DirEntry) + Sync)) -> End {
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let (sender, receiver) = mpsc::sync_channel(HANDED_OVER);
    let gate = Arc::new(Gate {
        left: AtomicU64::new(options.entries),
        deadline: options.deadline,
        end: AtomicU8::new(End::Complete as u8),
        waiting: AtomicU64::new(0),
    });
    let visitor = Visitor { gate: &gate, options, visit, seen: AtomicU64::new(0) };
    let handed_over = Mutex::new(receiver);
    std::thread::scope(|scope| {
        let helpers = (0..threads).filter(|_| {
            let helper = std::thread::Builder::new();
            helper.spawn_scoped(scope, || visitor.take_over(&handed_over)).is_ok()
        });
        // Without anybody who takes them, all entries wait.
        let beyond = (helpers.count() > 0).then_some(sender);
        let mut builder = builder(root, options, threads);
        let entrance = Arc::clone(&gate);
        builder.filter_entry(move |entry| {
            entry.file_name() != ".git" && entrance.admits() && entrance.keeps(entry, beyond.as_ref())
        });
        builder.build_parallel().run(|| {
            Box::new(|entry| match entry {
                Ok(entry) if entry.depth() > 0 => {
                    gate.waiting.fetch_sub(1, Ordering::Relaxed);
                    visitor.look(&entry)
                }
                _ => visitor.check(),
            })
        });
    });
    gate.end()
}

fn builder(root: &Path, options: &Options<'_>, threads: usize) -> WalkBuilder {
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
        .threads(threads);
    builder
}

/// Whoever looks at entries, on several threads.
struct Visitor<'a> {
    gate: &'a Gate,
    options: &'a Options<'a>,
    visit: &'a (dyn Fn(&DirEntry) + Sync),
    seen: AtomicU64,
}

impl Visitor<'_> {
    fn look(&self, entry: &DirEntry) -> WalkState {
        let state = self.check();
        if state == WalkState::Continue {
            (self.visit)(entry);
        }
        state
    }

    /// Is it time to end?
    fn check(&self) -> WalkState {
        if self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(CHECK_EVERY) {
            if (self.options.cancelled)() {
                self.gate.close(End::Cancelled);
            } else if self.gate.is_late() {
                self.gate.close(End::Deadline);
            }
        }
        if self.gate.is_abandoned() { WalkState::Quit } else { WalkState::Continue }
    }

    /// Looks at what is handed over until there is nobody left who could hand over more.
    fn take_over(&self, entries: &Mutex<Receiver<DirEntry>>) {
        let next = || entries.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(entry) = next() {
            self.look(&entry);
        }
    }
}

/// Decides which entries come in at all. A directory is read to its end before its entries are visited, so a limit
/// that only visitors saw would come too late for a directory with millions of them.
struct Gate {
    left: AtomicU64,
    deadline: Option<Instant>,
    end: AtomicU8,
    /// Entries that are in and not yet visited.
    waiting: AtomicU64,
}

impl Gate {
    /// Does an entry wait for its visit? Where too many do, it is handed to somebody who looks at it now; directories
    /// always wait.
    fn keeps(&self, entry: &DirEntry, beyond: Option<&SyncSender<DirEntry>>) -> bool {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        if self.waiting.load(Ordering::Relaxed) >= WAITING && !is_directory {
            let handed_over = beyond.is_some_and(|beyond| beyond.send(entry.clone()).is_ok());
            if handed_over {
                return false;
            }
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        true
    }

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
