//! The process table as `ps` tells it, without allocating.

use std::os::fd::RawFd;

use libc::{c_int, pid_t};

use crate::sys::table::{Processes, leading_number};
use crate::sys::{close, now_ms, own_pid, send_signal, wait_readable};

/// A `ps` that takes longer hangs.
const PATIENCE_MS: i64 = 2_000;
/// A group of which `ps` shows nothing living is believed to live for so many looks.
const DOUBTS: u32 = 12;

/// Sends `signal` to every process of the tree.
pub(crate) fn signal_tree(main: Option<pid_t>, signal: c_int) {
    if !each_member(main, |pid| send_signal(pid, signal)) {
        signal_group(main, signal);
    }
}

/// Kills every process of the tree: at once those of the main group, which may fork faster than `ps` looks.
pub(crate) fn kill_tree(main: Option<pid_t>) {
    signal_group(main, libc::SIGKILL);
    each_member(main, |pid| send_signal(pid, libc::SIGKILL));
}

/// Whether something of a tree lives whose main process is reaped. `looks` were made before.
pub(crate) fn any_left(main: pid_t, looks: u32) -> bool {
    let found = std::cell::Cell::new(false);
    let told = each_member(Some(main), |_| found.set(true));
    // A process that forks and exits all the time is never seen, but its group lives. So does that of a dead one that nobody
    // reaps, which is why there is an end to it.
    found.get() || group_lives(main) && (!told || looks < DOUBTS)
}

/// Kills every process whose session is `session`.
pub(crate) fn kill_session(session: pid_t) {
    // SAFETY: as for `send_signal`.
    unsafe { libc::kill(-session, libc::SIGKILL) };
    let of_session = |pid: pid_t| session_of(pid) == session;
    if let Some(mut processes) = snapshot() {
        processes.adopt(0, of_session);
        processes.each_descendant(0, |pid| {
            if of_session(pid) {
                send_signal(pid, libc::SIGKILL);
            }
        });
    }
}

/// Calls `act` for what descends from this process or from a member of the session of `main`; `false` if that cannot be told.
fn each_member(main: Option<pid_t>, act: impl Fn(pid_t)) -> bool {
    let Some(mut processes) = snapshot() else { return false };
    let root = own_pid();
    processes.adopt(root, |pid| main.is_some_and(|main| session_of(pid) == main));
    processes.each_descendant(root, act);
    true
}

fn session_of(pid: pid_t) -> pid_t {
    // SAFETY: a plain system call.
    unsafe { libc::getsid(pid) }
}

/// The main process leads a session and so a group of its own.
fn signal_group(main: Option<pid_t>, signal: c_int) {
    if let Some(main) = main {
        // SAFETY: as for `send_signal`.
        unsafe { libc::kill(-main, signal) };
    }
}

fn group_lives(main: pid_t) -> bool {
    // SAFETY: a plain system call that sends nothing.
    unsafe { libc::kill(-main, 0) == 0 }
}

/// Runs `ps` and reads what it says; `None` if there is none. The dead and `ps` itself are left out.
fn snapshot() -> Option<Processes> {
    let [read_end, write_end] = super::pipe().ok()?;
    match super::fork() {
        0 => become_ps(write_end),
        ps => {
            close(write_end);
            let processes = if ps > 0 { read_table(read_end, ps) } else { None };
            close(read_end);
            if ps > 0 {
                // It has ended, or hangs. Where nobody is reaped by us, the kernel does it.
                send_signal(ps, libc::SIGKILL);
                // SAFETY: a plain system call.
                unsafe { libc::waitpid(ps, std::ptr::null_mut(), 0) };
            }
            processes.filter(|processes| !processes.is_empty())
        }
    }
}

fn become_ps(output: RawFd) -> ! {
    let arguments = [
        c"ps".as_ptr(),
        c"-A".as_ptr(),
        c"-o".as_ptr(),
        c"pid=".as_ptr(),
        c"-o".as_ptr(),
        c"ppid=".as_ptr(),
        c"-o".as_ptr(),
        c"stat=".as_ptr(),
        std::ptr::null(),
    ];
    let environment = [c"LC_ALL=C".as_ptr(), std::ptr::null()];
    // SAFETY: texts end in NUL, lists with a null pointer.
    unsafe {
        libc::dup2(output, 1);
        for program in [c"/bin/ps", c"/usr/bin/ps"] {
            libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr());
        }
        libc::_exit(127)
    }
}

fn read_table(from: RawFd, ps: pid_t) -> Option<Processes> {
    let mut processes = Processes::empty()?;
    let mut line = Line::default();
    let mut chunk = [0_u8; 4096];
    let give_up_at = now_ms() + PATIENCE_MS;
    loop {
        let left = c_int::try_from(give_up_at - now_ms()).unwrap_or(0).max(0);
        // An interruption is no answer; a deadline is.
        if !wait_readable([from], left)[0] {
            if now_ms() >= give_up_at {
                return None;
            }
            continue;
        }
        let Some(bytes) = crate::sys::read(from, &mut chunk) else { return Some(processes) };
        for &byte in bytes {
            if byte != b'\n' {
                line.push(byte);
            } else if let Some((pid, parent)) = std::mem::take(&mut line).living()
                && pid != ps
            {
                processes.push(pid, parent);
            }
        }
    }
}

/// The beginning of a line of `ps`.
#[derive(Default)]
struct Line {
    bytes: [u8; 32],
    length: usize,
}

impl Line {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    /// Process and parent, unless the process is dead: `  12    1 Ss`.
    fn living(&self) -> Option<(pid_t, pid_t)> {
        let line = self.bytes.get(..self.length)?;
        let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
        let (pid, parent) = (leading_number(fields.next()?)?, leading_number(fields.next()?)?);
        (!fields.next()?.starts_with(b"Z")).then_some((pid, parent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<(pid_t, pid_t)> {
        let mut line = Line::default();
        text.bytes().for_each(|byte| line.push(byte));
        line.living()
    }

    #[test]
    fn lines_of_ps_are_read() {
        assert_eq!(line("   12     1 Ss"), Some((12, 1)));
        assert_eq!(line("4194304 4194303 R+"), Some((4_194_304, 4_194_303)));
        assert_eq!(line("   12     1 Z+"), None, "dead");
        assert_eq!((line(""), line("x y z"), line("12 1")), (None, None, None));
    }

    #[test]
    fn this_process_descends_from_its_parent() {
        let parent = pid_t::try_from(std::os::unix::process::parent_id()).unwrap();
        let mut processes = snapshot().unwrap();
        processes.adopt(0, |_| false);
        let found = std::cell::Cell::new(false);
        processes.each_descendant(parent, |pid| found.set(found.get() || pid == own_pid()));
        assert!(found.get());
    }
}
