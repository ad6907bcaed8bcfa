//! Which models there are, and which one a name means.

mod builtin;
mod compat;
mod file;
mod select;

use indexmap::IndexMap;
use omp_types::{Cost, ThinkingLevel};

use crate::demo;
use crate::model::{Api, Compat, Input, Model, Secret, ThinkingMode};
use compat::Quirks;
use file::{AuthKind, ModelConfig, ProviderConfig, ThinkingConfig};
pub use select::{SelectError, Selection, Wanted};

/// Where values come from that the registry itself must not touch.
pub trait Lookup {
    /// An environment variable.
    fn env(&self, name: &str) -> Option<String>;

    /// Standard output of a shell command (`!command` values), trimmed; `None` when it failed.
    fn command(&self, command: &str) -> Option<String>;
}

/// All known models: the built-in providers, overlaid with the user's file.
pub struct Registry {
    providers: IndexMap<String, Provider>,
    error: Option<String>,
    disabled: Vec<String>,
}

/// One provider with everything needed to make its models.
struct Provider {
    /// How its key is found, in order of precedence.
    key: KeySource,
    headers: IndexMap<String, String>,
    bearer: bool,
    models: Vec<Model>,
    /// A hosted provider whose list we do not hold completely: `provider/id` is taken on trust.
    template: Option<Model>,
    quirks: Quirks,
    custom: bool,
}

struct KeySource {
    keyless: bool,
    /// `apiKey` of the file: a variable name, a literal, or `!command`.
    configured: Option<String>,
    env: Vec<&'static str>,
}

impl Registry {
    /// `models_yml` is the text of the user's file, if there is one. A file that cannot be understood leaves the
    /// built-in providers working; [`Registry::error`] says what is wrong.
    pub fn new(models_yml: Option<&str>) -> Self {
        let mut registry = Self { providers: builtin_providers(), error: None, disabled: Vec::new() };
        if let Some(text) = models_yml
            && let Err(error) = registry.overlay(text)
        {
            registry.providers = builtin_providers();
            registry.error = Some(error);
        }
        registry
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
    }

    /// Models found on this machine join as keyless providers, unless the file already describes them.
    pub fn add_local(&mut self, models: Vec<Model>) {
        for model in models {
            let described = self.providers.get(&model.provider).is_some_and(|provider| provider.custom);
            if described || self.disabled.contains(&model.provider) {
                continue;
            }
            let entry = self.providers.entry(model.provider.clone()).or_insert_with(|| Provider {
                key: KeySource { keyless: true, configured: None, env: Vec::new() },
                headers: IndexMap::new(),
                bearer: false,
                models: Vec::new(),
                template: None,
                quirks: Quirks::default(),
                custom: false,
            });
            entry.models.retain(|known| known.id != model.id);
            entry.models.push(model);
        }
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

    fn overlay(&mut self, text: &str) -> Result<(), String> {
        for (id, config) in file::parse(text)?.providers {
            match self.providers.get_mut(&id) {
                Some(provider) => provider.redirect(&id, &config)?,
                None => {
                    let provider = Provider::custom(&id, &config)?;
                    // What the user describes comes before what we happen to know.
                    let position = self.providers.values().take_while(|provider| provider.custom).count();
                    self.providers.shift_insert(position, id, provider);
                }
            }
        }
        Ok(())
    }
}

/// Can the model be used right now?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    Ready,
    NoKey,
}

impl Provider {
    fn availability(&self, lookup: &dyn Lookup) -> Availability {
        // A `!command` is not run for a mere listing.
        let configured = self.key.configured.is_some();
        let from_env =
            || self.key.env.iter().any(|name| lookup.env(name).is_some_and(|value| !value.is_empty()));
        if self.key.keyless || configured || from_env() { Availability::Ready } else { Availability::NoKey }
    }

    /// Settings of the file for a provider we already know.
    fn redirect(&mut self, id: &str, config: &ProviderConfig) -> Result<(), String> {
        if config.api_key.is_some() {
            self.key.configured.clone_from(&config.api_key);
        }
        self.key.keyless |= config.auth == Some(AuthKind::None);
        self.headers.extend(config.headers.clone());
        self.bearer |= config.auth_header;
        self.quirks = Quirks::of(config);
        let api = config.api.as_deref().and_then(Api::parse);
        for model in self.models.iter_mut().chain(self.template.as_mut()) {
            model.api = api.unwrap_or(model.api);
            if let Some(base_url) = &config.base_url {
                model.base_url.clone_from(base_url);
            }
            model.compat = Compat::detect(model.api, &model.base_url, &model.id);
            self.quirks.apply(&mut model.compat, None).map_err(|error| format!("Provider {id}: {error}"))?;
        }
        for model_config in &config.models {
            let model = custom_model(id, config, model_config)?;
            self.models.retain(|known| known.id != model.id);
            self.models.push(model);
        }
        Ok(())
    }

    fn custom(id: &str, config: &ProviderConfig) -> Result<Self, String> {
        if config.models.is_empty() {
            return Err(format!(
                "Provider {id}: it is not a built-in provider, so it needs a \"models\" list (each entry at least an \"id\")."
            ));
        }
        let models = config.models.iter().map(|model| custom_model(id, config, model));
        Ok(Self {
            key: KeySource {
                keyless: config.auth == Some(AuthKind::None),
                configured: config.api_key.clone(),
                env: Vec::new(),
            },
            headers: config.headers.clone(),
            bearer: config.auth_header,
            models: models.collect::<Result<_, _>>()?,
            template: None,
            quirks: Quirks::of(config),
            custom: true,
        })
    }

