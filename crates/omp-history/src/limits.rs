//! How much is enough.

use std::time::Duration;

/// How much is enough: limits that protect the program, not settings of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Git gets no longer than this for an answer.
    pub patience: Duration,
    /// Files that one checkpoint looks at because git names them, and that are brought back at once.
    pub files: usize,
    /// Bytes that one checkpoint looks at.
    pub bytes: u64,
    /// Prompts with changes that are remembered.
    pub prompts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { patience: Duration::from_secs(10), files: 5_000, bytes: 128 * 1024 * 1024, prompts: 200 }
    }
}
