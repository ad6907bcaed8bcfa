//! Scripts in the engine, as their owner runs them.

#![allow(clippy::print_stderr, reason = "what is skipped says so")]

mod language;
mod limits;
mod modules;
mod node;
mod support;
mod units;
