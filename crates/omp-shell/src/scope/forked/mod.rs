//! Code that runs in forks of this process that execute nothing: the keeper and its guardians.
//!
//! Everything here must be async-signal-safe: system calls and arithmetic, no allocation, no locks, no panics.
//! A fork of a process with threads may have caught any lock in its locked state. See the parent module for what
//! these processes are for.

#![allow(unsafe_code, reason = "fork, signal masks: the standard library offers none of these")]

pub(super) mod guardian;
pub(super) mod keeper;

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;

use libc::{c_int, c_void, pid_t};

use crate::sys::{self, close, last_errno, now_ms, own_pid, wait_readable};

/// What a fork is for the process that reads this.
enum Side {
    Parent(pid_t),
    Child,
}

/// See the rules of this module.
fn fork() -> io::Result<Side> {
    match sys::fork() {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Side::Child),
        pid => Ok(Side::Parent(pid)),
    }
}

/// Leaves the owner's session, and answers for what is below.
fn stand_alone(name: &CStr) {
    // SAFETY: a plain system call.
    unsafe { libc::setsid() };
    sys::adopt_orphans(name);
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

/// Tells the owner a number.
fn send_number(lifeline: RawFd, number: c_int) {
    let bytes = number.to_ne_bytes();
    // SAFETY: the buffer is valid for its length. A dead owner is no reason to die.
    unsafe { libc::send(lifeline, bytes.as_ptr().cast::<c_void>(), bytes.len(), sys::SEND) };
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
        libc::sendmsg(lifeline, &raw const message, sys::SEND);
    }
}

/// Room for one descriptor, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; 32]);

/// Ends this process without running the program's exit handlers.
fn exit() -> ! {
    // SAFETY: `_exit` is always allowed.
    unsafe { libc::_exit(0) }
}