    /// The key to send: `Ok(None)` for keyless providers.
    fn key(
        &self,
        id: &str,
        override_key: Option<&str>,
        lookup: &dyn Lookup,
    ) -> Result<Option<Secret>, SelectError> {
        if let Some(key) = override_key {
            return Ok(Some(Secret::new(key)));
        }
        if let Some(value) = &self.key.configured {
            return match resolve_value(value, lookup) {
                Some(key) => Ok(Some(Secret::new(key))),
                None => Err(SelectError::KeyCommandFailed { provider: id.to_owned() }),
            };
        }
        let from_env =
            self.key.env.iter().find_map(|name| lookup.env(name).filter(|value| !value.is_empty()));
        match from_env {
            Some(key) => Ok(Some(Secret::new(key))),
            None if self.key.keyless => Ok(None),
            None => Err(SelectError::MissingKey {
                provider: id.to_owned(),
                variables: self.key.env.iter().map(|name| (*name).to_owned()).collect(),
            }),
        }
    }
}

/// An environment variable of that name, else the text itself; `!command` runs the command.
fn resolve_value(value: &str, lookup: &dyn Lookup) -> Option<String> {
    if let Some(command) = value.strip_prefix('!') {
        return lookup.command(command).filter(|output| !output.is_empty());
    }
    lookup.env(value).filter(|found| !found.is_empty()).or_else(|| Some(value.to_owned()))
}

fn builtin_providers() -> IndexMap<String, Provider> {
    let mut providers: IndexMap<String, Provider> = builtin::PROVIDERS.iter().map(builtin_provider).collect();
    providers.insert(
        "omp".to_owned(),
        Provider {
            key: KeySource { keyless: true, configured: None, env: Vec::new() },
            headers: IndexMap::new(),
            bearer: false,
            models: vec![demo::model()],
            template: None,
            quirks: Quirks::default(),
            custom: false,
        },
    );
    providers
}

fn builtin_provider(row: &builtin::BuiltinProvider) -> (String, Provider) {
    let template = Model {
        provider: row.id.to_owned(),
        id: String::new(),
        name: String::new(),
        api: row.api,
        base_url: row.base_url.to_owned(),
        headers: IndexMap::new(),
        key: None,
        bearer: false,
        reasoning: false,
        thinking: ThinkingMode::Standard,
        levels: default_levels(),
        input: vec![Input::Text],
        cost: Cost::default(),
        context_window: 128_000,
        max_tokens: 16_384,
        compat: Compat::detect(row.api, row.base_url, ""),
    };
    let models = row.models.iter().map(|entry| Model {
        id: entry.id.to_owned(),
        name: entry.id.to_owned(),
        reasoning: entry.reasoning,
        input: if entry.images { vec![Input::Text, Input::Image] } else { vec![Input::Text] },
        cost: Cost {
            input: entry.cost[0],
            output: entry.cost[1],
            cache_read: entry.cost[2],
            cache_write: entry.cost[3],
            total: 0.0,
        },
        context_window: entry.context_window,
        max_tokens: entry.max_tokens,
        compat: Compat::detect(row.api, row.base_url, entry.id),
        ..template.clone()
    });
    let provider = Provider {
        key: KeySource { keyless: false, configured: None, env: row.env.to_vec() },
        headers: IndexMap::new(),
        bearer: false,
        models: models.collect(),
        template: Some(template),
        quirks: Quirks::default(),
        custom: false,
    };
    (row.id.to_owned(), provider)
}

fn default_levels() -> Vec<ThinkingLevel> {
    vec![ThinkingLevel::Minimal, ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High]
}

fn custom_model(provider: &str, config: &ProviderConfig, model: &ModelConfig) -> Result<Model, String> {
    let api = model.api.as_deref().or(config.api.as_deref()).and_then(Api::parse);
    let api = api.ok_or_else(|| format!("Provider {provider}, model {}: no \"api\" is set.", model.id))?;
    let base_url = model.base_url.clone().or_else(|| config.base_url.clone()).unwrap_or_default();
    let mut compat = Compat::detect(api, &base_url, &model.id);
    Quirks::of(config)
        .apply(&mut compat, model.compat.as_ref())
        .map_err(|error| format!("Provider {provider}, model {}: {error}", model.id))?;
    let mode = model.thinking.as_ref().and_then(|thinking| thinking.mode.as_deref());
    Ok(Model {
        provider: provider.to_owned(),
        id: model.id.clone(),
        name: model.name.clone().unwrap_or_else(|| model.id.clone()),
        api,
        base_url,
        headers: model.headers.clone(),
        key: None,
        bearer: config.auth_header,
        reasoning: model.reasoning,
        thinking: if mode == Some("anthropic-adaptive") {
            ThinkingMode::AnthropicAdaptive
        } else {
            ThinkingMode::Standard
        },
        levels: model.thinking.as_ref().map_or_else(default_levels, levels),
        input: model.input.clone().unwrap_or_else(|| vec![Input::Text]),
        cost: model.cost.as_ref().map_or_else(Cost::default, file::CostConfig::prices),
        context_window: model.context_window.map_or(128_000, |value| value.unsigned_abs()),
        max_tokens: model.max_tokens.map_or(16_384, |value| u32::try_from(value).unwrap_or(u32::MAX)),
        compat,
    })
}

fn levels(thinking: &ThinkingConfig) -> Vec<ThinkingLevel> {
    if let Some(levels) = &thinking.levels {
        return levels.clone();
    }
    let lowest = thinking.min_level.unwrap_or(ThinkingLevel::Minimal);
    let highest = thinking.max_level.unwrap_or(ThinkingLevel::High);
    ThinkingLevel::ALL.into_iter().filter(|level| (lowest..=highest).contains(level)).collect()
}
