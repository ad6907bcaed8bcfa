//! What may run and what may leave.
//!
//! Questions, answered by pure functions: does a call run, wait for a person or fail ([`approval`]); what does a
//! shell command really do ([`command`], [`effects`], [`rules`]); which files decide what runs later or hold credentials
//! ([`protected`]); which words must not reach a model ([`secrets`]); what the user has agreed to for a project
//! ([`trust`]). Nothing here asks anybody,
//! reads files or talks to models: callers hand in what is known and act on the answer.

pub mod approval;
pub mod command;
pub mod command_text;
pub mod effects;
mod grammar;
pub mod protected;
pub mod question;
pub mod rules;
pub mod secrets;
pub mod trust;
