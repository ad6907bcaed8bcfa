//! The terminal engine: what is needed to show a conversation in a terminal, and nothing that knows what a
//! conversation is.
//!
//! The interface runs on the terminal's normal screen. Rows that are final scroll into the terminal's own history, each
//! once, in order ([`ledger`]); the rest of the screen is repainted in place ([`render`]). Everything is a pure function
//! of what is handed in, down to the clock, except [`terminal`], which holds the terminal itself.

pub mod announce;
pub mod capability;
pub mod clipboard;
pub mod commit;
pub mod component;
pub mod console;
pub mod image;
pub mod input;
pub mod ledger;
pub mod probe;
pub mod render;
pub mod schedule;
mod sys;
#[cfg(unix)]
pub mod terminal;
pub mod text;
pub mod transcript;
pub mod ui;
