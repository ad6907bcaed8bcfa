//! The filter of system calls.
//!
//! It is a list of what is refused: what a developer's tools need is too much to list. What is refused makes or changes
//! namespaces and mounts, loads code into the kernel, reaches processes and keys around the file system's permissions,
//! sets the clock, types into terminals, or talks to the machine's host. Calls in the form of another architecture are
//! refused as a whole, because their numbers mean something else.

use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter,
};

use crate::policy::Network;

const ALLOW: u32 = 0x7fff_0000;
const ERRNO: u32 = 0x0005_0000;
const KILL: u32 = 0x8000_0000;

/// Where the parts of `struct seccomp_data` are.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// Numbers from here on belong to the x32 interface of the same processor.
const X32: u32 = 0x4000_0000;

#[cfg(target_arch = "x86_64")]
const THIS_ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const THIS_ARCHITECTURE: u32 = 0xc000_00b7;

/// Refused with "operation not permitted".
const REFUSED: &[libc::c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pivot_root,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Refused as if the kernel did not know them: programs then use what came before. The arguments of `clone3` are in
/// memory, where no filter can look at them.
const UNKNOWN: &[libc::c_long] =
    &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

/// Refused also where `bwrap` has yet to make its namespaces.
const REFUSED_BEFORE_BUBBLEWRAP: &[libc::c_long] = &[
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_perf_event_open,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_settimeofday,
    libc::SYS_userfaultfd,
];

/// Flags of `clone` that make namespaces.
const NEW_NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// Types into a terminal, and the console's own way to do the same.
const TYPING: [u32; 2] = [libc::TIOCSTI as u32, 0x541c];

/// What kind of sandbox the filter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    /// Namespaces are made, and none are to be made any more.
    Namespaces,
    /// `bwrap` makes them afterwards.
    Bubblewrap,
    /// There are none: the filter alone stands between the command and the network.
    Nothing(Network),
}

/// The filter as the kernel wants it: instructions of eight bytes.
pub(crate) fn filter(around: Around) -> Vec<u8> {
    let mut program = Program::default();
    program.check_architecture();
    for number in refused(around) {
        program.answer_number(*number, ERRNO | libc::EPERM as u32);
    }
    for number in UNKNOWN {
        program.answer_number(*number, ERRNO | libc::ENOSYS as u32);
    }
    if around != Around::Bubblewrap {
        program.answer_flags(libc::SYS_clone, NEW_NAMESPACES);
    }
    program.answer_argument(libc::SYS_ioctl, 1, &TYPING);
    program.only_argument(libc::SYS_socket, 0, families(around));
    program.push(BPF_RET | BPF_K, 0, 0, ALLOW);
    program.bytes()
}

fn refused(around: Around) -> &'static [libc::c_long] {
    match around {
        Around::Namespaces | Around::Nothing(_) => REFUSED,
        Around::Bubblewrap => REFUSED_BEFORE_BUBBLEWRAP,
    }
}

/// Kinds of sockets. Others than these reach the machine's host, the kernel's own interfaces or devices. Without a
/// namespace only sockets that lead nowhere are left where there is to be no network; those with a path in the file
/// system would reach every service of the machine.
fn families(around: Around) -> &'static [u32] {
    const ALL: &[u32] =
        &[libc::AF_UNIX as u32, libc::AF_INET as u32, libc::AF_INET6 as u32, libc::AF_NETLINK as u32];
    const LOCAL: &[u32] = &[libc::AF_NETLINK as u32];
    match around {
        Around::Nothing(Network::Closed | Network::Filtered) => LOCAL,
        _ => ALL,
    }
}

/// Instructions of the kernel's packet filter.
#[derive(Default)]
struct Program(Vec<sock_filter>);

impl Program {
    fn push(&mut self, code: u32, yes: u8, no: u8, operand: u32) {
        self.0.push(sock_filter { code: code as u16, jt: yes, jf: no, k: operand });
    }

