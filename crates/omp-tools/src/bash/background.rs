//! Commands in the background: those that are started there, and those that take so long that they go there.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use omp_agent::{Invocation, ToolError};
use omp_jobs::{NewJob, Refused};
use omp_shell::session::{CommandDirectory, Given};
use omp_types::{ToolDefinition, ToolOutput};
use serde_json::{Value, json};

use super::work::{Prepared, Viewer, Which, Work};
use super::{Bash, TOOL, Timeout};
use crate::Wording;
use crate::output::{Details, Meta};

/// What the model is told where commands can run in the background.
const OFFER: &str = include_str!("async-prompt.md");
const SHORT_OFFER: &str = include_str!("async-short-prompt.md");
/// The longest name of a job.
const MOST_LABEL: usize = 120;
/// A command that is about to time out is left to its timeout.
const BEFORE_TIMEOUT: Duration = Duration::from_secs(1);

/// Adds the parameter and the words about it.
pub(super) fn offer(definition: &mut ToolDefinition, wording: Wording) {
    definition.description.push_str("\n\n");
    let (prompt, schema) = match wording {
        Wording::Full => {
            let description = "Run in the background; the result is delivered later";
            (OFFER, json!({ "type": "boolean", "description": description }))
        }
        Wording::Short => (SHORT_OFFER, json!({ "type": "boolean" })),
    };
    definition.description.push_str(prompt.trim());
    definition.parameters["properties"]["async"] = schema;
}

impl Bash {
    /// Starts a command as a job with a shell of its own.
    pub(super) fn start_job(&self, prepared: Prepared, command: &str) -> Result<ToolOutput, ToolError> {
        let timeout = prepared.timeout;
        let directory = self.context.commands.shells.directory(&prepared.shell);
        let work = Work::begin(Arc::clone(&self.context), prepared, Which::Own(directory));
        let id = self.register(&mut Some(work), command).map_err(ToolError::new)?;
        Ok(started(&id, command, timeout, Vec::new()))
    }

    /// Waits for a command, unless it takes so long that it becomes a job.
    pub(super) async fn follow(
        &self,
        prepared: Prepared,
        command: &str,
        call: &Invocation,
    ) -> Result<ToolOutput, ToolError> {
        let timeout = prepared.timeout;
        let shell = Arc::clone(&prepared.shell);
        let stays = match &prepared.call.place {
            CommandDirectory::Stay(directory) => Some(directory.clone()),
            CommandDirectory::Current | CommandDirectory::Once(_) => None,
        };
        let mut work = Work::begin(Arc::clone(&self.context), prepared, Which::Sessions);
        work.audience.hand_to(Viewer::Call(call.updates.clone()));
        tokio::select! {
            biased;
            result = &mut work.future => return result,
            () = call.cancel.cancelled() => {
                work.cancel.cancel();
                return work.future.await;
            }
            () = self.patience(timeout) => {}
        }
        let (hold, audience) = (Arc::clone(&work.hold), Arc::clone(&work.audience));
        let mut work = Some(work);
        match (self.register(&mut work, command), work) {
            (Ok(id), _) => {
                let given = self.context.commands.shells.give_away(&hold, stays);
                self.context.note_directory(&shell);
                Ok(started(&id, command, timeout, so_far(&audience.tail(), &given)))
            }
            // No room for it: it stays where it is.
            (Err(_), Some(mut work)) => tokio::select! {
                biased;
                result = &mut work.future => result,
                () = call.cancel.cancelled() => {
                    work.cancel.cancel();
                    work.future.await
                }
            },
            (Err(reason), None) => Err(ToolError::new(reason)),
        }
    }

    /// How long a call waits before its command goes to the background; for ever if it never does.
    async fn patience(&self, timeout: Timeout) {
        match self.context.settings.jobs.auto_background.filter(|_| self.context.jobs.is_some()) {
            Some(threshold) => {
                let before_timeout = timeout.duration().saturating_sub(BEFORE_TIMEOUT);
                tokio::time::sleep(threshold.min(before_timeout)).await;
            }
            None => pending().await,
        }
    }

    /// Makes a job of the work; what is refused stays where it is.
    fn register(&self, work: &mut Option<Work>, command: &str) -> Result<String, String> {
        let Some(jobs) = &self.context.jobs else {
            return Err("Background jobs are not available in this session: call without `async`.".to_owned());
        };
        let new =
            NewJob { id: None, kind: TOOL.name, label: label(command), owner: self.context.agent.clone() };
        let registered = jobs.register(new, |running| {
            let work = work.take();
            async move {
                match work {
                    Some(work) => work.go_on(running).await,
                    None => Err("The command no longer exists.".to_owned()),
                }
            }
        });
        registered.map_err(|refused: Refused| refused.to_string())
    }
}

/// What a call says whose command continues.
fn started(id: &str, command: &str, timeout: Timeout, before: Vec<String>) -> ToolOutput {
    let mut parts = before;
    parts.push(format!("Background job {id} started: {}", label(command)));
    parts.extend(timeout.notice());
    parts.push(
        "[Its result is delivered automatically. Use `job` to wait for it, inspect it or cancel it.]"
            .to_owned(),
    );
    let mut details = Details::default()
        .with("async", json!({ "state": "running", "jobId": id, "type": TOOL.name }))
        .with("timeoutSeconds", timeout.seconds);
    if let Some(requested) = timeout.clamped() {
        details = details.with("requestedTimeoutSeconds", Value::from(requested));
    }
    ToolOutput::text(parts.join("\n\n")).with_details(details.finish(&Meta::default()))
}

/// What a command had said when it went to the background, and what that means for the next.
fn so_far(tail: &str, given: &Given) -> Vec<String> {
    let output = tail.trim_end_matches('\n');
    let output = if output.is_empty() { "(no output yet)" } else { output };
    let shell = match given {
        Given::Nothing => None,
        Given::Copied(directory) => Some(format!(
            "[The command keeps the shell; the next command runs in a copy of it in {}, with the variables \
             and functions set before this command]",
            directory.display()
        )),
        Given::State(directory) => Some(format!(
            "[The command keeps the shell; the next command runs in a new shell in {}, without earlier \
             variables and functions]",
            directory.display()
        )),
    };
    [output.to_owned()].into_iter().chain(shell).collect()
}

/// The command in one line, shortened.
fn label(command: &str) -> String {
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST_LABEL {
        return line;
    }
    line.chars().take(MOST_LABEL - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn labels_are_one_short_line() {
        assert_eq!(label("make\n  test"), "make test");
        assert_eq!(label(&"x".repeat(120)), "x".repeat(120));
        let long = label(&"ä".repeat(121));
        assert_eq!((long.chars().count(), long.ends_with("ä…")), (120, true));
    }
}
