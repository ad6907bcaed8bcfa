//! A document that a new session begins with, in place of a long conversation.

use std::sync::atomic::Ordering;

use omp_agent::{AgentError, Order, Outcome, Prompt, UpkeepError};
use omp_compaction::{AUTO_CONTINUE, HANDOFF_CONTEXT, handoff, threshold};
use omp_config::settings::keys;
use omp_session::artifacts_directory;
use omp_types::{
    CompactionReason, CompactionStrategy, CustomMessage, FailureKind, Message, ToolChoice, UserContent,
};
use omp_workspace::write::Mode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

use super::Compactor;
use crate::error::SessionError;
use crate::modes::{Driver, ModeError};
use crate::session::Session;
use crate::session::context_window::ContextWindow;
use crate::session::host::{Arrival, Host, SwitchError};
use crate::side_tasks::small_model;

/// The kind of the message in session files.
const HANDOFF: &str = "handoff";

/// Why nothing was handed off. The session is as it was.
#[derive(Debug, thiserror::Error)]
pub enum HandoffError {
    /// There is no conversation yet.
    #[error("Nothing to hand off (no messages yet)")]
    Nothing,
    /// A handoff needs a conversation that stands still.
    #[error("the model is still responding: wait, or press Esc to stop it")]
    Busy,
    /// The user stopped it, or the document was empty.
    #[error("Handoff cancelled")]
    Cancelled,
    /// The document was not written, or the new session not opened.
    #[error("Handoff failed: {0}")]
    Failed(String),
}

