//! The guardian process: code that runs between `fork` and `exec`, and in a fork that never executes anything.
//!
//! Everything below [`interpose`] must be async-signal-safe: system calls and arithmetic, no allocation, no
//! locks, no panics. See the parent module for what the guardian is for.

#![allow(unsafe_code, reason = "fork, prctl, signal masks: the standard library offers none of these")]

use std::io;
use std::os::fd::RawFd;

use libc::{c_int, c_void, pid_t};

use super::walk::Processes;

/// A tree that survives SIGKILL for so long belongs to another user or hangs in the kernel.
const GIVE_UP_AFTER_MS: i64 = 5_000;
/// How often SIGKILL is repeated, for processes that were born meanwhile.
const KILL_AGAIN_MS: c_int = 1;

/// Puts a guardian between us and the command. `lifeline` is the guardian's end and must stay open until the
/// command has been spawned.
pub(super) fn interpose(command: &mut tokio::process::Command, lifeline: RawFd) {
    // SAFETY: `split` and all it calls are async-signal-safe, as the module says.
    unsafe {
        command.pre_exec(move || split(lifeline));
    }
}

/// Runs in the forked child. Returns in a child of its own, which goes on to execute the command; the caller's
/// process becomes the guardian and does not return.
fn split(lifeline: RawFd) -> io::Result<()> {
    block_all_signals();
    // SAFETY: plain system calls. `fork` in a process with one thread (we are one, being a fork ourselves).
    unsafe {
        // The program may ignore SIGCHLD, in which case children would vanish without a status.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::setsid();
        if libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        let guardian = libc::getpid();
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => become_command(guardian),
            main => Guardian { lifeline, main, phase: Phase::Watching }.run(),
        }
    }
}

/// The last steps before the command is executed.
fn become_command(guardian: pid_t) -> io::Result<()> {
    // SAFETY: plain system calls on this process; the signal set is initialised before it is used.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        if libc::getppid() != guardian {
            libc::_exit(1); // The guardian died before the line above took effect.
        }
        // Descriptors that some library opened without O_CLOEXEC stay here.
        close_range(3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
        // What we ignore would stay ignored, and a shell cannot trap what was ignored when it started.
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGCHLD] {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
    Ok(())
}

struct Guardian {
    lifeline: RawFd,
    main: pid_t,
    phase: Phase,
}

/// How far the end of the tree has come. Times are milliseconds of the monotonic clock.
#[derive(Clone, Copy)]
enum Phase {
    Watching,
    Asked { kill_at: i64 },
    Killing { give_up_at: i64 },
}

impl Guardian {
    fn run(mut self) -> ! {
        self.settle();
        self.report(self.main);
        let signals = child_signals();
        while self.reap() {
            let timeout = self.advance();
            let mut fds = [poll_in(self.lifeline), poll_in(signals)];
            // SAFETY: `fds` is a valid array of the given length for the duration of the call.
            unsafe { libc::poll(fds.as_mut_ptr(), 2, timeout) };
            if fds[0].revents != 0 {
                self.listen();
            }
            if fds[1].revents != 0 {
                discard(signals);
            }
        }
        exit()
    }

    /// Lets go of everything that belongs to the program we were forked from.
    fn settle(&self) {
        // SAFETY: plain system calls on this process, which will never touch the closed descriptors again; the
        // strings are NUL-terminated constants.
        unsafe {
            if self.lifeline > 0 {
                close_range(0, self.lifeline.unsigned_abs() - 1, 0);
            }
            close_range(self.lifeline.unsigned_abs() + 1, u32::MAX, 0);
            libc::chdir(c"/".as_ptr());
            libc::prctl(libc::PR_SET_NAME, c"scope-guard".as_ptr(), 0, 0, 0);
        }
    }

    /// Collects the dead; false when no process of the tree is left.
    fn reap(&self) -> bool {
        loop {
            let mut status = 0;
            // SAFETY: `status` outlives the call.
            let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
            match pid {
                0 => return true,
                -1 => return false, // ECHILD; nothing else is possible with these arguments.
                pid if pid == self.main => self.report(status),
                _ => {}
            }
        }
    }

    /// Tells the owner a number: first the process id of the command, later its wait status.
    fn report(&self, number: c_int) {
        let bytes = number.to_ne_bytes();
        // SAFETY: the buffer is valid for its length. MSG_NOSIGNAL: a dead owner is no reason to die.
        unsafe { libc::send(self.lifeline, bytes.as_ptr().cast::<c_void>(), bytes.len(), libc::MSG_NOSIGNAL) };
    }

