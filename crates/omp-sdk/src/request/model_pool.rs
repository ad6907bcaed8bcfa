//! The models that a session can use: for its conversation, for recovery, and for whoever asks for one by name.

use std::sync::Arc;

use omp_agent::{AccountAnswer, Model, ModelIdentity, Models};
use omp_auth::{Environment, EnvironmentLookup};
use omp_llm::registry::{Registry, SelectError, Selection, Wanted};
use omp_llm::{Input, Secret};
use omp_types::ThinkingLevel;

use crate::request::{Pipeline, Purpose, account};

/// Everything the registry offers, with what holds for all models of the session.
pub(crate) struct ModelPool {
    pub(crate) registry: Registry,
    pub(crate) environment: Arc<dyn Environment>,
    /// A provider's key that was given for this session only.
    pub(crate) given: Option<(String, Secret)>,
    pub(crate) images: ImagePolicy,
    /// What requests go through.
    pub(crate) pipeline: Pipeline,
}

/// Whether models may be sent pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImagePolicy {
    Allowed,
    Blocked,
}

impl ImagePolicy {
    /// A model that must not get pictures is treated as one that cannot see them.
    pub(crate) fn apply(self, model: &mut omp_llm::Model) {
        if self == Self::Blocked {
            model.input.retain(|input| *input != Input::Image);
        }
    }
}

impl ModelPool {
    pub(crate) fn lookup(&self) -> EnvironmentLookup<'_> {
        EnvironmentLookup(self.environment.as_ref())
    }

    /// The model of a selector that holds no role any more.
    pub(crate) fn select(&self, selector: &str) -> Result<Selection, SelectError> {
        let lookup = self.lookup();
        let find = |api_key| {
            let wanted = Wanted { pattern: Some(selector), provider: None, api_key };
            self.registry.select(wanted, &lookup)
        };
        let found = find(None);
        let provider = match &found {
            Ok(selection) => &selection.model.provider,
            Err(SelectError::MissingKey { provider, .. }) => provider,
            Err(_) => return found.map(|selection| self.allowed(selection)),
        };
        let found = match self.given_for(provider) {
            Some(key) => find(Some(key)),
            None => found,
        };
        found.map(|selection| self.allowed(selection))
    }

    fn given_for(&self, provider: &str) -> Option<&str> {
        self.given.as_ref().filter(|(given, _)| given == provider).map(|(_, key)| key.reveal())
    }

    fn allowed(&self, mut selection: Selection) -> Selection {
        self.images.apply(&mut selection.model);
        selection
    }

    /// A model that is asked beside the conversation.
    pub(crate) fn serve(&self, model: Arc<omp_llm::Model>) -> Arc<dyn Model> {
        self.pipeline.build(model, self.environment.vault(), Purpose::SideTask)
    }

    /// The model of the conversation itself.
    pub(crate) fn serve_conversation(&self, model: Arc<omp_llm::Model>) -> Arc<dyn Model> {
        self.pipeline.build(model, self.environment.vault(), Purpose::Conversation)
    }
}

impl Models for ModelPool {
    fn resolve(&self, selector: &str) -> Option<(Arc<dyn Model>, Option<ThinkingLevel>)> {
        let selection = self.select(selector).ok()?;
        Some((self.serve_conversation(Arc::new(selection.model)), selection.thinking))
    }

    fn larger(&self, model: &ModelIdentity) -> Option<Arc<dyn Model>> {
        let key = self.given_for(&model.provider);
        let mut larger = self.registry.larger(&model.selector(), key, &self.lookup())?;
        self.images.apply(&mut larger);
        Some(self.serve_conversation(Arc::new(larger)))
    }

    fn usage_limited(&self, model: &ModelIdentity, hint_ms: Option<u64>) -> AccountAnswer {
        match self.environment.vault() {
            Some(vault) => account::exhausted(vault, &model.provider, hint_ms),
            None => AccountAnswer::NoSibling,
        }
    }
}
