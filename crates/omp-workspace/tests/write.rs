//! Either the old file or the new one, never a part.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

use omp_workspace::open::Special;
use omp_workspace::write::{Mode, Outcome, WriteError, write, write_if, write_with};

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn creates_files_and_their_directories() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a/b/c.txt");
    let written = write(&path, b"x\r\n\0\xff", Mode::Keep).unwrap();
    assert_eq!((written.outcome, written.target.as_path()), (Outcome::Created, path.as_path()));
    assert_eq!(fs::read(&path).unwrap(), b"x\r\n\0\xff");
    assert_eq!(names(path.parent().unwrap()), ["c.txt"]);
}

#[test]
fn keeps_mode_bits_and_owner() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    for mode in [0o600, 0o755, 0o640, 0o4711] {
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let owner = fs::metadata(&path).unwrap().uid();
        assert_eq!(write(&path, b"new", Mode::Keep).unwrap().outcome, Outcome::Replaced);
        assert_eq!((mode_of(&path), fs::metadata(&path).unwrap().uid()), (mode, owner));
    }
}

#[test]
fn makes_scripts_executable_for_those_who_can_read_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("script");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write(&path, b"#!/bin/sh\n", Mode::Executable).unwrap();
    assert_eq!(mode_of(&path), 0o750);
}

#[test]
fn replaces_what_links_point_to() {
    let directory = tempfile::tempdir().unwrap();
    let [real, link, chain] = ["real", "link", "chain"].map(|name| directory.path().join(name));
    fs::write(&real, "old").unwrap();
    symlink("real", &link).unwrap();
    symlink(&link, &chain).unwrap();
    let written = write(&chain, b"new", Mode::Keep).unwrap();
    assert_eq!(written.target, real);
    assert_eq!(fs::read(&real).unwrap(), b"new");
    assert!(chain.is_symlink() && link.is_symlink());
    assert_eq!(names(directory.path()), ["chain", "link", "real"]);
}

#[test]
fn a_dangling_link_gets_its_target_and_a_loop_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let [dangling, one, two] = ["dangling", "one", "two"].map(|name| directory.path().join(name));
    symlink("sub/target", &dangling).unwrap();
    write(&dangling, b"new", Mode::Keep).unwrap();
    assert_eq!(fs::read(directory.path().join("sub/target")).unwrap(), b"new");
    symlink(&two, &one).unwrap();
    symlink(&one, &two).unwrap();
    assert!(matches!(write(&one, b"new", Mode::Keep), Err(WriteError::LinkLoop(path)) if path == one));
}

#[test]
fn refuses_what_is_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    assert!(matches!(write(path, b"x", Mode::Keep), Err(WriteError::Directory(_))));
    let fifo = path.join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let error = write(&fifo, b"x", Mode::Keep).unwrap_err();
    assert!(matches!(error, WriteError::Special { kind: Special::Fifo, .. }), "{error}");
    let error = write(Path::new("/dev/null"), b"x", Mode::Keep).unwrap_err();
    assert!(matches!(error, WriteError::Special { kind: Special::CharacterDevice, .. }), "{error}");
    fs::write(path.join("file"), "old").unwrap();
    let error = write(&path.join("file/below"), b"x", Mode::Keep).unwrap_err();
    assert!(matches!(error, WriteError::Io { .. } | WriteError::Parent { .. }), "{error}");
    assert_eq!(names(path), ["fifo", "file"]);
}

#[test]
fn any_failure_leaves_the_old_file_and_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    fs::write(&path, "old").unwrap();
    let full = write_with(&path, Mode::Keep, |file| {
        file.write_all(b"half of the ne")?;
        Err(io::Error::from_raw_os_error(libc::ENOSPC))
    });
    assert!(matches!(full, Err(WriteError::NoSpace(_))), "{full:?}");
    let broken = write_with(&path, Mode::Keep, |_| Err(io::ErrorKind::BrokenPipe.into()));
    assert!(matches!(broken, Err(WriteError::Io { .. })), "{broken:?}");
    let panicked = std::panic::catch_unwind(|| write_with(&path, Mode::Keep, |_| panic!("in the middle")));
    assert!(panicked.is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(directory.path()), ["f"]);
}

