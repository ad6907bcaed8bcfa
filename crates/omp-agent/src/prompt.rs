//! What a run begins with, and how it ended.

use std::borrow::Cow;
use std::sync::Arc;

use omp_types::{AssistantMessage, CustomMessage, Message, UserContent, UserMessage};
use serde_json::Value;

/// What the user says.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    pub content: UserContent,
    pub form: PromptForm,
}

/// How a prompt stands in the conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PromptForm {
    /// The user's own words.
    #[default]
    Words,
    /// A text that a command of the user put together.
    Custom { custom_type: Cow<'static, str>, details: Value },
    /// What a mode says for the user; people do not see it.
    Hidden { custom_type: Cow<'static, str> },
}

impl Prompt {
    pub fn text(text: impl Into<String>) -> Self {
        Self::words(UserContent::Text(text.into()))
    }

    pub fn words(content: UserContent) -> Self {
        Self { content, form: PromptForm::Words }
    }

    /// A text that a mode says for the user.
    pub fn hidden(custom_type: &'static str, text: impl Into<String>) -> Self {
        Self {
            content: UserContent::Text(text.into()),
            form: PromptForm::Hidden { custom_type: custom_type.into() },
        }
    }

    pub(crate) fn message(self, timestamp: u64) -> Message {
        let content = self.content;
        let custom = |custom_type: &str, content, display, details| {
            let custom_type = custom_type.to_owned();
            Message::Custom(CustomMessage { custom_type, content, display, details, timestamp })
        };
        match self.form {
            PromptForm::Words => {
                Message::User(UserMessage { content, steering: false, sealed: None, timestamp })
            }
            PromptForm::Custom { custom_type, details } => custom(&custom_type, content, true, Some(details)),
            PromptForm::Hidden { custom_type } => custom(&custom_type, content, false, None),
        }
    }
}

/// How a prompt ended, after retries and everything queued have settled.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub messages: Vec<Arc<Message>>,
    /// The run was stopped from outside.
    pub interrupted: bool,
    /// Nothing was sent to a model: an extension has dealt with the prompt.
    pub handled: bool,
}

impl Outcome {
    /// An extension has dealt with the prompt.
    pub fn handled() -> Self {
        Self { messages: Vec::new(), interrupted: false, handled: true }
    }

    /// The last answer, complete or not.
    pub fn last_answer(&self) -> Option<&AssistantMessage> {
        self.messages.iter().rev().find_map(|message| message.as_assistant())
    }
}
