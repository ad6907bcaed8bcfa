//! Namespaces, Landlock, seccomp and `bwrap`.

mod bubblewrap;
mod bytes;
pub mod forked;
mod landlock;
mod plan;
mod seccomp;
mod surroundings;

pub use landlock::abi as landlock_abi;
pub use plan::Plan;

use super::Prepared;
use crate::policy::Policy;
use crate::rung::Rung;
use plan::Owner;

/// Changes with every start of the machine.
pub fn boot_id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// Looks at the disk: what exists now is what gets protected and hidden.
pub(crate) fn prepare(policy: &Policy, rung: Rung) -> Prepared {
    match rung {
        Rung::Namespaces { landlock } => {
            Prepared { plan: plan::with_namespaces(policy, landlock, owner()), wrap: None }
        }
        Rung::Landlock { abi } => Prepared { plan: plan::with_landlock(policy, abi), wrap: None },
        Rung::Bubblewrap => {
            Prepared { plan: plan::before_bubblewrap(), wrap: Some(bubblewrap::wrap(policy)) }
        }
        Rung::None => Prepared::default(),
    }
}

fn owner() -> Owner {
    // SAFETY: plain system calls that cannot fail.
    #[allow(unsafe_code, reason = "the standard library does not know users")]
    let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
    Owner { uid, gid, pid: std::process::id() }
}
