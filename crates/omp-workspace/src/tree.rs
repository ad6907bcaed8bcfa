//! A directory as an indented list: two levels, newest first, with sizes and ages.
//!
//! Bounded in every direction. A directory is read entry by entry, for half a second at most, and only the newest
//! entries are kept; a subdirectory shows a dozen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How much of a directory is listed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Entries of the directory itself.
    pub root_entries: usize,
    /// Entries of it looked at. To see which are the newest, each of them costs a look.
    pub root_scan: usize,
    /// Entries of each of its subdirectories.
    pub child_entries: usize,
    /// Entries looked at in all subdirectories together; subdirectories beyond are not opened.
    pub child_scan: usize,
    /// How long entries are looked at, in all. A file system behind a network has other ideas of a few entries.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            root_entries: 100_000,
            root_scan: 100_000,
            child_entries: 12,
            child_scan: 100_000,
            time: Duration::from_millis(500),
        }
    }
}

/// A listing, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    pub lines: Vec<String>,
    /// How many entries of the directory were seen; more than `root_entries` are not shown.
    pub root_total: usize,
    pub root_shown: usize,
    /// The directory has more entries than were seen.
    pub root_partial: bool,
}

/// Lists `directory`; ages are relative to `now`.
pub fn list(directory: &Path, now: SystemTime, limits: &Limits) -> io::Result<Tree> {
    let deadline = Instant::now() + limits.time;
    let root = newest(directory, limits.root_entries, limits.root_scan, deadline)?;
    let mut scan_left = limits.child_scan;
    let mut lines = Vec::new();
    for entry in &root.entries {
        lines.push(entry.line("", now));
        if entry.opens() && scan_left > 0 && Instant::now() < deadline {
            // A subdirectory that cannot be read is listed all the same.
            let Ok(children) =
                newest(&directory.join(&entry.name), limits.child_entries, scan_left, deadline)
            else {
                continue;
            };
            scan_left = scan_left.saturating_sub(children.total);
            lines.extend(children.entries.iter().map(|child| child.line("  ", now)));
            lines.extend(children.rest_line("  "));
        }
    }
    Ok(Tree { lines, root_total: root.total, root_shown: root.entries.len(), root_partial: root.stopped })
}

/// The newest entries of one directory.
struct Newest {
    entries: Vec<TreeEntry>,
    /// How many were seen.
    total: usize,
    /// Reading stopped before the end.
    stopped: bool,
}

