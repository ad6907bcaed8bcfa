//! What `omp models` shows.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use omp_auth::{Environment, EnvironmentLookup, client};
use omp_config::Directories;
use omp_config::settings::Settings;
use omp_llm::registry::{Availability, Registry};
use omp_llm::{Input, Model};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::lists::{ListAsker, ListState, ListStatus, ModelLists};
use crate::models_file::load_registry;

/// One concrete model.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    /// `provider/id`
    pub selector: String,
    /// The provider.
    pub provider: String,
    /// The name of the model in requests.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The wire.
    pub api: &'static str,
    /// Where requests go.
    pub base_url: String,
    /// Tokens that fit into it.
    pub context_window: u64,
    /// The longest answer.
    pub max_tokens: u32,
    /// Does it think before it answers?
    pub reasoning: bool,
    /// How hard it can think.
    pub thinking: ThinkingRow,
    /// `text` and `image`.
    pub input: Vec<&'static str>,
    /// What it costs.
    pub cost: CostRow,
    /// How many premium requests one request counts as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premium_multiplier: Option<f64>,
    /// The model that takes over when the window is too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_promotion_target: Option<String>,
    /// Names only: values may be secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// What is special about its wire.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub compat: Map<String, Value>,
    /// How the list of the provider's models stands, if it can be asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListState>,
    /// `built-in`, `file` or `discovered`.
    pub source: &'static str,
    /// Can it be used now?
    pub available: bool,
}

/// How hard the model can think.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingRow {
    /// The levels, lowest first.
    pub levels: Vec<&'static str>,
    /// The level that it has by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_level: Option<&'static str>,
}

/// Dollars per million tokens.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostRow {
    /// Tokens that are sent.
    pub input: f64,
    /// Tokens that are answered.
    pub output: f64,
    /// Tokens that come from the cache.
    pub cache_read: f64,
    /// Tokens that go into the cache.
    pub cache_write: f64,
}

/// One model, regardless of who offers it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CanonicalRow {
    /// The id, without a provider.
    pub id: String,
    /// The selectors of those who offer it.
    pub variants: Vec<String>,
    /// Can one of them be used now?
    pub available: bool,
}

/// All there is to list, and what went wrong while reading the user's file.
#[derive(Debug)]
pub struct ModelListing {
    /// Every model.
    pub models: Vec<ModelRow>,
    /// Models by what they are, whoever offers them.
    pub canonical: Vec<CanonicalRow>,
    /// By provider: the variables that would give it a key.
    pub variables: BTreeMap<String, Vec<&'static str>>,
    /// How the lists of providers stand that can be asked for them.
    pub lists: Vec<ListStatus>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Who is asked for models before they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survey<'a> {
    /// The user's own servers, unless their lists are fresh.
    Aged,
    /// Everybody who can be asked, or this provider.
    Now(Option<&'a str>),
}

/// Every known model. Offline.
pub fn list_models(
    directories: &Directories,
    settings: &Settings,
    environment: &dyn Environment,
) -> ModelListing {
    let mut warnings = Vec::new();
    let mut registry = load_registry(directories, settings, &mut warnings);
    let lists = ModelLists::load(&mut registry, directories, environment);
    listing(&registry, environment, &lists, warnings)
}

/// Every known model, after servers were asked for theirs. Who does not answer becomes a warning.
pub async fn survey_models(
    directories: &Directories,
    settings: &Settings,
    environment: &Arc<dyn Environment>,
    survey: Survey<'_>,
    cancel: CancellationToken,
) -> ModelListing {
    let mut warnings = Vec::new();
    let mut registry = load_registry(directories, settings, &mut warnings);
    let mut lists = ModelLists::load(&mut registry, directories, environment.as_ref());
    match client(environment.as_ref()) {
        Ok(client) => {
            let asker = ListAsker { client: &client, environment, cancel };
            match survey {
                Survey::Aged => lists.ask_aged(&mut registry, &asker).await,
                Survey::Now(provider) => lists.ask_all(provider, &mut registry, &asker).await,
            }
        }
        Err(error) => warnings.push(format!("Cannot list the models of servers: {error}")),
    }
    warnings.extend(lists.problems());
    listing(&registry, environment.as_ref(), &lists, warnings)
}

fn listing(
    registry: &Registry,
    environment: &dyn Environment,
    lists: &ModelLists,
    warnings: Vec<String>,
) -> ModelListing {
    let lookup = EnvironmentLookup(environment);
    let rows = registry.list(&lookup).into_iter().map(|(model, availability)| row(model, availability));
    let mut models: Vec<ModelRow> = rows.collect();
    let statuses = lists.statuses();
    let states: HashMap<&str, ListState> =
        statuses.iter().map(|status| (status.provider.as_str(), status.state)).collect();
    for row in &mut models {
        row.list = states.get(row.provider.as_str()).copied();
    }
    let canonical = registry.canonical(&lookup).into_iter().map(|model| CanonicalRow {
        id: model.id,
        variants: model.variants,
        available: model.available,
    });
    let canonical = canonical.collect();
    let variables = variables(registry, &models);
    ModelListing { models, canonical, variables, lists: statuses, warnings }
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
        base_url: omp_types::address::masked(&model.base_url).into_owned(),
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
        list: None,
        source: model.facts.source.name(),
        available: availability == Availability::Ready,
    }
}
