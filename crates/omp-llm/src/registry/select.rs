//! From what a user typed to one concrete model with its key.

use omp_types::ThinkingLevel;

use super::engine::{Ranks, SelectorMatch, suffix};
use super::index::RowId;
use super::provider::{Availability, Provider};
use super::values::{Lookup, resolve_value};
use super::{Registry, address, anthropic, azure, defaults, vertex};
use crate::demo;
use crate::model::{Api, Model, Secret};

/// What the user asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// `provider/id`, a canonical id, an id, or part of one; `:level` at the end sets the thinking level.
    pub pattern: Option<&'a str>,
    pub provider: Option<&'a str>,
    pub api_key: Option<&'a str>,
}

#[derive(Debug)]
pub struct Selection {
    pub model: Model,
    /// From a `:level` suffix.
    pub thinking: Option<ThinkingLevel>,
    pub warnings: Vec<String>,
}

impl Selection {
    fn plain(model: Model) -> Self {
        Self { model, thinking: None, warnings: Vec::new() }
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    #[error("no model matches \"{pattern}\"{}", suggest(.near))]
    Unknown { pattern: String, near: Vec<String> },
    #[error("unknown provider \"{provider}\"{}", suggest(.near))]
    UnknownProvider { provider: String, near: Vec<String> },
    #[error("provider {provider} has no API key{}", variables_hint(.variables))]
    MissingKey { provider: String, variables: Vec<String> },
    #[error("the key command of provider {provider} failed or printed nothing")]
    KeyCommandFailed { provider: String },
    #[error("provider {provider} has no address; set {} or {}", azure::BASE_URL, azure::RESOURCE)]
    MissingAddress { provider: String },
    #[error("the address of provider {provider} contains {variable}; set {variable}")]
    MissingAddressPart { provider: String, variable: String },
    #[error("provider {provider} uses a gateway that has no address; set {}", anthropic::GATEWAY)]
    MissingGateway { provider: String },
    #[error("provider {provider} needs a Google Cloud project; set {}", vertex::PROJECT[0])]
    MissingProject { provider: String },
    /// Nothing was asked for and nothing is available; `skipped` says which providers were tried and what they lack.
    #[error("no model is available")]
    NothingAvailable { skipped: Vec<String> },
}

fn suggest(candidates: &[String]) -> String {
    if candidates.is_empty() { String::new() } else { format!(". Did you mean {}?", candidates.join(" or ")) }
}

fn variables_hint(variables: &[String]) -> String {
    match variables.split_last() {
        None => String::new(),
        Some((last, [])) => format!("; set {last}"),
        Some((last, rest)) => format!("; set {} or {last}", rest.join(", ")),
    }
}

/// A model without its key, and what to say about the way it was found.
pub(super) struct Meant {
    pub(super) model: Model,
    pub(super) thinking: Option<ThinkingLevel>,
    pub(super) warnings: Vec<String>,
}

impl Registry {
    /// The model to use. Without a wish: the user's own providers first, then built-in ones that have a key.
    pub fn select(&self, wanted: Wanted<'_>, lookup: &dyn Lookup) -> Result<Selection, SelectError> {
        let Some(pattern) = wanted.pattern.map(str::trim).filter(|pattern| !pattern.is_empty()) else {
            return self.without_wish(wanted, lookup);
        };
        let within = wanted.provider.map(|id| self.known_position(id)).transpose()?;
        let meant = match self.direct(pattern, within) {
            Some((model, thinking)) => Meant { model, thinking, warnings: Vec::new() },
            None => self.meaning(pattern, within, &self.ranks(lookup))?,
        };
        let model = self.with_key(meant.model, wanted.api_key, lookup)?;
        Ok(Selection { model, thinking: meant.thinking, warnings: meant.warnings })
    }

    fn without_wish(&self, wanted: Wanted<'_>, lookup: &dyn Lookup) -> Result<Selection, SelectError> {
        let Some(id) = wanted.provider else { return self.initial(lookup) };
        let model = self.providers[self.known_position(id)?].models.first().cloned();
        let model = model.ok_or_else(|| SelectError::Unknown { pattern: id.to_owned(), near: Vec::new() })?;
        Ok(Selection::plain(self.with_key(model, wanted.api_key, lookup)?))
    }

