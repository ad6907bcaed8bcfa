//! From what is compiled in and what the user wrote to the providers in force: one step after the other, each of
//! which knows nothing of the others.

use indexmap::IndexMap;

use super::catalogue::{self, Redirect, blank};
use super::compat::Quirks;
use super::discovered::Described;
use super::fields::{AuthKind, ModelConfig, ModelsFile, ProviderConfig};
use super::provider::{KeySource, Origin, Provider, fill};
use super::transform::{ProviderShaping, shape};
use crate::demo;
use crate::model::{Api, Compat, Model, ModelSource, ThinkingMode, Transport};

pub(super) type Providers = IndexMap<String, Provider>;

/// The sequence. Models that servers list join later, and [`patch`] runs once more after them.
pub(super) fn merge(file: &ModelsFile) -> Result<Providers, String> {
    let providers = compiled_in();
    let providers = introduce(providers, file);
    let providers = redirect(providers, file)?;
    let providers = patch(providers)?;
    let providers = define(providers, file)?;
    patch(providers)
}

/// What is compiled in, and the tour.
pub(super) fn compiled_in() -> Providers {
    let known = catalogue::entries().iter();
    let mut providers: Providers =
        known.map(|entry| (entry.id.to_owned(), Provider::builtin(entry))).collect();
    let tour = Provider {
        key: KeySource { keyless: true, ..KeySource::default() },
        models: vec![demo::model()].into(),
        ..Provider::default()
    };
    providers.insert("omp".to_owned(), tour);
    providers
}

/// Providers that only the file knows. What the user describes comes before what we happen to know.
fn introduce(mut providers: Providers, file: &ModelsFile) -> Providers {
    let unknown: Vec<_> = file.providers.iter().filter(|(id, _)| !providers.contains_key(*id)).collect();
    for (position, (id, config)) in unknown.into_iter().enumerate() {
        let origin = if config.models.is_empty() { Origin::Local } else { Origin::File };
        providers.shift_insert(position, id.clone(), Provider { origin, ..Provider::default() });
    }
    providers
}

/// Address, key, headers and quirks of whole providers.
fn redirect(mut providers: Providers, file: &ModelsFile) -> Result<Providers, String> {
    for (id, config) in &file.providers {
        if let Some(provider) = providers.get_mut(id) {
            redirect_one(provider, config).map_err(|error| format!("provider {id}: {error}"))?;
        }
    }
    Ok(providers)
}

pub(super) fn redirect_one(provider: &mut Provider, config: &ProviderConfig) -> Result<(), String> {
    if config.api_key.is_some() {
        provider.key.configured.clone_from(&config.api_key);
    }
    provider.api_given = config.api.is_some();
    provider.key.variable.clone_from(&config.api_key_env);
    provider.shaping = ProviderShaping::of(config);
    provider.key.keyless |= config.auth == Some(AuthKind::None);
    provider.headers.extend(config.headers.clone());
    provider.bearer |= config.auth_header;
    provider.base_url.clone_from(&config.base_url);
    provider.patches.clone_from(&config.model_overrides);
    provider.described = Some(Described::of(config));
    provider.redirect(Redirect {
        api: config.api.as_deref().and_then(Api::parse),
        base_url: config.base_url.clone(),
        transport: transport(config),
        quirks: Quirks::of(config),
        shaping: ProviderShaping::of(config),
    })
}

/// The one value that the checks let pass.
pub(super) fn transport(config: &ProviderConfig) -> Option<Transport> {
    config.transport.as_ref().map(|_| Transport::PiNative)
}

/// `modelOverrides`.
pub(super) fn patch(mut providers: Providers) -> Result<Providers, String> {
    providers.iter_mut().try_for_each(|(id, provider)| provider.patch_all(id))?;
    Ok(providers)
}

/// Models of the file: in place of a namesake of the same provider, else at the end.
fn define(mut providers: Providers, file: &ModelsFile) -> Result<Providers, String> {
    for (id, config) in &file.providers {
        let Some(provider) = providers.get_mut(id) else { continue };
        let models = config.models.iter().map(|entry| custom_model(id, config, entry));
        provider.put(models.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(providers)
}

/// A model of the file. What it leaves open is taken from a model of the same name that we know, then from the
/// defaults; where and how it is reached is the file's word alone.
pub(super) fn custom_model(
    provider: &str,
    config: &ProviderConfig,
    entry: &ModelConfig,
) -> Result<Model, String> {
    let id = entry.id();
    let api = entry.api.as_deref().or(config.api.as_deref()).and_then(Api::parse);
    let api = api.ok_or_else(|| format!("provider {provider}, model {id}: no \"api\" is set"))?;
    let base_url = entry.base_url.clone().or_else(|| config.base_url.clone()).unwrap_or_default();
    let mut model = blank(provider, api, &base_url);
    if let Some(known) = catalogue::known(id) {
        known.describe(&mut model);
    }
    model.id = id.to_owned();
    model.name = id.to_owned();
    model.thinking = ThinkingMode::detect(api, id);
    model.headers = entry.headers.clone();
    model.bearer = config.auth_header;
    model.compat = Compat::detect(api, &base_url, id);
    let quirks = Quirks::of(config);
    quirks
        .apply(&mut model.compat, entry.compat.as_ref())
        .map_err(|error| format!("provider {provider}, model {id}: {error}"))?;
    model.facts.compat = quirks.given(entry.compat.as_ref());
    model.facts.source = ModelSource::File;
    model.transport = transport(config).unwrap_or_default();
    fill(&mut model, entry);
    ProviderShaping::of(config).apply(&mut model);
    shape(&mut model, entry);
    Ok(model)
}
