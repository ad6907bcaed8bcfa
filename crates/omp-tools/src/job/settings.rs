//! What users decide about background jobs.

use std::time::Duration;

/// The settings `async.*` and `bash.autoBackground.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSettings {
    /// `async.enabled`: the model may start commands in the background.
    pub offered: bool,
    /// `bash.autoBackground.*`: a command that takes longer continues in the background.
    pub auto_background: Option<Duration>,
    /// `async.pollWaitDuration`: how long one call of `job` waits.
    pub poll_wait: Duration,
}

impl Default for JobSettings {
    fn default() -> Self {
        Self { offered: false, auto_background: None, poll_wait: Duration::from_secs(30) }
    }
}
