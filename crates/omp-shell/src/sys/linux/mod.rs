//! What only Linux has: child subreapers, `/proc`, `signalfd`, memory files, sockets that keep the borders of messages.

mod directory;
mod memory;
mod orphans;
mod processes;

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::path::PathBuf;

use libc::{c_int, c_void, pid_t};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, socketpair};
use rustix::pty::{OpenptFlags, openpt};

use super::last_errno;

pub(crate) use directory::remove_directory;
pub(crate) use memory::forget_program;
pub(crate) use orphans::kill_session;
pub(crate) use processes::{kill_tree, signal_tree};

/// Nobody dies of writing to somebody who has gone.
pub(crate) const SEND: c_int = libc::MSG_NOSIGNAL;
/// Descriptors that arrive are not passed on by `exec`.
pub(crate) const RECEIVE: c_int = libc::MSG_CMSG_CLOEXEC;
/// How often SIGKILL is repeated, for processes that were born meanwhile.
pub(crate) const KILL_AGAIN_MS: c_int = 1;

/// The name under which a process finds its own program, also after the file was replaced by an update.
pub fn own_program() -> PathBuf {
    PathBuf::from("/proc/self/exe")
}

/// Forks by system call: the C library's own function runs handlers that other libraries have registered, which
/// expect their memory to be in order.
pub(crate) fn fork() -> pid_t {
    // SAFETY: without flags this is a plain fork. The child keeps to the rules of `scope::forked`.
    unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD as libc::c_ulong, 0, 0, 0, 0) as pid_t }
}

/// Makes this process the one that orphans below it are given to.
pub(crate) fn adopt_orphans(name: &CStr) {
    // SAFETY: plain system calls on this process; the name is NUL-terminated.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0);
    }
}

/// This process gets `signal` when the thread that forked it ends. The wish holds from now on: whether the parent still lives
/// is to be looked at afterwards.
pub(crate) fn end_with_parent(signal: c_int) {
    // SAFETY: a plain system call on this process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal, 0, 0, 0) };
}

/// Whether something of a tree lives whose processes are all reaped: orphans are ours, so there is nobody.
pub(crate) fn any_left(_main: pid_t, _looks: u32) -> bool {
    false
}

/// When to look again whether anybody is left; the kernel tells.
pub(crate) fn next_look(_looks: u32) -> Option<c_int> {
    None
}

pub(crate) fn pipe() -> Result<[RawFd; 2], c_int> {
    let mut ends = [-1; 2];
    // SAFETY: the array has room for the two descriptors.
    match unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } {
        0 => Ok(ends),
        _ => Err(last_errno()),
    }
}

/// Closes all descriptors from this one on.
pub(crate) fn close_from(first: c_int) {
    close_range(first, 0);
}

/// All descriptors from this one on end with `exec`.
pub(crate) fn close_on_exec_from(first: c_int) {
    close_range(first, libc::CLOSE_RANGE_CLOEXEC);
}

/// By number, because the C library's function is younger than some C libraries we meet.
fn close_range(first: c_int, flags: libc::c_uint) {
    // SAFETY: callers own all descriptors of the range, or only mark them.
    unsafe { libc::syscall(libc::SYS_close_range, first, c_int::MAX, flags) };
}

/// A descriptor that becomes readable when a child ends, with SIGCHLD blocked.
pub(crate) fn child_deaths() -> Option<RawFd> {
    // SAFETY: the set is initialised by `sigemptyset` before it is used.
    let fd = unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    (fd >= 0).then_some(fd)
}

/// Empties what [`child_deaths`] gave.
pub(crate) fn discard_deaths(deaths: RawFd) {
    let mut buffer = [0_u8; 512];
    // SAFETY: the buffer is valid for its length.
    unsafe { libc::read(deaths, buffer.as_mut_ptr().cast::<c_void>(), buffer.len()) };
}

/// A file without a name, in memory.
pub(crate) fn nameless_file() -> io::Result<File> {
    Ok(File::from(memfd_create(c"omp-command", MFdFlags::MFD_CLOEXEC)?))
}

/// Two ends of a line for requests with descriptors.
pub(crate) fn request_line() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?)
}

/// The flags [`SEND`] for the library.
pub(crate) fn send_flags() -> MsgFlags {
    MsgFlags::from_bits_truncate(SEND)
}

/// Our end of a new pseudo-terminal.
pub(crate) fn open_terminal() -> io::Result<OwnedFd> {
    Ok(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?)
}
