//! The wires against a strict scripted server, and everything around them.
#![expect(clippy::needless_pass_by_value, reason = "test helpers take json!({…}) in place")]

mod abort;
mod anthropic;
mod auth;
mod bridge;
mod caching;
mod chat;
mod chunks;
mod demo;
mod dialect_anthropic;
mod discovery;
mod events;
mod faults;
mod fuzz;
mod images;
mod network;
mod registry;
mod repetition;
mod responses;
mod sampling;
mod support;
mod switching;
mod thinking;
mod tools;