    fn load(&mut self, offset: u32) {
        self.push(BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
    }

    fn answer(&mut self, answer: u32) {
        self.push(BPF_RET | BPF_K, 0, 0, answer);
    }

    /// Continues only in the form of this processor.
    fn check_architecture(&mut self) {
        self.load(ARCHITECTURE);
        self.push(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, THIS_ARCHITECTURE);
        self.answer(KILL);
        self.load(NUMBER);
        if cfg!(target_arch = "x86_64") {
            self.push(BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32);
            self.answer(ERRNO | libc::ENOSYS as u32);
        }
    }

    /// One answer for one call. The number is loaded before and after.
    fn answer_number(&mut self, number: libc::c_long, answer: u32) {
        self.push(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number as u32);
        self.answer(answer);
    }

    /// Refuses a call whose first argument has one of these bits.
    fn answer_flags(&mut self, number: libc::c_long, flags: u32) {
        self.push(BPF_JMP | BPF_JEQ | BPF_K, 0, 5, number as u32);
        self.load(ARGUMENTS);
        self.push(BPF_ALU | BPF_AND | BPF_K, 0, 0, flags);
        self.push(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
        self.answer(ERRNO | libc::EPERM as u32);
        self.load(NUMBER);
    }

    /// Refuses a call with one of these values. The kernel itself looks at the lower half of such arguments only.
    fn answer_argument(&mut self, number: libc::c_long, argument: u32, values: &[u32]) {
        let length = 2 + 2 * values.len() as u8;
        self.push(BPF_JMP | BPF_JEQ | BPF_K, 0, length, number as u32);
        self.load(ARGUMENTS + 8 * argument);
        for value in values {
            self.push(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, *value);
            self.answer(ERRNO | libc::EPERM as u32);
        }
        self.load(NUMBER);
    }

    /// Refuses a call with any other than these values.
    fn only_argument(&mut self, number: libc::c_long, argument: u32, values: &[u32]) {
        let count = values.len() as u8;
        self.push(BPF_JMP | BPF_JEQ | BPF_K, 0, count + 3, number as u32);
        self.load(ARGUMENTS + 8 * argument);
        for (place, value) in (0_u8..).zip(values) {
            self.push(BPF_JMP | BPF_JEQ | BPF_K, count - place, 0, *value);
        }
        self.answer(ERRNO | libc::EPERM as u32);
        self.load(NUMBER);
    }

    fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len() * 8);
        for instruction in self.0 {
            bytes.extend_from_slice(&instruction.code.to_ne_bytes());
            bytes.extend_from_slice(&[instruction.jt, instruction.jf]);
            bytes.extend_from_slice(&instruction.k.to_ne_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the filter as the kernel would.
    fn run(filter: &[u8], architecture: u32, number: u32, arguments: [u64; 6]) -> u32 {
        let mut data = Vec::new();
        data.extend_from_slice(&number.to_ne_bytes());
        data.extend_from_slice(&architecture.to_ne_bytes());
        data.extend_from_slice(&[0; 8]);
        arguments.iter().for_each(|argument| data.extend_from_slice(&argument.to_ne_bytes()));
        let (mut at, mut value) = (0, 0_u32);
        loop {
            let raw = &filter[at * 8..at * 8 + 8];
            let code = u32::from(u16::from_ne_bytes([raw[0], raw[1]]));
            let operand = u32::from_ne_bytes([raw[4], raw[5], raw[6], raw[7]]);
            let (yes, no) = (usize::from(raw[2]), usize::from(raw[3]));
            at += 1;
            if code == BPF_LD | BPF_W | BPF_ABS {
                let offset = operand as usize;
                value = u32::from_ne_bytes(data[offset..offset + 4].try_into().unwrap());
            } else if code == BPF_JMP | BPF_JEQ | BPF_K {
                at += if value == operand { yes } else { no };
            } else if code == BPF_JMP | BPF_JGE | BPF_K {
                at += if value >= operand { yes } else { no };
            } else if code == BPF_ALU | BPF_AND | BPF_K {
                value &= operand;
            } else {
                assert_eq!(code, BPF_RET | BPF_K);
                return operand;
            }
        }
    }

    fn answer(around: Around, number: libc::c_long, first: u64, second: u64) -> u32 {
        run(&filter(around), THIS_ARCHITECTURE, number as u32, [first, second, 0, 0, 0, 0])
    }

    const EPERM: u32 = ERRNO | libc::EPERM as u32;
    const ENOSYS: u32 = ERRNO | libc::ENOSYS as u32;

    #[test]
    fn what_is_listed_is_refused_and_the_rest_is_not() {
        let all = [Around::Namespaces, Around::Bubblewrap, Around::Nothing(Network::Closed)];
        for around in all {
            for number in [libc::SYS_keyctl, libc::SYS_bpf, libc::SYS_userfaultfd, libc::SYS_clock_settime] {
                assert_eq!(answer(around, number, 0, 0), EPERM, "{around:?} {number}");
            }
            for number in [libc::SYS_io_uring_setup, libc::SYS_clone3] {
                assert_eq!(answer(around, number, 0, 0), ENOSYS, "{around:?} {number}");
            }
            for number in [libc::SYS_read, libc::SYS_openat, libc::SYS_execve, libc::SYS_socketpair] {
                assert_eq!(answer(around, number, 0, 0), ALLOW, "{around:?} {number}");
            }
            assert_eq!(answer(around, libc::SYS_ioctl, 0, libc::TIOCSTI), EPERM);
            assert_eq!(answer(around, libc::SYS_ioctl, 0, libc::TIOCSTI | 1 << 32), EPERM, "the upper half");
            assert_eq!(answer(around, libc::SYS_ioctl, 0, libc::TIOCGWINSZ), ALLOW);
            assert_eq!(answer(around, libc::SYS_socket, libc::AF_VSOCK as u64, 0), EPERM);
            assert_eq!(answer(around, libc::SYS_socket, libc::AF_NETLINK as u64, 0), ALLOW);
        }
    }

    #[test]
    fn namespaces_are_made_once() {
        let fork = libc::SIGCHLD as u64;
        for around in [Around::Namespaces, Around::Nothing(Network::Open)] {
            assert_eq!(answer(around, libc::SYS_clone, fork, 0), ALLOW);
            assert_eq!(answer(around, libc::SYS_clone, fork | libc::CLONE_NEWUSER as u64, 0), EPERM);
            assert_eq!(answer(around, libc::SYS_unshare, 0, 0), EPERM);
        }
        assert_eq!(answer(Around::Bubblewrap, libc::SYS_unshare, 0, 0), ALLOW);
        assert_eq!(answer(Around::Bubblewrap, libc::SYS_clone, fork | libc::CLONE_NEWUSER as u64, 0), ALLOW);
    }

    #[test]
    fn sockets_without_a_namespace_lead_nowhere() {
        for family in [libc::AF_INET, libc::AF_INET6, libc::AF_UNIX] {
            let answer = |around| answer(around, libc::SYS_socket, family as u64, 0);
            assert_eq!(answer(Around::Namespaces), ALLOW);
            assert_eq!(answer(Around::Nothing(Network::Open)), ALLOW);
            assert_eq!(answer(Around::Nothing(Network::Closed)), EPERM);
            assert_eq!(answer(Around::Nothing(Network::Filtered)), EPERM);
        }
    }

    #[test]
    fn other_forms_of_calls_are_refused() {
        let filter = filter(Around::Namespaces);
        assert_eq!(run(&filter, 0x4000_0003, libc::SYS_read as u32, [0; 6]), KILL);
        if cfg!(target_arch = "x86_64") {
            assert_eq!(run(&filter, THIS_ARCHITECTURE, X32 | libc::SYS_mount as u32, [0; 6]), ENOSYS);
        }
    }
}
