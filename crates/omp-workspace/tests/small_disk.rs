//! A disk of 256 KB that is nearly full. Needs the right to mount one; without it there is nothing to test here, and
//! `disk_full.rs` imitates it.
#![allow(clippy::disallowed_methods, reason = "helpers that are waited for at once")]

use std::fs;
use std::path::Path;
use std::process::Command;

use omp_testkit::assert_waived;
use omp_workspace::write::{Mode, WriteError, write};

/// A small file system, gone with the value.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(directory.path())
            .output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            assert_waived("mount", "cannot mount a small disk: run the tests as root");
            return None;
        }
        Some(Self(directory))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_keeps_the_old_file() {
    let Some(disk) = Disk::new() else { return };
    let path = disk.path().join("f");
    let old = vec![b'o'; 100_000];
    write(&path, &old, Mode::Keep).unwrap();
    for length in [200_000, 300_000, 4_000_000] {
        let error = write(&path, &vec![b'n'; length], Mode::Keep).unwrap_err();
        assert!(matches!(error, WriteError::NoSpace(_)), "{error}");
        assert_eq!(fs::read(&path).unwrap(), old);
        assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 1, "nothing is left beside it");
    }
    // Where there is room, it goes on.
    write(&path, b"new", Mode::Keep).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    write(&disk.path().join("other"), &old, Mode::Keep).unwrap();
}
