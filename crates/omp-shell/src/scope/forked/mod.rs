//! Code that runs in forks of this process that execute nothing: the keeper and its guardians.
//!
//! Everything here must be async-signal-safe: system calls and arithmetic, no allocation, no locks, no panics.
//! A fork of a process with threads may have caught any lock in its locked state. See the parent module for what
//! these processes are for.

#![allow(unsafe_code, reason = "fork, prctl, signal masks: the standard library offers none of these")]

pub(super) mod guardian;
pub(super) mod keeper;
mod memory;
mod tidy;
mod walk;

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;

use libc::{c_int, c_void, pid_t};
use walk::Processes;

/// What a fork is for the process that reads this.
enum Side {
    Parent(pid_t),
    Child,
}

/// Forks by system call: the C library's own function runs handlers that other libraries have registered, which
/// expect their memory to be in order.
fn fork() -> io::Result<Side> {
    // SAFETY: without flags this is a plain fork. The child keeps to the rules of this module.
    match unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD as libc::c_ulong, 0, 0, 0, 0) } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Side::Child),
        pid => Ok(Side::Parent(pid as pid_t)),
    }
}

/// Makes this process the one that orphans below it are given to.
fn become_subreaper(name: &CStr) {
    // SAFETY: plain system calls on this process; the name is NUL-terminated.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0);
    }
}

#[derive(Clone, Copy)]
enum Signals {
    BlockAll,
    BlockNone,
}

fn set_signals(signals: Signals) {
    // SAFETY: the set is initialised before it is used.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        match signals {
            Signals::BlockAll => libc::sigfillset(&raw mut set),
            Signals::BlockNone => libc::sigemptyset(&raw mut set),
        };
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

fn set_handler(signal: c_int, handler: libc::sighandler_t) {
    // SAFETY: only the two predefined handlers are ever passed.
    unsafe { libc::signal(signal, handler) };
}

/// Sends `signal` to every descendant of this process.
fn signal_tree(signal: c_int) {
    if let Some(mut processes) = Processes::snapshot(|_, _| {}) {
        processes.each_descendant(own_pid(), |pid| send_signal(pid, signal));
    }
}

/// Kills every descendant. Orphans are killed at first sight: a process that forks and exits all the time is
/// always gone when the whole table has been read.
fn kill_tree() {
    let root = own_pid();
    let kill_orphan = |pid, parent| {
        if parent == root {
            send_signal(pid, libc::SIGKILL);
        }
    };
    if let Some(mut processes) = Processes::snapshot(kill_orphan) {
        processes.each_descendant(root, |pid| send_signal(pid, libc::SIGKILL));
    }
}

fn send_signal(pid: pid_t, signal: c_int) {
    // SAFETY: a plain system call. The process may have ended meanwhile, which is an error to ignore.
    unsafe { libc::kill(pid, signal) };
}

fn own_pid() -> pid_t {
    // SAFETY: a plain system call.
    unsafe { libc::getpid() }
}

/// Tells the owner a number.
fn send_number(lifeline: RawFd, number: c_int) {
    let bytes = number.to_ne_bytes();
    // SAFETY: the buffer is valid for its length. MSG_NOSIGNAL: a dead owner is no reason to die.
    unsafe { libc::send(lifeline, bytes.as_ptr().cast::<c_void>(), bytes.len(), libc::MSG_NOSIGNAL) };
}

/// Tells the owner a number, and hands over a descriptor with it.
fn send_number_with(lifeline: RawFd, number: c_int, fd: Option<RawFd>) {
    let Some(fd) = fd else { return send_number(lifeline, number) };
    let mut bytes = number.to_ne_bytes();
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast::<c_void>(), iov_len: bytes.len() };
    let mut control = Control([0; 32]);
    // SAFETY: all parts of the message outlive the call; the control data has room for one descriptor.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast::<c_void>();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(fd);
        libc::sendmsg(lifeline, &raw const message, libc::MSG_NOSIGNAL);
    }
}

/// Room for one descriptor, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; 32]);

fn close(fd: RawFd) {
    // SAFETY: callers own the descriptor and do not use it again.
    unsafe { libc::close(fd) };
}

/// By number, because the C library's function is younger than some C libraries we meet.
fn close_range(first: c_int, last: c_int, flags: libc::c_uint) {
    if first <= last {
        // SAFETY: callers own all descriptors of the range, or only mark them.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    }
}

fn wait_readable<const N: usize>(fds: [RawFd; N], timeout_ms: c_int) -> [bool; N] {
    let mut polled = fds.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    // SAFETY: the array is valid for its length. Negative descriptors are skipped.
    unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, timeout_ms) };
    polled.map(|polled| polled.revents != 0)
}

fn now_ms() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1_000 + now.tv_nsec / 1_000_000
}

fn last_errno() -> c_int {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// Ends this process without running the program's exit handlers.
fn exit() -> ! {
    // SAFETY: `_exit` is always allowed.
    unsafe { libc::_exit(0) }
}
