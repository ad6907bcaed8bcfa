//! Built-in commands, by topic.

mod answers;
pub(super) mod changing;
mod copying;
mod deleting;
mod extensions;
mod inside;
mod login;
mod models;
mod picking;
mod planning;
mod queueing;
mod rewinding;
mod settings;
pub(super) mod setup;
mod sharing;
mod theme;
