//! Confinement that the kernel enforces.
//!
//! A [`Policy`] says what a command may write, what it may not see and whether it has a network: plain data, made by the
//! caller. A [`Rung`] is the machinery that enforces it on this machine. Together they are a [`Confinement`], which becomes
//! a [`Plan`]: a list of system calls that the process about to become the command makes itself (`forked`), because
//! nothing but system calls is allowed between `fork` and `exec`.
//!
//! ```text
//! Policy + Rung ──► Confinement ──prepare()──► Plan ──► forked::apply, in the child, right before exec
//! ```
//!
//! The rungs, from the strongest down:
//!
//! 1. **Namespaces**: user, mount, network and IPC namespaces, Landlock and seccomp. Everything is mounted read-only but
//!    for the writable roots; protected paths inside them are mounted read-only again, hidden ones are covered.
//! 2. **Bubblewrap**: the same by the program `bwrap`, where only that may make namespaces.
//! 3. **Landlock**: Landlock and seccomp alone. Landlock can only add rights to what lies below a directory, so what is
//!    protected inside a writable root is not: the rung says so.
//! 4. **None**. The only one of systems other than Linux.
//!
//! [`Rung::weaknesses`] names what a rung does not hold. Nothing here knows why a command is confined, who asked for it, or
//! how it is started: `omp-shell` does that.

mod caches;
mod confinement;
mod denial;
mod hosts;
mod policy;
pub mod proxy;
mod rung;
mod sys;

pub use caches::writable_caches;
pub use confinement::Confinement;
pub use denial::{Denial, denied};
pub use hosts::{Answer, Escalation, HostBook, HostSources, OtherHosts, RunningCommand};
pub use policy::{FileIdentity, Network, Policy};
pub use rung::{Rung, Weakness};
pub use sys::{Plan, Prepared, Wrap, boot_id, forked, landlock_abi};
