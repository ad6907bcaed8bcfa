//! Processes and their output.
//!
//! - [`scope`] owns every process the program starts. It is the only module in the workspace that spawns.
//! - [`environment`] decides what a child sees of our environment.
//! - [`login`] learns what the user's login shell would add to it.
//! - [`command`] runs one shell command to its end, its timeout or its cancellation.
//! - [`program`] does the same for a program that needs no shell; [`answer()`] reads one that is asked something, [`answer_bytes()`]
//!   one that answers with something else than text.
//! - [`session`] keeps shells that live through many commands.
//! - [`pty`] runs one command on a pseudo-terminal.
//! - [`sink`] turns a stream of any length into a text of bounded length.
//!
//! Nothing here knows about agents, tools or terminals.

mod answer;
pub mod command;
pub mod environment;
pub mod login;
pub mod program;
pub mod pty;
pub mod scope;
pub mod session;
pub mod sink;
mod stream;
mod sys;
mod watcher;

pub use answer::{Answer, answer, answer_bytes};
pub use command::{CommandError, CommandOutcome, CommandSpec, Ending, Snapshot};
pub use environment::{Ci, Environment, SecretNames};
pub use login::login_environment;
pub use program::{ProgramSpec, run_program};
pub use scope::{Child, Confined, Ender, Exit, Program, Scope, SpawnError, Stdio, run_in_front};
pub use sink::{Captured, Limits, Sink, Spill};
pub use sys::own_program;
pub use watcher::start_watcher;

/// A number that nobody else is likely to have just now.
fn unlikely(attempt: u32) -> u64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mixed = now.as_nanos() as u64 ^ (u64::from(attempt) << 56);
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
