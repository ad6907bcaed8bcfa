//! The models of a session: the one that answers, and those that it could switch to.

use std::path::Path;

use omp_agent::AgentError;
use omp_llm::Api;
use omp_llm::registry::{Availability, CanonicalModel, Registry};
use omp_types::ThinkingLevel;

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

/// The models of a session: which one answers, which ones it could switch to, and how hard they think.
#[derive(Clone, Copy)]
pub struct SessionModels<'s> {
    pub(crate) session: &'s Session,
}

impl<'s> SessionModels<'s> {
    /// Does the built-in tour answer, which knows nothing but its own story?
    pub fn is_demo(self) -> bool {
        self.session.model().api == Api::Demo
    }

    /// Did the session end up with the built-in tour because nothing else was there?
    pub fn fell_back_to_demo(self) -> bool {
        self.is_demo() && !self.session.preferences.named
    }

    /// Where the user describes providers and models.
    pub fn file(self) -> &'s Path {
        &self.session.places.models_file
    }

    /// How hard the model thinks. Waits for a run to end.
    pub async fn thinking(self) -> ThinkingLevel {
        self.session.agent.thinking().await
    }

    /// The levels of thinking that the model distinguishes, lowest first; only `off` for one that does not think.
    pub fn thinking_levels(self) -> Vec<ThinkingLevel> {
        let model = self.session.model();
        let levels = model.levels.iter().copied().filter(|level| *level != ThinkingLevel::Off);
        let thinking: Vec<ThinkingLevel> = if model.reasoning { levels.collect() } else { Vec::new() };
        std::iter::once(ThinkingLevel::Off).chain(thinking).collect()
    }

    /// Lets the model think this hard from the next prompt on, as far as it can; a resumed session remembers it.
    /// Answers with the level it became.
    pub async fn set_thinking(self, level: ThinkingLevel) -> Result<ThinkingLevel, AgentError> {
        let level = self.session.model().clamp_level(level);
        self.session.turned("how hard the model thinks");
        let previous = match self.session.extensions_want_thinking() {
            true => Some(self.thinking().await),
            false => None,
        };
        self.session.agent.set_thinking(level).await?;
        self.session.record.lock().append_thinking_level(level.name());
        if let Some(previous) = previous {
            self.session.extensions_hear_of_thinking(level.name(), previous.name()).await;
        }
        Ok(level)
    }

    /// How many tokens fit into the model that was chosen last.
    pub fn context_window(self) -> u64 {
        self.session.model().context_window
    }

    /// The models that can be used now, in the order of the registry.
    pub fn choices(self) -> Vec<ModelChoice> {
        let all = self.session.models.registry.list(&self.session.models.lookup());
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

    /// The same, each model once, regardless of who offers it.
    pub fn canonical_choices(self) -> Vec<CanonicalModel> {
        let mut all = self.session.models.registry.canonical(&self.session.models.lookup());
        let tour = Registry::demo().model.selector();
        all.retain(|model| model.available && !model.variants.contains(&tour));
        all
    }
}
