//! The line to the process that asks.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout};
use omp_shell::session::{Report, Request};

/// Longer requests are not from us.
const LARGEST: usize = 256 * 1024 * 1024;

/// A socket that carries requests in and reports out. Children do not inherit it.
pub(crate) struct Line(UnixStream);

impl Line {
    /// Takes the socket from standard input and leaves nothing in its place: commands must not read it.
    pub(crate) fn take_standard_input() -> io::Result<Self> {
        let socket: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
        let nothing = std::fs::File::options().read(true).write(true).open("/dev/null")?;
        dup2_stdin(&nothing)?;
        dup2_stdout(&nothing)?;
        dup2_stderr(&nothing)?;
        Ok(Self(UnixStream::from(socket)))
    }

    /// The next request; `None` when there will be no more.
    pub(crate) fn next(&mut self) -> Option<Request> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).ok()?;
        let length = usize::try_from(u32::from_le_bytes(length)).ok().filter(|length| *length <= LARGEST)?;
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).ok()?;
        Request::decode(&body)
    }

    pub(crate) fn send(&mut self, report: &Report) -> io::Result<()> {
        self.0.write_all(&report.encode())
    }
}
