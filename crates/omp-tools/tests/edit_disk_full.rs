//! An edit of several files on a disk without room, imitated by a limit on the size of files. Alone in its file: the
//! limit is the process's.
#![allow(unsafe_code, reason = "resource limits have no safe interface here")]

#[path = "it/support/mod.rs"]
mod support;

use support::session::Session;

// proves: FIL-188
#[tokio::test]
async fn a_failure_in_the_middle_is_told_apart() {
    let session = Session::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        session.project.file(name, "old\n");
    }
    let (a, b, c) =
        (session.header("a.txt").await, session.header("b.txt").await, session.header("c.txt").await);
    let long = "x".repeat(9000);
    let input = format!("{a}\nSWAP 1:\n+new\n{b}\nSWAP 1:\n+{long}\n{c}\nSWAP 1:\n+new\n");
    let limit = libc::rlimit { rlim_cur: 4096, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the structure is initialised and outlives the call; an ignored SIGXFSZ makes the write fail.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
    }
    let error = session.edit(&input).await.unwrap_err();
    assert!(error.contains("Written: a.txt. Not written: b.txt, c.txt."), "{error}");
    assert_eq!(session.project.content("a.txt"), b"new\n");
    assert_eq!(session.project.content("b.txt"), b"old\n");
    assert_eq!(session.project.content("c.txt"), b"old\n");
}
