//! One question to one model, without tools, without a conversation, without a file.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use omp_agent::Model;
use omp_guard::secrets::{Outbound, Reach};
use omp_llm::Api;
use omp_session::Context;
use omp_types::{AssistantMessage, Failure, FailureKind, Message, ModelRequest, RequestOptions, StreamEvent};
use omp_types::{ThinkingLevel, ToolChoice};
use tokio_util::sync::CancellationToken;

use crate::error::SessionError;
use crate::session::builder::SessionBuilder;
use crate::session::options::SessionOptions;

/// A model that can be asked.
pub struct Consultant {
    model: Arc<dyn Model>,
    selector: String,
    api: Api,
    thinking: ThinkingLevel,
    client: omp_llm::Client,
    warnings: Vec<String>,
}

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consultation {
    /// What the model is told before; may be empty.
    pub system: String,
    /// What the model is asked.
    pub question: String,
    /// The longest answer; the model's own limit when absent.
    pub max_tokens: Option<u32>,
}

/// An answer, and when it came.
#[derive(Clone, Debug)]
pub struct Consulted {
    /// The answer.
    pub message: AssistantMessage,
    /// From the question to the first word, thought or spoken.
    pub first: Duration,
    /// From the question to the end of the answer.
    pub whole: Duration,
}

impl Consultant {
    /// Chooses the model as a session with these options would.
    pub async fn open(options: SessionOptions) -> Result<Self, SessionError> {
        let mut builder = SessionBuilder::new(options)?;
        let chosen = builder.choose_model(&Context::default()).await?;
        let wanted = chosen.thinking.unwrap_or(ThinkingLevel::Off);
        let thinking = chosen.model.clamp_level(wanted);
        // Programs wrote what is asked here, out of files.
        let hiding = builder.secrets("consultation", &chosen.registry);
        let secrets = hiding
            .outbound
            .map(|outbound| Arc::new(Outbound::new(Arc::clone(outbound.secrets()), Reach::Everything)));
        let client = chosen.client.clone();
        let models = builder.model_pool(chosen.client, chosen.registry, &chosen.model, secrets, None);
        Ok(Self {
            selector: chosen.model.selector(),
            api: chosen.model.api,
            model: models.serve(chosen.model),
            thinking,
            client,
            warnings: builder.warnings,
        })
    }

    /// The model, as `provider/id`.
    pub fn selector(&self) -> &str {
        &self.selector
    }

    /// Is it the built-in tour, which knows nothing but its own story?
    pub fn is_demo(&self) -> bool {
        self.api == Api::Demo
    }

    /// What the user should know.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Asks once and waits for the whole answer.
    pub async fn ask(
        &self,
        consultation: &Consultation,
        cancel: CancellationToken,
    ) -> Result<Consulted, Failure> {
        let asked = Instant::now();
        let mut first = None;
        let mut stream = self.model.stream(self.request(consultation), cancel);
        while let Some(batch) = stream.next().await {
            for event in batch {
                match event {
                    StreamEvent::TextDelta { .. } | StreamEvent::ThinkingDelta { .. } => {
                        first.get_or_insert_with(|| asked.elapsed());
                    }
                    StreamEvent::Done { message, .. } => {
                        let whole = asked.elapsed();
                        return Ok(Consulted { message: *message, first: first.unwrap_or(whole), whole });
                    }
                    StreamEvent::Error { failure, .. } => return Err(failure),
                    _ => {}
                }
            }
        }
        let message = "the model's answer was cut off".to_owned();
        Err(Failure { kind: FailureKind::Transient, message, status: None, retry_after_ms: None })
    }

    fn request(&self, consultation: &Consultation) -> ModelRequest {
        let system = Some(consultation.system.clone()).filter(|text| !text.is_empty());
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or_default();
        ModelRequest {
            system: system.into_iter().collect(),
            tools: Arc::default(),
            messages: vec![Arc::new(Message::user(consultation.question.clone(), now))],
            options: RequestOptions {
                thinking: self.thinking,
                tool_choice: ToolChoice::None,
                max_tokens: consultation.max_tokens,
                ..RequestOptions::default()
            },
        }
    }

    /// Closes connections.
    pub async fn close(self) {
        self.client.close().await;
    }
}
