//! Commands that a person runs in the session's shell, beside the model.

use std::time::Duration;

use omp_agent::AgentError;
use omp_shell::{CommandError, Snapshot};
use omp_tools::UserCommand;
use omp_types::{BashExecution, CustomMessage, Message};
use tokio_util::sync::CancellationToken;

use crate::session::Session;

/// Who gets to know of a command of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The model reads of it with the next prompt.
    Model,
    /// The user alone.
    User,
}

impl Session {
    /// Runs a command as it was typed, in the shell that the model's commands run in, or in one of its own while that is
    /// busy. No rule refuses or changes it, it is never a job and never on a terminal, and `bash.enabled` does not matter.
    /// That it was stopped is part of the answer; an error means that no shell could be started.
    pub async fn run_command(
        &self,
        command: &str,
        timeout: Option<Duration>,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<UserCommand, CommandError> {
        self.tools.run_command(command, timeout, cancel, on_output).await
    }

    /// Makes a command of the user part of the conversation: at once, or with the next prompt while the model works.
    pub async fn record_command(
        &self,
        command: &str,
        done: &UserCommand,
        audience: Audience,
    ) -> Result<(), AgentError> {
        let execution = BashExecution {
            command: command.to_owned(),
            output: done.output.clone(),
            exit_code: done.exit_code,
            cancelled: done.cancelled,
            truncated: done.truncated,
            full_output_path: done.artifact_id.as_ref().map(|id| format!("artifact://{id}")),
            exclude_from_context: audience == Audience::User,
            timestamp: u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default(),
        };
        let message = CustomMessage::from(execution);
        if self.control().is_running() {
            self.control().next_prompt(message);
            return Ok(());
        }
        self.agent.note(Message::Custom(message)).await
    }
}
