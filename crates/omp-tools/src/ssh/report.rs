//! From what happened to what the model reads.

use std::time::Duration;

use omp_agent::ToolError;
use omp_shell::{CommandOutcome, Ending};
use omp_ssh::{Host, Mounted, SshError};
use omp_types::ToolOutput;
use serde_json::Value;

use crate::bash::{captured_meta, truncation_notice};
use crate::output::Details;

/// Without a terminal nobody tells the other side to stop.
const LEFT: &str = "remote processes may still be running";

pub(super) struct Report<'a> {
    pub(super) host: &'a Host,
    pub(super) outcome: CommandOutcome,
    pub(super) mounted: Mounted,
    pub(super) timeout: Duration,
}

impl Report<'_> {
    pub(super) fn into_result(self) -> Result<ToolOutput, ToolError> {
        let (text, details) = (self.text(), self.details());
        match self.outcome.ending {
            Ending::Exited(0) => Ok(ToolOutput::text(text).with_details(details)),
            _ => Err(ToolError::new(text).with_details(details)),
        }
    }

    /// What stopped the command, its output, notes about that, how it ended.
    fn text(&self) -> String {
        let output = self.outcome.output.text.trim_end_matches('\n');
        let output = if output.is_empty() { "(no output)" } else { output };
        let body = match self.stopped() {
            Some(notice) => format!("{notice}\n{output}"),
            None => output.to_owned(),
        };
        let parts = [Some(body), truncation_notice(&self.outcome.output), self.verdict()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    fn stopped(&self) -> Option<String> {
        let seconds = self.timeout.as_secs_f64();
        match self.outcome.ending {
            Ending::TimedOut => Some(format!("[SSH: command timed out after {seconds} seconds; {LEFT}]")),
            Ending::Cancelled => Some(format!("[Command aborted: connection closed; {LEFT}]")),
            Ending::Exited(_) | Ending::Signaled(_) | Ending::Lost => None,
        }
    }

    fn verdict(&self) -> Option<String> {
        match self.outcome.ending {
            Ending::Exited(0) | Ending::TimedOut | Ending::Cancelled => None,
            Ending::Exited(code) => Some(format!("Command exited with code {code}")),
            Ending::Signaled(signal) => Some(format!("ssh was killed by signal {signal}; {LEFT}")),
            Ending::Lost => Some("Command ended with missing exit status".to_owned()),
        }
    }

    fn details(&self) -> Value {
        let wall_time = u64::try_from(self.outcome.wall_time.as_millis()).unwrap_or(u64::MAX);
        let mut details = Details::default().with("host", self.host.name.clone());
        match self.outcome.ending {
            Ending::Exited(code) => details = details.with("exitCode", code),
            Ending::TimedOut => details = details.with("cancelled", true).with("timedOut", true),
            Ending::Cancelled => details = details.with("cancelled", true),
            Ending::Signaled(_) | Ending::Lost => {}
        }
        details = details.with("wallTimeMs", wall_time).with("timeoutSeconds", self.timeout.as_secs_f64());
        match &self.mounted {
            Mounted::Unavailable => {}
            Mounted::At(path) => details = details.with("mountedAt", path.display().to_string()),
            Mounted::Failed(reason) => details = details.with("mountError", reason.clone()),
        }
        details.finish(&captured_meta(&self.outcome.output))
    }
}

/// Why no command ran.
pub(super) fn not_connected(error: SshError) -> ToolError {
    match error {
        SshError::TimedOut { .. } => ToolError::new(format!("[SSH: {error}]")),
        SshError::Cancelled => ToolError::new(format!("[Command aborted: {error}]")),
        other => ToolError::new(other.to_string()),
    }
}
