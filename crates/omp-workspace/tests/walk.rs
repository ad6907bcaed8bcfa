//! Walks: what ends them, and what they have seen by then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use omp_workspace::walk::{End, Options, walk};

/// Why a walk through 300 files of one directory ended, and how many it visited.
fn ended(deadline: Option<Instant>, entries: u64, cancelled: bool) -> (End, u64) {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..300 {
        std::fs::write(directory.path().join(format!("f{number}")), "").unwrap();
    }
    let visited = AtomicU64::new(0);
    let options = Options { hidden: true, gitignore: true, deadline, entries, cancelled: &|| cancelled };
    let end = walk(directory.path(), &options, &|_| {
        visited.fetch_add(1, Ordering::Relaxed);
    });
    (end, visited.into_inner())
}

/// A limit holds inside a directory too: a single one may have millions of entries.
#[test]
fn walks_end_for_a_reason() {
    assert_eq!(ended(None, u64::MAX, false), (End::Complete, 300));
    assert_eq!(ended(None, 300, false), (End::Complete, 300));
    assert_eq!(ended(None, 100, false), (End::Entries, 100));
    assert_eq!(ended(None, u64::MAX, true), (End::Cancelled, 0));
    let (end, visited) = ended(Some(Instant::now()), u64::MAX, false);
    assert!(end == End::Deadline && visited < 300, "{end:?} {visited}");
}

/// Somebody who loses interest is heard even when all entries are in already.
#[test]
fn an_abort_counts_after_the_last_entry() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..300 {
        std::fs::write(directory.path().join(format!("f{number}")), "").unwrap();
    }
    let visited = AtomicU64::new(0);
    let cancelled = || visited.load(Ordering::Relaxed) > 0;
    let options =
        Options { hidden: true, gitignore: true, deadline: None, entries: 299, cancelled: &cancelled };
    let end = walk(directory.path(), &options, &|_| {
        visited.fetch_add(1, Ordering::Relaxed);
    });
    assert!(end == End::Cancelled && visited.into_inner() < 299, "{end:?}");
}