/// A program killed in the middle leaves nothing behind: until it is complete the new content has no name. File
/// systems without such files (the error says so) use a name that is removed.
#[test]
fn unfinished_content_has_no_name() {
    let directory = tempfile::tempdir().unwrap();
    let probe = fs::OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).open(directory.path());
    let possible = probe.is_ok() && cfg!(not(omp_portable));
    let path = directory.path().join("f");
    let mut during = Vec::new();
    write_with(&path, Mode::Keep, |file| {
        file.write_all(b"new")?;
        file.sync_all()?;
        during = names(directory.path());
        Ok(())
    })
    .unwrap();
    assert_eq!(during.is_empty(), possible, "{during:?}");
    assert_eq!(names(directory.path()), ["f"]);
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn names_of_full_length_work() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("n".repeat(255));
    write(&path, b"x", Mode::Keep).unwrap();
    write(&path, b"y", Mode::Keep).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"y");
}

/// Somebody who reads all the time sees one of the two contents, never a mixture and never nothing.
#[test]
fn readers_never_see_a_part() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    let contents = [vec![b'a'; 200_000], vec![b'b'; 100_000]];
    write(&path, &contents[0], Mode::Keep).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..40 {
                write(&path, &contents[round % 2], Mode::Keep).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = fs::read(&path).unwrap();
            assert!(contents.contains(&seen), "{} bytes", seen.len());
        }
    });
}

/// Where the file system has them; elsewhere there is nothing to keep.
#[test]
fn extended_attributes_and_access_lists_stay() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    std::fs::write(&path, "old").unwrap();
    if xattr::set(&path, "user.omp.note", b"kept\0bytes").is_err() {
        return;
    }
    // An access list in the form of the kernel: owner rw-, user 1 r--, group r--, mask rw-, others ---.
    let entry = |tag: u16, bits: u16, id: u32| {
        [tag.to_le_bytes().as_slice(), &bits.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    let nobody = u32::MAX;
    let list = [
        2_u32.to_le_bytes().to_vec(),
        entry(0x01, 6, nobody),
        entry(0x02, 4, 1),
        entry(0x04, 4, nobody),
        entry(0x10, 6, nobody),
        entry(0x20, 0, nobody),
    ]
    .concat();
    let has_lists = xattr::set(&path, "system.posix_acl_access", &list).is_ok();
    write(&path, b"new", Mode::Keep).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(xattr::get(&path, "user.omp.note").unwrap().as_deref(), Some(b"kept\0bytes".as_slice()));
    if has_lists {
        assert_eq!(xattr::get(&path, "system.posix_acl_access").unwrap(), Some(list));
        write(&path, b"#!/bin/sh\n", Mode::Executable).unwrap();
        let bits = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(bits & 0o777, 0o770, "{bits:o}");
    }
    let fresh = directory.path().join("b.txt");
    write(&fresh, b"x", Mode::Keep).unwrap();
    assert_eq!(xattr::get(&fresh, "user.omp.note").unwrap(), None);
}

/// Whoever writes while the new content goes to the disk is noticed, and what they wrote stays.
#[test]
fn what_changed_meanwhile_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    std::fs::write(&path, "old").unwrap();
    let meanwhile = || {
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        std::fs::write(&path, "theirs").unwrap();
        false
    };
    let refused = write_if(&path, b"ours", Mode::Keep, meanwhile).unwrap_err();
    assert!(matches!(&refused, WriteError::Changed(changed) if *changed == path), "{refused:?}");
    assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
    write_if(&path, b"ours", Mode::Keep, || true).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"ours");
}

/// New content of a private file is private from its first byte on, also while it is written.
#[test]
fn a_private_file_is_private_all_the_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("secret");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let mut during = 0;
    write_with(&path, Mode::Keep, |file| {
        during = file.metadata()?.permissions().mode() & 0o7777;
        file.write_all(b"new")
    })
    .unwrap();
    assert_eq!((during & 0o077, mode_of(&path)), (0, 0o600), "{during:o}");
    // One that others may read is theirs again in the end.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
    write(&path, b"newer", Mode::Keep).unwrap();
    assert_eq!(mode_of(&path), 0o664);
}
