//! Which models there are, and which one a name means.
//!
//! `fields`, `validate` and `file` read the user's file; `merge` puts it over what is compiled in (`catalogue`);
//! `index` knows every name and `canonical` which of them mean the same; `engine` finds, `select` chooses one and
//! `scope` many.

mod address;
mod anthropic;
mod azure;
mod builtin;
mod canonical;
mod catalogue;
mod compat;
mod defaults;
mod direct;
mod discovered;
mod engine;
mod fields;
mod file;
mod glob;
mod index;
mod merge;
mod profiles;
mod promote;
mod provider;
mod registered;
mod scope;
mod select;
mod transform;
mod validate;
mod values;
mod vertex;
mod ways;

use std::sync::OnceLock;

use crate::model::Model;
pub use anthropic::is_gateway;
pub use builtin::ProviderEntry;
pub use catalogue::entries;
pub use discovered::{Class, Draft, Join, Plan, Slice, bundled_slice};
pub use fields::Bindings;
use fields::{Equivalence, ModelsFile, ProfileConfig};
use index::{Index, RowId};
use indexmap::IndexMap;
use merge::Providers;
pub use profiles::Profile;
pub use provider::Availability;
use provider::Provider;
pub use registered::Answering;
pub use scope::{CanonicalModel, Scope, ScopedModel};
pub use select::{SelectError, Selection, Wanted};
pub use values::{CommandCache, Lookup};
pub use vertex::GoogleDefault;
pub use ways::{KimiFormat, Preferences, RecentModels};

/// What stands in headers that let somebody in, without the word for its kind.
fn secret_headers(headers: &IndexMap<String, String>) -> impl Iterator<Item = String> {
    let is_secret = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["auth", "key", "token", "secret", "cookie"].iter().any(|word| name.contains(word))
    };
    let bare = |value: &String| value.rsplit(' ').next().unwrap_or_default().to_owned();
    headers.iter().filter(move |(name, _)| is_secret(name)).map(move |(_, value)| bare(value))
}

/// All known models: the built-in providers, overlaid with the user's file.
pub struct Registry {
    providers: Providers,
    equivalence: Equivalence,
    /// `profiles` of the file.
    profiles: IndexMap<String, ProfileConfig>,
    bindings: Bindings,
    preferences: Preferences,
    error: Option<String>,
    disabled: Vec<String>,
    /// Providers to prefer where several offer the same.
    order: Vec<String>,
    /// Made at the first question, and again after a change.
    index: OnceLock<Index>,
}

impl Registry {
    /// `models_yml` is the text of the user's file, if there is one. A file that cannot be understood leaves the
    /// built-in providers working; [`Registry::error`] says what is wrong.
    pub fn new(models_yml: Option<&str>) -> Self {
        let read = models_yml.map_or_else(|| Ok(ModelsFile::default()), file::parse);
        let merged = read.and_then(|file| Ok((merge::merge(&file)?, file)));
        let (providers, file, error) = match merged {
            Ok((providers, file)) => (providers, file, None),
            Err(error) => (merge::compiled_in(), ModelsFile::default(), Some(error)),
        };
        let ModelsFile { equivalence, profiles, model_bindings: bindings, .. } = file;
        let (disabled, order, index) = (Vec::new(), Vec::new(), OnceLock::new());
        let preferences = Preferences::default();
        Self { providers, equivalence, profiles, bindings, preferences, error, disabled, order, index }
    }

    /// Why the user's file was not used.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Variables that the user's file names as keys. Commands must not see them.
    pub fn key_variables(&self) -> Vec<String> {
        let is_name = |value: &&String| {
            value.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        let keys = self.providers.values().map(|provider| &provider.key);
        let named = keys.flat_map(|key| [key.configured.as_ref(), key.variable.as_ref()]).flatten();
        named.filter(is_name).cloned().collect()
    }

    /// Keys, headers and passwords of addresses that the user's file holds as they are, with their providers. Commands are
    /// not run for it.
    pub fn written_secrets(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (id, provider) in &self.providers {
            let key = provider.key.configured.iter().filter(|key| !key.starts_with('!')).cloned();
            let models = provider.models.of_the_user().iter();
            let headers = models.clone().flat_map(|model| secret_headers(&model.headers));
            let addresses = models.flat_map(|model| omp_types::address::secrets(&model.base_url));
            found.extend(key.chain(headers).chain(addresses).map(|secret| (id.clone(), secret)));
        }
        found.sort();
        found.dedup();
        found
    }

    /// Takes providers out, whether or not they have credentials. Ids are exact; others are not model providers
    /// and mean something elsewhere.
    pub fn disable(&mut self, ids: &[String]) {
        self.providers.retain(|id, _| !ids.contains(id));
        self.disabled.extend_from_slice(ids);
        self.index = OnceLock::new();
    }

    /// Ranks providers where several offer the same model; those that are not named come last.
    pub fn prefer(&mut self, order: Vec<String>) {
        self.order = order;
    }

    /// Every known model, whether or not it has a credential, with a word on its availability.
    pub fn list(&self, lookup: &dyn Lookup) -> Vec<(&Model, Availability)> {
        let mut list = Vec::new();
        for provider in self.providers.values() {
            let availability = provider.availability(lookup);
            list.extend(provider.models.iter().map(|model| (model, availability)));
        }
        list
    }

    /// Every `provider/id` for completion, available providers first.
    pub fn selectors(&self, lookup: &dyn Lookup) -> Vec<String> {
        let mut list = self.list(lookup);
        list.sort_by_key(|(_, availability)| *availability == Availability::NoKey);
        list.into_iter().map(|(model, _)| model.selector()).collect()
    }

    /// The variables that would give a provider its key.
    pub fn variables(&self, provider: &str) -> &[&'static str] {
        self.providers.get(provider).map(|entry| entry.key.env.as_slice()).unwrap_or_default()
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::build(&self.providers, &self.equivalence))
    }

    fn model_at(&self, row: RowId) -> &Model {
        let row = &self.index().rows[row];
        &self.providers[row.provider].models[row.model]
    }

    /// A provider by its id, in any case.
    fn position(&self, id: &str) -> Option<usize> {
        let exact = self.providers.get_index_of(id);
        exact.or_else(|| self.providers.keys().position(|known| known.eq_ignore_ascii_case(id)))
    }
}
