//! Scripts in the engine, as their owner runs them.

mod language;
mod limits;
mod modules;
mod support;
mod units;
