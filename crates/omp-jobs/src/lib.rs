//! Work that continues while its starter does something else.
//!
//! A job is a future with a name: [`Jobs::register`] lets it run, [`Jobs::snapshots`] shows it, [`Jobs::cancel`] stops it.
//! What it is about (a command, a sub-agent) is the starter's business.
//!
//! # Results arrive once
//!
//! When a job ends, its text waits in an outbox until its owner takes it ([`Jobs::claim`]). The owner's [`Recipient`] is told;
//! if that cannot be reached it is told again, later and later. Whoever has shown the result already says so
//! ([`Jobs::acknowledge`]), which empties the outbox, and whoever is about to show it watches the job ([`Jobs::watch`]), which
//! holds the result back. So a result is read exactly once, however it comes.
//!
//! # Bounds
//!
//! The number of running jobs, of ended ones that are remembered, and the length of every text are limited. An ended job
//! is forgotten after [`Limits::retention`]; a result that nobody took stays in the outbox until then and beyond.

mod delivery;
mod entry;
mod jobs;
mod state;

pub use delivery::{Recipient, Unreachable};
pub use entry::{Cancelled, NewJob, Running, Settled, Snapshot, Status};
pub use jobs::{Jobs, Limits, News, Refused, Watching};
