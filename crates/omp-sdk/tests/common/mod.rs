//! What the tests of the embedding API have in common.

use omp_sdk::{Environment, Listener};
use omp_types::AgentEvent;

/// An environment without variables, and a listener that hears nothing.
pub(crate) struct Nothing;

impl Environment for Nothing {
    fn var(&self, _name: &str) -> Option<String> {
        None
    }
}

impl Listener for Nothing {
    fn event(&mut self, _event: AgentEvent) {}
}
