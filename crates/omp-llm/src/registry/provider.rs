//! One provider: its models, its key, and what the user's file says about all of them.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::anthropic;
use super::builtin::{ProviderEntry, Standing};
use super::catalogue::{self, ModelList, Redirect};
use super::compat::{Quirks, merge_blocks};
use super::discovered::Described;
use super::fields::{ModelConfig, ThinkingConfig};
use super::select::SelectError;
use super::transform::{ProviderShaping, shape};
use super::values::{Lookup, resolve_value};
use crate::model::{Api, Compat, KeyOrigin, Model, Secret, ThinkingMode};

/// One provider with everything needed to make its models.
#[derive(Default)]
pub(super) struct Provider {
    /// How its key is found, in order of precedence.
    pub(super) key: KeySource,
    pub(super) headers: IndexMap<String, String>,
    pub(super) bearer: bool,
    pub(super) models: ModelList,
    /// A hosted provider whose list we do not hold completely: `provider/id` is taken on trust.
    pub(super) template: Option<Model>,
    pub(super) quirks: Quirks,
    /// What the file says about the requests to all of its models.
    pub(super) shaping: ProviderShaping,
    pub(super) origin: Origin,
    /// `baseUrl` of the file. It goes before what we know and before what a server says of itself.
    pub(super) base_url: Option<String>,
    /// Does the file say which wire it speaks?
    pub(super) api_given: bool,
    /// `modelOverrides` of the file.
    pub(super) patches: IndexMap<String, ModelConfig>,
    /// What the file says about its list of models, if the file speaks of the provider at all.
    pub(super) described: Option<Described>,
}

/// Who described the provider first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// It is compiled in; its first model is its default.
    Builtin,
    /// The user's file, with its models.
    File,
    /// Whoever serves it: its models are found out.
    #[default]
    Local,
}

#[derive(Clone, Default)]
pub(super) struct KeySource {
    pub(super) keyless: bool,
    /// `apiKey` of the file: a variable name, a literal, or `!command`.
    pub(super) configured: Option<String>,
    /// `apiKeyEnv` of the file: a variable, and nothing else.
    pub(super) variable: Option<String>,
    pub(super) env: Vec<&'static str>,
    /// Stands in for `env`, and before what is stored, where it gives anything.
    pub(super) computed: Option<Computed>,
}

/// Variables that hold a key in some surroundings only.
pub(super) type Computed = fn(&dyn Lookup) -> Option<&'static [&'static str]>;

impl KeySource {
    /// Variables that may hold the key. One that the user names stands alone.
    fn variables(&self) -> impl Iterator<Item = &str> {
        let known = self.env.iter().copied().filter(|_| self.variable.is_none());
        self.variable.as_deref().into_iter().chain(known)
    }

    /// The first variable that holds anything. What surrounds a key was pasted with it.
    pub(super) fn in_environment(&self, lookup: &dyn Lookup) -> Option<(Secret, KeyOrigin)> {
        self.computed(lookup).or_else(|| first_set(self.variables(), lookup))
    }

    /// The key for the surroundings, where there is one. Stored keys are meant for the provider itself.
    fn computed(&self, lookup: &dyn Lookup) -> Option<(Secret, KeyOrigin)> {
        let names = self.computed.filter(|_| self.variable.is_none())?(lookup)?;
        first_set(names.iter().copied(), lookup)
    }
}

fn first_set<'a>(
    mut names: impl Iterator<Item = &'a str>,
    lookup: &dyn Lookup,
) -> Option<(Secret, KeyOrigin)> {
    names.find_map(|name| {
        let value =
            lookup.env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())?;
        Some((Secret::new(value), KeyOrigin::Variable(name.to_owned())))
    })
}

/// Where the key of `apiKey` came from.
fn configured_origin(value: &str, lookup: &dyn Lookup) -> KeyOrigin {
    match lookup.env(value).is_some_and(|set| !set.is_empty()) {
        true => KeyOrigin::Variable(value.to_owned()),
        false => KeyOrigin::ModelsFile,
    }
}

/// Can the model be used right now?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    Ready,
    NoKey,
}

