//! What `omp models` shows.

use std::collections::BTreeMap;

use omp_config::Directories;
use omp_config::settings::Settings;
use omp_llm::registry::{Availability, Registry};
use omp_llm::{Input, Model};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::environment::{Environment, EnvironmentLookup};
use crate::models::load_registry;

/// One concrete model.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    pub selector: String,
    pub provider: String,
    pub id: String,
    pub name: String,
    pub api: &'static str,
    pub base_url: String,
    pub context_window: u64,
    pub max_tokens: u32,
    pub reasoning: bool,
    pub thinking: ThinkingRow,
    pub input: Vec<&'static str>,
    pub cost: CostRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premium_multiplier: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_promotion_target: Option<String>,
    /// Names only: values may be secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub compat: Map<String, Value>,
    pub available: bool,
}

/// How hard the model can think.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingRow {
    pub levels: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_level: Option<&'static str>,
}

/// Dollars per million tokens.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostRow {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
}

/// One model, whoever offers it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CanonicalRow {
    pub id: String,
    pub variants: Vec<String>,
    pub available: bool,
}

/// All there is to list, and what went wrong while reading the user's file.
#[derive(Debug)]
pub struct ModelListing {
    pub models: Vec<ModelRow>,
    pub canonical: Vec<CanonicalRow>,
    /// By provider: the variables that would give it a key.
    pub variables: BTreeMap<String, Vec<&'static str>>,
    pub warnings: Vec<String>,
}

/// Every known model. Offline.
pub fn list_models(
    directories: &Directories,
    settings: &Settings,
    environment: &dyn Environment,
) -> ModelListing {
    let mut warnings = Vec::new();
    let registry = load_registry(directories, settings, &mut warnings);
    let lookup = EnvironmentLookup(environment);
    let rows = registry.list(&lookup).into_iter().map(|(model, availability)| row(model, availability));
    let models: Vec<ModelRow> = rows.collect();
    let canonical = registry.canonical(&lookup).into_iter().map(|model| CanonicalRow {
        id: model.id,
        variants: model.variants,
        available: model.available,
    });
    let canonical = canonical.collect();
    let variables = variables(&registry, &models);
    ModelListing { models, canonical, variables, warnings }
}

fn variables(registry: &Registry, models: &[ModelRow]) -> BTreeMap<String, Vec<&'static str>> {
    let named = |row: &ModelRow| (row.provider.clone(), registry.variables(&row.provider).to_vec());
    models.iter().map(named).collect()
}

fn row(model: &Model, availability: Availability) -> ModelRow {
    let kind = |input: &Input| match input {
        Input::Text => "text",
        Input::Image => "image",
    };
    ModelRow {
        selector: model.selector(),
        provider: model.provider.clone(),
        id: model.id.clone(),
        name: model.name.clone(),
        api: model.api.name(),
        base_url: model.base_url.clone(),
        context_window: model.context_window,
        max_tokens: model.max_tokens,
        reasoning: model.reasoning,
        thinking: ThinkingRow {
            levels: match model.reasoning {
                true => model.levels.iter().map(|level| level.name()).collect(),
                false => Vec::new(),
            },
            default_level: model.facts.default_level.map(omp_types::ThinkingLevel::name),
        },
        input: model.input.iter().map(kind).collect(),
        cost: CostRow {
            input: model.cost.input,
            output: model.cost.output,
            cache_read: model.cost.cache_read,
            cache_write: model.cost.cache_write,
        },
        premium_multiplier: model.facts.premium_multiplier,
        context_promotion_target: model.facts.context_promotion_target.clone(),
        headers: model.headers.keys().cloned().collect(),
        compat: model.facts.compat.clone(),
        available: availability == Availability::Ready,
    }
}