/// Ordered by age, so that the greatest is the one to drop first: the oldest, then the last by name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct TreeEntry {
    modified: Reverse<SystemTime>,
    name: PathBuf,
    kind: TreeEntryKind,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum TreeEntryKind {
    Directory,
    File(u64),
    Link(PathBuf),
    Special,
    /// Its name is all that may be known. A directory has a slash.
    Closed(&'static str),
}

/// How often the clock is looked at.
const CHECK_EVERY: usize = 64;

fn newest(directory: &Path, keep: usize, scan: usize, deadline: Instant) -> io::Result<Newest> {
    let mut heap = BinaryHeap::new();
    let mut total: usize = 0;
    for entry in std::fs::read_dir(directory)? {
        let is_late = || total > 0 && total.is_multiple_of(CHECK_EVERY) && Instant::now() >= deadline;
        if total == scan || is_late() {
            return Ok(Newest { entries: heap.into_sorted_vec(), total, stopped: true });
        }
        let Ok(entry) = entry else { continue };
        let found = match entry.metadata() {
            Ok(metadata) => TreeEntry::new(&entry, &metadata),
            // An entry that vanishes while we look is not there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(_) => TreeEntry::closed(&entry),
        };
        total += 1;
        heap.push(found);
        if heap.len() > keep {
            heap.pop();
        }
    }
    Ok(Newest { entries: heap.into_sorted_vec(), total, stopped: false })
}

impl Newest {
    fn rest_line(&self, indent: &str) -> Option<String> {
        let rest = self.total - self.entries.len();
        let many = if self.stopped { "+" } else { "" };
        (rest > 0 || self.stopped).then(|| format!("{indent}… {rest}{many} more"))
    }
}

impl TreeEntry {
    fn new(entry: &DirEntry, metadata: &Metadata) -> Self {
        let kind = if metadata.is_dir() {
            TreeEntryKind::Directory
        } else if metadata.is_file() {
            TreeEntryKind::File(metadata.len())
        } else if metadata.is_symlink() {
            TreeEntryKind::Link(std::fs::read_link(entry.path()).unwrap_or_default())
        } else {
            TreeEntryKind::Special
        };
        let modified = Reverse(metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        Self { modified, name: entry.file_name().into(), kind }
    }

    /// One of a directory that lets its names be seen and nothing else.
    fn closed(entry: &DirEntry) -> Self {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let kind = TreeEntryKind::Closed(if is_directory { "/" } else { "" });
        Self { modified: Reverse(SystemTime::UNIX_EPOCH), name: entry.file_name().into(), kind }
    }

    /// Whether its own entries are listed. Those of a repository's inner workings say nothing.
    fn opens(&self) -> bool {
        self.kind == TreeEntryKind::Directory && self.name != Path::new(".git")
    }

    fn line(&self, indent: &str, now: SystemTime) -> String {
        let name = printable(&self.name);
        let age = age(self.modified.0, now);
        match &self.kind {
            TreeEntryKind::Directory => format!("{indent}{name}/  {age}"),
            TreeEntryKind::File(bytes) => format!("{indent}{name}  {}  {age}", size(*bytes)),
            TreeEntryKind::Link(target) => format!("{indent}{name} -> {}  {age}", printable(target)),
            TreeEntryKind::Special => format!("{indent}{name}  (special file)  {age}"),
            TreeEntryKind::Closed(slash) => format!("{indent}{name}{slash}  (no access)"),
        }
    }
}

/// A name on one line, whatever bytes it has.
pub fn printable(name: &Path) -> String {
    let text = name.to_string_lossy();
    if !text.contains(char::is_control) {
        return text.into_owned();
    }
    text.chars().flat_map(|character| escape(character).chars().collect::<Vec<_>>()).collect()
}

fn escape(character: char) -> String {
    if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
}

/// `512B`, `1.5KB`, `23MB`: two digits are enough to choose a file.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value < 9.95 { format!("{value:.1}{}", UNITS[unit]) } else { format!("{value:.0}{}", UNITS[unit]) }
}

/// `just now`, `5m ago`, `3d ago`: the largest whole unit.
fn age(modified: SystemTime, now: SystemTime) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    // A time in the future comes from another machine's clock.
    let seconds = now.duration_since(modified).unwrap_or(Duration::ZERO).as_secs();
    match seconds {
        0..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => format!("{}m ago", seconds / MINUTE),
        HOUR..DAY => format!("{}h ago", seconds / HOUR),
        _ if seconds < 30 * DAY => format!("{}d ago", seconds / DAY),
        _ if seconds < 365 * DAY => format!("{}mo ago", seconds / (30 * DAY)),
        _ => format!("{}y ago", seconds / (365 * DAY)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let sizes = [0, 1023, 1024, 1536, 10_189, 10_240, 1_048_575, 23 << 20, u64::MAX].map(size);
        assert_eq!(sizes, ["0B", "1023B", "1.0KB", "1.5KB", "10KB", "10KB", "1.0MB", "23MB", "16384PB"]);
    }

    #[test]
    fn ages_use_the_largest_unit() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let ages = [0, 59, 60, 3_599, 3_600, 86_400, 29 * 86_400, 30 * 86_400, 364 * 86_400, 365 * 86_400];
        let ages = ages.map(|seconds| age(now - Duration::from_secs(seconds), now));
        let expected = [
            "just now", "just now", "1m ago", "59m ago", "1h ago", "1d ago", "29d ago", "1mo ago",
            "12mo ago", "1y ago",
        ];
        assert_eq!(ages, expected);
        assert_eq!(age(now + Duration::from_secs(9), now), "just now");
    }

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(printable(Path::new("a\nb\u{1b}[31m é")), "a\\nb\\u{1b}[31m é");
    }
}
