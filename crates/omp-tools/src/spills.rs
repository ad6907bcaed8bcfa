//! Whole outputs of tools, kept where the model can read them when only a part is shown.

use omp_shell::Spill;

/// Keeps outputs under names that `artifact://` knows.
pub trait Spills: Send + Sync {
    /// Room for the output of one call of `tool`; `None` if nothing is kept.
    fn open(&self, tool: &str) -> Option<Box<dyn Spill>>;
}

/// A session that keeps nothing.
pub(crate) struct NoSpills;

impl Spills for NoSpills {
    fn open(&self, _tool: &str) -> Option<Box<dyn Spill>> {
        None
    }
}
