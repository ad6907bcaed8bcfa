//! The same with what POSIX offers, and the program `ps`.
//!
//! # What is lost
//!
//! - **Orphans go to `init`.** The tree of a command is its session and what descends from the guardian or from a member of the
//!   session. A daemon that calls `setsid` and loses its parent escapes.
//! - **Nobody tells that a tree is empty**, so the guardian looks again after 20 ms, then less and less often up to twice a
//!   second, as long as something of a command lives that itself has ended.
//! - **A killed guardian does not take its command along.** The owner notices and kills the session.
//! - **The keeper keeps the memory of the program**, copied when the program changes it.
//! - **What a command is started with lies in a file** of the user's alone, which has no name when its content is written.

mod processes;

use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{c_int, c_void, pid_t};
use nix::sys::socket::MsgFlags;
use rustix::pty::{OpenptFlags, openpt};

use super::{Path, last_errno, own_pid};

pub(crate) use processes::{any_left, kill_session, kill_tree, signal_tree};

/// Who writes to somebody who has gone gets SIGPIPE, which every process here ignores or blocks.
pub(crate) const SEND: c_int = 0;
/// What arrives is marked afterwards: see [`close_on_exec_from`].
pub(crate) const RECEIVE: c_int = 0;
/// How often SIGKILL is repeated. Each time `ps` runs.
pub(crate) const KILL_AGAIN_MS: c_int = 20;

/// Descriptors above are not looked at where the limit is higher.
const MOST_DESCRIPTORS: u64 = 1 << 16;
/// A file is tried under so many names.
const TRIES: u32 = 16;

/// The path of this program. After an update it is the new one.
pub fn own_program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("omp"))
}

/// The C library's: handlers of other libraries run first, which are harmless in what we link.
pub(crate) fn fork() -> pid_t {
    // SAFETY: the child keeps to the rules of `scope::forked`.
    unsafe { libc::fork() }
}

/// Nobody but `init` can.
pub(crate) fn adopt_orphans(_name: &CStr) {}

/// The system has no such wish. The guardian notices the end of its owner.
pub(crate) fn end_with_parent(_signal: c_int) {}

/// When to look again whether anybody is left, after so many looks.
pub(crate) fn next_look(looks: u32) -> Option<c_int> {
    Some(20_i32.checked_shl(looks.min(5)).unwrap_or(500).min(500))
}

pub(crate) fn pipe() -> Result<[RawFd; 2], c_int> {
    let mut ends = [-1; 2];
    // SAFETY: the array has room for the two descriptors.
    if unsafe { libc::pipe(ends.as_mut_ptr()) } != 0 {
        return Err(last_errno());
    }
    ends.into_iter().for_each(close_on_exec);
    Ok(ends)
}

fn close_on_exec(fd: RawFd) {
    // SAFETY: a plain system call; on a descriptor that is not open it is an error to ignore.
    unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
}

/// The first number that no descriptor has.
fn end_of_descriptors() -> c_int {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure outlives the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } == 0;
    let count = if known { limit.rlim_cur.min(MOST_DESCRIPTORS) } else { MOST_DESCRIPTORS };
    c_int::try_from(count).unwrap_or(c_int::MAX)
}

/// Closes all descriptors from this one on.
pub(crate) fn close_from(first: c_int) {
    (first..end_of_descriptors()).for_each(super::close);
}

/// All descriptors from this one on end with `exec`. Those of guardians are few and have low numbers.
pub(crate) fn close_on_exec_from(first: c_int) {
    (first..end_of_descriptors().min(64)).for_each(close_on_exec);
}

/// The end of the pipe that the handler writes to.
static DEATHS: AtomicI32 = AtomicI32::new(-1);

extern "C" fn on_death(_signal: c_int) {
    let errno = last_errno();
    // SAFETY: one byte of a static text. A full pipe is as readable as one with another byte.
    unsafe { libc::write(DEATHS.load(Ordering::Relaxed), c"x".as_ptr().cast::<c_void>(), 1) };
    set_errno(errno);
}

fn set_errno(errno: c_int) {
    // SAFETY: each library has one of these for the errno of this thread.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::__errno_location().write(errno);
        #[cfg(any(target_os = "macos", target_os = "ios", target_os = "freebsd"))]
        libc::__error().write(errno);
        #[cfg(any(target_os = "netbsd", target_os = "openbsd"))]
        libc::__errno().write(errno);
    }
}

/// A descriptor that becomes readable when a child ends. SIGCHLD is no longer blocked then.
pub(crate) fn child_deaths() -> Option<RawFd> {
    let [read_end, write_end] = pipe().ok()?;
    DEATHS.store(write_end, Ordering::Relaxed);
    // SAFETY: plain system calls; the structures are initialised and outlive them.
    let fine = unsafe {
        libc::fcntl(read_end, libc::F_SETFL, libc::O_NONBLOCK) == 0
            && libc::fcntl(write_end, libc::F_SETFL, libc::O_NONBLOCK) == 0
            && {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_death as extern "C" fn(c_int) as libc::sighandler_t;
                action.sa_flags = libc::SA_RESTART;
                libc::sigemptyset(&raw mut action.sa_mask);
                let mut set: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&raw mut set);
                libc::sigaddset(&raw mut set, libc::SIGCHLD);
                libc::sigaction(libc::SIGCHLD, &raw const action, std::ptr::null_mut()) == 0
                    && libc::sigprocmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut()) == 0
            }
    };
    fine.then_some(read_end)
}

/// Empties what [`child_deaths`] gave.
pub(crate) fn discard_deaths(deaths: RawFd) {
    let mut buffer = [0_u8; 512];
    while super::read(deaths, &mut buffer).is_some() {}
}

/// Removes the directory where a scope met its shells: this process becomes `rm`, as its last act.
pub(crate) fn remove_directory(path: &Path) {
    let Some(path) = path.get() else { return };
    let arguments = [c"rm".as_ptr(), c"-rf".as_ptr(), path.as_ptr(), std::ptr::null()];
    let environment = [std::ptr::null()];
    // SAFETY: texts end in NUL, lists with a null pointer.
    unsafe { libc::execve(c"/bin/rm".as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
}

/// Where the heap lies is not told.
pub(crate) fn forget_program() {}

/// A file whose name is gone.
pub(crate) fn nameless_file() -> io::Result<File> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..TRIES {
        let path = std::env::temp_dir().join(format!("omp-{}-{:x}", own_pid(), crate::unlikely(attempt)));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Two ends of a line for requests with descriptors. A request is one byte, so it needs no borders.
pub(crate) fn request_line() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = UnixStream::pair()?;
    Ok((ours.into(), theirs.into()))
}

/// The flags [`SEND`] for the library.
pub(crate) fn send_flags() -> MsgFlags {
    MsgFlags::empty()
}

/// Our end of a new pseudo-terminal.
pub(crate) fn open_terminal() -> io::Result<OwnedFd> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    rustix::io::fcntl_setfd(ours.as_fd(), rustix::io::FdFlags::CLOEXEC)?;
    Ok(ours)
}
