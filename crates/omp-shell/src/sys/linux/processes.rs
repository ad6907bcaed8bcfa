//! The process table as `/proc` tells it, without allocating.

use std::os::fd::RawFd;

use libc::{c_int, c_void, pid_t};

use crate::sys::table::{Processes, leading_number};
use crate::sys::{close, own_pid, send_signal};

/// Sends `signal` to every descendant of this process.
pub(crate) fn signal_tree(_main: Option<pid_t>, signal: c_int) {
    if let Some(mut processes) = snapshot(|_, _| {}) {
        processes.each_descendant(own_pid(), |pid| send_signal(pid, signal));
    }
}

/// Kills every descendant. Orphans are killed at first sight: a process that forks and exits all the time is
/// always gone when the whole table has been read.
pub(crate) fn kill_tree(_main: Option<pid_t>) {
    let root = own_pid();
    let kill_orphan = |pid, parent| {
        if parent == root {
            send_signal(pid, libc::SIGKILL);
        }
    };
    if let Some(mut processes) = snapshot(kill_orphan) {
        processes.each_descendant(root, |pid| send_signal(pid, libc::SIGKILL));
    }
}

/// Reads `/proc`; `None` if there is none. Calls `see` for each process at the moment it is read, with its
/// parent: some live too shortly to be dealt with later.
fn snapshot(see: impl Fn(pid_t, pid_t)) -> Option<Processes> {
    let proc = open(libc::AT_FDCWD, b"/proc\0")?;
    let mut processes = Processes::empty()?;
    read_all(&mut processes, proc, &see);
    close(proc);
    Some(processes)
}

fn read_all(processes: &mut Processes, proc: RawFd, see: &impl Fn(pid_t, pid_t)) {
    let mut buffer = Aligned([0; 8192]);
    loop {
        // SAFETY: the buffer is valid for its length and aligned for directory entries.
        let length = unsafe {
            libc::syscall(libc::SYS_getdents64, proc, buffer.0.as_mut_ptr().cast::<c_void>(), buffer.0.len())
        };
        let Some(entries) = usize::try_from(length).ok().and_then(|length| buffer.0.get(..length)) else {
            return;
        };
        if entries.is_empty() {
            return;
        }
        read_entries(processes, proc, entries, see);
    }
}

/// One buffer of `struct linux_dirent64`: inode (8), offset (8), record length (2), type (1), name.
fn read_entries(processes: &mut Processes, proc: RawFd, mut entries: &[u8], see: &impl Fn(pid_t, pid_t)) {
    while let Some(&[low, high]) = entries.get(16..18) {
        let length = usize::from(u16::from_ne_bytes([low, high]));
        let Some(name) = entries.get(19..length) else { return };
        if let Some(pid) = leading_number(name)
            && let Some(parent) = read_parent(proc, pid)
        {
            see(pid, parent);
            processes.push(pid, parent);
        }
        entries = entries.get(length..).unwrap_or_default();
    }
}

/// `getdents64` wants its entries aligned.
#[repr(align(8))]
struct Aligned([u8; 8192]);

/// The parent in `/proc/<pid>/stat`: `pid (name) state parent …`, where the name may hold parentheses.
fn read_parent(proc: RawFd, pid: pid_t) -> Option<pid_t> {
    let mut buffer = [0_u8; 512];
    let file = open(proc, &stat_path(pid))?;
    // SAFETY: the buffer is valid for its length.
    let length = unsafe { libc::read(file, buffer.as_mut_ptr().cast::<c_void>(), buffer.len()) };
    close(file);
    parse_parent(buffer.get(..usize::try_from(length).ok()?)?)
}

fn parse_parent(stat: &[u8]) -> Option<pid_t> {
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    // After the name: space, state, space.
    leading_number(stat.get(name_end + 4..)?)
}

/// `<pid>/stat`, NUL-terminated.
fn stat_path(pid: pid_t) -> [u8; 24] {
    let mut path = [0_u8; 24];
    let mut digits = [0_u8; 12];
    let mut start = digits.len();
    let mut rest = pid.unsigned_abs();
    while start > 0 {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let text = digits[start..].iter().chain(b"/stat");
    path.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    path
}

/// Opens a NUL-terminated path for reading.
fn open(directory: RawFd, path: &[u8]) -> Option<RawFd> {
    let path = std::ffi::CStr::from_bytes_until_nul(path).ok()?;
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::openat(directory, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    (fd >= 0).then_some(fd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_hide_the_parent() {
        assert_eq!(parse_parent(b"12 (a) R 7 (b) S 34 5 6"), Some(34));
        assert_eq!(parse_parent(b"12 (sh) S 1 12"), Some(1));
        assert_eq!(parse_parent(b""), None);
    }

    #[test]
    fn paths_hold_the_whole_number() {
        assert_eq!(&stat_path(4_194_304)[..13], b"4194304/stat\0");
        assert_eq!(&stat_path(0)[..7], b"0/stat\0");
    }

    #[test]
    fn this_process_descends_from_its_parent() {
        let parent = pid_t::try_from(std::os::unix::process::parent_id()).unwrap();
        let me = pid_t::try_from(std::process::id()).unwrap();
        let found = std::cell::Cell::new(false);
        snapshot(|_, _| {}).unwrap().each_descendant(parent, |pid| found.set(found.get() || pid == me));
        assert!(found.get());
    }
}
