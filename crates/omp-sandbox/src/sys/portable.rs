//! Nothing confines commands here.

use super::Prepared;
use crate::policy::Policy;
use crate::rung::Rung;

/// The version of Landlock's interface: there is none.
pub fn landlock_abi() -> u32 {
    0
}

/// Changes with every start of the machine, where something depends on that: not here.
pub fn boot_id() -> String {
    String::new()
}

/// A plan that cannot be carried out, unless it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan(&'static [u8]);

impl Plan {
    pub fn bytes(&self) -> &[u8] {
        self.0
    }
}

/// Whatever is asked of a rung that is not here must fail, and the command not run.
pub(crate) fn prepare(_policy: &Policy, rung: Rung) -> Prepared {
    let plan = if rung == Rung::None { Plan::default() } else { Plan(b"x") };
    Prepared { plan, wrap: None }
}

/// The part for the process that is about to become the command.
pub mod forked {
    use std::os::fd::RawFd;

    /// As on Linux: numbers from here on are the sandbox's fault.
    pub const CONFINING_FAILED: i32 = 100_000;

    /// What a plan leaves for the parent.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Applied {
        /// A socket that listens in the command's own network.
        pub listener: Option<RawFd>,
    }

    /// Refuses, because there is nothing to carry out a plan with.
    pub fn apply(plan: &[u8]) -> Result<Applied, i32> {
        if plan.is_empty() { Ok(Applied::default()) } else { Err(CONFINING_FAILED + libc::ENOSYS) }
    }

    /// What an error number of [`apply`] means: the part that failed, and the system's own number.
    pub fn explain(error: i32) -> Option<(&'static str, i32)> {
        Some(("this system has none", error.checked_sub(CONFINING_FAILED).filter(|rest| *rest >= 0)?))
    }
}

#[cfg(test)]
mod tests {
    use super::forked::{apply, explain};
    use super::*;

    #[test]
    fn every_rung_but_none_is_refused() {
        let policy = Policy::default();
        for rung in [Rung::Namespaces { landlock: 7 }, Rung::Bubblewrap, Rung::Landlock { abi: 7 }] {
            let prepared = prepare(&policy, rung);
            let refused = apply(prepared.plan.bytes()).unwrap_err();
            assert_eq!(explain(refused), Some(("this system has none", libc::ENOSYS)), "{rung}");
            assert!(prepared.wrap.is_none());
        }
        assert!(apply(prepare(&policy, Rung::None).plan.bytes()).unwrap().listener.is_none());
        assert_eq!(explain(libc::ENOENT), None);
    }
}
