//! A file of somebody else in a group that we belong to. Alone in its file: the test gives up being root.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use nix::unistd::{Gid, Uid, setgid, setgroups, setuid};
use omp_workspace::write::{Mode, WriteError, check, write};

const OURS: u32 = 61_001;
const THEIRS: u32 = 61_002;
const GROUP: u32 = 61_003;

#[test]
fn the_group_stays_where_the_owner_cannot() {
    if !Uid::effective().is_root() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let file = |name: &str, mode: u32| {
        let path = directory.path().join(name);
        fs::write(&path, "old").unwrap();
        chown(&path, Some(THEIRS), Some(GROUP)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let (shared, protected) = (file("shared", 0o6775), file("protected", 0o644));
    // Root can give it back.
    write(&shared, b"by root", Mode::Keep).unwrap();
    let now = fs::metadata(&shared).unwrap();
    assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (THEIRS, GROUP, 0o6775));
    setgroups(&[Gid::from_raw(GROUP)]).unwrap();
    setgid(Gid::from_raw(OURS)).unwrap();
    setuid(Uid::from_raw(OURS)).unwrap();
    write(&shared, b"by us", Mode::Keep).unwrap();
    let now = fs::metadata(&shared).unwrap();
    // Running as its owner would be running as somebody else now.
    assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (OURS, GROUP, 0o2775));
    assert_eq!(fs::read(&shared).unwrap(), b"by us");
    assert!(matches!(write(&protected, b"x", Mode::Keep), Err(WriteError::Protected(_))));
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(write(&shared, b"x", Mode::Keep), Err(WriteError::Protected(_))));
    assert!(matches!(check(&shared), Err(WriteError::Protected(_))));
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o644)).unwrap();
    check(&shared).unwrap();
    check(&directory.path().join("new/file")).unwrap();
    closed_directory();
}

/// A file that may be written in a directory that may not.
fn closed_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let error = write(&path, b"new", Mode::Keep).unwrap_err();
    assert!(matches!(error, WriteError::ClosedDirectory { .. }), "{error}");
    assert!(error.to_string().contains("atomic writes need to create a file in its directory"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(check(&path).unwrap_err().to_string(), error.to_string());
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
}
