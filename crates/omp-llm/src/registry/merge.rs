//! From what is compiled in and what the user wrote to the providers in force: one step after the other, each of
//! which knows nothing of the others.

use indexmap::IndexMap;
use omp_types::{Cost, ThinkingLevel};

use super::builtin::{self, BuiltinModel, BuiltinProvider};
use super::compat::Quirks;
use super::fields::{AuthKind, ModelConfig, ModelsFile, ProviderConfig};
use super::provider::{KeySource, Origin, Provider, fill};
use crate::demo;
use crate::model::{Api, Compat, Facts, Input, Model, ThinkingMode};

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
    let mut providers: Providers = builtin::PROVIDERS.iter().map(builtin_provider).collect();
    let tour = Provider {
        key: KeySource { keyless: true, ..KeySource::default() },
        models: vec![demo::model()],
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
            redirect_one(provider, config).map_err(|error| format!("Provider {id}: {error}"))?;
        }
    }
    Ok(providers)
}

fn redirect_one(provider: &mut Provider, config: &ProviderConfig) -> Result<(), String> {
    if config.api_key.is_some() {
        provider.key.configured.clone_from(&config.api_key);
    }
    provider.key.keyless |= config.auth == Some(AuthKind::None);
    provider.headers.extend(config.headers.clone());
    provider.bearer |= config.auth_header;
    provider.quirks = Quirks::of(config);
    provider.base_url.clone_from(&config.base_url);
    provider.patches.clone_from(&config.model_overrides);
    let api = config.api.as_deref().and_then(Api::parse);
    for model in provider.models.iter_mut().chain(provider.template.as_mut()) {
        model.api = api.unwrap_or(model.api);
        if let Some(base_url) = &config.base_url {
            model.base_url.clone_from(base_url);
        }
        model.compat = Compat::detect(model.api, &model.base_url, &model.id);
        provider.quirks.apply(&mut model.compat, None)?;
        model.facts.compat = provider.quirks.given(None);
    }
    // A block nobody's models use is checked all the same.
    provider.quirks.apply(&mut Compat::detect(Api::OpenAiCompletions, "", ""), None)
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
fn custom_model(provider: &str, config: &ProviderConfig, entry: &ModelConfig) -> Result<Model, String> {
    let id = entry.id();
    let api = entry.api.as_deref().or(config.api.as_deref()).and_then(Api::parse);
    let api = api.ok_or_else(|| format!("Provider {provider}, model {id}: no \"api\" is set."))?;
    let base_url = entry.base_url.clone().or_else(|| config.base_url.clone()).unwrap_or_default();
    let mut model = blank(provider, api, &base_url);
    if let Some(known) = bundled(id) {
        describe(&mut model, known);
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
        .map_err(|error| format!("Provider {provider}, model {id}: {error}"))?;
    model.facts.compat = quirks.given(entry.compat.as_ref());
    fill(&mut model, entry);
    Ok(model)
}

fn builtin_provider(row: &BuiltinProvider) -> (String, Provider) {
    let template = blank(row.id, row.api, row.base_url);
    let models = row.models.iter().map(|entry| {
        let mut model = Model {
            id: entry.id.to_owned(),
            name: entry.id.to_owned(),
            thinking: ThinkingMode::detect(row.api, entry.id),
            compat: Compat::detect(row.api, row.base_url, entry.id),
            ..template.clone()
        };
        describe(&mut model, entry);
        model
    });
    let provider = Provider {
        key: KeySource { env: row.env.to_vec(), ..KeySource::default() },
        models: models.collect(),
        template: Some(template),
        origin: Origin::Builtin,
        ..Provider::default()
    };
    (row.id.to_owned(), provider)
}

/// A model of which only the place is known.
fn blank(provider: &str, api: Api, base_url: &str) -> Model {
    Model {
        provider: provider.to_owned(),
        id: String::new(),
        name: String::new(),
        api,
        base_url: base_url.to_owned(),
        headers: IndexMap::new(),
        key: None,
        bearer: false,
        reasoning: false,
        thinking: ThinkingMode::Standard,
        levels: vec![ThinkingLevel::Minimal, ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High],
        input: vec![Input::Text],
        cost: Cost::default(),
        context_window: 128_000,
        max_tokens: 16_384,
        compat: Compat::detect(api, base_url, ""),
        facts: Facts::default(),
    }
}

/// The facts of a bundled model.
fn describe(model: &mut Model, entry: &BuiltinModel) {
    model.reasoning = entry.reasoning;
    model.input = if entry.images { vec![Input::Text, Input::Image] } else { vec![Input::Text] };
    let [input, output, cache_read, cache_write] = entry.cost;
    model.cost = Cost { input, output, cache_read, cache_write, total: 0.0 };
    model.context_window = entry.context_window;
    model.max_tokens = entry.max_tokens;
}

fn bundled(id: &str) -> Option<&'static BuiltinModel> {
    builtin::PROVIDERS.iter().flat_map(|provider| provider.models).find(|model| model.id == id)
}
