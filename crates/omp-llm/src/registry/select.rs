//! From what a user typed to one concrete model with its key.

use omp_types::ThinkingLevel;

use super::{Availability, Lookup, Provider, Registry, resolve_value};
use crate::demo;
use crate::model::{Compat, Model, Secret};

/// What the user asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// `provider/id`, an id, or part of one; `:level` at the end sets the thinking level.
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

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    #[error("no model matches \"{pattern}\"{}", suggest(.near))]
    Unknown { pattern: String, near: Vec<String> },
    #[error("\"{pattern}\" matches several models: {}. Write one of them in full", candidates.join(", "))]
    Ambiguous { pattern: String, candidates: Vec<String> },
    #[error("provider \"{provider}\" is not known{}", suggest(.near))]
    UnknownProvider { provider: String, near: Vec<String> },
    #[error("provider {provider} has no API key{}", variables_hint(.variables))]
    MissingKey { provider: String, variables: Vec<String> },
    #[error("the key command of provider {provider} failed or printed nothing")]
    KeyCommandFailed { provider: String },
    /// Nothing was asked for and nothing is available.
    #[error("no model is available")]
    NothingAvailable,
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

impl Registry {
    /// The model to use. Without a wish: the user's own providers first, then built-in ones that have a key.
    pub fn select(&self, wanted: Wanted<'_>, lookup: &dyn Lookup) -> Result<Selection, SelectError> {
        let Some(pattern) = wanted.pattern.filter(|pattern| !pattern.trim().is_empty()) else {
            return self.first_available(wanted, lookup);
        };
        let (found, thinking, warnings) = self.find_with_level(pattern.trim(), wanted.provider, lookup)?;
        let model = self.with_key(found, wanted.api_key, lookup)?;
        Ok(Selection { model, thinking, warnings })
    }

    fn first_available(&self, wanted: Wanted<'_>, lookup: &dyn Lookup) -> Result<Selection, SelectError> {
        if let Some(id) = wanted.provider {
            let provider = self.provider(id)?;
            let model = provider.models.first().cloned();
            let model =
                model.ok_or_else(|| SelectError::Unknown { pattern: id.to_owned(), near: Vec::new() })?;
            let model = self.with_key(model, wanted.api_key, lookup)?;
            return Ok(Selection { model, thinking: None, warnings: Vec::new() });
        }
        let mut warnings = Vec::new();
        for (id, provider) in self.providers.iter().filter(|(id, _)| id.as_str() != "omp") {
            if provider.availability(lookup) == Availability::NoKey {
                continue;
            }
            let Some(model) = provider.models.first().cloned() else { continue };
            match self.with_key(model, None, lookup) {
                Ok(model) => return Ok(Selection { model, thinking: None, warnings }),
                Err(error) => warnings.push(format!("skipping provider {id}: {error}")),
            }
        }
        Err(SelectError::NothingAvailable)
    }

    /// The demo model, for when nothing else is there.
    pub fn demo() -> Selection {
        Selection { model: demo::model(), thinking: None, warnings: Vec::new() }
    }

    /// Every `provider/id` for completion, available providers first.
    pub fn selectors(&self, lookup: &dyn Lookup) -> Vec<String> {
        let mut list = self.list(lookup);
        list.sort_by_key(|(_, availability)| *availability == Availability::NoKey);
        list.into_iter().map(|(model, _)| model.selector()).collect()
    }

    fn provider(&self, id: &str) -> Result<&Provider, SelectError> {
        let found = self.providers.iter().find(|(known, _)| known.eq_ignore_ascii_case(id));
        found.map(|(_, provider)| provider).ok_or_else(|| SelectError::UnknownProvider {
            provider: id.to_owned(),
            near: similar(id, self.providers.keys().cloned()),
        })
    }

    /// The whole text is tried first, because ids may contain colons; only then is a level split off.
    fn find_with_level(
        &self,
        pattern: &str,
        provider: Option<&str>,
        lookup: &dyn Lookup,
    ) -> Result<(Model, Option<ThinkingLevel>, Vec<String>), SelectError> {
        let Some((front, suffix)) = pattern.rsplit_once(':') else {
            let (model, warning) = self.find(pattern, provider, lookup)?;
            return Ok((model, None, warning.into_iter().collect()));
        };
        if let Some(model) = self.exact(pattern, provider, lookup) {
            return Ok((model, None, Vec::new()));
        }
        if let Some(level) = ThinkingLevel::parse(suffix) {
            let (model, warning) = self.find(front, provider, lookup)?;
            return Ok((model, Some(level), warning.into_iter().collect()));
        }
        match self.exact(front, provider, lookup) {
            Some(model) => {
                let warning = format!(
                    "Invalid thinking level \"{suffix}\" in pattern \"{pattern}\". Using default instead."
                );
                Ok((model, None, vec![warning]))
            }
            None => {
                let (model, warning) = self.find(pattern, provider, lookup)?;
                Ok((model, None, warning.into_iter().collect()))
            }
        }
    }

