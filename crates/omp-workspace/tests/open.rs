//! Opening never waits.

use std::path::Path;

use omp_workspace::open::{OpenedPath, Special, open};

#[test]
fn kinds_are_told_apart_without_waiting() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let socket = directory.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(matches!(open(directory.path()), Ok(OpenedPath::Directory)));
    assert!(matches!(open(&fifo), Ok(OpenedPath::Special(Special::Fifo))));
    assert!(matches!(open(&socket), Ok(OpenedPath::Special(Special::Socket))));
    assert!(matches!(open(Path::new("/dev/zero")), Ok(OpenedPath::Special(Special::CharacterDevice))));
    assert!(matches!(open(Path::new("/proc/self/status")), Ok(OpenedPath::File(..))));
    assert_eq!(open(&directory.path().join("no")).unwrap_err().kind(), std::io::ErrorKind::NotFound);
}
