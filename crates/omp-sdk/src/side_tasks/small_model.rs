//! The small model: work beside the conversation, such as names and side questions.

use std::sync::Arc;

use futures_util::StreamExt;
use omp_agent::Model;
use omp_llm::Api;
use omp_models::model_of_role;
use omp_types::{AssistantMessage, Failure, FailureKind, ModelRequest, StreamEvent, ThinkingLevel};
use tokio_util::sync::CancellationToken;

use crate::session::models::SessionModels;

/// A model that is asked on the side, and how hard it thinks about it.
pub(crate) struct SmallModel {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) thinking: ThinkingLevel,
}

impl SessionModels<'_> {
    /// The model of the first of these roles that has one which can be used, else the session's own. `None` for the
    /// built-in tour, which knows nothing but its own story.
    pub(crate) fn small_model(self, roles: &[&str]) -> Option<SmallModel> {
        let settings = self.session.settings();
        let configured = roles.iter().filter(|role| model_of_role(&settings, role).is_some());
        let found = configured.filter_map(|role| self.find(&format!("pi/{role}")).ok()).next();
        let (model, thinking) = match found {
            Some(selection) => (Arc::new(selection.model), selection.thinking),
            None => (self.session.model(), None),
        };
        let thinking = model.clamp_level(thinking.unwrap_or(ThinkingLevel::Off));
        (model.api != Api::Demo).then(|| SmallModel { model: self.session.models.serve(model), thinking })
    }
}

/// Asks once and waits for the whole answer; `heard` gets what arrives of its text on the way.
pub(crate) async fn ask(
    model: &dyn Model,
    request: ModelRequest,
    cancel: CancellationToken,
    mut heard: impl FnMut(&str) + Send,
) -> Result<AssistantMessage, Failure> {
    let mut stream = model.stream(request, cancel);
    while let Some(batch) = stream.next().await {
        for event in batch {
            match event {
                StreamEvent::TextDelta { delta, .. } => heard(&delta),
                StreamEvent::Done { message, .. } => return Ok(*message),
                StreamEvent::Error { failure, .. } => return Err(failure),
                _ => {}
            }
        }
    }
    let message = "the model's answer was cut off".to_owned();
    Err(Failure { kind: FailureKind::Transient, message, status: None, retry_after_ms: None })
}