impl From<AgentError> for HandoffError {
    fn from(error: AgentError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<SwitchError> for HandoffError {
    fn from(error: SwitchError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<SessionError> for HandoffError {
    fn from(error: SessionError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl Compactor {
    /// Somebody begins new sessions when one is due. Without that a summary is made instead.
    pub(crate) fn can_hand_off(&self) {
        self.hands_off.store(true, Ordering::Relaxed);
    }

    /// Is a new session due? Asked once.
    fn take_due(&self) -> bool {
        self.handoff_due.swap(false, Ordering::Relaxed)
    }
}

impl ContextWindow<'_> {
    /// What a new session has to know: the model writes it from the conversation as it stands. The request begins like
    /// the last one, so that the provider's cache is used, but the conversation that the provider keeps is not touched.
    async fn handoff_document(
        self,
        focus: Option<&str>,
        cancel: CancellationToken,
    ) -> Result<Option<String>, HandoffError> {
        if self.session.control().is_running() {
            return Err(HandoffError::Busy);
        }
        if self.session.agent.messages().await.len() < 2 {
            return Err(HandoffError::Nothing);
        }
        let last = Message::user(handoff(focus), self.session.modes.clock.now_ms());
        let (model, mut request) = self.session.agent.side_request(last).await?;
        request.options.tool_choice = ToolChoice::None;
        let id = request.options.session_id.take();
        request.options.prompt_cache_key = request.options.prompt_cache_key.take().or_else(|| id.clone());
        request.options.session_id = id.map(|id| format!("{id}-handoff"));
        let at = self.session.modes.clock.now_ms();
        match small_model::ask(model.as_ref(), request, cancel.clone(), |_| {}).await {
            Ok(answer) => {
                self.session.models.pipeline.side_requests.answered(at, &answer);
                let text = answer.texts().collect::<Vec<_>>().join("\n");
                Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
            }
            Err(failure) if failure.kind == FailureKind::Aborted || cancel.is_cancelled() => {
                Err(HandoffError::Cancelled)
            }
            Err(failure) => Err(HandoffError::Failed(failure.message)),
        }
    }

    /// Begins the session with the document.
    async fn take_over(self, document: &str) -> Result<(), HandoffError> {
        let text = HANDOFF_CONTEXT.replace("{document}", &document.replace("</handoff-context>", ""));
        let message = Arc::new(Message::Custom(CustomMessage {
            custom_type: HANDOFF.to_owned(),
            content: UserContent::Text(text),
            display: true,
            details: None,
            timestamp: self.session.modes.clock.now_ms(),
        }));
        self.session.record.lock().append_message(&message);
        self.session.agent.load(vec![message]).await?;
        Ok(())
    }

    /// Keeps a copy of a document that was not asked for. A copy is not worth an error.
    fn keep_document(self, document: &str) {
        let Some(file) = self.session.file() else { return };
        let name = format!("handoff-{}.md", self.session.modes.clock.now_ms());
        let (path, text) = (artifacts_directory(&file).join(name), document.to_owned());
        tokio::task::spawn_blocking(move || {
            omp_workspace::write::write(&path, text.as_bytes(), Mode::Private)
        });
    }
}

impl Host {
    /// Begins a new session with a document about this one, which stays as it is. `focus` is what it should attend to.
    pub async fn hand_off(
        &self,
        focus: Option<&str>,
        cancel: CancellationToken,
    ) -> Result<Arrival, HandoffError> {
        let session = self.session();
        let document =
            session.context().handoff_document(focus, cancel).await?.ok_or(HandoffError::Cancelled)?;
        self.hand_over(&session, &document).await
    }

    async fn hand_over(&self, session: &Arc<Session>, document: &str) -> Result<Arrival, HandoffError> {
        let model = session.model_selector();
        let arrival = self.begin_after().await?;
        let next = self.session();
        if next.model_selector() != model {
            next.models().switch(&model).await?;
        }
        next.context().take_over(document).await?;
        Ok(arrival)
    }
}

impl Driver {
    /// Before the user's words go out: a conversation that is too long for them is handed to a new session.
    pub(crate) async fn hand_off_before(&self, cancel: &CancellationToken) -> Result<(), ModeError> {
        let session = self.session();
        session.compactor.can_hand_off();
        let policy = session.compactor.policy();
        if policy.strategy != CompactionStrategy::Handoff || !policy.enabled {
            return Ok(());
        }
        let identity = session.agent.model().await.identity();
        let window = session.compactor.window(&session.compactor.model(&identity));
        let messages = session.agent.messages().await;
        let tokens = session.compactor.measured(&messages).tokens;
        if tokens > threshold(window, &policy.limits) {
            self.hand_off_now(&session, cancel).await?;
        }
        Ok(())
    }

    /// After a prompt: the handoff that it made necessary, and the first answer of the new session.
    pub(crate) async fn hand_off_after(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Option<Outcome>, ModeError> {
        let session = self.session();
        if !session.compactor.take_due() || cancel.is_cancelled() {
            return Ok(None);
        }
        let goes_on = session.compactor.policy().auto_continue;
        if !self.hand_off_now(&session, cancel).await? || !goes_on {
            return Ok(None);
        }
        let next = self.session();
        next.compactor.can_hand_off();
        let prompt = Prompt::hidden("auto-continue", AUTO_CONTINUE);
        Ok(Some(next.prompt(prompt, cancel.clone()).await?))
    }

    /// Hands off; where no document came of it, the conversation is summarized instead. `true` if there is a new session
    /// or a shorter conversation.
    async fn hand_off_now(
        &self,
        session: &Arc<Session>,
        cancel: &CancellationToken,
    ) -> Result<bool, ModeError> {
        let handing = session.context().handing_off(cancel).await;
        match handing {
            Err(HandoffError::Cancelled) => Ok(false),
            Ok(Some(document)) => {
                if session.settings().get(keys::COMPACTION_HANDOFF_SAVE_TO_DISK) {
                    session.context().keep_document(&document);
                }
                let handed = self.host().hand_over(session, &document).await;
                handed.map_err(|error| ModeError::Handoff(error.to_string()))?;
                Ok(true)
            }
            Ok(None) | Err(_) => {
                let order = Order {
                    reason: CompactionReason::Threshold,
                    action: CompactionStrategy::ContextFull,
                    focus: None,
                };
                Ok(session.agent.shorten(order, cancel.clone()).await?.is_ok())
            }
        }
    }
}

impl ContextWindow<'_> {
    /// The document, with the events of a compaction around it.
    async fn handing_off(self, cancel: &CancellationToken) -> Result<Option<String>, HandoffError> {
        use omp_types::AgentEvent::{AutoCompactionEnd, AutoCompactionStart};
        let (reason, action) = (CompactionReason::Threshold, CompactionStrategy::Handoff);
        self.session.agent.tell([AutoCompactionStart { reason, action }]).await?;
        let document = self.handoff_document(None, cancel.clone()).await;
        let (aborted, error) = match &document {
            Ok(_) => (false, None),
            Err(HandoffError::Cancelled) => (true, None),
            Err(error) => (false, Some(UpkeepError::Failed(error.to_string()).to_string())),
        };
        let end = AutoCompactionEnd {
            reason,
            action,
            result: None,
            aborted,
            will_retry: false,
            error_message: error.map(|error| format!("Auto-compaction failed: {error}")),
        };
        self.session.agent.tell([end]).await?;
        document
    }
}
