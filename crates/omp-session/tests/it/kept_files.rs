//! The history of files among the artifacts of a session: it stays as long as the session does.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use omp_session::{FILE_HISTORY, Garbage, GcPolicy, artifacts_directory};

use crate::support::{World, age};

const YEAR: u64 = 365 * 24 * 3600;
const JOURNAL: &str = "{\"line\":\"begun\"}\n";

/// Leaves a history of files that nobody has touched for years; its bytes.
fn with_history(session: &Path) -> u64 {
    let history = artifacts_directory(session).join(FILE_HISTORY);
    std::fs::create_dir_all(history.join("contents")).unwrap();
    let content = history.join("contents").join("ab".repeat(32));
    std::fs::write(&content, [7; 5000]).unwrap();
    std::fs::write(history.join("journal"), JOURNAL).unwrap();
    for file in [&content, &history.join("journal")] {
        age(file, 3 * YEAR);
    }
    for directory in [history.join("contents"), history, artifacts_directory(session)] {
        let then = SystemTime::now() - Duration::from_secs(3 * YEAR);
        std::fs::File::open(directory).unwrap().set_modified(then).unwrap();
    }
    5000 + JOURNAL.len() as u64
}

fn plan(world: &World, policy: &GcPolicy) -> Vec<(PathBuf, Garbage, u64)> {
    let plan = world.sessions.gc_plan(policy, SystemTime::now());
    plan.items.into_iter().map(|item| (item.path, item.garbage, item.bytes)).collect()
}

/// As long as there is a session, nothing of its history is collected, however old it is; it is counted.
#[test]
fn the_history_of_a_session_stays_with_it() {
    let world = World::new();
    let session = world.saved(&world.project, "hi");
    let bytes = with_history(&session);
    age(&session, 2 * YEAR);
    let no_grace = GcPolicy { grace: Duration::ZERO, ..GcPolicy::default() };
    assert_eq!(plan(&world, &no_grace), []);
    let usage = world.sessions.usage();
    assert_eq!((usage.artifacts.files, usage.artifacts.bytes), (2, bytes));
    world.sessions.gc(&world.sessions.gc_plan(&no_grace, SystemTime::now()));
    assert_eq!(world.sessions.usage(), usage);
}

/// A session that goes takes its history along, and what that gains is counted; so does one that was deleted by hand.
#[test]
fn the_history_of_a_session_goes_with_it() {
    let world = World::new();
    let [old, deleted] = ["old", "deleted"].map(|prompt| world.saved(&world.project, prompt));
    let bytes = with_history(&old);
    with_history(&deleted);
    let size = std::fs::metadata(&old).unwrap().len();
    std::fs::remove_file(&deleted).unwrap();
    age(&old, 2 * YEAR);
    let artifacts = (artifacts_directory(&deleted), Garbage::Artifacts, bytes);
    assert_eq!(plan(&world, &GcPolicy::default()), std::slice::from_ref(&artifacts));
    let aged = GcPolicy { session_age: Some(Duration::from_secs(YEAR)), ..GcPolicy::default() };
    assert_eq!(plan(&world, &aged), [artifacts, (old.clone(), Garbage::Session, size + bytes)]);
    let small = GcPolicy { session_bytes: Some(size), ..GcPolicy::default() };
    assert_eq!(plan(&world, &small).len(), 2, "a history counts for the size of its session");

    let report = world.sessions.gc(&world.sessions.gc_plan(&aged, SystemTime::now()));
    assert_eq!((report.removed, report.bytes, report.failed.len()), (2, size + 2 * bytes, 0));
    assert!(!artifacts_directory(&old).exists() && !artifacts_directory(&deleted).exists());
}

/// Beside a file that a user named only the history goes, and only if it is one.
#[test]
fn the_history_beside_a_file_that_a_user_named_goes_alone() {
    let world = World::new();
    let [mine, notes] = ["mine.jsonl", "notes.jsonl"].map(|name| world.base.join(name));
    for session in [&mine, &notes] {
        drop(world.open(session));
        with_history(session);
        std::fs::write(artifacts_directory(session).join("thesis.txt"), "my own").unwrap();
    }
    let journal = artifacts_directory(&notes).join(FILE_HISTORY).join("journal");
    std::fs::write(&journal, "Dear journal,\n").unwrap();
    for session in [&mine, &notes] {
        world.sessions.delete(session).unwrap();
        assert!(artifacts_directory(session).join("thesis.txt").exists());
    }
    assert!(!artifacts_directory(&mine).join(FILE_HISTORY).exists());
    assert_eq!(std::fs::read_to_string(journal).unwrap(), "Dear journal,\n");
}

/// A copy has the other artifacts; the history of files is copied by who understands it.
#[test]
fn the_history_is_not_copied_with_other_artifacts() {
    let world = World::new();
    let session = world.saved(&world.project, "hi");
    with_history(&session);
    let artifacts = artifacts_directory(&session);
    std::fs::write(artifacts.join("0.bash.log"), "output").unwrap();
    std::fs::create_dir_all(artifacts.join("below").join(FILE_HISTORY)).unwrap();
    std::fs::write(artifacts.join("below").join(FILE_HISTORY).join("x"), "x").unwrap();
    let copy = world.sessions.copy(&session, &world.project).unwrap();
    assert_eq!(copy.warnings, [""; 0]);
    let artifacts = artifacts_directory(&copy.path);
    assert!(artifacts.join("0.bash.log").exists() && !artifacts.join(FILE_HISTORY).exists());
    assert!(artifacts.join("below").join(FILE_HISTORY).join("x").exists(), "only its own");
}
