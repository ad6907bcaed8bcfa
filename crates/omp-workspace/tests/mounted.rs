//! A file that is mounted by itself, as containers do it. Needs the right to mount; without it there is nothing to test here.
#![allow(clippy::disallowed_methods, reason = "helpers that are waited for at once")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use omp_testkit::assert_waived;
use omp_workspace::write::{Mode, Outcome, WriteError, write, write_if};

/// A file with another one mounted over it, gone with the value.
struct Mounted(PathBuf);

impl Mounted {
    fn new(from: &Path, over: &Path) -> Option<Self> {
        let mount = Command::new("mount").arg("--bind").args([from, over]).output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            assert_waived("mount", "cannot mount: run the tests as root");
            return None;
        }
        Some(Self(over.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

#[test]
fn a_mounted_file_is_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let (outside, inside) = (directory.path().join("outside/f"), directory.path().join("inside/f"));
    for path in [&outside, &inside] {
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(path, "old content\n").unwrap();
    }
    let Some(_mounted) = Mounted::new(&outside, &inside) else { return };
    let names = || fs::read_dir(inside.parent().unwrap()).unwrap().count();
    for content in ["short\n".to_owned(), "longer than before\n".repeat(10_000), String::new()] {
        let written = write(&inside, content.as_bytes(), Mode::Keep).unwrap();
        assert_eq!(written.outcome, Outcome::Replaced);
        assert_eq!(fs::read_to_string(&outside).unwrap(), content, "it is still the same file");
        assert_eq!(
            (fs::read_to_string(&inside).unwrap(), names()),
            (content, 1),
            "nothing is left beside it"
        );
    }
    write(&inside, b"#!/bin/sh\n", Mode::Executable).unwrap();
    assert_eq!(fs::metadata(&outside).unwrap().permissions().mode() & 0o111, 0o111);
    let refused = write_if(&inside, b"ours", Mode::Keep, || false).unwrap_err();
    assert!(matches!(refused, WriteError::Changed(_)), "{refused:?}");
    assert_eq!((fs::read(&inside).unwrap(), names()), (b"#!/bin/sh\n".to_vec(), 1));
}
