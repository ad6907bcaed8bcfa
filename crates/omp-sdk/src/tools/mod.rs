//! The tools of a session, and what they share with it.

pub(crate) mod file_history;
pub(crate) mod gated;
pub(crate) mod jobs;
pub(crate) mod language_servers;
pub(crate) mod lost_jobs;
pub(crate) mod shell;
pub(crate) mod ssh_hosts;
pub(crate) mod todo;
pub(crate) mod toolbox;
pub(crate) mod web;
pub(crate) mod workbench;
