//! `models.yml`: providers and models a user describes.
//!
//! The whole file is checked before any of it is used: a mistake in one provider must not leave the user with a
//! half-loaded list. What cannot be understood is named with provider, model and field.

use indexmap::IndexMap;
use omp_types::{Cost, ThinkingLevel};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::{Api, Input};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ModelsFile {
    #[serde(default)]
    pub(super) providers: IndexMap<String, ProviderConfig>,
    #[serde(default)]
    #[expect(dead_code, reason = "accepted now, used by the canonical index of a later release")]
    equivalence: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ProviderConfig {
    pub(super) base_url: Option<String>,
    pub(super) api_key: Option<String>,
    pub(super) api: Option<String>,
    #[serde(default)]
    pub(super) headers: IndexMap<String, String>,
    #[serde(default)]
    pub(super) auth_header: bool,
    pub(super) auth: Option<AuthKind>,
    #[serde(default)]
    pub(super) disable_strict_tools: bool,
    pub(super) compat: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) models: Vec<ModelConfig>,
    pub(super) model_overrides: Option<Value>,
    pub(super) discovery: Option<Value>,
    pub(super) transport: Option<String>,
    pub(super) remote_compaction: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum AuthKind {
    ApiKey,
    None,
    Oauth,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ModelConfig {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) api: Option<String>,
    pub(super) base_url: Option<String>,
    #[serde(default)]
    pub(super) reasoning: bool,
    pub(super) thinking: Option<ThinkingConfig>,
    pub(super) input: Option<Vec<Input>>,
    pub(super) cost: Option<CostConfig>,
    #[serde(default)]
    #[expect(dead_code, reason = "accepted now, shown by the usage view of a later release")]
    premium_multiplier: Option<f64>,
    pub(super) context_window: Option<i64>,
    pub(super) max_tokens: Option<i64>,
    #[serde(default)]
    pub(super) headers: IndexMap<String, String>,
    pub(super) compat: Option<Map<String, Value>>,
    #[serde(default)]
    #[expect(dead_code, reason = "accepted now, used by context promotion of a later release")]
    context_promotion_target: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    pub(super) mode: Option<String>,
    #[serde(alias = "efforts")]
    pub(super) levels: Option<Vec<ThinkingLevel>>,
    pub(super) min_level: Option<ThinkingLevel>,
    pub(super) max_level: Option<ThinkingLevel>,
    #[expect(dead_code, reason = "accepted now, used by the model roles of a later release")]
    pub(super) default_level: Option<ThinkingLevel>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CostConfig {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
}

impl CostConfig {
    pub(super) fn prices(&self) -> Cost {
        Cost {
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            total: 0.0,
        }
    }
}

/// Parses and checks the text. The error is one sentence; the caller names the file.
pub(super) fn parse(text: &str) -> Result<ModelsFile, String> {
    if text.trim().is_empty() {
        return Ok(ModelsFile::default());
    }
    let file: ModelsFile = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
    for (id, provider) in &file.providers {
        check_provider(id, provider)?;
    }
    Ok(file)
}

fn check_provider(id: &str, provider: &ProviderConfig) -> Result<(), String> {
    for (field, value) in
        [("baseUrl", &provider.base_url), ("apiKey", &provider.api_key), ("api", &provider.api)]
    {
        if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
            return Err(format!("Provider {id}: \"{field}\" must not be empty."));
        }
    }
    check_api(&format!("Provider {id}"), provider.api.as_deref())?;
    for (field, present) in [
        ("modelOverrides", provider.model_overrides.is_some()),
        ("discovery", provider.discovery.is_some()),
        ("transport", provider.transport.is_some()),
        ("remoteCompaction", provider.remote_compaction.is_some()),
    ] {
        if present {
            return Err(format!(
                "Provider {id}: \"{field}\" is not available yet in this release; remove it."
            ));
        }
    }
    if provider.models.is_empty() {
        let configured = provider.base_url.is_some()
            || provider.api_key.is_some()
            || !provider.headers.is_empty()
            || provider.compat.is_some()
            || provider.disable_strict_tools
            || provider.auth == Some(AuthKind::None);
        if !configured {
            return Err(format!(
                "Provider {id}: set at least one of \"baseUrl\", \"apiKey\", \"headers\", \"compat\", \"disableStrictTools\", \"models\"."
            ));
        }
        return Ok(());
    }
    if provider.base_url.is_none() {
        return Err(format!("Provider {id}: \"baseUrl\" is required when defining custom models."));
    }
    if provider.api_key.is_none() && provider.auth != Some(AuthKind::None) {
        return Err(format!(
            "Provider {id}: \"apiKey\" is required when defining custom models unless auth is \"none\"."
        ));
    }
    provider.models.iter().try_for_each(|model| check_model(id, provider, model))
}

fn check_model(provider_id: &str, provider: &ProviderConfig, model: &ModelConfig) -> Result<(), String> {
    if model.id.trim().is_empty() {
        return Err(format!("Provider {provider_id}: a model has an empty \"id\"."));
    }
    let place = format!("Provider {provider_id}, model {}", model.id);
    if model.api.is_none() && provider.api.is_none() {
        return Err(format!("{place}: no \"api\" is set on the model or its provider."));
    }
    check_api(&place, model.api.as_deref())?;
    for (field, value) in [("contextWindow", model.context_window), ("maxTokens", model.max_tokens)] {
        if value.is_some_and(|value| value <= 0) {
            return Err(format!("{place}: \"{field}\" must be a positive number."));
        }
    }
    if let Some(thinking) = &model.thinking
        && thinking.levels.is_none()
        && (thinking.min_level.is_none() || thinking.max_level.is_none())
    {
        return Err(format!("{place}: \"thinking\" needs \"levels\" or both \"minLevel\" and \"maxLevel\"."));
    }
    Ok(())
}

/// Wires of the full program that this release does not speak yet.
const LATER_APIS: [&str; 6] = [
    "openai-codex-responses",
    "azure-openai-responses",
    "google-generative-ai",
    "google-vertex",
    "bedrock-converse-stream",
    "ollama-chat",
];

fn check_api(place: &str, api: Option<&str>) -> Result<(), String> {
    let Some(api) = api else { return Ok(()) };
    if Api::parse(api).is_some() {
        return Ok(());
    }
    let known = Api::CONFIGURABLE.map(Api::name).join(", ");
    if LATER_APIS.contains(&api) {
        return Err(format!(
            "{place}: api \"{api}\" is not available yet in this release; use one of {known}."
        ));
    }
    Err(format!("{place}: unknown api \"{api}\"; use one of {known}."))
}
