//! How a list of models joins the registry.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use omp_types::Cost;

use super::plan::{Class, Plan};
use crate::discovery::ListedModel;
use crate::model::{Api, Compat, Model, ModelSource, ThinkingMode};
use crate::registry::Registry;
use crate::registry::catalogue::blank;
use crate::registry::provider::Provider;

/// What becomes of models that are not on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// They stay.
    Over,
    /// They go, unless the user's file describes them.
    Instead,
}

/// Longest answer of a model whose server does not say.
const ANSWER: u32 = 32_768;
/// The same on Anthropic's wire, which refuses more than a model can do.
const ANTHROPIC_ANSWER: u32 = 8192;

impl Registry {
    /// Takes over what a provider's server lists. What the user's file says about a model goes before it.
    pub fn adopt(&mut self, plan: &Plan, models: &[ListedModel], join: Join) {
        let Some(provider) = self.providers.get_mut(&plan.provider) else { return };
        if plan.class == Class::Local {
            provider.key.keyless |= provider.key.configured.is_none();
        }
        let listed = listed_models(provider, plan, models);
        if join == Join::Instead {
            let kept: HashSet<&str> = models.iter().map(|model| model.id.as_str()).collect();
            let stays = |model: &Model| model.facts.source == ModelSource::File || kept.contains(&*model.id);
            provider.models.edit(|list| list.retain(stays));
        }
        provider.put(listed);
        // The overrides were checked when the file was read.
        let _checked = provider.patch_all(&plan.provider);
        self.index = OnceLock::new();
    }
}

/// The models of a list that the file does not describe itself.
fn listed_models(provider: &Provider, plan: &Plan, models: &[ListedModel]) -> Vec<Model> {
    let known: HashMap<&str, &Model> =
        provider.models.iter().map(|model| (model.id.as_str(), model)).collect();
    let of_file = |id: &str| known.get(id).is_some_and(|model| model.facts.source == ModelSource::File);
    let sound = models.iter().filter(|row| row.is_sound() && !of_file(&row.id));
    sound.filter_map(|row| model(provider, plan, known.get(row.id.as_str()).copied(), row)).collect()
}

/// What we know, under what the server says.
fn model(provider: &Provider, plan: &Plan, known: Option<&Model>, row: &ListedModel) -> Option<Model> {
    let mut model = match known {
        Some(known) => known.clone(),
        None => unknown(provider, plan, row)?,
    };
    if let Some(name) = &row.name {
        model.name.clone_from(name);
    }
    model.reasoning = row.reasoning.unwrap_or(model.reasoning);
    if let Some(levels) = &row.levels {
        model.levels.clone_from(levels);
    }
    if let Some(input) = row.input.as_ref().filter(|input| !input.is_empty()) {
        model.input.clone_from(input);
    }
    if let Some([input, output, cache_read, cache_write]) = row.cost {
        model.cost = Cost { input, output, cache_read, cache_write, total: 0.0 };
    }
    model.context_window = row.context_window.unwrap_or(model.context_window);
    let unsaid = match (known, model.api) {
        (Some(known), _) => known.max_tokens,
        (None, Api::AnthropicMessages) => ANTHROPIC_ANSWER,
        (None, _) => ANSWER,
    };
    let window = u32::try_from(model.context_window).unwrap_or(u32::MAX);
    model.max_tokens = row.max_tokens.unwrap_or(unsaid).min(window);
    model.facts.max_tokens_stated |= row.max_tokens.is_some();
    Some(model)
}

/// A model of which we had not heard; `None` when nobody says how it is spoken to.
fn unknown(provider: &Provider, plan: &Plan, row: &ListedModel) -> Option<Model> {
    let api = row.api.as_deref().and_then(Api::parse).or(plan.api)?;
    let base_url = plan.kind.base_for(Some(api), plan.base_url.as_deref().unwrap_or_default());
    let mut model = blank(&plan.provider, api, &base_url);
    model.id.clone_from(&row.id);
    model.name.clone_from(&row.id);
    model.thinking = ThinkingMode::detect(api, &row.id);
    model.compat = Compat::detect(api, &base_url, &row.id);
    // Engines reject fields they do not know more often than they understand them.
    model.compat.thinking.effort &= !plan.kind.is_local_engine();
    let mut model = provider.adopt(model);
    model.facts.source = ModelSource::Discovered;
    let described = provider.described.as_ref();
    model.transport = described.and_then(|described| described.transport).unwrap_or_default();
    Some(model)
}