    fn find(
        &self,
        pattern: &str,
        provider: Option<&str>,
        lookup: &dyn Lookup,
    ) -> Result<(Model, Option<String>), SelectError> {
        if let Some(id) = provider {
            self.provider(id)?;
        }
        if let Some(model) = self.exact(pattern, provider, lookup) {
            return Ok((model, None));
        }
        let mut partial: Vec<&Model> =
            self.in_scope(provider, lookup).filter(|m| contains(&m.selector(), pattern)).collect();
        partial.dedup_by(|a, b| a.selector() == b.selector());
        match partial.as_slice() {
            [only] => return Ok(((*only).clone(), None)),
            [] => {}
            several => {
                let candidates = several.iter().take(6).map(|model| model.selector()).collect();
                return Err(SelectError::Ambiguous { pattern: pattern.to_owned(), candidates });
            }
        }
        if let Some(model) = self.on_trust(pattern, provider) {
            let warning =
                format!("{} is not in the built-in list; using it with default limits.", model.selector());
            return Ok((model, Some(warning)));
        }
        let near = similar(pattern, self.list(lookup).into_iter().map(|(model, _)| model.selector()));
        Err(SelectError::Unknown { pattern: pattern.to_owned(), near })
    }

    /// Models the pattern may match, those with a key first.
    fn in_scope<'a>(
        &'a self,
        provider: Option<&'a str>,
        lookup: &dyn Lookup,
    ) -> impl Iterator<Item = &'a Model> {
        let mut list = self.list(lookup);
        list.sort_by_key(|(_, availability)| *availability == Availability::NoKey);
        list.into_iter()
            .map(|(model, _)| model)
            .filter(move |model| provider.is_none_or(|id| model.provider.eq_ignore_ascii_case(id)))
    }

    fn exact(&self, pattern: &str, provider: Option<&str>, lookup: &dyn Lookup) -> Option<Model> {
        let mut scope = self.in_scope(provider, lookup);
        scope.find(|model| model.selector().eq_ignore_ascii_case(pattern)).cloned().or_else(|| {
            self.in_scope(provider, lookup).find(|model| model.id.eq_ignore_ascii_case(pattern)).cloned()
        })
    }

    /// `provider/id` of a hosted provider whose full list we do not hold.
    fn on_trust(&self, pattern: &str, provider: Option<&str>) -> Option<Model> {
        let (provider, id) = match provider {
            Some(provider) => (provider, pattern.strip_prefix(&format!("{provider}/")).unwrap_or(pattern)),
            None => pattern.split_once('/')?,
        };
        let known = self.provider(provider).ok()?;
        let template = known.template.as_ref()?;
        let id = id.trim();
        let mut compat = Compat::detect(template.api, &template.base_url, id);
        // The block was checked when the file was read.
        known.quirks.apply(&mut compat, None).ok()?;
        (!id.is_empty()).then(|| Model { id: id.to_owned(), name: id.to_owned(), compat, ..template.clone() })
    }

    /// Attaches the key and the resolved headers.
    fn with_key(
        &self,
        mut model: Model,
        override_key: Option<&str>,
        lookup: &dyn Lookup,
    ) -> Result<Model, SelectError> {
        let provider = self.provider(&model.provider)?;
        model.key = provider.key(&model.provider, override_key, lookup)?;
        // OAuth access tokens of Anthropic go into the bearer header whichever way they arrived.
        let oauth = model.key.as_ref().is_some_and(Secret::is_anthropic_oauth);
        model.bearer |= provider.bearer || oauth;
        let mut headers = provider.headers.clone();
        headers.extend(std::mem::take(&mut model.headers));
        model.headers = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name, resolve_value(&value, lookup)?)))
            .collect();
        Ok(model)
    }
}

fn contains(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

/// The two closest names, if any is close at all.
fn similar(wanted: &str, known: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = wanted.to_ascii_lowercase();
    let score = |name: &String| {
        let name = name.to_ascii_lowercase();
        let bare = name.rsplit('/').next().unwrap_or(&name);
        strsim::jaro_winkler(&wanted, &name).max(strsim::jaro_winkler(&wanted, bare))
    };
    let mut scored: Vec<(f64, String)> =
        known.map(|name| (score(&name), name)).filter(|(score, _)| *score > 0.8).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(2).map(|(_, name)| name).collect()
}
