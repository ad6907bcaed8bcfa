//! Language servers: which ones a project has, their processes, what they are told and what they say.
//!
//! - [`config`] finds the servers of a project: a built-in table, files that change it, programs that are installed.
//! - [`client`] is one running server: its messages, its documents, its diagnostics.
//! - [`servers`] starts each server when it is first needed, once, and again after it has crashed.
//! - [`uri`] and [`position`] translate between our files and theirs, [`edits`] reads changes that a server proposes,
//!   [`diagnostics`] and [`location`] what it found.
//! - [`mux`] shares one server between programs, where `lspmux` runs.
//!
//! A server's words are those of a stranger: every message, list and text has a limit, nothing it says is taken for a
//! path before it was checked, and a server that talks nonsense is ended instead of believed. Nothing here writes files:
//! whoever uses a server hands in an [`Editor`].

pub mod client;
pub mod column;
pub mod config;
pub mod diagnostics;
pub mod edits;
mod error;
mod frame;
mod language;
pub mod linters;
pub mod location;
mod message;
mod mux;
pub mod position;
pub mod servers;
pub mod uri;

pub use client::{Client, Editor, Fate, Limit, Synced};
pub use config::project_code;
pub use config::{Config, Places, Server, ServerKind, Trust};
pub use error::LspError;
pub use mux::MuxState;
pub use servers::{Consent, ServerState, Servers, Surroundings};
