//! What Linux does differently from other systems of the POSIX family.
//!
//! `linux` uses what only Linux has. `portable` does the same with what POSIX offers, or as much of it as can be had that way:
//! its page says what is lost. It is what every other system gets; `--cfg omp_portable` forces it on Linux, where the tests
//! run with both.
//!
//! What keepers and guardians call ("between fork and exec") keeps to the rules of [`crate::scope`]: system calls and
//! arithmetic, no allocation, no locks, no panics.

#![allow(unsafe_code, reason = "fork, signals and process tables: the standard library offers none of these")]

mod table;

#[cfg_attr(all(target_os = "linux", not(omp_portable)), path = "linux/mod.rs")]
#[cfg_attr(not(all(target_os = "linux", not(omp_portable))), path = "portable/mod.rs")]
mod system;

pub use system::*;

use std::ffi::CStr;
use std::os::fd::RawFd;

use libc::{c_int, c_void, pid_t};

pub(crate) fn send_signal(pid: pid_t, signal: c_int) {
    // SAFETY: a plain system call. The process may have ended meanwhile, which is an error to ignore.
    unsafe { libc::kill(pid, signal) };
}

pub(crate) fn own_pid() -> pid_t {
    // SAFETY: a plain system call.
    unsafe { libc::getpid() }
}

pub(crate) fn close(fd: RawFd) {
    // SAFETY: callers own the descriptor and do not use it again.
    unsafe { libc::close(fd) };
}

pub(crate) fn last_errno() -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

pub(crate) fn now_ms() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1_000 + now.tv_nsec / 1_000_000
}

pub(crate) fn wait_readable<const N: usize>(fds: [RawFd; N], timeout_ms: c_int) -> [bool; N] {
    let mut polled = fds.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    // SAFETY: the array is valid for its length. Negative descriptors are skipped.
    unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, timeout_ms) };
    polled.map(|polled| polled.revents != 0)
}

/// Reads what there is; `None` at the end and on errors.
fn read(file: RawFd, chunk: &mut [u8]) -> Option<&[u8]> {
    // SAFETY: the buffer is valid for its length.
    let length = unsafe { libc::read(file, chunk.as_mut_ptr().cast::<c_void>(), chunk.len()) };
    usize::try_from(length).ok().filter(|length| *length > 0).and_then(|length| chunk.get(..length))
}

/// Overwrites the environment that the program was started with. It may hold keys, and it is what the kernel shows of a
/// process that has become traceable on its way to a command.
pub(crate) fn forget_environment() {
    unsafe extern "C" {
        static environ: *const *mut libc::c_char;
    }
    // SAFETY: this process has one thread, so nobody changes the list meanwhile; its entries end in NUL and the list
    // with a null pointer. Nothing here reads the environment again: commands get theirs with their order.
    unsafe {
        let mut entry = environ;
        while !entry.is_null() && !(*entry).is_null() {
            libc::memset((*entry).cast::<c_void>(), 0, libc::strlen(*entry));
            entry = entry.add(1);
        }
    }
}

const LONGEST: usize = 512;

/// A path in memory of our own: the program's is forgotten.
pub(crate) struct Path([u8; LONGEST]);

impl Path {
    pub(crate) fn new(path: &CStr) -> Self {
        let mut own = [0; LONGEST];
        let bytes = path.to_bytes_with_nul();
        // A path that does not fit is left where it is.
        if bytes.len() <= LONGEST {
            own.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        }
        Self(own)
    }

    /// The path, unless it did not fit.
    fn get(&self) -> Option<&CStr> {
        CStr::from_bytes_until_nul(&self.0).ok().filter(|path| !path.is_empty())
    }
}
