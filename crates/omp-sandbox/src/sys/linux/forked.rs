//! Carries out a plan in the process that is about to become the command.
//!
//! Between `fork` and `exec` only system calls are allowed: no allocation, no locks, no panics. The plan is read where it
//! lies.

#![allow(unsafe_code, reason = "namespaces, mounts, Landlock and seccomp are system calls")]

use std::ffi::CStr;
use std::os::fd::RawFd;

use libc::{c_int, c_long, c_void};

use super::bytes::Reader;
use super::plan::{Failure, Step};

/// Added to the error number, a thousand for each kind of step, if the sandbox is at fault and not the command.
pub const CONFINING_FAILED: c_int = 100_000;
const PER_STEP: c_int = 1_000;

/// What a plan leaves for the parent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Applied {
    /// A socket that listens in the command's own network.
    pub listener: Option<RawFd>,
}

/// Does everything that the plan says, in its order. An error stands above [`CONFINING_FAILED`]; then the command must
/// not run.
pub fn apply(plan: &[u8]) -> Result<Applied, c_int> {
    let mut child = Child { plan: Reader(plan), rules: -1, applied: Applied::default() };
    while let Some(number) = child.plan.byte() {
        let step = Step::ALL.into_iter().find(|step| *step as u8 == number).ok_or(CONFINING_FAILED)?;
        let may_fail = child.plan.byte() == Some(Failure::Fine as u8);
        match child.carry_out(step) {
            Ok(()) => {}
            Err(_) if may_fail => {}
            Err(error) => return Err(CONFINING_FAILED + PER_STEP * c_int::from(number) + error),
        }
    }
    Ok(child.applied)
}

/// What an error number of [`apply`] means: the step, and the kernel's own number.
pub fn explain(error: c_int) -> Option<(&'static str, c_int)> {
    let rest = error.checked_sub(CONFINING_FAILED)?;
    let step = Step::ALL.into_iter().find(|step| c_int::from(*step as u8) == rest / PER_STEP)?;
    let name = match step {
        Step::Traceable | Step::Unshare => "namespaces",
        Step::WriteFile => "the user namespace",
        Step::Mount | Step::Attributes | Step::MakeDirectory | Step::MakeFile => "mounts",
        Step::LoopbackUp | Step::Listen => "the network namespace",
        Step::DropPrivileges | Step::NoNewPrivileges => "privileges",
        Step::Rules | Step::Rule | Step::EnterRules => "Landlock",
        Step::Filter => "seccomp",
    };
    Some((name, rest % PER_STEP))
}

struct Child<'p> {
    plan: Reader<'p>,
    /// The rules of Landlock while they are put together.
    rules: RawFd,
    applied: Applied,
}

/// A plan that ends in the middle of a step.
const CUT: c_int = libc::EBADMSG;