    /// The default of the first provider that can be used: the first model of its list.
    fn initial(&self, lookup: &dyn Lookup) -> Result<Selection, SelectError> {
        let mut warnings = Vec::new();
        for (id, provider) in self.in_order() {
            if provider.availability(lookup) == Availability::NoKey {
                continue;
            }
            let Some(model) = provider.models.first().cloned() else { continue };
            match self.with_key(model, None, lookup) {
                Ok(model) => return Ok(Selection { model, thinking: None, warnings }),
                Err(error) => warnings.push(format!("skipping provider {id}: {error}")),
            }
        }
        Err(SelectError::NothingAvailable { skipped: warnings })
    }

    /// Providers in the user's order, then in the registry's, where the user's own come first. The tour never
    /// offers itself.
    fn in_order(&self) -> Vec<(&String, &Provider)> {
        let mut providers: Vec<_> = self.providers.iter().filter(|(id, _)| *id != "omp").collect();
        let place = |id: &str| self.order.iter().position(|known| known.eq_ignore_ascii_case(id));
        providers.sort_by_key(|(id, _)| place(id).unwrap_or(usize::MAX));
        providers
    }

    /// The model that does a role's work when the user named none: the first of a list that can be used.
    pub fn role_default(&self, role: &str, lookup: &dyn Lookup) -> Option<String> {
        let ranks = self.ranks(lookup);
        let usable = |row: &RowId| ranks.is_ready(&self.index().rows[*row]);
        let names = defaults::for_role(role);
        let exact = names.iter().filter_map(|name| self.exact(name, None, &ranks)).find(usable);
        let row = exact.or_else(|| {
            names.iter().filter_map(|name| self.fuzzy(name, None, &ranks)).map(|found| found.row).find(usable)
        });
        row.map(|row| self.model_at(row).selector())
    }

    /// The demo model, for when nothing else is there.
    pub fn demo() -> Selection {
        Selection::plain(demo::model())
    }

    /// The whole text is tried first, because ids may contain colons; only then is a level split off.
    pub(super) fn meaning(
        &self,
        text: &str,
        within: Option<usize>,
        ranks: &Ranks,
    ) -> Result<Meant, SelectError> {
        if let Some(pinned) = self.pinned(text, within, ranks) {
            return Ok(pinned);
        }
        let Some(suffix) = suffix(text) else { return self.named(text, within, ranks) };
        if let Some(row) = self.exact_within(text, within, ranks) {
            return Ok(self.meant(&SelectorMatch::only(row), text));
        }
        if let Some(route) = self.routed(suffix.front, suffix.word, within, ranks) {
            return Ok(route);
        }
        if suffix.level.is_some() {
            let pinned = self.pinned(suffix.front, within, ranks);
            let named = pinned.map_or_else(|| self.named(suffix.front, within, ranks), Ok);
            let meant = named.or_else(|error| {
                self.resolve(text, within, ranks).map(|found| self.meant(&found, text)).ok_or(error)
            })?;
            return Ok(Meant { thinking: suffix.level, ..meant });
        }
        if let Some(found) = self.resolve(text, within, ranks) {
            return Ok(self.meant(&found, text));
        }
        match self.resolve(suffix.front, within, ranks) {
            Some(found) => {
                let mut meant = self.meant(&found, suffix.front);
                meant.warnings.push(format!(
                    "Invalid thinking level \"{}\" in pattern \"{text}\". Using default instead.",
                    suffix.word
                ));
                Ok(meant)
            }
            None => self.named(text, within, ranks),
        }
    }

