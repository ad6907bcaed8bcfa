//! A disk without room, imitated by a limit on the size of files. Alone in its file: the limit is the process's.
#![allow(unsafe_code, reason = "resource limits have no safe interface here")]

use omp_workspace::write::{Mode, write};

#[test]
fn a_write_without_room_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    std::fs::write(&path, "old").unwrap();
    let limit = libc::rlimit { rlim_cur: 4096, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the structure is initialised and outlives the call; an ignored SIGXFSZ makes the write fail.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
    }
    let error = write(&path, &vec![b'x'; 100_000], Mode::Keep).unwrap_err();
    assert!(error.to_string().contains("the file is unchanged"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}
