//! Commands that a person runs in the session's shell, beside the model.

use std::time::Duration;

use omp_agent::AgentError;
use omp_replay::Deck;
use omp_shell::{CommandError, Snapshot};
use omp_tools::UserCommand;
use omp_types::{BashExecution, CustomMessage, Message};
use serde_json::Value;
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

/// Commands that the user runs in the session's shell.
#[derive(Clone, Copy)]
pub struct UserShell<'s> {
    pub(crate) session: &'s Session,
}

impl UserShell<'_> {
    /// Runs a command as it was typed, in the shell that the model's commands run in, or in one of its own while that is
    /// busy. No rule refuses or changes it, it is never a job and never on a terminal, and `bash.enabled` does not matter.
    /// An extension may say what came of it instead. That it was stopped is part of the answer; an error means that no shell could be started.
    pub async fn run(
        self,
        command: &str,
        audience: Audience,
        timeout: Option<Duration>,
        cancel: &CancellationToken,
        on_output: impl FnMut(&Snapshot),
    ) -> Result<UserCommand, CommandError> {
        if let Some(player) = self.session.deck.as_ref().and_then(Deck::player) {
            // Nothing runs in a playback.
            return Ok(played(player.take_command(command)));
        }
        let done = match self.session.extensions_run(command, audience == Audience::User).await {
            Some(done) => done,
            None => self.session.tools.run_command(command, timeout, cancel, on_output).await?,
        };
        if let Some(recorder) = self.session.recorder() {
            recorder.command(command, serde_json::to_value(&done).unwrap_or_default());
        }
        Ok(done)
    }

    /// Makes a command of the user part of the conversation: at once, or with the next prompt while the model works.
    pub async fn record(
        self,
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
        let (message, later) = (CustomMessage::from(execution), self.session.control().is_running());
        let (message, later) = match &self.session.deck {
            Some(deck) => deck.note(message, later),
            None => (message, later),
        };
        self.add_note(message, later).await
    }

    /// Makes a message part of the conversation, now or with the next prompt.
    pub(crate) async fn add_note(self, message: CustomMessage, later: bool) -> Result<(), AgentError> {
        if later {
            self.session.control().next_prompt(message);
            return Ok(());
        }
        self.session.agent.note(Message::Custom(message)).await
    }
}

/// What became of a command when it was recorded.
fn played(outcome: Option<Value>) -> UserCommand {
    let outcome = outcome.unwrap_or_default();
    let text = |name: &str| outcome[name].as_str().map(str::to_owned);
    let count = |name: &str| outcome[name].as_u64().unwrap_or_default();
    UserCommand {
        output: text("output").unwrap_or_else(|| "This command is not in the recording".to_owned()),
        exit_code: outcome["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok()),
        cancelled: outcome["cancelled"] == true,
        truncated: outcome["truncated"] == true,
        total_lines: count("totalLines"),
        total_bytes: count("totalBytes"),
        output_lines: count("outputLines"),
        output_bytes: count("outputBytes"),
        artifact_id: text("artifactId"),
    }
}
