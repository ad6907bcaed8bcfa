//! The keeper: starts guardians on request, and ends everything below it when its owner is gone.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

use libc::{c_int, c_void};

use super::guardian::{self, Order};
use super::{Side, Signals};
use crate::sys::{self, Path};

/// How many descriptors come with a request: lifeline, three streams, and what to execute.
pub(in crate::scope) const REQUEST_FDS: usize = 5;

/// Guardians are done by then; what is left was orphaned by the death of one.
const SWEEP_AFTER_MS: i64 = 1_500;
const GIVE_UP_AFTER_MS: i64 = 6_000;
const LOOK_AGAIN_MS: c_int = 10;

/// Forks the keeper, which listens on `socket`. Returns its process id to the caller; in the keeper itself it does
/// not return.
pub(in crate::scope) fn start(socket: RawFd, exchange: Option<&CStr>) -> std::io::Result<libc::pid_t> {
    let exchange = exchange.map(Path::new);
    match super::fork()? {
        Side::Parent(pid) => Ok(pid),
        Side::Child => serve(socket, exchange.as_ref()),
    }
}

fn serve(socket: RawFd, exchange: Option<&Path>) -> ! {
    super::set_signals(Signals::BlockAll);
    // The kernel then reaps guardians, and orphans of guardians that were killed.
    super::set_handler(libc::SIGCHLD, libc::SIG_IGN);
    super::stand_alone(c"scope-keeper");
    let socket = leave_program(socket);
    sys::forget_environment();
    sys::forget_program();
    while let Some(order) = receive(socket) {
        match super::fork() {
            Ok(Side::Child) => {
                super::close(socket);
                guardian::run(&order)
            }
            Ok(Side::Parent(_)) => {}
            Err(error) => guardian::report_failure(&order, error.raw_os_error().unwrap_or(libc::EAGAIN)),
        }
        order.close();
    }
    wind_down(exchange)
}

/// Closes every descriptor of the program but the socket, which gets a new number: 3.
fn leave_program(socket: RawFd) -> RawFd {
    // SAFETY: plain system calls on descriptors that this process owns and that nobody else uses. The numbers
    // 0 to 2 stay in use, or the streams of a request would get them.
    unsafe {
        libc::chdir(c"/".as_ptr());
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for fd in 0..3 {
            libc::dup2(null, fd);
        }
        let socket = libc::dup2(socket, 3);
        sys::close_from(4);
        socket
    }
}

/// The next request; `None` when the owner is gone.
fn receive(socket: RawFd) -> Option<Order> {
    loop {
        let mut byte = 0_u8;
        let mut part = libc::iovec { iov_base: (&raw mut byte).cast::<c_void>(), iov_len: 1 };
        let mut control = MaybeUninit::<Control>::zeroed();
        // SAFETY: all parts of the message outlive the call; unused parts are zero.
        let (received, order) = unsafe {
            let mut message: libc::msghdr = std::mem::zeroed();
            message.msg_iov = &raw mut part;
            message.msg_iovlen = 1;
            message.msg_control = control.as_mut_ptr().cast::<c_void>();
            message.msg_controllen = size_of::<Control>() as _;
            let received = libc::recvmsg(socket, &raw mut message, sys::RECEIVE);
            (received, order_in(&message))
        };
        match (received, order) {
            (1, Some(order)) => return Some(order),
            (-1, _) if super::last_errno() == libc::EINTR => {}
            (1, None) => {} // Not one of ours; there is nobody to answer.
            _ => return None,
        }
    }
}

/// Room for the descriptors of one request, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; 64]);

/// # Safety
/// `message` must have been filled by `recvmsg`.
unsafe fn order_in(message: &libc::msghdr) -> Option<Order> {
    // SAFETY: the macros walk the control data within the bounds that the kernel has set; the descriptors are
    // read unaligned from as many bytes as the length says.
    unsafe {
        let header = libc::CMSG_FIRSTHDR(message);
        let expected = libc::CMSG_LEN((REQUEST_FDS * size_of::<RawFd>()) as u32) as usize;
        if header.is_null()
            || (*header).cmsg_type != libc::SCM_RIGHTS
            || (*header).cmsg_len as usize != expected
        {
            return None;
        }
        let fds = libc::CMSG_DATA(header).cast::<[RawFd; REQUEST_FDS]>().read_unaligned();
        let [lifeline, stdin, stdout, stderr, image] = fds;
        Some(Order { lifeline, streams: [stdin, stdout, stderr], image })
    }
}

/// The owner is gone, so the guardians read the end of their lifelines and end their trees. Waits for them and
/// then sweeps up what no guardian feels responsible for.
fn wind_down(exchange: Option<&Path>) -> ! {
    let started = super::now_ms();
    loop {
        // SAFETY: a plain system call. With SIGCHLD ignored it only tells whether there are children.
        let childless = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } == -1;
        let passed = super::now_ms() - started;
        if childless || passed > GIVE_UP_AFTER_MS {
            exchange.into_iter().for_each(sys::remove_directory);
            super::exit();
        }
        if passed > SWEEP_AFTER_MS {
            sys::kill_tree(None);
        }
        super::wait_readable([-1], LOOK_AGAIN_MS);
    }
}
