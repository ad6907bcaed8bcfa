//! Which models there are, and which one a name means.
//!
//! `fields`, `validate` and `file` read the user's file; `merge` puts it over what is compiled in (`builtin`);
//! `index` knows every name and `canonical` which of them mean the same; `engine` finds, `select` chooses one and
//! `scope` many.

mod azure;
mod builtin;
mod canonical;
mod compat;
mod defaults;
mod engine;
mod fields;
mod file;
mod glob;
mod index;
mod merge;
mod provider;
mod scope;
mod select;
mod validate;
mod values;
mod vertex;

use std::sync::OnceLock;

use crate::model::Model;
use fields::{Equivalence, ModelsFile};
use index::{Index, RowId};
use merge::Providers;
pub use provider::Availability;
use provider::{Origin, Provider};
pub use scope::{CanonicalModel, Scope, ScopedModel};
pub use select::{SelectError, Selection, Wanted};
pub use values::{CommandCache, Lookup};
pub use vertex::GoogleDefault;

/// All known models: the built-in providers, overlaid with the user's file.
pub struct Registry {
    providers: Providers,
    equivalence: Equivalence,
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
        let merged = read.and_then(|file| Ok((merge::merge(&file)?, file.equivalence)));
        let (providers, equivalence, error) = match merged {
            Ok((providers, equivalence)) => (providers, equivalence, None),
            Err(error) => (merge::compiled_in(), Equivalence::default(), Some(error)),
        };
        let index = OnceLock::new();
        Self { providers, equivalence, error, disabled: Vec::new(), order: Vec::new(), index }
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
        let configured = self.providers.values().filter_map(|provider| provider.key.configured.as_ref());
        configured.filter(is_name).cloned().collect()
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

    /// Where the user's file says that a provider is.
    pub fn base_url(&self, provider: &str) -> Option<&str> {
        self.providers.get(provider)?.base_url.as_deref()
    }

    /// Models found on this machine join as keyless providers, unless the file already describes them.
    pub fn add_local(&mut self, models: Vec<Model>) {
        for model in models {
            let entry = self.providers.get(&model.provider);
            let described = entry.is_some_and(|entry| entry.origin == Origin::File);
            if described || self.disabled.contains(&model.provider) {
                continue;
            }
            let entry = self.providers.entry(model.provider.clone()).or_default();
            entry.key.keyless |= entry.key.configured.is_none();
            let model = entry.adopt(model);
            entry.put([model]);
        }
        for (id, provider) in &mut self.providers {
            // The overrides were checked when the file was read.
            let _checked = provider.patch_all(id);
        }
        self.index = OnceLock::new();
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
