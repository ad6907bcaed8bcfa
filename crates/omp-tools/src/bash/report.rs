//! From what happened to what the model reads.

use std::path::Path;

use nix::sys::signal::Signal;
use omp_agent::ToolError;
use omp_sandbox::Denial;
use omp_shell::session::{After, Answer};
use omp_shell::{Captured, Ending};
use omp_types::ToolOutput;
use serde_json::Value;

use super::Timeout;
use crate::output::{ColumnTruncated, Details, Direction, Limits, Meta, ShownRange, TruncatedBy, Truncation};

pub(super) struct Report<'a> {
    pub(super) answer: Answer,
    /// The name of the output as it was, if it is shown shortened.
    pub(super) original: Option<String>,
    pub(super) timeout: Timeout,
    /// Where a fresh shell begins.
    pub(super) fresh_directory: &'a Path,
    pub(super) sandbox: &'a SandboxReport,
}

/// What held for a command, and what it was refused.
pub(super) struct SandboxReport {
    pub(super) held: String,
    pub(super) denial: Option<Denial>,
}

impl SandboxReport {
    /// What the model should know: that it was not the program's fault, and that another way to the same end will not
    /// work either.
    fn notice(&self) -> Option<String> {
        let blocked = self.denial.as_ref()?.text();
        Some(format!(
            "[The sandbox blocked {blocked} ({}). Work within its limits, or tell the user why you need \
             this.]",
            self.held
        ))
    }
}

impl Report<'_> {
    pub(super) fn into_result(self) -> Result<ToolOutput, ToolError> {
        let (text, details) = (self.text(), self.details());
        match self.answer.outcome.ending {
            Ending::Exited(0) => Ok(ToolOutput::text(text).with_details(details)),
            _ => Err(ToolError::new(text).with_details(details)),
        }
    }

    /// The output, then notes about it, then how it ended and how long it took.
    fn text(&self) -> String {
        let output = self.answer.outcome.output.text.trim_end_matches('\n');
        let output = if output.is_empty() { "(no output)" } else { output };
        let wall_time = format!("Wall time: {:.2} seconds", self.answer.outcome.wall_time.as_secs_f64());
        let end = match self.answer.outcome.ending {
            // The contract wants this text at the very end.
            Ending::Lost => [Some(wall_time), self.verdict()],
            _ => [self.verdict(), Some(wall_time)],
        };
        let parts = [
            Some(output.to_owned()),
            truncation_notice(&self.answer.outcome.output),
            self.original.as_ref().map(|name| format!("[raw output: artifact://{name}]")),
            self.timeout.notice(),
            self.directory_notice(),
            self.shell_notice(),
            self.sandbox.notice(),
        ];
        parts.into_iter().chain(end).flatten().collect::<Vec<_>>().join("\n\n")
    }

    fn directory_notice(&self) -> Option<String> {
        let lost = self.answer.lost_directory.as_ref()?;
        Some(format!(
            "[The shell's directory {} no longer exists; it is now in {}]",
            lost.display(),
            self.fresh_directory.display()
        ))
    }

    fn shell_notice(&self) -> Option<String> {
        (self.answer.after == After::Ended).then(|| {
            format!(
                "[The shell exited with this command; the next command runs in a new shell in {}, without \
                 earlier variables and functions]",
                self.fresh_directory.display()
            )
        })
    }

    fn verdict(&self) -> Option<String> {
        match self.answer.outcome.ending {
            Ending::Exited(0) => None,
            Ending::Exited(code) => Some(format!("Command exited with code {code}")),
            Ending::Signaled(signal) => Some(format!(
                "Command exited with code {} (killed by {})",
                signal_code(signal),
                signal_name(signal)
            )),
            Ending::TimedOut => Some(format!(
                "Command timed out after {} seconds; all processes of its shell were killed",
                self.timeout.seconds
            )),
            Ending::Cancelled => Some("Command aborted; all processes of its shell were killed".into()),
            Ending::Lost => Some("Command ended with missing exit status".into()),
        }
    }

    fn details(&self) -> Value {
        let wall_time = u64::try_from(self.answer.outcome.wall_time.as_millis()).unwrap_or(u64::MAX);
        let mut details = Details::default();
        match self.answer.outcome.ending {
            Ending::Exited(code) => details = details.with("exitCode", code),
            Ending::Signaled(signal) => {
                details = details.with("exitCode", signal_code(signal)).with("signal", signal_name(signal));
            }
            Ending::TimedOut => details = details.with("cancelled", true).with("timedOut", true),
            Ending::Cancelled => details = details.with("cancelled", true),
            Ending::Lost => {}
        }
        details = details.with("wallTimeMs", wall_time).with("timeoutSeconds", self.timeout.seconds);
        if let Some(requested) = self.timeout.clamped() {
            details = details.with("requestedTimeoutSeconds", requested);
        }
        details = details.with("sandbox", self.sandbox.held.as_str());
        if let Some(denial) = &self.sandbox.denial {
            details = details.with("sandboxBlocked", denial.text());
        }
        details.finish(&captured_meta(&self.answer.outcome.output))
    }
}

/// What a shell reports for a command that died of a signal.
fn signal_code(signal: i32) -> i32 {
    128 + signal
}

fn signal_name(signal: i32) -> String {
    match Signal::try_from(signal) {
        Ok(signal) => signal.as_str().to_owned(),
        Err(_) => format!("signal {signal}"),
    }
}

pub(crate) fn truncation_notice(output: &Captured) -> Option<String> {
    let parts = [elision_notice(output), columns_notice(output), whole_notice(output)];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then(|| format!("[{text}]"))
}

fn elision_notice(output: &Captured) -> Option<String> {
    let elision = output.elision?;
    let shown = match elision.head_lines {
        0 => format!("the last {}", elision.tail_lines),
        head => format!("the first {head} and the last {}", elision.tail_lines),
    };
    Some(format!(
        "Showing {shown} of {} lines ({} of {} bytes).",
        output.total_lines, output.shown_bytes, output.total_bytes
    ))
}

fn columns_notice(output: &Captured) -> Option<String> {
    let columns = output.cut_columns?;
    Some(format!("Lines over {columns} bytes are truncated."))
}

/// Where the rest is, or how to get it.
fn whole_notice(output: &Captured) -> Option<String> {
    match (&output.spilled, &output.elision) {
        (Some(spilled), _) => Some(format!("Full output: artifact://{}", spilled.name)),
        (None, Some(_)) => Some("Filter the output, or write it to a file and read that.".to_owned()),
        (None, None) => None,
    }
}

pub(crate) fn captured_meta(output: &Captured) -> Meta {
    let truncation = output.elision.map(|elision| Truncation {
        direction: if elision.head_lines == 0 { Direction::Tail } else { Direction::Middle },
        truncated_by: TruncatedBy::Bytes,
        total_lines: output.total_lines,
        total_bytes: output.total_bytes,
        output_lines: output.shown_lines,
        output_bytes: output.shown_bytes,
        shown_range: Some(ShownRange {
            start: output.total_lines - elision.tail_lines + 1,
            end: output.total_lines,
        }),
        head_lines: (elision.head_lines > 0).then_some(elision.head_lines),
        next_offset: None,
        artifact_id: output.spilled.as_ref().map(|spilled| spilled.name.clone()),
    });
    let limits = output.cut_columns.map(|max_column| Limits {
        column_truncated: Some(ColumnTruncated { max_column }),
        ..Limits::default()
    });
    Meta { source: None, truncation, limits }
}
