//! What a destructive command would hit: how much, how large, how fresh.

use std::fs::{Metadata, read_dir, symlink_metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A question does not wait longer for its numbers.
const PATIENCE: Duration = Duration::from_millis(200);
/// What changed since then may be work that nothing else has.
const TODAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Entries between two looks at the clock.
const PACE: u64 = 64;

/// What is in a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub files: u64,
    pub bytes: u64,
    pub newest: Option<SystemTime>,
    /// Files that changed within a day.
    pub fresh: u64,
    /// There was no time to look at all of it.
    pub partial: bool,
}

/// Counts what is in these places, as far as the time allows. Links are not followed.
pub fn measure(places: &[PathBuf], now: SystemTime) -> Footprint {
    let deadline = Instant::now() + PATIENCE;
    let mut footprint = Footprint::default();
    let mut waiting: Vec<PathBuf> = places.to_vec();
    let mut seen = 0_u64;
    while let Some(path) = waiting.pop() {
        let Ok(metadata) = symlink_metadata(&path) else { continue };
        if !metadata.is_dir() {
            footprint.add(&metadata, now);
            continue;
        }
        for entry in read_dir(&path).into_iter().flatten().flatten() {
            seen += 1;
            if seen.is_multiple_of(PACE) && Instant::now() >= deadline {
                footprint.partial = true;
                return footprint;
            }
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => waiting.push(entry.path()),
                Ok(metadata) => footprint.add(&metadata, now),
                Err(_) => {}
            }
        }
    }
    footprint
}

impl Footprint {
    fn add(&mut self, metadata: &Metadata, now: SystemTime) {
        self.files += 1;
        self.bytes += metadata.len();
        let Ok(modified) = metadata.modified() else { return };
        self.newest = self.newest.max(Some(modified));
        let fresh = now.duration_since(modified).unwrap_or_default() < TODAY;
        self.fresh += u64::from(fresh);
    }

    /// The numbers as a sentence: `9,800 files, 41 GB, newest change 2 min ago, 3 changed today`.
    pub fn sentence(&self, now: SystemTime) -> String {
        let more = if self.partial { "more than " } else { "" };
        let files = if self.files == 1 { "file" } else { "files" };
        let mut parts = vec![format!("{more}{} {files}", grouped(self.files)), size(self.bytes)];
        if let Some(newest) = self.newest {
            parts.push(format!("newest change {}", ago(now.duration_since(newest).unwrap_or_default())));
        }
        if self.fresh > 0 && self.files > 1 {
            parts.push(format!("{} changed today", grouped(self.fresh)));
        }
        parts.join(", ")
    }
}

/// Is a place outside of all these directories?
pub fn is_outside(path: &Path, roots: &[&Path]) -> bool {
    !roots.iter().any(|root| path.starts_with(root))
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn size(bytes: u64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    match value < 10.0 && unit > 0 {
        true => format!("{value:.1} {}", units[unit]),
        false => format!("{value:.0} {}", units[unit]),
    }
}

fn ago(age: Duration) -> String {
    match age.as_secs() {
        0..60 => "just now".to_owned(),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_in_a_sentence() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let newest = Some(now - Duration::from_secs(125));
        let footprint = Footprint { files: 9_800, bytes: 41_300_000_000, newest, fresh: 3, partial: false };
        assert_eq!(footprint.sentence(now), "9,800 files, 41 GB, newest change 2 min ago, 3 changed today");
        let one = Footprint { files: 1, bytes: 1_234, newest: None, fresh: 0, partial: false };
        assert_eq!(one.sentence(now), "1 file, 1.2 KB");
        assert_eq!(Footprint { partial: true, ..one }.sentence(now), "more than 1 file, 1.2 KB");
    }

    #[test]
    fn what_is_below_a_place_is_counted_without_following_links() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("tree");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/one"), "12345").unwrap();
        std::fs::write(root.join("two"), "12").unwrap();
        std::fs::write(scratch.path().join("outside"), "123456789").unwrap();
        std::os::unix::fs::symlink(scratch.path(), root.join("link")).unwrap();
        let footprint = measure(std::slice::from_ref(&root), SystemTime::now());
        assert_eq!(
            (footprint.files, footprint.fresh, footprint.partial),
            (3, 3, false),
            "two files and the link itself"
        );
        assert!(footprint.bytes < 5 + 2 + 4096 && footprint.newest.is_some());
        assert_eq!(measure(&[root.join("missing")], SystemTime::now()), Footprint::default());
    }

    /// A large tree is not counted to its end.
    #[test]
    fn counting_is_bounded() {
        let begun = Instant::now();
        measure(&[PathBuf::from("/")], SystemTime::now());
        assert!(begun.elapsed() < PATIENCE * 10, "{:?}", begun.elapsed());
    }
}
