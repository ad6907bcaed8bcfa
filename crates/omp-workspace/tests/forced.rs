//! A new content is on the disk before it takes the name of the old one: a power failure leaves one of both.
#![allow(clippy::disallowed_methods, reason = "a compiler and ourselves, both waited for")]

use std::path::Path;
use std::process::Command;

use omp_workspace::write::{Mode, write};

/// Set in the program that writes: the file.
const FILE: &str = "OMP_TEST_FORCES";

#[test]
fn a_content_is_forced_before_it_gets_its_name() {
    if let Some(path) = std::env::var_os(FILE) {
        write(path.as_ref(), b"first", Mode::Keep).unwrap();
        write(path.as_ref(), b"the second", Mode::Keep).unwrap();
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [library, log, file] = ["forced.so", "log", "file"].map(|name| directory.path().join(name));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload/forced.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl");
    assert!(compiler.status().unwrap().success());
    let written = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_content_is_forced_before_it_gets_its_name"])
        .env(FILE, &file)
        .env("LD_PRELOAD", &library)
        .env("FORCED_LOG", &log)
        .output()
        .unwrap();
    assert!(written.status.success(), "{written:?}");
    let log = std::fs::read_to_string(log).unwrap();
    let renamed = format!("renamed {}", file.display());
    let expected = ["forced 5", &renamed, "forced directory", "forced 10", &renamed];
    assert_eq!(log.lines().collect::<Vec<_>>(), expected);
}
