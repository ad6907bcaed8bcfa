//! A program that has our terminal for a while, as an editor does.
//!
//! It cannot be under a guardian, which lives in a session of its own and so without the terminal. It stays in our session
//! and our process group instead, and the kernel ends it when we die, where it knows how to.

#![allow(unsafe_code, reason = "the standard library cannot ask for a signal at the death of the parent")]

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};

/// Runs a program that has our terminal and waits for its end. Must be called by a thread that lives as long as the program
/// itself: the kernel takes the death of the thread for that of the process.
#[allow(clippy::disallowed_methods, reason = "this is where such programs are started")]
pub fn run_in_front(program: &OsStr, arguments: &[&OsStr]) -> io::Result<ExitStatus> {
    let owner = libc::pid_t::try_from(std::process::id()).map_err(io::Error::other)?;
    let mut command = Command::new(program);
    command.args(arguments);
    // SAFETY: between fork and exec only these two system calls are made; neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(move || {
            crate::sys::end_with_parent(libc::SIGHUP);
            match libc::getppid() == owner {
                true => Ok(()),
                // We died before the line above took effect.
                false => Err(io::Error::from_raw_os_error(libc::ESRCH)),
            }
        });
    }
    command.status()
}
