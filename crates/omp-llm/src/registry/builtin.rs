//! What is known of a provider before anybody asks it: one row of the table in [`super::catalogue`]. Whatever lists
//! providers (ids, defaults, key variables, logins, pages) is made from these rows.

use crate::discovery::DiscoveryKind;
use crate::model::Api;

/// Stands for the address of the user's own resource.
pub(super) const AZURE: &str = "https://azure.invalid/openai/v1";

/// Project and place are added when a model is chosen.
pub(super) const VERTEX: &str = "https://aiplatform.googleapis.com";

/// One provider that omp knows without being told.
#[derive(Clone, Copy, Debug)]
pub struct ProviderEntry {
    /// What stands before the slash of a selector.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// The wire of its models, unless a model's own row says otherwise.
    pub api: Api,
    /// Where it is. `${NAME}` is a part that only the user's environment knows.
    pub base_url: &'static str,
    /// Variables that may hold its key, tried in this order.
    pub env: &'static [&'static str],
    /// The model to use when nobody asked for one; empty where only the server knows what it has.
    pub default_model: &'static str,
    /// How the list of its models is asked for; `None` where it is not to be had with what serves requests.
    pub listing: Option<DiscoveryKind>,
    /// What the server lists replaces what we know (`dynamicModelsAuthoritative`).
    pub authoritative: bool,
    /// It serves without a key, and its list is looked for without one (`allowUnauthenticated`).
    pub keyless: bool,
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) standing: Standing,
}

/// What the ids of a provider are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It makes the models; its ids are their names everywhere.
    Maker,
    /// It offers what others made, under ids of its own.
    Reseller,
    /// An engine on the user's machine: nothing is known before it answers.
    Engine,
}

impl ProviderEntry {
    /// A provider with nothing but a place.
    pub(super) const fn new(id: &'static str, name: &'static str, api: Api, base_url: &'static str) -> Self {
        Self {
            id,
            name,
            api,
            base_url,
            env: &[],
            default_model: "",
            listing: None,
            authoritative: false,
            keyless: false,
            headers: &[],
            standing: Standing::Reseller,
        }
    }

    pub(super) const fn keys(self, env: &'static [&'static str]) -> Self {
        Self { env, ..self }
    }

    pub(super) const fn default(self, default_model: &'static str) -> Self {
        Self { default_model, ..self }
    }

    pub(super) const fn lists(self, listing: DiscoveryKind) -> Self {
        Self { listing: Some(listing), ..self }
    }

    pub(super) const fn lists_nothing(self) -> Self {
        Self { listing: None, ..self }
    }

    /// Its own list is complete and right.
    pub(super) const fn lists_all(self, listing: DiscoveryKind) -> Self {
        Self { listing: Some(listing), authoritative: true, ..self }
    }

    pub(super) const fn headers(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { headers, ..self }
    }

    pub(super) const fn maker(self) -> Self {
        Self { standing: Standing::Maker, ..self }
    }

    pub(super) const fn engine(self) -> Self {
        Self { standing: Standing::Engine, ..self }
    }

    pub(super) const fn keyless(self) -> Self {
        Self { keyless: true, ..self }
    }
}
