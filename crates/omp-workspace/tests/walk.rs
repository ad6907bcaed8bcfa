//! Walks: what ends them, and what they have seen by then.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use omp_workspace::walk::{End, Options, walk, walk_choosing};

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

/// More entries than may wait for their visit: each is visited once, and what is ignored is not.
#[test]
fn a_crowd_is_visited_once() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(".gitignore"), "*7\n").unwrap();
    let (crowd, deep) = (directory.path().join("crowd"), directory.path().join("crowd/sub/deep"));
    std::fs::create_dir_all(&deep).unwrap();
    for number in 0..23_000 {
        std::fs::File::create(crowd.join(format!("f{number}"))).unwrap();
    }
    std::fs::write(deep.join("last"), "").unwrap();
    let visits = Mutex::new(HashMap::new());
    let options =
        Options { hidden: false, gitignore: true, deadline: None, entries: u64::MAX, cancelled: &|| false };
    let end = walk(directory.path(), &options, &|entry| {
        *visits.lock().unwrap().entry(entry.path().to_owned()).or_insert(0) += 1;
    });
    let visits = visits.into_inner().unwrap();
    assert_eq!(end, End::Complete);
    assert!(visits.values().all(|count| *count == 1));
    // The directories, the file in the deepest, and nine of ten in the crowd.
    assert_eq!(visits.len(), 3 + 1 + 20_700);
    assert!(visits.contains_key(&deep.join("last")));
}

/// What is not entered does not use up what may be looked at.
#[test]
fn a_directory_that_is_not_entered_costs_nothing() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("modules")).unwrap();
    for number in 0..50 {
        std::fs::write(directory.path().join(format!("modules/f{number}")), "").unwrap();
    }
    std::fs::write(directory.path().join("a"), "").unwrap();
    let visited = AtomicU64::new(0);
    let options = Options { hidden: true, gitignore: true, deadline: None, entries: 1, cancelled: &|| false };
    let end = walk_choosing(directory.path(), &options, &|entry| !entry.path().ends_with("modules"), &|_| {
        visited.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!((end, visited.into_inner()), (End::Complete, 1));
}
