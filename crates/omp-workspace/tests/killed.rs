//! A program that is killed while it writes: the file is the old one or the new one, and what is left beside it is
//! removed by the next write.
#![allow(clippy::disallowed_methods, reason = "the process is ours to kill, and is waited for")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use omp_workspace::write::{Mode, write};

/// Set in the program that is killed: the file that it writes again and again.
const FILE: &str = "OMP_TEST_WRITES";
const LINES: usize = 2_000;
const ROUNDS: usize = 12;

/// A content that tells which it is, and whether it is whole.
fn content(version: usize) -> String {
    format!("{version}\n").repeat(LINES)
}

fn version(path: &Path) -> Option<usize> {
    let text = fs::read_to_string(path).unwrap();
    let version = text.lines().next()?.parse().ok()?;
    assert_eq!(text, content(version), "a part of a file");
    Some(version)
}

#[test]
fn a_kill_leaves_one_whole_file() {
    if let Some(path) = std::env::var_os(FILE) {
        for version in 0.. {
            write(path.as_ref(), content(version).as_bytes(), Mode::Keep).unwrap();
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    for round in 0..ROUNDS {
        write(&path, content(0).as_bytes(), Mode::Keep).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_kill_leaves_one_whole_file"])
            .env(FILE, &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Somewhere in a write, another one each time.
        while version(&path).is_none_or(|version| version < 5 + 3 * round) {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        version(&path).unwrap();
        let left: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        // Where content has a name from the beginning, each kill may leave one; see `sys::portable`.
        let most = if cfg!(all(target_os = "linux", not(omp_portable))) { 2 } else { 2 + round };
        assert!(left.len() <= most, "{left:?}");
    }
}

/// What was left long ago goes; what another program may be about to rename stays.
#[test]
fn the_next_write_removes_what_was_left() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    let names = || {
        let entries = fs::read_dir(directory.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let left = directory.path().join(temporary_name(&path));
    fs::write(&left, "half of").unwrap();
    write(&path, b"one", Mode::Keep).unwrap();
    assert_eq!(names().len(), 2, "it may be in use: {:?}", names());
    let file = fs::OpenOptions::new().write(true).open(&left).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(600)).unwrap();
    write(&path, b"two", Mode::Keep).unwrap();
    assert_eq!(names(), ["f"]);
    assert_eq!(fs::read(&path).unwrap(), b"two");
}

/// The name that a write gives its new content in its last moment.
fn temporary_name(path: &Path) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    path.file_name().hash(&mut hasher);
    format!(".omp-{:016x}.tmp", hasher.finish())
}
