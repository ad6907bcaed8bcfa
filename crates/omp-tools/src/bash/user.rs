//! Commands of the user: the shell and the limits of the model's calls, and nothing else of what those go through.

use std::time::Duration;

use omp_shell::session::{Call, CommandDirectory};
use omp_shell::{CommandError, CommandOutcome, Ending, Snapshot};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::TOOL;
use crate::Context;

/// The most that is kept of an output that did not come from a shell.
const LARGEST_SUPPLIED: usize = 50 * 1024;

/// What became of a command of the user. That it was stopped is said here and is not an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserCommand {
    /// The output within the limits, and behind it why it ends there, if the command was stopped.
    pub output: String,
    /// `None` when it was stopped, or nobody saw its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// It was stopped, by its timeout or by somebody.
    pub cancelled: bool,
    /// The output does not show everything.
    pub truncated: bool,
    pub total_lines: u64,
    pub total_bytes: u64,
    pub output_lines: u64,
    pub output_bytes: u64,
    /// Where everything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_id: Option<String>,
}

impl UserCommand {
    /// What somebody else says came of a command: the same limits hold for it.
    pub fn supplied(output: &str, exit_code: Option<i32>, cancelled: bool, truncated: bool) -> Self {
        let start = output.len().saturating_sub(LARGEST_SUPPLIED);
        let start = (start..=output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or_default();
        let shown = &output[start..];
        let lines = |text: &str| text.lines().count() as u64;
        Self {
            output: shown.to_owned(),
            exit_code,
            cancelled,
            truncated: truncated || start > 0,
            total_lines: lines(output),
            total_bytes: output.len() as u64,
            output_lines: lines(shown),
            output_bytes: shown.len() as u64,
            artifact_id: None,
        }
    }
}

impl Context {
    /// Runs a command of the user in the session's shell, as it was typed. `on_output` sees the end of the output now and
    /// then.
    pub async fn run_command(
        &self,
        command: &str,
        timeout: Option<Duration>,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<UserCommand, CommandError> {
        let shell = self.shell().await;
        let call = Call {
            place: self.follow_directory(&shell, CommandDirectory::Current),
            timeout,
            limits: self.settings.output,
            spill: self.spills.open(TOOL.name),
            ..Call::new(command)
        };
        let answer = self.commands.shells.run(&self.commands.scope, &shell, call, cancel, on_output).await;
        self.scans.clear(); // It may have written files.
        self.note_directory(&shell);
        Ok(record(answer?.outcome, timeout))
    }
}

fn record(outcome: CommandOutcome, timeout: Option<Duration>) -> UserCommand {
    let CommandOutcome { ending, output, .. } = outcome;
    let stopped = match ending {
        Ending::TimedOut => {
            Some(format!("[Command timed out after {} seconds]", timeout.unwrap_or_default().as_secs_f64()))
        }
        Ending::Cancelled => Some("[Command cancelled]".to_owned()),
        Ending::Exited(_) | Ending::Signaled(_) | Ending::Lost => None,
    };
    let cancelled = stopped.is_some();
    let mut text = output.text.clone();
    if let Some(stopped) = stopped {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&stopped);
    }
    UserCommand {
        output: text,
        exit_code: match ending {
            Ending::Exited(code) => Some(code),
            Ending::Signaled(signal) => Some(128 + signal),
            Ending::TimedOut | Ending::Cancelled | Ending::Lost => None,
        },
        cancelled,
        truncated: output.is_truncated(),
        total_lines: output.total_lines,
        total_bytes: output.total_bytes,
        output_lines: output.shown_lines,
        output_bytes: output.shown_bytes,
        artifact_id: output.spilled.map(|spilled| spilled.name),
    }
}