impl Child<'_> {
    fn carry_out(&mut self, step: Step) -> Result<(), c_int> {
        match step {
            Step::Traceable => prctl(libc::PR_SET_DUMPABLE, 1, 0),
            Step::Unshare => self.unshare(),
            Step::WriteFile => self.write_file(),
            Step::Mount => self.mount(),
            Step::Attributes => self.attributes(),
            Step::MakeDirectory => self.make_directory(),
            Step::MakeFile => self.make_file(),
            Step::LoopbackUp => loopback_up(),
            Step::Listen => self.listen(),
            Step::DropPrivileges => drop_privileges(),
            Step::NoNewPrivileges => prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0),
            Step::Rules => self.rules(),
            Step::Rule => self.rule(),
            Step::EnterRules => self.enter_rules(),
            Step::Filter => self.filter(),
        }
    }

    fn number(&mut self) -> Result<u64, c_int> {
        self.plan.number().ok_or(CUT)
    }

    fn unshare(&mut self) -> Result<(), c_int> {
        let flags = self.number()? as c_int;
        // SAFETY: a plain system call on this process, which has one thread.
        check(unsafe { libc::unshare(flags) }.into())
    }

    fn write_file(&mut self) -> Result<(), c_int> {
        let path = self.plan.text().ok_or(CUT)?;
        let text = self.plan.block().ok_or(CUT)?;
        let file = open(path, libc::O_WRONLY)?;
        // SAFETY: the buffer is valid for its length.
        let written = unsafe { libc::write(file, text.as_ptr().cast::<c_void>(), text.len()) };
        let result = check(written as c_long);
        close(file);
        result
    }

    fn mount(&mut self) -> Result<(), c_int> {
        let plan = &mut self.plan;
        let (source, target) = (plan.text().ok_or(CUT)?, plan.text().ok_or(CUT)?);
        let kind = plan.text().ok_or(CUT)?;
        let flags = plan.number().ok_or(CUT)?;
        let data = plan.text().ok_or(CUT)?;
        let kind = if kind.is_empty() { std::ptr::null() } else { kind.as_ptr() };
        let data = if data.is_empty() { std::ptr::null() } else { data.as_ptr().cast::<c_void>() };
        // SAFETY: all texts end in NUL.
        check(unsafe { libc::mount(source.as_ptr(), target.as_ptr(), kind, flags, data) }.into())
    }

    /// For everything below as well; where a mount below refuses, because it was so before us, for the one alone.
    fn attributes(&mut self) -> Result<(), c_int> {
        let target = self.plan.text().ok_or(CUT)?;
        let attributes = Attributes {
            set: self.plan.number().ok_or(CUT)?,
            clear: self.plan.number().ok_or(CUT)?,
            propagation: 0,
            namespace: 0,
        };
        match set_attributes(target, &attributes, libc::AT_RECURSIVE as c_int) {
            Err(libc::EPERM) if attributes.clear != 0 => set_attributes(target, &attributes, 0),
            result => result,
        }
    }

    fn make_directory(&mut self) -> Result<(), c_int> {
        let path = self.plan.text().ok_or(CUT)?;
        let mode = self.number()? as libc::mode_t;
        // SAFETY: the path ends in NUL.
        check(unsafe { libc::mkdir(path.as_ptr(), mode) }.into())
    }

    fn make_file(&mut self) -> Result<(), c_int> {
        let path = self.plan.text().ok_or(CUT)?;
        let mode = self.number()? as libc::mode_t;
        // SAFETY: the path ends in NUL.
        let file =
            unsafe { libc::open(path.as_ptr(), libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC, mode) };
        check(file.into())?;
        close(file);
        Ok(())
    }

    /// Listens on the loopback device. The parent gets the socket, which stays in this network wherever it is used.
    fn listen(&mut self) -> Result<(), c_int> {
        let port = self.number()? as u16;
        let socket = socket(libc::AF_INET, libc::SOCK_STREAM)?;
        let address = libc::sockaddr_in {
            sin_family: libc::AF_INET as libc::sa_family_t,
            sin_port: port.to_be(),
            sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes([127, 0, 0, 1]) },
            sin_zero: [0; 8],
        };
        let length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        // SAFETY: the address outlives the call and is as long as is said.
        check(unsafe { libc::bind(socket, (&raw const address).cast(), length) }.into())?;
        // SAFETY: a plain system call on a socket of our own.
        check(unsafe { libc::listen(socket, 128) }.into())?;
        self.applied.listener = Some(socket);
        Ok(())
    }

    fn rules(&mut self) -> Result<(), c_int> {
        let (files, scopes) = (self.number()?, self.number()?);
        let rules = Ruleset { files, network: 0, scopes };
        // Older kernels do not know the later fields.
        let size = if scopes == 0 { size_of::<u64>() } else { size_of::<Ruleset>() };
        // SAFETY: the structure outlives the call.
        let created =
            unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const rules, size, 0_u32) };
        check(created)?;
        self.rules = created as RawFd;
        Ok(())
    }

    fn rule(&mut self) -> Result<(), c_int> {
        const PATH_BENEATH: c_int = 1;
        let path = self.plan.text().ok_or(CUT)?;
        let rights = self.number()?;
        let place = open(path, libc::O_PATH)?;
        let rule = PathRule { rights, place };
        // SAFETY: the structure outlives the call.
        let added = unsafe {
            libc::syscall(libc::SYS_landlock_add_rule, self.rules, PATH_BENEATH, &raw const rule, 0_u32)
        };
        close(place);
        check(added)
    }

    fn enter_rules(&mut self) -> Result<(), c_int> {
        // SAFETY: a plain system call.
        let entered = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.rules, 0_u32) };
        close(self.rules);
        check(entered)
    }

    fn filter(&mut self) -> Result<(), c_int> {
        const SET_MODE_FILTER: libc::c_uint = 1;
        let program = self.plan.block().ok_or(CUT)?;
        let filter = FilterProgram { length: (program.len() / 8) as u16, program: program.as_ptr() };
        // SAFETY: the program outlives the call; the kernel copies it byte by byte.
        let set = unsafe { libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, 0_u32, &raw const filter) };
        check(set)
    }
}