    /// One name without a level.
    fn named(&self, text: &str, within: Option<usize>, ranks: &Ranks) -> Result<Meant, SelectError> {
        if let Some(found) = self.resolve(text, within, ranks) {
            return Ok(self.meant(&found, text));
        }
        if let Some(model) = self.on_trust(text, within) {
            let warning = format!("{} is not in the built-in list; using default limits", model.selector());
            return Ok(Meant { model, thinking: None, warnings: vec![warning] });
        }
        // A slash after a known provider may still belong to an id that another one offers.
        if let Some(row) = self.exact(text, within, ranks) {
            return Ok(self.meant(&SelectorMatch::only(row), text));
        }
        let near = similar(text, self.index().rows.iter().map(|row| row.selector.as_str()));
        Err(SelectError::Unknown { pattern: text.to_owned(), near })
    }

    fn meant(&self, found: &SelectorMatch, text: &str) -> Meant {
        let model = self.model_at(found.row).clone();
        let mut warnings = Vec::new();
        if !found.rivals.is_empty() {
            let others: Vec<String> =
                found.rivals.iter().take(5).map(|row| self.model_at(*row).selector()).collect();
            let more = if found.rivals.len() > 5 { ", ..." } else { "" };
            warnings.push(format!(
                "\"{text}\" matches several models; using {} (others: {}{more})",
                model.selector(),
                others.join(", ")
            ));
        }
        Meant { model, thinking: None, warnings }
    }

    /// `provider/id` of a hosted provider whose full list we do not hold.
    pub(super) fn on_trust(&self, text: &str, within: Option<usize>) -> Option<Model> {
        let (provider, id) = match (self.split_provider(text, within), within) {
            (Some(split), _) => split,
            (None, Some(provider)) => (provider, text),
            (None, None) => return None,
        };
        self.providers[provider].on_trust(id)
    }

    /// Attaches the key and the resolved headers.
    pub(super) fn with_key(
        &self,
        mut model: Model,
        override_key: Option<&str>,
        lookup: &dyn Lookup,
    ) -> Result<Model, SelectError> {
        let provider = &self.providers[self.known_position(&model.provider)?];
        (model.key, model.facts.key_origin) = provider.key(&model.provider, override_key, lookup)?;
        // OAuth access tokens of Anthropic go into the bearer header whichever way they arrived.
        let oauth = model.key.as_ref().is_some_and(Secret::is_anthropic_oauth);
        model.bearer |= provider.bearer || oauth;
        if model.api == Api::GoogleVertex {
            model.base_url = vertex::address(&model, lookup)?;
        }
        if model.api == Api::AzureOpenAiResponses {
            model.base_url = azure::address(&model, lookup)?;
        }
        if model.base_url.contains("${") {
            model.base_url = address::fill(&model, lookup)?;
        }
        self.by_preferred_route(&mut model);
        let mut headers = provider.headers.clone();
        headers.extend(std::mem::take(&mut model.headers));
        model.headers = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name, resolve_value(&value, lookup)?)))
            .collect();
        for value in model.shaping.set_headers.values_mut() {
            *value = value.take().and_then(|value| resolve_value(&value, lookup));
        }
        anthropic::redirect(&mut model, provider.usual_address(), lookup)?;
        Ok(model)
    }

    pub(super) fn known_position(&self, id: &str) -> Result<usize, SelectError> {
        self.position(id).ok_or_else(|| SelectError::UnknownProvider {
            provider: id.to_owned(),
            near: similar(id, self.providers.keys().map(String::as_str)),
        })
    }
}

/// The two closest names, if any is close at all.
pub(super) fn similar<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let score = |name: &str| {
        let bare = name.rsplit('/').next().unwrap_or(name);
        let whole = strsim::jaro_winkler(&wanted, name).max(strsim::jaro_winkler(&wanted, bare));
        // A word of the name that was nearly typed is worth a little less than the name.
        let words = bare.split(['-', ':', '.', '_']).filter(|word| word.len() > 3);
        let word = words.map(|word| strsim::jaro_winkler(&wanted, word)).fold(0.0, f64::max);
        whole.max(if word > 0.9 { word * 0.95 } else { 0.0 })
    };
    let mut scored: Vec<(f64, &str)> =
        known.map(|name| (score(name), name)).filter(|(score, _)| *score > 0.8).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(2).map(|(_, name)| name.to_owned()).collect()
}
