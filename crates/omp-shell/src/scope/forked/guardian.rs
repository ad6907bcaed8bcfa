//! The guardian: starts one command, and ends its whole tree when it is told to or when the owner is gone.

use std::os::fd::RawFd;

use libc::{c_char, c_int, c_void, pid_t};

use omp_sandbox::forked::apply;

use super::{Side, Signals};
use crate::scope::GRACE;
use crate::sys;

/// A tree that survives SIGKILL for so long belongs to another user or hangs in the kernel.
const GIVE_UP_AFTER_MS: i64 = 5_000;

/// Added to the error number if the working directory, not the program, is at fault.
pub(in crate::scope) const CWD_FAILED: c_int = 10_000;

/// What to start. All descriptors belong to the process that holds the order.
pub(super) struct Order {
    /// Where to report, and whose end means that the owner is gone.
    pub(super) lifeline: RawFd,
    /// Standard input, output and error.
    pub(super) streams: [RawFd; 3],
    /// A file with the text of [`Image`].
    pub(super) image: RawFd,
}

impl Order {
    pub(super) fn close(&self) {
        super::close(self.lifeline);
        self.close_all_but_lifeline();
    }

    fn close_all_but_lifeline(&self) {
        self.streams.into_iter().for_each(super::close);
        super::close(self.image);
    }
}

/// The command runs.
pub(in crate::scope) const EXECUTED: c_int = 0;

/// Tells the owner that the command does not run. Numbers below zero cannot be process ids.
pub(super) fn report_failure(order: &Order, error: c_int) {
    super::send_number(order.lifeline, -error);
}

/// The guardian's whole life.
pub(super) fn run(order: &Order) -> ! {
    // From here on children are ours to reap.
    super::set_handler(libc::SIGCHLD, libc::SIG_DFL);
    super::stand_alone(c"scope-guard");
    match start_command(order) {
        Ok(main) => {
            order.close_all_but_lifeline();
            super::send_number(order.lifeline, EXECUTED);
            Guardian { lifeline: order.lifeline, main, phase: Phase::Watching, looks: 0 }.watch()
        }
        Err(error) => {
            report_failure(order, error);
            super::exit()
        }
    }
}

/// Forks the command and waits until it is executed; or the reason why it is not.
fn start_command(order: &Order) -> Result<pid_t, c_int> {
    let image = Image::read(order.image).ok_or(libc::ENOMEM)?;
    let guardian = super::own_pid();
    let [read_end, write_end] = sys::pipe()?;
    match super::fork() {
        Err(error) => Err(error.raw_os_error().unwrap_or(libc::EAGAIN)),
        Ok(Side::Child) => {
            let error = execute(order, &image, guardian);
            write_error(write_end, error)
        }
        Ok(Side::Parent(main)) => {
            super::close(write_end);
            let error = read_error(read_end);
            super::close(read_end);
            error.map_or(Ok(main), Err)
        }
    }
}

/// Becomes the command; returns only the error that prevented it.
fn execute(order: &Order, image: &Image, guardian: pid_t) -> c_int {
    // SAFETY: plain system calls on this process. The pointers of the image are NUL-terminated strings and
    // null-terminated arrays, which it has checked.
    unsafe {
        libc::setsid();
        sys::end_with_parent(libc::SIGKILL);
        if libc::getppid() != guardian {
            super::exit(); // The guardian died before the line above took effect.
        }
        for (stream, fd) in (0..).zip(order.streams) {
            libc::dup2(fd, stream);
        }
        // A terminal becomes that of the new session; anything else refuses, which is as well.
        libc::ioctl(0, libc::TIOCSCTTY as _, 0);
        sys::close_on_exec_from(3);
        let listener = match confine(image.plan, guardian) {
            Ok(listener) => listener,
            Err(error) => return error,
        };
        // Only now: a directory that was entered before is the one outside of the sandbox.
        if libc::chdir(image.cwd) != 0 {
            return super::last_errno() + CWD_FAILED;
        }
        restore_signals();
        // From now on the command may have had effects, even if it kills its guardian: it must not be repeated.
        super::send_number_with(order.lifeline, super::own_pid(), listener);
        if *image.program == 0 {
            super::exit(); // Only the sandbox was to be tried.
        }
        libc::execve(image.program, image.arguments, image.environment);
    }
    super::last_errno()
}

