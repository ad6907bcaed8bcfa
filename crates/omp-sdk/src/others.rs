//! Other models than the one a session began with: for recovery, and for whoever asks for one by name.

use std::sync::Arc;

use omp_agent::{AccountAnswer, Model, ModelIdentity, Models};
use omp_guard::secrets::Outbound;
use omp_llm::registry::{Registry, SelectError, Selection, Wanted};
use omp_llm::{Client, Input, Secret};
use omp_types::ThinkingLevel;

use crate::account;
use crate::dials::{DialedModel, Dials};
use crate::hidden::HiddenModel;
use crate::imaging::{ImagedModel, Imaging};
use crate::side_requests::{SideModel, SideRequests};
use omp_auth::{Environment, EnvironmentLookup};
use omp_models::{CacheLedger, WatchedModel};

/// Everything the registry offers, with what holds for all models of the session.
pub(crate) struct OtherModels {
    pub(crate) client: Client,
    pub(crate) registry: Registry,
    pub(crate) environment: Arc<dyn Environment>,
    /// A provider's key that was given for this session only.
    pub(crate) given: Option<(String, Secret)>,
    pub(crate) pictures: Pictures,
    /// What no model may see.
    pub(crate) secrets: Option<Arc<Outbound>>,
    /// What a person changed about all requests.
    pub(crate) dials: Arc<Dials>,
    /// Watches the cache of the conversation.
    pub(crate) ledger: Arc<CacheLedger>,
    /// What is asked beside the conversation.
    pub(crate) side_requests: Arc<SideRequests>,
    /// Text of the conversation that goes on pictures.
    pub(crate) imaging: Arc<Imaging>,
}

/// Whether models may be sent pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pictures {
    Allowed,
    Blocked,
}

impl Pictures {
    /// A model that must not get pictures is treated as one that cannot see them.
    pub(crate) fn apply(self, model: &mut omp_llm::Model) {
        if self == Self::Blocked {
            model.input.retain(|input| *input != Input::Image);
        }
    }
}

impl OtherModels {
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
        self.pictures.apply(&mut selection.model);
        selection
    }

    /// A model that is asked beside the conversation.
    pub(crate) fn serve(&self, model: Arc<omp_llm::Model>) -> Arc<dyn Model> {
        Arc::new(SideModel { inner: self.served(model), requests: Arc::clone(&self.side_requests) })
    }

    /// A model as it is asked in any case.
    fn served(&self, model: Arc<omp_llm::Model>) -> Arc<dyn Model> {
        let served = account::serve(self.client.clone(), Arc::clone(&model), self.environment.vault());
        let (dials, client) = (Arc::clone(&self.dials), self.client.clone());
        let inner = Arc::new(DialedModel { inner: served, dials, client, model });
        match &self.secrets {
            Some(outbound) => Arc::new(HiddenModel { inner, outbound: Arc::clone(outbound) }),
            None => inner,
        }
    }
}

impl OtherModels {
    /// The model of the conversation itself.
    pub(crate) fn serve_conversation(&self, model: Arc<omp_llm::Model>) -> Arc<dyn Model> {
        let inner = self.served(Arc::clone(&model));
        let imaging = Arc::clone(&self.imaging);
        let inner = Arc::new(ImagedModel { inner, imaging, model: Arc::clone(&model) });
        Arc::new(WatchedModel { inner, ledger: Arc::clone(&self.ledger), model })
    }
}

impl Models for OtherModels {
    fn resolve(&self, selector: &str) -> Option<(Arc<dyn Model>, Option<ThinkingLevel>)> {
        let selection = self.select(selector).ok()?;
        Some((self.serve_conversation(Arc::new(selection.model)), selection.thinking))
    }

    fn larger(&self, model: &ModelIdentity) -> Option<Arc<dyn Model>> {
        let key = self.given_for(&model.provider);
        let mut larger = self.registry.larger(&model.selector(), key, &self.lookup())?;
        self.pictures.apply(&mut larger);
        Some(self.serve_conversation(Arc::new(larger)))
    }

    fn usage_limited(&self, model: &ModelIdentity, hint_ms: Option<u64>) -> AccountAnswer {
        match self.environment.vault() {
            Some(vault) => account::exhausted(vault, &model.provider, hint_ms),
            None => AccountAnswer::NoSibling,
        }
    }
}