impl Provider {
    /// A provider of the catalogue. Its models are made when somebody looks at them.
    pub(super) fn builtin(entry: &'static ProviderEntry) -> Self {
        let trusted = entry.standing != Standing::Engine;
        let headers = entry.headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            key: KeySource {
                env: entry.env.to_vec(),
                keyless: entry.keyless,
                computed: (entry.id == anthropic::PROVIDER).then_some(anthropic::gateway_keys as Computed),
                ..KeySource::default()
            },
            headers: headers.collect(),
            models: ModelList::of(entry),
            template: trusted.then(|| catalogue::blank(entry.id, entry.api, entry.base_url)),
            origin: Origin::Builtin,
            ..Self::default()
        }
    }

    /// Sends all models elsewhere. The error names the key of a `compat` block.
    pub(super) fn redirect(&mut self, redirect: Redirect) -> Result<(), String> {
        // A block nobody's models use is checked all the same.
        redirect.quirks.apply(&mut Compat::detect(Api::OpenAiCompletions, "", ""), None)?;
        if let Some(template) = &mut self.template {
            redirect.apply(template)?;
        }
        self.quirks = redirect.quirks.clone();
        self.models.redirect(redirect)
    }

    pub(super) fn availability(&self, lookup: &dyn Lookup) -> Availability {
        // A `!command` is not run for a mere listing.
        let configured = self.key.configured.is_some();
        let stored = || self.known().is_some_and(|model| lookup.stored(&model.provider).is_some());
        let from_env = || self.key.in_environment(lookup).is_some();
        let ambient = || {
            (self.is_vertex() && lookup.google_default().is_some())
                || (self.is_bedrock() && lookup.aws_available())
        };
        match self.key.keyless || configured || stored() || from_env() || ambient() {
            true => Availability::Ready,
            false => Availability::NoKey,
        }
    }

    /// Where the provider is when nobody says otherwise; empty when the user's file does.
    pub(super) fn usual_address(&self) -> &str {
        match &self.base_url {
            Some(_) => "",
            None => self.template.as_ref().map(|template| template.base_url.as_str()).unwrap_or_default(),
        }
    }

    /// Any model of the provider; each knows whose it is.
    fn known(&self) -> Option<&Model> {
        self.template.as_ref().or_else(|| self.models.first())
    }

    /// Vertex AI takes a token where there is no key; whether there is one shows at the first request.
    fn is_vertex(&self) -> bool {
        self.known().is_some_and(|model| model.api == Api::GoogleVertex)
    }

    /// Bedrock takes a signature where there is no key; the wire says what is missing.
    fn is_bedrock(&self) -> bool {
        self.known().is_some_and(|model| model.api == Api::BedrockConverseStream)
    }

    /// The key to send and where it came from: no key for keyless providers.
    pub(super) fn key(
        &self,
        id: &str,
        override_key: Option<&str>,
        lookup: &dyn Lookup,
    ) -> Result<(Option<Secret>, KeyOrigin), SelectError> {
        if let Some(key) = override_key {
            return Ok((Some(Secret::new(key.trim())), KeyOrigin::Given));
        }
        if let Some(value) = &self.key.configured {
            return match resolve_value(value, lookup) {
                Some(key) => Ok((Some(Secret::new(key.trim())), configured_origin(value, lookup))),
                None => Err(SelectError::KeyCommandFailed { provider: id.to_owned() }),
            };
        }
        let stored = || lookup.stored(id).map(|key| (key, KeyOrigin::Login));
        if let Some((key, origin)) = self.key.computed(lookup).or_else(stored) {
            return Ok((Some(key), origin));
        }
        match self.key.in_environment(lookup) {
            Some((key, origin)) => Ok((Some(key), origin)),
            None if self.key.keyless || self.is_vertex() || self.is_bedrock() => Ok((None, KeyOrigin::None)),
            None => Err(SelectError::MissingKey {
                provider: id.to_owned(),
                variables: self.key.variables().map(str::to_owned).collect(),
            }),
        }
    }

    /// Puts models in, each in place of one with the same id.
    pub(super) fn put(&mut self, models: impl IntoIterator<Item = Model>) {
        let mut models = models.into_iter().peekable();
        if models.peek().is_none() {
            return;
        }
        self.models.edit(|list| {
            let known = list.iter().enumerate().map(|(position, model)| (model.id.clone(), position));
            let mut positions: HashMap<String, usize> = known.collect();
            for model in models {
                match positions.get(&model.id) {
                    Some(position) => list[*position] = model,
                    None => {
                        positions.insert(model.id.clone(), list.len());
                        list.push(model);
                    }
                }
            }
        });
    }

    /// A model that a server listed, under what the file says about its provider.
    pub(super) fn adopt(&self, mut model: Model) -> Model {
        if let Some(base_url) = &self.base_url {
            model.base_url = follow_base(base_url, &model.base_url);
        }
        // The file was checked when it was read.
        let _checked = self.quirks.apply(&mut model.compat, None);
        model.facts.compat = self.quirks.given(None);
        self.shaping.apply(&mut model);
        model
    }

    /// Applies `modelOverrides`. Ids that are not there mean nothing.
    pub(super) fn patch_all(&mut self, id: &str) -> Result<(), String> {
        if self.patches.is_empty() {
            return Ok(());
        }
        let (patches, quirks) = (&self.patches, &self.quirks);
        let patch_one = |model: &mut Model| match patches.get(&model.id) {
            Some(patch) => patch_model(model, patch, quirks)
                .map_err(|error| format!("provider {id}, modelOverrides {}: {error}", model.id)),
            None => Ok(()),
        };
        let mut patched = Ok(());
        self.models.edit(|models| patched = models.iter_mut().try_for_each(patch_one));
        patched
    }

    /// A model that is not listed, made from what is known of its provider.
    pub(super) fn on_trust(&self, id: &str) -> Option<Model> {
        let template = self.template.as_ref()?;
        let mut compat = Compat::detect(template.api, &template.base_url, id);
        // The block was checked when the file was read.
        self.quirks.apply(&mut compat, None).ok()?;
        let thinking = ThinkingMode::detect(template.api, id);
        Some(Model { id: id.to_owned(), name: id.to_owned(), compat, thinking, ..template.clone() })
    }
}

