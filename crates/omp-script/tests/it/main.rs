//! Scripts in the engine, as their owner runs them.

mod language;
mod limits;
mod modules;
mod node;
mod support;
mod units;
