//! The machinery of this system: what there is of it on Linux, and nothing of it elsewhere.
//!
//! Where there is no machinery a confinement cannot be had: [`forked::apply`] refuses every plan, so the probe for a rung ends at
//! [`crate::Rung::None`], which means that the user is asked. `--cfg omp_portable` forces that on Linux.

#[cfg_attr(all(target_os = "linux", not(omp_portable)), path = "linux/mod.rs")]
#[cfg_attr(not(all(target_os = "linux", not(omp_portable))), path = "portable.rs")]
mod system;

pub use system::*;

use std::ffi::OsString;
use std::path::PathBuf;

/// The port of the filtering proxy in the command's own network, which has nobody else.
pub(crate) const PROXY_PORT: u16 = 3128;

/// A program that starts another, and its arguments before that one's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrap {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

/// What it takes to start one confined process now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    pub plan: Plan,
    /// The program that starts the command.
    pub wrap: Option<Wrap>,
}
