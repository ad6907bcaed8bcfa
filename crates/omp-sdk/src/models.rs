//! Which model a session uses.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_config::settings::config_file::{self, Loaded};
use omp_config::settings::{Settings, keys, strings};
use omp_llm::registry::{Registry, SelectError, Selection, Wanted};
use omp_llm::{Client, discovery};
use omp_session::Context;
use omp_workspace::open::{Found, open};
use serde_json::Value;

use crate::configure;
use crate::environment::EnvironmentLookup;
use crate::error::SessionError;
use crate::options::SessionOptions;
use crate::roles::{self, Asked};

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
    registry.prefer(strings(settings.get(keys::MODEL_PROVIDER_ORDER)).map(str::to_owned).collect());
    registry
}

/// The user's description of models: `models.yml`, or the same with another ending. JSON becomes YAML once.
fn models_text(file: &Path) -> Result<Option<(PathBuf, String)>, String> {
    for path in [file.to_path_buf(), file.with_extension("yaml")] {
        if let Some(text) = read(&path)? {
            return Ok(Some((path, text)));
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

/// More than anybody writes by hand, and as much as is read.
const MODELS_FILE_LIMIT: u64 = 8 * 1024 * 1024;

fn read(path: &Path) -> Result<Option<String>, String> {
    let refuse = |reason: &str| Err(format!("{} cannot be read ({reason}).", path.display()));
    let (file, metadata) = match open(path) {
        Ok(Found::File(file, metadata)) => (file, metadata),
        Ok(Found::Directory) => return refuse("it is a directory"),
        Ok(Found::Special(kind)) => return refuse(&format!("it is {}", kind.name())),
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

/// Providers that live on this machine and are looked for only when needed.
const LOCAL_PROVIDERS: [&str; 3] = ["ollama", "lm-studio", "llama.cpp"];

/// Chooses in this order: what was asked for, what the session had, the first model of `--models` or
/// `enabledModels`, the default role's, the default of a provider that has a key, whatever can be used.
pub(crate) async fn select(
    client: &Client,
    registry: &mut Registry,
    options: &SessionOptions,
    settings: &Settings,
    context: &Context,
    warnings: &mut Vec<String>,
) -> Result<Selection, SessionError> {
    let mut choice = Choice { client, registry, options, settings, warnings };
    let chosen = options.model.is_some() || options.provider.is_some();
    if options.api_key.is_some() && !chosen && options.models.is_none() {
        return Err(SessionError::KeyWithoutModel);
    }
    if chosen {
        return choice.asked_for().await;
    }
    if let Some(selection) = choice.restored(context) {
        return Ok(selection);
    }
    if let Some(entries) = &options.models {
        return choice.first_of(entries).await;
    }
    match choice.preferred()? {
        Some(selection) => Ok(selection),
        None => choice.named(None).await,
    }
}

/// What a choice is made from, and where its remarks go.
struct Choice<'a> {
    client: &'a Client,
    registry: &'a mut Registry,
    options: &'a SessionOptions,
    settings: &'a Settings,
    warnings: &'a mut Vec<String>,
}

impl<'a> Choice<'a> {
    fn lookup(&self) -> EnvironmentLookup<'a> {
        EnvironmentLookup(self.options.environment.as_ref())
    }

    fn resolve(&self, text: &str) -> Result<Asked, SessionError> {
        Ok(roles::resolve(text, self.settings, self.registry, &self.lookup())?)
    }

    /// `--model` and `--provider`. A role that nobody was given leads to the session's usual model.
    async fn asked_for(&mut self) -> Result<Selection, SessionError> {
        let asked = self.options.model.as_deref().map(|text| self.resolve(text)).transpose()?;
        match asked {
            Some(Asked::Pattern(pattern)) => self.named(Some(&pattern)).await,
            Some(Asked::Initial(level)) if self.options.provider.is_none() => {
                let selection = match self.preferred()? {
                    Some(selection) => selection,
                    None => self.named(None).await?,
                };
                Ok(Selection { thinking: level.or(selection.thinking), ..selection })
            }
            Some(Asked::Initial(_)) | None => self.named(None).await,
        }
    }

    /// The model the session had. Who started with the tour and has a model now wants the model.
    fn restored(&mut self, context: &Context) -> Option<Selection> {
        let demo = Registry::demo().model.selector();
        let model = context.model.as_deref().filter(|model| *model != demo)?;
        match self.pick(model) {
            Ok(selection) => Some(selection),
            Err(error) => {
                let remark = format!("the session's model {model} cannot be used ({error}); using another.");
                self.warnings.push(remark);
                None
            }
        }
    }

    fn pick(&self, selector: &str) -> Result<Selection, SelectError> {
        self.registry.select(Wanted { pattern: Some(selector), ..Wanted::default() }, &self.lookup())
    }

    /// `--models`: what was asked for must be there.
    async fn first_of(&mut self, entries: &[String]) -> Result<Selection, SessionError> {
        if entries.iter().any(|entry| names_local(entry)) {
            self.look_for_local_servers().await;
        }
        let scope = self.scope(entries)?;
        for entry in &scope.unmatched {
            self.warnings.push(format!("--models: \"{entry}\" names no model that can be used."));
        }
        let api_key = self.options.api_key.as_deref();
        let mut refused = None;
        for model in &scope.models {
            let wanted = Wanted { pattern: Some(&model.selector), provider: None, api_key };
            match self.registry.select(wanted, &self.lookup()) {
                Ok(selection) => return Ok(Selection { thinking: model.thinking, ..selection }),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let unknown = || SelectError::Unknown { pattern: entries.join(","), near: Vec::new() };
        Err(self.refuse(refused.unwrap_or_else(unknown)))
    }

    /// The models that entries stand for; a role among them stands for its model.
    fn scope(&self, entries: &[String]) -> Result<omp_llm::registry::Scope, SessionError> {
        let mut patterns = Vec::new();
        for entry in entries {
            if let Asked::Pattern(pattern) = self.resolve(entry)? {
                patterns.push(pattern);
            }
        }
        Ok(self.registry.scope(patterns.iter().map(String::as_str), &self.lookup()))
    }

    /// The model the user likes best: the first of `enabledModels` that can be used, else the default role's.
    fn preferred(&mut self) -> Result<Option<Selection>, SessionError> {
        let enabled = self.settings.enabled_models();
        if !enabled.is_empty() {
            let scope = self.scope(&enabled)?;
            let usable = scope.models.iter().find_map(|model| {
                let selection = self.pick(&model.selector).ok()?;
                Some(Selection { thinking: model.thinking, ..selection })
            });
            if usable.is_none() {
                let list = enabled.join(", ");
                self.warnings
                    .push(format!("enabledModels: none of {list} can be used; using another model."));
            }
            return Ok(usable);
        }
        let Some(selector) = configure::role(self.settings, "default") else { return Ok(None) };
        let Asked::Pattern(pattern) = self.resolve(selector)? else { return Ok(None) };
        match self.pick(&pattern) {
            Ok(selection) => Ok(Some(selection)),
            Err(error) => {
                self.warnings.push(format!(
                    "modelRoles.default: {selector} cannot be used ({error}); using another model."
                ));
                Ok(None)
            }
        }
    }

    /// A pattern, or no wish at all. Local servers are asked only if they may help.
    async fn named(&mut self, pattern: Option<&str>) -> Result<Selection, SessionError> {
        let options = self.options;
        let (provider, api_key) = (options.provider.as_deref(), options.api_key.as_deref());
        let wanted = Wanted { pattern, provider, api_key };
        let mut result = self.registry.select(wanted, &self.lookup());
        let local_may_help = match &result {
            Ok(_) => false,
            Err(SelectError::NothingAvailable { .. }) => true,
            Err(_) => pattern.is_some_and(names_local) || provider.is_some_and(names_local),
        };
        if local_may_help {
            self.look_for_local_servers().await;
            result = self.registry.select(wanted, &self.lookup());
        }
        match result {
            Err(SelectError::NothingAvailable { skipped }) => {
                Ok(Selection { warnings: skipped, ..Registry::demo() })
            }
            Err(error) => Err(self.refuse(error)),
            Ok(selection) => Ok(selection),
        }
    }

    /// At the addresses of the file, else of the environment, else where such servers usually are.
    async fn look_for_local_servers(&mut self) {
        let mut servers = discovery::LocalServers::from_env(|name| self.options.environment.var(name));
        let [ollama, lm_studio, llama_cpp] =
            LOCAL_PROVIDERS.map(|provider| self.registry.base_url(provider).map(str::to_owned));
        servers.ollama = ollama.unwrap_or(servers.ollama);
        servers.lm_studio = lm_studio.unwrap_or(servers.lm_studio);
        servers.llama_cpp = llama_cpp.unwrap_or(servers.llama_cpp);
        self.registry.add_local(discovery::probe(self.client, &servers).await);
    }

    fn refuse(&self, source: SelectError) -> SessionError {
        SessionError::Model { source, models_file: self.options.directories.models_file() }
    }
}

/// Does a text name a provider that has to be looked for?
fn names_local(text: &str) -> bool {
    LOCAL_PROVIDERS
        .iter()
        .any(|local| text.strip_prefix(local).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}