/// `struct mount_attr`.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    namespace: u64,
}

/// `struct landlock_ruleset_attr`.
#[repr(C)]
struct Ruleset {
    files: u64,
    network: u64,
    scopes: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct PathRule {
    rights: u64,
    place: RawFd,
}

/// `struct sock_fprog`.
#[repr(C)]
struct FilterProgram {
    length: u16,
    program: *const u8,
}

fn set_attributes(target: &CStr, attributes: &Attributes, flags: c_int) -> Result<(), c_int> {
    // SAFETY: the path ends in NUL and the structure is as long as is said.
    let set = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            target.as_ptr(),
            flags,
            std::ptr::from_ref(attributes),
            size_of::<Attributes>(),
        )
    };
    check(set)
}

/// The loopback device of a new network is down.
fn loopback_up() -> Result<(), c_int> {
    let socket = socket(libc::AF_INET, libc::SOCK_DGRAM)?;
    // SAFETY: the structure is plain numbers.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo\0") {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
    // SAFETY: the structure outlives the call.
    let result = check(unsafe { libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw mut request) }.into());
    close(socket);
    result
}

/// No capability, and no way to get one: neither by a program that has some, nor by being root.
fn drop_privileges() -> Result<(), c_int> {
    const LAST: u64 = 63;
    // Root keeps its capabilities over an `exec` unless it is told not to. Without the right to say so there are none.
    let _ = prctl(libc::PR_SET_SECUREBITS, 0x2f, 0);
    for capability in 0..=LAST {
        // Those the kernel does not know, and all where we have no right to, are refused.
        let _ = prctl(libc::PR_CAPBSET_DROP, capability, 0);
    }
    const CLEAR_ALL: u64 = 4;
    let _ = prctl(libc::PR_CAP_AMBIENT, CLEAR_ALL, 0);
    let header = [0x2008_0522_u32, 0];
    let nothing = [0_u32; 6];
    // SAFETY: both arrays have the layout and the length that the kernel wants for this version.
    check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), nothing.as_ptr()) })?;
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0)
}

fn prctl(option: c_int, first: u64, second: u64) -> Result<(), c_int> {
    // SAFETY: a plain system call on this process with numbers as arguments.
    check(unsafe { libc::prctl(option, first, second, 0_u64, 0_u64) }.into())
}

fn socket(family: c_int, kind: c_int) -> Result<RawFd, c_int> {
    // SAFETY: a plain system call.
    let socket = unsafe { libc::socket(family, kind | libc::SOCK_CLOEXEC, 0) };
    check(socket.into()).map(|()| socket)
}

fn open(path: &CStr, flags: c_int) -> Result<RawFd, c_int> {
    // SAFETY: the path ends in NUL.
    let file = unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC) };
    check(file.into()).map(|()| file)
}

fn close(fd: RawFd) {
    // SAFETY: the descriptor is ours and not used again.
    unsafe { libc::close(fd) };
}

/// The error of a call that returned less than zero.
fn check(result: c_long) -> Result<(), c_int> {
    if result >= 0 {
        return Ok(());
    }
    Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}