    /// Reads the owner's wish. End of file means that the owner is gone, which is a wish as well.
    fn listen(&mut self) {
        let mut bytes = [0_u8; 4];
        // SAFETY: the buffer is valid for its length.
        let count = unsafe {
            libc::recv(self.lifeline, bytes.as_mut_ptr().cast::<c_void>(), bytes.len(), libc::MSG_DONTWAIT)
        };
        match count {
            4 => self.ask(u32::from_ne_bytes(bytes).into()),
            -1 if retry() => {}
            _ => {
                self.ask(super::GRACE.as_millis() as i64);
                // A poll of a negative descriptor is skipped: an end of file is news only once.
                self.lifeline = -1;
            }
        }
    }

    /// SIGTERM for all, once; a second request changes nothing.
    fn ask(&mut self, grace_ms: i64) {
        if let Phase::Watching = self.phase {
            signal_tree(libc::SIGTERM);
            signal_tree(libc::SIGCONT); // A stopped process acts on SIGTERM only once it runs.
            self.phase = Phase::Asked { kill_at: now_ms() + grace_ms };
        }
    }

    /// Does what is due and returns how long to sleep, in the terms of `poll`.
    fn advance(&mut self) -> c_int {
        if let Phase::Asked { kill_at } = self.phase {
            let left = kill_at - now_ms();
            if left > 0 {
                return c_int::try_from(left).unwrap_or(c_int::MAX);
            }
            self.phase = Phase::Killing { give_up_at: now_ms() + GIVE_UP_AFTER_MS };
        }
        match self.phase {
            Phase::Watching | Phase::Asked { .. } => -1,
            Phase::Killing { give_up_at } if now_ms() > give_up_at => exit(),
            Phase::Killing { .. } => {
                kill_tree();
                KILL_AGAIN_MS
            }
        }
    }
}

/// Sends `signal` to every descendant of this process.
fn signal_tree(signal: c_int) {
    if let Some(mut processes) = Processes::snapshot(|_, _| {}) {
        processes.each_descendant(own_pid(), |pid| send(pid, signal));
    }
}

/// Kills every descendant. Orphans are killed at first sight: a process that forks and exits all the time is
/// always gone when the whole table has been read.
fn kill_tree() {
    let guardian = own_pid();
    let kill_orphan = |pid, parent| {
        if parent == guardian {
            send(pid, libc::SIGKILL);
        }
    };
    if let Some(mut processes) = Processes::snapshot(kill_orphan) {
        processes.each_descendant(guardian, |pid| send(pid, libc::SIGKILL));
    }
}

fn own_pid() -> pid_t {
    // SAFETY: a plain system call.
    unsafe { libc::getpid() }
}

fn send(pid: pid_t, signal: c_int) {
    // SAFETY: a plain system call. The process may have ended meanwhile, which is an error to ignore.
    unsafe { libc::kill(pid, signal) };
}

fn block_all_signals() {
    // SAFETY: the set is initialised by `sigfillset` before it is used.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

/// A descriptor that becomes readable when a child ends. If there is none (-1), `poll` skips it and the
/// guardian would miss deaths, so that is fatal: the owner sees the lifeline close.
fn child_signals() -> RawFd {
    // SAFETY: the set is initialised by `sigemptyset` before it is used.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        let fd = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd < 0 {
            kill_tree();
            exit();
        }
        fd
    }
}

fn discard(signals: RawFd) {
    let mut buffer = [0_u8; 512];
    // SAFETY: the buffer is valid for its length.
    unsafe { libc::read(signals, buffer.as_mut_ptr().cast::<c_void>(), buffer.len()) };
}

fn poll_in(fd: RawFd) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

fn retry() -> bool {
    matches!(io::Error::last_os_error().raw_os_error(), Some(libc::EINTR | libc::EAGAIN))
}

fn now_ms() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1_000 + now.tv_nsec / 1_000_000
}

/// # Safety
/// The caller must own the descriptors of the range, or only mark them.
unsafe fn close_range(first: u32, last: u32, flags: libc::c_uint) {
    // SAFETY: a plain system call; the caller vouches for the descriptors. By number, because the wrapper is
    // younger than the C libraries we meet.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
}

/// Ends this process without running the program's exit handlers.
fn exit() -> ! {
    // SAFETY: `_exit` is always allowed.
    unsafe { libc::_exit(0) }
}