/// The user's address for a local server, with the path under which the server's own was served.
fn follow_base(wanted: &str, found: &str) -> String {
    let wanted = wanted.trim_end_matches('/');
    match found.trim_end_matches('/').ends_with("/v1") && !wanted.ends_with("/v1") {
        true => format!("{wanted}/v1"),
        false => wanted.to_owned(),
    }
}

/// Changes the facts that are given; everything else stays.
fn patch_model(model: &mut Model, patch: &ModelConfig, quirks: &Quirks) -> Result<(), String> {
    fill(model, patch);
    model.headers.extend(patch.headers.clone());
    quirks.refine(&mut model.compat, patch.compat.as_ref())?;
    patch.compat.iter().for_each(|block| merge_blocks(&mut model.facts.compat, block));
    shape(model, patch);
    Ok(())
}

/// What a definition or an override says about the model itself.
pub(super) fn fill(model: &mut Model, config: &ModelConfig) {
    if let Some(name) = &config.name {
        model.name.clone_from(name);
    }
    model.reasoning = config.reasoning.unwrap_or(model.reasoning);
    if let Some(thinking) = &config.thinking {
        model.levels = thinking.levels();
        model.thinking = thinking_mode(thinking, model);
        model.facts.default_level = thinking.default_level;
    }
    if let Some(input) = &config.input {
        model.input.clone_from(input);
    }
    if let Some(cost) = &config.cost {
        cost.apply(&mut model.cost);
    }
    if let Some(window) = config.context_window {
        model.context_window = window.unsigned_abs();
    }
    if let Some(limit) = config.max_tokens {
        model.max_tokens = u32::try_from(limit).unwrap_or(u32::MAX);
        model.facts.max_tokens_stated = true;
    }
    model.facts.premium_multiplier = config.premium_multiplier.or(model.facts.premium_multiplier);
    if config.context_promotion_target.is_some() {
        model.facts.context_promotion_target.clone_from(&config.context_promotion_target);
    }
}

fn thinking_mode(thinking: &ThinkingConfig, model: &Model) -> ThinkingMode {
    match thinking.mode.as_deref() {
        Some("anthropic-adaptive") => ThinkingMode::AnthropicAdaptive,
        Some("google-level") => ThinkingMode::GoogleLevel,
        Some(_) => ThinkingMode::Standard,
        None => model.thinking,
    }
}
