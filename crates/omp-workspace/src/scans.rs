//! What is below a directory, remembered for a moment: completion asks again with every keystroke.
//!
//! A scan is a list of everything below a root. It is used again for a second, and until somebody says that something
//! [`changed`](Scans::changed). An empty answer from a list that is not fresh is not believed: see [`Scans::ask`].

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::walk::{self, End, walk_choosing};

/// Entries of one scan; a larger tree is cut.
const MAX_ENTRIES: u64 = 200_000;
/// Entries of all scans together.
const MAX_REMEMBERED: usize = 1_000_000;

/// What a scan passes over, and what it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Names that begin with a dot. `.git` is never listed.
    pub hidden: bool,
    /// Pass over what `.gitignore` and its kin name.
    pub gitignore: bool,
    /// List what is below `node_modules`.
    pub node_modules: bool,
    pub detail: Detail,
}

impl Default for Options {
    /// What a person would want to name.
    fn default() -> Self {
        Self { hidden: true, gitignore: true, node_modules: false, detail: Detail::Names }
    }
}

/// How much is known of each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Names,
    /// Sizes and times too.
    Metadata,
}

/// A file or directory below the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanEntry {
    /// Relative to the root, with `/` between and, of a directory, behind the names.
    pub path: Box<str>,
    /// With [`Detail::Metadata`].
    pub metadata: Option<Metadata>,
}

impl ScanEntry {
    pub fn is_directory(&self) -> bool {
        self.path.ends_with('/')
    }
}

/// Size and time of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    pub bytes: u64,
    pub modified: Option<SystemTime>,
}

/// Everything below a root, in the order of its paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    pub entries: Vec<ScanEntry>,
    /// Anything but [`End::Complete`] means that there may be more.
    pub end: End,
}

/// How long scans are good for, and how many are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nothing is kept if it is zero.
    pub ttl: Duration,
    /// An empty answer from an older scan is checked with a fresh one.
    pub empty_recheck: Duration,
    pub scans: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { ttl: Duration::from_millis(1000), empty_recheck: Duration::from_millis(200), scans: 16 }
    }
}

/// Tells the time.
pub type Clock = Box<dyn Fn() -> Instant + Send + Sync>;

/// Scans of several roots.
pub struct Scans {
    limits: Limits,
    now: Clock,
    kept: Mutex<ScanCache>,
}

#[derive(Default)]
struct ScanCache {
    /// The oldest first.
    scans: VecDeque<KeptScan>,
    /// Counts changes: a scan that was under way during one is out of date when it is done.
    changes: u64,
}

struct KeptScan {
    root: PathBuf,
    options: Options,
    made: Instant,
    scan: Arc<Scan>,
}

impl Default for Scans {
    fn default() -> Self {
        Self::new(Limits::default(), Box::new(Instant::now))
    }
}

impl Scans {
    /// An empty memory.
    pub fn new(limits: Limits, now: Clock) -> Self {
        Self { limits, now, kept: Mutex::default() }
    }

    /// What is below `root`, perhaps as it was a moment ago. Waits for the disk.
    pub fn get(&self, root: &Path, options: Options, cancelled: &(dyn Fn() -> bool + Sync)) -> Arc<Scan> {
        match self.remembered(root, options) {
            Some((scan, _)) => scan,
            None => self.fresh(root, options, cancelled),
        }
    }

    /// Asks a question about what is below `root`. Where the answer is empty and the scan is not quite new, it is
    /// asked again about a fresh one. Waits for the disk.
    pub fn ask<T>(
        &self,
        root: &Path,
        options: Options,
        cancelled: &(dyn Fn() -> bool + Sync),
        question: impl Fn(&Scan) -> Vec<T>,
    ) -> Vec<T> {
        let Some((scan, age)) = self.remembered(root, options) else {
            return question(&self.fresh(root, options, cancelled));
        };
        let answer = question(&scan);
        match answer.is_empty() && age >= self.limits.empty_recheck {
            true => question(&self.fresh(root, options, cancelled)),
            false => answer,
        }
    }

    /// Something was written, deleted or renamed at `path`: scans that could list it are forgotten.
    pub fn changed(&self, path: &Path) {
        let real = real(path);
        let mut kept = self.kept();
        kept.changes += 1;
        kept.scans.retain(|scan| !real.starts_with(&scan.root) && !scan.root.starts_with(&real));
    }

    /// Anything may have changed, as after a command.
    pub fn clear(&self) {
        let mut kept = self.kept();
        kept.changes += 1;
        kept.scans.clear();
    }

    fn kept(&self) -> MutexGuard<'_, ScanCache> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A scan that is still good, and its age.
    fn remembered(&self, root: &Path, options: Options) -> Option<(Arc<Scan>, Duration)> {
        let (root, now) = (real(root), (self.now)());
        let mut kept = self.kept();
        let ttl = self.limits.ttl;
        kept.scans.retain(|scan| now.saturating_duration_since(scan.made) < ttl);
        let found = kept.scans.iter().find(|scan| scan.root == root && scan.options == options)?;
        Some((Arc::clone(&found.scan), now.saturating_duration_since(found.made)))
    }

    fn fresh(&self, root: &Path, options: Options, cancelled: &(dyn Fn() -> bool + Sync)) -> Arc<Scan> {
        let changes = self.kept().changes;
        let scan = Arc::new(scan(root, options, cancelled));
        let (root, made) = (real(root), (self.now)());
        let mut kept = self.kept();
        let complete = matches!(scan.end, End::Complete | End::Entries);
        if kept.changes != changes || !complete || self.limits.ttl.is_zero() {
            return scan;
        }
        kept.scans.retain(|known| known.root != root || known.options != options);
        kept.scans.push_back(KeptScan { root, options, made, scan: Arc::clone(&scan) });
        let size = |kept: &ScanCache| kept.scans.iter().map(|known| known.scan.entries.len()).sum::<usize>();
        while kept.scans.len() > self.limits.scans || size(&kept) > MAX_REMEMBERED {
            kept.scans.pop_front();
        }
        scan
    }
}

/// The path behind links, also of a file that is gone: then its directory is looked up.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent().and_then(|parent| parent.canonicalize().ok()), path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}

/// Lists everything below `root`.
fn scan(root: &Path, options: Options, cancelled: &(dyn Fn() -> bool + Sync)) -> Scan {
    let found = Mutex::new(Vec::new());
    let walk_options = walk::Options {
        hidden: options.hidden,
        gitignore: options.gitignore,
        deadline: None,
        entries: MAX_ENTRIES,
        cancelled,
    };
    let enters = |entry: &walk::WalkEntry| options.node_modules || !entry.path().ends_with("node_modules");
    let end = walk_choosing(root, &walk_options, &enters, &|entry| {
        let Ok(below) = entry.path().strip_prefix(root) else { return };
        // A link of that name leads to what is not wanted.
        if !enters(entry) {
            return;
        }
        let mut path = below.to_string_lossy().into_owned();
        if entry.is_directory() {
            path.push('/');
        }
        let metadata = match options.detail {
            Detail::Names => None,
            Detail::Metadata => entry
                .path()
                .symlink_metadata()
                .ok()
                .map(|known| Metadata { bytes: known.len(), modified: known.modified().ok() }),
        };
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.push(ScanEntry { path: path.into_boxed_str(), metadata });
    });
    let mut entries = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Scan { entries, end }
}
