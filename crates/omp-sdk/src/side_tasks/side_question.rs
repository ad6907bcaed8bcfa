//! Questions on the side: answered from the conversation, without becoming part of it.

use std::sync::Arc;

use omp_agent::{Setup, definitions};
use omp_llm::Api;
use omp_types::{FailureKind, Message, ModelRequest, RequestOptions, ThinkingLevel, ToolChoice};
use tokio_util::sync::CancellationToken;

use crate::configure;
use crate::session::host::SwitchError;
use crate::side_tasks::SideTasks;
use crate::side_tasks::small_model::{self, SmallModel};

const QUESTION: &str = include_str!("../../prompts/aside.md").trim_ascii();

/// The roles that may answer, the best first.
const ROLES: [&str; 1] = ["smol"];

/// Why a question on the side got no answer.
#[derive(Debug, thiserror::Error)]
pub enum AsideError {
    /// Nothing was asked.
    #[error("Usage: /btw <question>")]
    Nothing,
    /// The built-in tour answers no questions.
    #[error("the built-in demo cannot answer side questions: connect a model with `omp login`")]
    Demo,
    /// The conversation could not be read.
    #[error(transparent)]
    Conversation(#[from] SwitchError),
    /// The model did not answer.
    #[error("{0}")]
    Model(String),
}

impl SideTasks<'_> {
    /// Answers a question from the conversation as it stands, also while a turn runs. No tool can be called, and nothing
    /// is added to the conversation or its file. `heard` gets the text as it arrives.
    pub async fn ask(
        self,
        question: &str,
        cancel: CancellationToken,
        mut heard: impl FnMut(&str) + Send,
    ) -> Result<String, AsideError> {
        let question = question.trim();
        if question.is_empty() {
            return Err(AsideError::Nothing);
        }
        let small = self.session.models().small_model(&ROLES).ok_or(AsideError::Demo)?;
        let mut request = self.aside_request(question).await;
        request.options.thinking = small.thinking;
        let mut answer =
            small_model::ask(small.model.as_ref(), request.clone(), cancel.clone(), &mut heard).await;
        let too_large = |kind| kind == FailureKind::ContextOverflow;
        if answer.as_ref().is_err_and(|failure| too_large(failure.kind)) {
            // The conversation fits into the session's own model.
            let SmallModel { model, thinking } =
                self.session.models().small_model(&[]).ok_or(AsideError::Demo)?;
            request.options.thinking = thinking;
            answer = small_model::ask(model.as_ref(), request, cancel, heard).await;
        }
        let answer = answer.map_err(|failure| AsideError::Model(failure.message))?;
        let text: String = answer.texts().collect();
        match text.trim() {
            "" => Err(AsideError::Model("the model returned an empty answer".to_owned())),
            text => Ok(text.to_owned()),
        }
    }

    /// The conversation as the session's model gets it, with the question behind it.
    async fn aside_request(self, question: &str) -> ModelRequest {
        let mut messages = self.session.context().messages_now().await;
        let words = QUESTION.replace("{{question}}", question);
        messages.push(Arc::new(Message::user(words, self.session.modes.clock.now_ms())));
        let intents = configure::agent(&self.session.settings()).intent_tracing
            && self.session.model().api != Api::Demo;
        ModelRequest {
            system: self.session.setup.system(),
            tools: definitions(&self.session.setup.tools(), intents).into(),
            messages,
            options: RequestOptions {
                thinking: ThinkingLevel::Off,
                tool_choice: ToolChoice::None,
                prompt_cache_key: Some(self.session.header().id),
                ..RequestOptions::default()
            },
        }
    }
}
