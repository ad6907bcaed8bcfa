//! Commands that the user runs beside the model.
//!
//! In session files such a command is a message with a role of its own. In a running conversation it is a
//! [`CustomMessage`]: its details are the command, its content is what the model reads of it, which is nothing if the
//! command is private.

use serde::{Deserialize, Serialize};

use crate::{CustomMessage, UserContent};

/// A command of the user and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BashExecution {
    pub command: String,
    #[serde(default)]
    pub output: String,
    /// `None` when it was stopped, or nobody saw its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub cancelled: bool,
    /// The output does not show everything.
    #[serde(default)]
    pub truncated: bool,
    /// Where everything is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
    /// The model does not learn of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exclude_from_context: bool,
    #[serde(default)]
    pub timestamp: u64,
}

impl BashExecution {
    /// The role in session files, and the type of the message.
    pub const ROLE: &'static str = "bashExecution";
    /// The same for code that other releases run.
    pub const OF_PYTHON: &'static str = "pythonExecution";

    /// Does a message say what the user ran? Then it is the user who says it.
    pub fn is_told_by(message: &CustomMessage) -> bool {
        [Self::ROLE, Self::OF_PYTHON].contains(&message.custom_type.as_str())
    }

    /// The command that a message stands for, if it stands for one.
    pub fn of(message: &CustomMessage) -> Option<Self> {
        if message.custom_type != Self::ROLE {
            return None;
        }
        Self::deserialize(message.details.as_ref()?).ok()
    }

    /// What the model reads.
    fn words(&self) -> String {
        let end = match self.exit_code {
            Some(code) => format!("exit code {code}"),
            None => "stopped".to_owned(),
        };
        let mut words = format!("The user ran a command ({end}):\n$ {}", self.command);
        let output = self.output.trim_end();
        if !output.is_empty() {
            words.push('\n');
            words.push_str(output);
        }
        if let Some(path) = self.full_output_path.as_ref().filter(|_| self.truncated) {
            words.push_str(&format!("\n[Whole output: {path}]"));
        }
        words
    }
}

impl From<BashExecution> for CustomMessage {
    fn from(execution: BashExecution) -> Self {
        let words = if execution.exclude_from_context { String::new() } else { execution.words() };
        Self {
            custom_type: BashExecution::ROLE.to_owned(),
            content: UserContent::Text(words),
            display: true,
            timestamp: execution.timestamp,
            details: serde_json::to_value(execution).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_survives_being_a_message() {
        let execution = BashExecution {
            command: "ls".to_owned(),
            output: "a\nb\n".to_owned(),
            exit_code: Some(0),
            timestamp: 7,
            ..BashExecution::default()
        };
        let message = CustomMessage::from(execution.clone());
        assert_eq!(message.content.text(), "The user ran a command (exit code 0):\n$ ls\na\nb");
        assert_eq!(BashExecution::of(&message), Some(execution.clone()));
        let private = BashExecution { exclude_from_context: true, ..execution };
        let message = CustomMessage::from(private.clone());
        assert_eq!(message.content.text(), "");
        assert_eq!(BashExecution::of(&message), Some(private));
    }
}
