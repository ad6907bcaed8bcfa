//! The user's description of models, from the file to the registry.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_auth::RegistryLoader;
use omp_config::Directories;
use omp_config::settings::config_file::{self, Loaded};
use omp_config::settings::{Settings, keys, strings};
use omp_llm::registry::{KimiFormat, Preferences, RecentModels, Registry};
use omp_workspace::open::{OpenedPath, open};
use serde_json::Value;

use crate::recent_models;

/// A file that cannot be read or understood leaves the built-in providers working.
pub fn load_registry(directories: &Directories, settings: &Settings, warnings: &mut Vec<String>) -> Registry {
    load_registry_at(&directories.models_file(), directories, settings, warnings)
}

/// The same with a file of the caller's choice.
pub fn load_registry_at(
    file: &Path,
    directories: &Directories,
    settings: &Settings,
    warnings: &mut Vec<String>,
) -> Registry {
    let (path, text) = match models_text(file) {
        Ok(Some((path, text))) => (path, Some(text)),
        Ok(None) => (file.to_owned(), None),
        Err(problem) => {
            warnings.push(format!("{problem}; only built-in models are available until this is fixed"));
            (file.to_owned(), None)
        }
    };
    let mut registry = Registry::new(text.as_deref());
    if let Some(error) = registry.error() {
        warnings.push(format!(
            "{}: {error}; only built-in models are available until this is fixed",
            path.display()
        ));
    }
    registry.set_preferences(preferences(settings, recent_models::source(directories)));
    registry.disable(&settings.disabled_providers());
    registry.prefer(strings(settings.get(keys::MODEL_PROVIDER_ORDER)).map(str::to_owned).collect());
    registry
}

/// Reads the registry again whenever it is asked for.
pub fn registry_loader(directories: Directories, settings: Arc<Settings>) -> RegistryLoader {
    Arc::new(move || load_registry(&directories, &settings, &mut Vec::new()))
}

/// How the user wants models to be reached where there is a choice.
fn preferences(settings: &Settings, recent: RecentModels) -> Preferences {
    let variant = settings.get(keys::PROVIDERS_OPENROUTER_VARIANT);
    Preferences {
        kimi: match settings.get(keys::PROVIDERS_KIMI_API_FORMAT) {
            "openai" => KimiFormat::OpenAi,
            _ => KimiFormat::Anthropic,
        },
        openrouter_variant: (variant != "default").then(|| variant.to_owned()),
        recent,
    }
}

/// The user's description of models: `models.yml`, or the same with another ending. JSON becomes YAML once, unless it
/// was asked for by its name.
fn models_text(file: &Path) -> Result<Option<(PathBuf, String)>, String> {
    if file.extension().is_some_and(|ending| ending == "json" || ending == "jsonc") {
        return json_text(file);
    }
    for path in [file.to_path_buf(), file.with_extension("yaml")] {
        if let Some(text) = read(&path)? {
            return Ok(Some((path, text)));
        }
    }
    for path in [file.to_path_buf(), file.with_extension("jsonc")] {
        if let Some(found) = json_text(&path)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// JSON is YAML, once its comments are gone.
fn json_text(path: &Path) -> Result<Option<(PathBuf, String)>, String> {
    match config_file::load(path) {
        Loaded::Ok { path, map } => Ok(Some((path, Value::Object(map).to_string()))),
        Loaded::NotFound => Ok(None),
        Loaded::Error(error) => Err(error.to_string()),
    }
}

/// More than anybody writes by hand, and as much as is read.
const MODELS_FILE_LIMIT: u64 = 8 * 1024 * 1024;

fn read(path: &Path) -> Result<Option<String>, String> {
    let refuse = |reason: &str| Err(format!("cannot read {}: {reason}", path.display()));
    let (file, metadata) = match open(path) {
        Ok(OpenedPath::File(file, metadata)) => (file, metadata),
        Ok(OpenedPath::Directory) => return refuse("it is a directory"),
        Ok(OpenedPath::Special(kind)) => return refuse(&format!("it is {}", kind.name())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return refuse(&error.to_string()),
    };
    if metadata.len() > MODELS_FILE_LIMIT {
        return refuse("it is larger than 8 MiB");
    }
    let mut text = String::new();
    match file.take(MODELS_FILE_LIMIT).read_to_string(&mut text) {
        Ok(_) => Ok(Some(text)),
        Err(error) => refuse(&error.to_string()),
    }
}
