//! A process that belongs to no scope, because it outlives this program by a moment.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts `program` with nothing but a pipe to us and our standard output. It belongs to no scope, because it is there for
/// the moment after our own end; it must end by itself when the pipe does.
#[allow(clippy::disallowed_methods, reason = "a scope would end it together with us")]
pub fn start_watcher(program: &Path, arguments: &[&OsStr]) -> io::Result<OwnedFd> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::inherit()).stderr(Stdio::null()).env_clear();
    let mut child = command.spawn()?;
    let pipe = child.stdin.take().ok_or_else(|| io::Error::other("the pipe is missing"))?;
    Ok(pipe.into())
}
