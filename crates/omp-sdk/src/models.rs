//! Which models there are and which one a session uses.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_config::settings::Settings;
use omp_config::settings::config_file::{self, Loaded};
use omp_llm::registry::{Availability, Registry, SelectError, Selection, Wanted};
use omp_llm::{Client, discovery};
use omp_session::Context;
use omp_types::ThinkingLevel;
use serde::Serialize;
use serde_json::Value;

use crate::configure;
use crate::environment::{Environment, EnvironmentLookup};
use crate::error::SessionError;
use crate::options::SessionOptions;

/// A file that cannot be read or understood leaves the built-in providers working.
pub(crate) fn load_registry(
    directories: &Directories,
    settings: &Settings,
    warnings: &mut Vec<String>,
) -> Registry {
    let (path, text) = match models_text(&directories.models_file()) {
        Ok(Some((path, text))) => (path, Some(text)),
        Ok(None) => (directories.models_file(), None),
        Err(problem) => {
            warnings.push(format!("{problem} Only built-in models are available until this is fixed."));
            (directories.models_file(), None)
        }
    };
    let mut registry = Registry::new(text.as_deref());
    if let Some(error) = registry.error() {
        warnings.push(format!(
            "{}: {error} Only built-in models are available until this is fixed.",
            path.display()
        ));
    }
    registry.disable(&settings.disabled_providers());
    registry
}

/// The user's description of models: `models.yml`, or the same with another ending. JSON becomes YAML once.
fn models_text(file: &Path) -> Result<Option<(PathBuf, String)>, String> {
    for path in [file.to_path_buf(), file.with_extension("yaml")] {
        match std::fs::read_to_string(&path) {
            Ok(text) => return Ok(Some((path, text))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{} cannot be read ({error}).", path.display())),
        }
    }
    for path in [file.to_path_buf(), file.with_extension("jsonc")] {
        match config_file::load(&path) {
            // JSON is YAML.
            Loaded::Ok { path, map } => return Ok(Some((path, Value::Object(map).to_string()))),
            Loaded::NotFound => {}
            Loaded::Error(error) => return Err(error.to_string()),
        }
    }
    Ok(None)
}

/// Providers that live on this machine and are looked for only when needed.
const LOCAL_PROVIDERS: [&str; 3] = ["ollama", "lm-studio", "llama.cpp"];

pub(crate) async fn select(
    client: &Client,
    registry: &mut Registry,
    options: &SessionOptions,
    settings: &Settings,
    context: &Context,
    warnings: &mut Vec<String>,
) -> Result<Selection, SessionError> {
    let chosen = options.model.is_some() || options.provider.is_some();
    if options.api_key.is_some() && !chosen {
        return Err(SessionError::KeyWithoutModel);
    }
    let pattern = options.model.as_deref().map(|pattern| through_role(pattern, settings));
    let wanted = Wanted {
        pattern: pattern.as_deref(),
        provider: options.provider.as_deref(),
        api_key: options.api_key.as_deref(),
    };
    let lookup = EnvironmentLookup(options.environment.as_ref());
    let demo = &Registry::demo().model.selector();
    // Who started with the tour and has a model now wants the model.
    let restored = context.model.as_deref().filter(|model| !chosen && *model != demo);
    if let Some(model) = restored {
        match registry.select(Wanted { pattern: Some(model), ..Wanted::default() }, &lookup) {
            Ok(selection) => return Ok(selection),
            Err(error) => {
                warnings
                    .push(format!("the session's model {model} cannot be used ({error}); using another."));
            }
        }
    }
    if !chosen {
        match preferred(registry, settings, &lookup) {
            Some(Ok(selection)) => return Ok(selection),
            Some(Err(warning)) => warnings.push(warning),
            None => {}
        }
    }
    let first = registry.select(wanted, &lookup);
    let names_local = |text: Option<&str>| {
        text.is_some_and(|text| {
            LOCAL_PROVIDERS.iter().any(|local| text == *local || text.starts_with(&format!("{local}/")))
        })
    };
    let local_may_help = match &first {
        Ok(_) => false,
        Err(SelectError::NothingAvailable) => true,
        Err(_) => names_local(wanted.pattern) || names_local(wanted.provider),
    };
    let result = if local_may_help {
        let servers = discovery::LocalServers::from_env(|name| options.environment.var(name));
        registry.add_local(discovery::probe(client, &servers).await);
        registry.select(wanted, &lookup)
    } else {
        first
    };
    match result {
        Err(SelectError::NothingAvailable) => Ok(Registry::demo()),
        Err(source) => Err(SessionError::Model { source, models_file: options.directories.models_file() }),
        Ok(selection) => Ok(selection),
    }
}

/// `pi/<role>` and `@<role>` stand for the model of that role; a level after it goes before the role's own.
fn through_role<'a>(pattern: &'a str, settings: &'a Settings) -> Cow<'a, str> {
    let Some(rest) = pattern.strip_prefix("pi/").or_else(|| pattern.strip_prefix('@')) else {
        return Cow::Borrowed(pattern);
    };
    let (role, level) = match rest.split_once(':') {
        Some((role, level)) => (role, Some(level)),
        None => (rest, None),
    };
    match (configure::role(settings, role), level) {
        (None, _) => Cow::Borrowed(pattern),
        (Some(selector), None) => Cow::Borrowed(selector),
        (Some(selector), Some(level)) => {
            let named = |(_, suffix): &(&str, &str)| ThinkingLevel::parse(suffix).is_some();
            let model = selector.rsplit_once(':').filter(named).map_or(selector, |(model, _)| model);
            Cow::Owned(format!("{model}:{level}"))
        }
    }
}

/// The model the user likes best: the first of `enabledModels` that can be used, else the default role's.
/// `None` when nothing is preferred.
fn preferred(
    registry: &Registry,
    settings: &Settings,
    lookup: &EnvironmentLookup<'_>,
) -> Option<Result<Selection, String>> {
    let select =
        |pattern: &str| registry.select(Wanted { pattern: Some(pattern), ..Wanted::default() }, lookup);
    let enabled = settings.enabled_models();
    if !enabled.is_empty() {
        let first = enabled.iter().find_map(|pattern| select(pattern).ok());
        return Some(first.ok_or_else(|| {
            format!("enabledModels: none of {} can be used; using another model.", enabled.join(", "))
        }));
    }
    let selector = configure::role(settings, "default")?;
    Some(select(selector).map_err(|error| {
        format!("modelRoles.default: {selector} cannot be used ({error}); using another model.")
    }))
}

/// One line of `omp models`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    pub selector: String,
    pub provider: String,
    pub id: String,
    pub name: String,
    pub api: &'static str,
    pub context_window: u64,
    pub max_tokens: u32,
    pub reasoning: bool,
    pub available: bool,
}

/// Every known model and what went wrong while reading the user's file. Offline.
pub fn list_models(
    directories: &Directories,
    settings: &Settings,
    environment: &dyn Environment,
) -> (Vec<ModelRow>, Vec<String>) {
    let mut warnings = Vec::new();
    let registry = load_registry(directories, settings, &mut warnings);
    let rows =
        registry.list(&EnvironmentLookup(environment)).into_iter().map(|(model, availability)| ModelRow {
            selector: model.selector(),
            provider: model.provider.clone(),
            id: model.id.clone(),
            name: model.name.clone(),
            api: model.api.name(),
            context_window: model.context_window,
            max_tokens: model.max_tokens,
            reasoning: model.reasoning,
            available: availability == Availability::Ready,
        });
    (rows.collect(), warnings)
}
