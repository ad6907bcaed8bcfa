//! What a person who sits in front of a session sees and changes between two prompts.

use std::path::Path;
use std::sync::Arc;

use omp_agent::{AgentError, Outcome};
use omp_config::Directories;
use omp_llm::Api;
use omp_llm::registry::{Availability, CanonicalModel, Registry};
use omp_session::{CopyError, Entry, EntryKind, NoSuchEntry, TitleSource, Tree};
use omp_types::{Message, ThinkingLevel};
use tokio_util::sync::CancellationToken;

use crate::session::Session;

/// A model that could be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// `provider/id`
    pub selector: String,
    /// What people call it.
    pub name: String,
    /// Tokens that fit into it.
    pub context_window: u64,
    /// Does it think before it answers?
    pub reasoning: bool,
    /// How hard it can think, lowest first; nothing if it does not.
    pub levels: Vec<ThinkingLevel>,
}

impl Session {
    /// The conversation as the model knows it. Waits for a run to end.
    pub async fn conversation(&self) -> Vec<Arc<Message>> {
        self.agent.messages().await
    }

    /// Repeats the last failed or aborted turn.
    pub async fn retry(&self, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        if let Some(deck) = &self.deck {
            deck.retry();
        }
        let cancel = self.taped(cancel);
        self.before_run().await;
        let outcome = self.agent.retry(cancel).await?;
        self.after_run(&outcome).await;
        Ok(outcome)
    }

    /// The next turn must call this tool.
    pub async fn force_tool(&self, name: &str) -> Result<(), AgentError> {
        self.agent.force_tool(name).await
    }

    /// How hard the model thinks. Waits for a run to end.
    pub async fn thinking(&self) -> ThinkingLevel {
        self.agent.thinking().await
    }

    /// The levels of thinking that the model distinguishes, lowest first; only `off` for one that does not think.
    pub fn thinking_levels(&self) -> Vec<ThinkingLevel> {
        let model = self.model();
        let levels = model.levels.iter().copied().filter(|level| *level != ThinkingLevel::Off);
        let thinking: Vec<ThinkingLevel> = if model.reasoning { levels.collect() } else { Vec::new() };
        std::iter::once(ThinkingLevel::Off).chain(thinking).collect()
    }

    /// Lets the model think this hard from the next prompt on, as far as it can; a resumed session remembers it.
    /// Answers with the level it became.
    pub async fn set_thinking(&self, level: ThinkingLevel) -> Result<ThinkingLevel, AgentError> {
        let level = self.model().clamp_level(level);
        self.turned("how hard the model thinks");
        self.agent.set_thinking(level).await?;
        self.record.lock().append_thinking_level(level.name());
        Ok(level)
    }

    /// How many tokens fit into the model that was chosen last.
    pub fn context_window(&self) -> u64 {
        self.model().context_window
    }

    /// Names the session.
    pub fn rename(&self, title: &str) -> Result<(), CopyError> {
        self.record.lock().set_title(title, TitleSource::User).map(|_| ())
    }

    /// The models that can be used now, in the order of the registry.
    pub fn model_choices(&self) -> Vec<ModelChoice> {
        let all = self.models.registry.list(&self.models.lookup());
        let usable = all.into_iter().filter(|(model, availability)| {
            // The tour is for those who have nothing to choose from.
            *availability == Availability::Ready && model.api != Api::Demo
        });
        let choice = |(model, _): (&omp_llm::Model, Availability)| ModelChoice {
            selector: model.selector(),
            name: model.name.clone(),
            context_window: model.context_window,
            reasoning: model.reasoning,
            levels: if model.reasoning { model.levels.to_vec() } else { Vec::new() },
        };
        usable.map(choice).collect()
    }

    /// The same, each model once, whoever offers it.
    pub fn canonical_choices(&self) -> Vec<CanonicalModel> {
        let mut all = self.models.registry.canonical(&self.models.lookup());
        let tour = Registry::demo().model.selector();
        all.retain(|model| model.available && !model.variants.contains(&tour));
        all
    }
}

impl Session {
    /// The user's directories.
    pub fn directories(&self) -> &Directories {
        &self.places.directories
    }

    /// The list of tasks, as session files have it.
    pub fn todos(&self) -> serde_json::Value {
        serde_json::to_value(self.todos.phases()).unwrap_or_default()
    }

    /// The one directory for sessions, if it was given.
    pub fn session_dir(&self) -> Option<&Path> {
        self.places.session_dir.as_deref()
    }

    /// What the user said in this conversation so far, with the ids of the messages.
    pub async fn prompts(&self) -> Vec<(String, String)> {
        let Ok(loaded) = self.loaded().await else { return Vec::new() };
        let leaf = self.record.lock().leaf().map(str::to_owned);
        let said = |entry: &&Entry| match &entry.kind {
            EntryKind::Message(entry_message) => match &*entry_message.message {
                Message::User(message) => Some((entry.id.clone(), message.content.text())),
                _ => None,
            },
            _ => None,
        };
        loaded.path(leaf.as_deref()).iter().filter_map(said).collect()
    }

    /// Gives an entry a label; an empty one takes it away.
    pub fn label(&self, entry: &str, label: &str) -> Result<(), NoSuchEntry> {
        self.record.lock().append_label(entry, Some(label)).map(drop)
    }

    /// The whole conversation as a tree, and where it stands.
    pub async fn tree(&self) -> (Tree, Option<String>) {
        let leaf = self.record.lock().leaf().map(str::to_owned);
        match self.loaded().await {
            Ok(loaded) => (loaded.tree(), leaf),
            Err(_) => (self.record.lock().snapshot().tree(), leaf),
        }
    }
}