/// Carries out the plan of a sandbox. Returns the socket that listens in it, if there is one.
fn confine(plan: &[u8], guardian: pid_t) -> Result<Option<RawFd>, c_int> {
    if plan.is_empty() {
        return Ok(None);
    }
    let applied = apply(plan)?;
    // The kernel forgets the wish when a process gives up rights.
    // SAFETY: plain system calls on this process.
    unsafe {
        sys::end_with_parent(libc::SIGKILL);
        if libc::getppid() != guardian {
            super::exit();
        }
    }
    Ok(applied.listener)
}

/// What we ignore would stay ignored, and a shell cannot trap what was ignored when it started.
fn restore_signals() {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGPIPE, libc::SIGTERM, libc::SIGCHLD] {
        super::set_handler(signal, libc::SIG_DFL);
    }
    super::set_signals(Signals::BlockNone);
}

fn write_error(pipe: RawFd, error: c_int) -> ! {
    let bytes = error.to_ne_bytes();
    // SAFETY: the buffer is valid for its length.
    unsafe { libc::write(pipe, bytes.as_ptr().cast::<c_void>(), bytes.len()) };
    super::exit()
}

/// The error of the other end, or `None` when it was closed by a successful `exec`.
fn read_error(pipe: RawFd) -> Option<c_int> {
    let mut bytes = [0_u8; 4];
    // SAFETY: the buffer is valid for its length. Nothing interrupts: all signals are blocked.
    let length = unsafe { libc::read(pipe, bytes.as_mut_ptr().cast::<c_void>(), bytes.len()) };
    (length == 4).then(|| c_int::from_ne_bytes(bytes))
}

/// The arguments of `execve`, in memory of our own.
///
/// In its file: the number of arguments, of variables and of the bytes of the plan (native `u32`s), the plan of the
/// sandbox, which is empty without one, then, each ended by NUL, the program, the working directory, the arguments and
/// the variables.
struct Image {
    plan: &'static [u8],
    program: *const c_char,
    cwd: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
}

impl Image {
    fn read(file: RawFd) -> Option<Self> {
        // SAFETY: the structure is plain numbers and outlives the call.
        let mut status: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        if unsafe { libc::fstat(file, &raw mut status) } != 0 {
            return None;
        }
        let length = usize::try_from(status.st_size).ok()?;
        let text = map(length, libc::MAP_PRIVATE, file)?.cast::<u8>();
        // SAFETY: the mapping is that long, private, and stays for the life of this process.
        let text: &'static [u8] = unsafe { std::slice::from_raw_parts(text, length) };
        Self::parse(text)
    }

    fn parse(text: &'static [u8]) -> Option<Self> {
        let (arguments, text) = split_count(text)?;
        let (variables, text) = split_count(text)?;
        let (plan, text) = split_count(text)?;
        let (plan, text) = text.split_at_checked(plan)?;
        let size = (arguments + variables + 2).checked_mul(size_of::<*const c_char>())?;
        let table = map(size, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)?.cast::<*const c_char>();
        // SAFETY: the fresh mapping has room for that many pointers; its zeros are null pointers.
        let table: &'static mut [*const c_char] =
            unsafe { std::slice::from_raw_parts_mut(table, arguments + variables + 2) };
        let mut strings =
            text.split_inclusive(|byte| *byte == 0).map(|string| string.as_ptr().cast::<c_char>());
        let (program, cwd) = (strings.next()?, strings.next()?);
        let (for_arguments, for_environment) = table.split_at_mut_checked(arguments + 1)?;
        // Each table keeps a null at its end.
        for place in
            for_arguments.iter_mut().take(arguments).chain(for_environment.iter_mut().take(variables))
        {
            *place = strings.next()?;
        }
        // The last string must end before the mapping does.
        (text.last() == Some(&0)).then_some(Self {
            plan,
            program,
            cwd,
            arguments: for_arguments.as_ptr(),
            environment: for_environment.as_ptr(),
        })
    }
}

