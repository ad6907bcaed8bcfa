//! The shape of `models.yml`, before anything is checked beyond types and names of keys.

use indexmap::IndexMap;
use omp_types::{CacheRetention, Cost, ThinkingLevel};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::transform::RequestTransform;
use crate::model::Input;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ModelsFile {
    #[serde(default)]
    pub(super) providers: IndexMap<String, ProviderConfig>,
    #[serde(default)]
    pub(super) equivalence: Equivalence,
    /// Sets of models for the roles, by name.
    #[serde(default)]
    pub(super) profiles: IndexMap<String, ProfileConfig>,
    #[serde(default)]
    pub(super) model_bindings: Bindings,
}

/// One entry of `profiles`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileConfig {
    #[serde(default)]
    pub(super) required_providers: Vec<String>,
    /// Role to selector.
    #[serde(default)]
    pub(super) model_mapping: IndexMap<String, String>,
}

/// Who does what, next to where the models are described. The settings go before it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Bindings {
    /// Role to selector.
    #[serde(default)]
    pub model_roles: IndexMap<String, String>,
    /// Sub-agent to selector.
    #[serde(default)]
    pub agent_model_overrides: IndexMap<String, String>,
}

/// Which models are the same behind different names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Equivalence {
    /// `provider/id` to a canonical id.
    #[serde(default)]
    pub(super) overrides: IndexMap<String, String>,
    /// `provider/id` of models that belong to no group.
    #[serde(default)]
    pub(super) exclude: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ProviderConfig {
    pub(super) base_url: Option<String>,
    pub(super) api_key: Option<String>,
    /// The name of a variable, and nothing else.
    pub(super) api_key_env: Option<String>,
    pub(super) cache_retention: Option<CacheRetention>,
    pub(super) request_transform: Option<RequestTransform>,
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
    #[serde(default)]
    pub(super) model_overrides: IndexMap<String, ModelConfig>,
    pub(super) discovery: Option<DiscoveryConfig>,
    pub(super) transport: Option<String>,
    #[expect(dead_code, reason = "accepted now, read by the compaction of a later release")]
    remote_compaction: Option<Map<String, Value>>,
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
pub(super) struct DiscoveryConfig {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) timeout_ms: Option<f64>,
}

/// One entry of `models`, or what `modelOverrides` changes in a model; the checks know the difference.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ModelConfig {
    pub(super) id: Option<String>,
    pub(super) api: Option<String>,
    pub(super) base_url: Option<String>,
    pub(super) name: Option<String>,
    pub(super) reasoning: Option<bool>,
    pub(super) thinking: Option<ThinkingConfig>,
    pub(super) input: Option<Vec<Input>>,
    pub(super) cost: Option<CostConfig>,
    pub(super) premium_multiplier: Option<f64>,
    pub(super) context_window: Option<i64>,
    pub(super) max_tokens: Option<i64>,
    #[serde(default)]
    pub(super) headers: IndexMap<String, String>,
    pub(super) compat: Option<Map<String, Value>>,
    pub(super) context_promotion_target: Option<String>,
    pub(super) cache_retention: Option<CacheRetention>,
    pub(super) request_transform: Option<RequestTransform>,
    pub(super) wire_model_id: Option<String>,
    #[expect(dead_code, reason = "accepted now, read by the compaction of a later release")]
    remote_compaction: Option<Map<String, Value>>,
}

impl ModelConfig {
    pub(super) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    pub(super) mode: Option<String>,
    #[serde(alias = "efforts")]
    pub(super) levels: Option<Vec<ThinkingLevel>>,
    pub(super) min_level: Option<ThinkingLevel>,
    pub(super) max_level: Option<ThinkingLevel>,
    pub(super) default_level: Option<ThinkingLevel>,
}

impl ThinkingConfig {
    /// The levels, lowest first. An explicit list goes before a range.
    pub(super) fn levels(&self) -> Vec<ThinkingLevel> {
        if let Some(levels) = &self.levels {
            let mut levels = levels.clone();
            levels.sort_unstable();
            levels.dedup();
            return levels;
        }
        let lowest = self.min_level.unwrap_or(ThinkingLevel::Minimal);
        let highest = self.max_level.unwrap_or(ThinkingLevel::High);
        ThinkingLevel::ALL.into_iter().filter(|level| (lowest..=highest).contains(level)).collect()
    }
}

/// Dollars per million tokens.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CostConfig {
    pub(super) input: Option<f64>,
    pub(super) output: Option<f64>,
    pub(super) cache_read: Option<f64>,
    pub(super) cache_write: Option<f64>,
}

impl CostConfig {
    /// Each price by its name.
    pub(super) fn prices(&self) -> [(&'static str, Option<f64>); 4] {
        [
            ("input", self.input),
            ("output", self.output),
            ("cacheRead", self.cache_read),
            ("cacheWrite", self.cache_write),
        ]
    }

    /// Changes the prices that are given.
    pub(super) fn apply(&self, cost: &mut Cost) {
        for (target, given) in [
            (&mut cost.input, self.input),
            (&mut cost.output, self.output),
            (&mut cost.cache_read, self.cache_read),
            (&mut cost.cache_write, self.cache_write),
        ] {
            *target = given.unwrap_or(*target);
        }
    }
}
