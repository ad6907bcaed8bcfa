//! The conversation of a session that is open, as a text, a page or a link.

use std::path::PathBuf;

use omp_export::dump::{DumpOptions, Form};
use omp_export::share::Shared;
use omp_export::{HtmlError, SessionView, Theme, ViewError, target};
use omp_session::{Entry, EntryKind, Loaded};
use omp_types::ToolDefinition;

use crate::saved::SavedError;
use crate::saved::export;
use crate::saved::share::{self, ShareError};
use crate::saved::transcript::Transcript;

/// What a model is told before the conversation, where it is known.
#[derive(Default)]
pub(crate) struct PromptAndTools {
    pub(crate) system: Option<String>,
    pub(crate) tools: Vec<ToolDefinition>,
}

/// Where a conversation is read from.
pub(crate) enum Conversation {
    File(PathBuf),
    Memory(Box<Loaded>),
}

impl Conversation {
    pub(crate) fn view(&self) -> Result<SessionView<'_>, ViewError> {
        match self {
            Self::File(path) => SessionView::open(path),
            Self::Memory(loaded) => Ok(SessionView::in_memory(&loaded.header, loaded.entries())),
        }
    }
}

impl Transcript<'_> {
    /// The conversation as text, with what the model is told before it. `None` before the first message.
    pub async fn dump(self, form: Form) -> Result<Option<String>, SavedError> {
        let Some(conversation) = self.kept_conversation() else { return Ok(None) };
        let (told, model, masks) = (self.told(), self.session.model_selector(), self.session.masks.clone());
        let work = move || {
            let options = DumpOptions {
                form,
                system_prompt: told.system.as_deref(),
                tools: &told.tools,
                model: Some(&model),
                thinking_level: None,
            };
            let mut text = Vec::new();
            omp_export::dump::text(&conversation.view()?, &options, &mut text)?;
            let text = String::from_utf8_lossy(&text);
            Ok(Some(masks.map_or_else(|| text.to_string(), |masks| masks.masked(&text).into_owned())))
        };
        tokio::task::spawn_blocking(work).await.unwrap_or(Ok(None))
    }

    /// Writes the conversation as a page and answers with its path. `typed` is a path, in quotes if it has spaces; an
    /// empty one is `omp-session-<stem>.html` in the session's directory. `None` before the first message.
    pub async fn export(self, typed: &str, theme: Theme) -> Result<Option<PathBuf>, SavedError> {
        if !self.session.is_kept() {
            return Err(HtmlError::InMemory.into());
        }
        let Some(Conversation::File(session)) = self.kept_conversation() else { return Ok(None) };
        let (cwd, told) = (self.session.cwd(), self.told());
        let path = target(typed, &session, &cwd)?;
        let blobs = self.session.store().blobs().directory().to_owned();
        let masks = self.session.masks.clone();
        let work = move || {
            export::page(&session, Some(&path), &cwd, &blobs, theme, &told, masks.as_deref()).map(Some)
        };
        tokio::task::spawn_blocking(work).await.unwrap_or(Ok(None))
    }

    /// Shares the conversation by link. Credentials that omp knows are removed from the snapshot first, unless
    /// `share.redactSecrets` is off. `None` before the first message.
    pub async fn share(self) -> Result<Option<Shared>, ShareError> {
        let Some(conversation) = self.kept_conversation() else { return Ok(None) };
        let blobs = self.session.store().blobs().directory().to_owned();
        let settings = self.session.settings();
        let environment = &self.session.models.environment;
        share::upload(
            conversation,
            self.told(),
            blobs,
            &self.session.places.directories,
            &settings,
            environment,
        )
        .await
        .map(Some)
    }

    fn told(self) -> PromptAndTools {
        let system =
            Some(self.session.sources.report.blocks.join("\n\n")).filter(|prompt| !prompt.is_empty());
        let tools = self.session.setup.offered().iter().map(|tool| tool.definition().clone()).collect();
        PromptAndTools { system, tools }
    }

    /// `None` before the first message.
    fn kept_conversation(self) -> Option<Conversation> {
        let mut writer = self.session.record.lock();
        writer.flush();
        if let Some(path) = writer.path().filter(|_| writer.is_saved()) {
            return Some(Conversation::File(path.to_owned()));
        }
        let said = |entry: &Entry| matches!(entry.kind, EntryKind::Message(_));
        let begun = writer.entries().iter().any(said);
        begun.then(|| Conversation::Memory(Box::new(writer.snapshot())))
    }
}