fn split_count(text: &'static [u8]) -> Option<(usize, &'static [u8])> {
    let (count, rest) = text.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_ne_bytes(*count)).ok()?, rest))
}

fn map(length: usize, flags: c_int, file: RawFd) -> Option<*mut c_void> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a fresh mapping touches no memory of ours.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, file, 0) };
    (address != libc::MAP_FAILED).then_some(address)
}

struct Guardian {
    lifeline: RawFd,
    main: pid_t,
    phase: Phase,
    /// How often it was looked whether somebody is left whose parents are gone.
    looks: u32,
}

/// How far the end of the tree has come. Times are milliseconds of the monotonic clock.
#[derive(Clone, Copy)]
enum Phase {
    Watching,
    Asked { kill_at: i64 },
    Killing { give_up_at: i64 },
}

impl Guardian {
    fn watch(mut self) -> ! {
        let deaths = child_deaths();
        while let Some(look) = self.reap() {
            if look >= 0 {
                // The command itself is reaped; what died since is what we looked with.
                sys::discard_deaths(deaths);
            }
            let timeout = shorter(self.advance(), look);
            let [wish, death] = super::wait_readable([self.lifeline, deaths], timeout);
            if wish {
                self.listen();
            }
            if death {
                sys::discard_deaths(deaths);
            }
        }
        super::exit()
    }

    /// Collects the dead and says when to look again at the latest, in the terms of `poll`; `None` when no process of the
    /// tree is left.
    fn reap(&mut self) -> Option<c_int> {
        loop {
            let mut status = 0;
            // SAFETY: `status` outlives the call.
            let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
            match pid {
                0 => return Some(-1),
                -1 => break, // ECHILD; nothing else is possible with these arguments.
                pid if pid == self.main => super::send_number(self.lifeline, status),
                _ => {}
            }
        }
        if !sys::any_left(self.main, self.looks) {
            return None;
        }
        let look = sys::next_look(self.looks);
        self.looks += 1;
        look
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
            -1 if matches!(super::last_errno(), libc::EINTR | libc::EAGAIN) => {}
            _ => {
                self.ask(GRACE.as_millis() as i64);
                // A poll of a negative descriptor is skipped: an end of file is news only once.
                self.lifeline = -1;
            }
        }
    }

    /// SIGTERM for all, once; a second request changes nothing.
    fn ask(&mut self, grace_ms: i64) {
        if let Phase::Watching = self.phase {
            sys::signal_tree(Some(self.main), libc::SIGTERM);
            sys::signal_tree(Some(self.main), libc::SIGCONT); // A stopped process acts on SIGTERM only once it runs.
            self.phase = Phase::Asked { kill_at: super::now_ms() + grace_ms };
        }
    }

    /// Does what is due and returns how long to sleep, in the terms of `poll`.
    fn advance(&mut self) -> c_int {
        if let Phase::Asked { kill_at } = self.phase {
            let left = kill_at - super::now_ms();
            if left > 0 {
                return c_int::try_from(left).unwrap_or(c_int::MAX);
            }
            self.phase = Phase::Killing { give_up_at: super::now_ms() + GIVE_UP_AFTER_MS };
        }
        match self.phase {
            Phase::Watching | Phase::Asked { .. } => -1,
            Phase::Killing { give_up_at } if super::now_ms() > give_up_at => super::exit(),
            Phase::Killing { .. } => {
                sys::kill_tree(Some(self.main));
                sys::KILL_AGAIN_MS
            }
        }
    }
}

/// Without a descriptor the guardian would miss deaths, so then it gives up at once: the owner sees the lifeline close.
fn child_deaths() -> RawFd {
    sys::child_deaths().unwrap_or_else(|| {
        sys::kill_tree(None);
        super::exit()
    })
}

/// The shorter of two waits in the terms of `poll`, where -1 is for ever.
fn shorter(one: c_int, other: c_int) -> c_int {
    if one < 0 || other < 0 { one.max(other) } else { one.min(other) }
}
