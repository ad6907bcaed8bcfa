//! Which model a session uses.

use std::path::PathBuf;
use std::sync::Arc;

use omp_auth::{Environment, EnvironmentLookup};
use omp_config::Directories;
use omp_config::settings::Settings;
use omp_llm::registry::{Registry, SelectError, Selection, Wanted};
use omp_llm::{Client, Secret};
use tokio_util::sync::CancellationToken;

use crate::effort::Effort;
use crate::lists::{ListAsker, ModelLists};
use crate::roles::{RoleCycle, RoleTarget, model_of_role, resolve_role};

/// The model that is wanted, and the key to reach it with. What is left at its default is decided by the session, the
/// settings and the credentials of the user.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// Where models are described; `None` is the user's own file. May be YAML, or JSON with comments.
    pub file: Option<PathBuf>,
    /// A model or a role, with a thinking level if there is a colon.
    pub selector: Option<String>,
    /// Selectors of the models to work with; the first that can be used begins.
    pub scope: Option<Vec<String>>,
    /// The provider of the model.
    pub provider: Option<String>,
    /// A model profile for this session; `None` asks the settings.
    pub profile: Option<String>,
    /// A key for the provider of the chosen model.
    pub api_key: Option<String>,
    /// A key that belongs to one provider, whichever model is chosen.
    pub given_key: Option<(String, Secret)>,
    /// How hard the model thinks.
    pub thinking: Option<Effort>,
}

impl ModelOptions {
    /// A model by its selector.
    pub fn named(selector: impl Into<String>) -> Self {
        Self { selector: Some(selector.into()), ..Self::default() }
    }

    /// Where models are described.
    pub fn file(&self, directories: &Directories) -> PathBuf {
        self.file.clone().unwrap_or_else(|| directories.models_file())
    }

    /// Was a model or a provider asked for by name?
    pub fn names_model(&self) -> bool {
        self.selector.is_some() || self.provider.is_some()
    }
}

/// Why there is no model to work with.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// The model cannot be used, or is not known.
    #[error("{source}")]
    Unavailable {
        /// What the registry says.
        #[source]
        source: SelectError,
        /// Where the user describes models.
        models_file: PathBuf,
        /// Why lists on which the model might have been are not there.
        lists: Vec<String>,
    },
    /// A key alone names no provider.
    #[error("--api-key needs a model: name one with --model, --provider and --model, or --models")]
    KeyWithoutModel,
    /// Roles stand for each other.
    #[error(transparent)]
    Roles(#[from] RoleCycle),
}

impl ChoiceError {
    /// What the user can do about it.
    pub fn hints(&self) -> Vec<String> {
        let Self::Unavailable { source, models_file, lists } = self else { return Vec::new() };
        let file = models_file.display();
        let mut hints = lists.clone();
        match source {
            SelectError::MissingKey { variables, .. } if variables.is_empty() => {
                hints.push(format!("Set \"apiKey\" for the provider in {file}."));
            }
            SelectError::MissingKey { .. } => hints.push(format!(
                "Log in with `omp login`, set the variable, pass --api-key, or give the provider an \"apiKey\" in {file}."
            )),
            SelectError::KeyCommandFailed { .. } => {
                hints.push(format!("Check the provider's \"apiKey\" in {file}."));
            }
            _ => {
                hints.push("Run 'omp models' to list the available models.".to_owned());
                hints.push(format!("Add other providers or models in {file}."));
            }
        }
        hints
    }
}

/// What a choice is made from.
#[derive(Clone, Copy)]
pub struct ModelSources<'a> {
    /// What was asked for.
    pub options: &'a ModelOptions,
    /// Where the user's files are.
    pub directories: &'a Directories,
    /// Variables and credentials.
    pub environment: &'a Arc<dyn Environment>,
    /// The settings in force.
    pub settings: &'a Settings,
}

/// Chooses in this order: what was asked for, what the session had (`restorable`), the first model of `--models` or
/// `enabledModels`, the default role's, the default of a provider that has a key, whatever can be used.
pub async fn choose_model(
    client: &Client,
    registry: &mut Registry,
    sources: ModelSources<'_>,
    restorable: &[&str],
    warnings: &mut Vec<String>,
) -> Result<Selection, ChoiceError> {
    let lists = ModelLists::load(registry, sources.directories, sources.environment.as_ref());
    let asker = ListAsker { client, environment: sources.environment, cancel: CancellationToken::new() };
    let mut choice = Choice { asker, lists, registry, sources, warnings };
    let selection = choice.make(restorable).await;
    let Choice { asker, lists, registry, warnings, .. } = choice;
    warnings.extend(lists.asked_problems());
    lists.refresh_behind(registry, &asker);
    selection
}

/// A choice that is being made, and where its remarks go.
struct Choice<'a> {
    asker: ListAsker<'a>,
    lists: ModelLists,
    registry: &'a mut Registry,
    sources: ModelSources<'a>,
    warnings: &'a mut Vec<String>,
}

impl<'a> Choice<'a> {
    async fn make(&mut self, restorable: &[&str]) -> Result<Selection, ChoiceError> {
        let options = self.sources.options;
        let chosen = options.names_model();
        if options.api_key.is_some() && !chosen && options.scope.is_none() {
            return Err(ChoiceError::KeyWithoutModel);
        }
        if chosen {
            return self.asked_for().await;
        }
        if let Some(selection) = self.restored(restorable).await {
            return Ok(selection);
        }
        if let Some(entries) = &options.scope {
            return self.first_of(entries).await;
        }
        match self.preferred().await? {
            Some(selection) => Ok(selection),
            None => {
                // What the user describes comes before what we happen to know, so it has to be known.
                self.lists.ask_unseen(self.registry, &self.asker).await;
                self.named(None).await
            }
        }
    }

    /// Makes sure that lists on which these may be were seen.
    async fn see(&mut self, names: &[&str]) {
        self.lists.ask_for(names, self.registry, &self.asker).await;
    }

    fn lookup(&self) -> EnvironmentLookup<'a> {
        EnvironmentLookup(self.sources.environment.as_ref())
    }

    fn resolve(&self, text: &str) -> Result<RoleTarget, ChoiceError> {
        Ok(resolve_role(text, self.sources.settings, self.registry, &self.lookup())?)
    }

    /// `--model` and `--provider`. A role that nobody was given leads to the session's usual model.
    async fn asked_for(&mut self) -> Result<Selection, ChoiceError> {
        let asked = self.sources.options.selector.as_deref().map(|text| self.resolve(text)).transpose()?;
        match asked {
            Some(RoleTarget::Pattern(pattern)) => self.named(Some(&pattern)).await,
            Some(RoleTarget::Initial(level)) if self.sources.options.provider.is_none() => {
                let selection = match self.preferred().await? {
                    Some(selection) => selection,
                    None => self.named(None).await?,
                };
                Ok(Selection { thinking: level.or(selection.thinking), ..selection })
            }
            Some(RoleTarget::Initial(_)) | None => self.named(None).await,
        }
    }

    /// The first of the models the session had that can be used now. Who started with the tour and has a model now
    /// wants the model.
    async fn restored(&mut self, restorable: &[&str]) -> Option<Selection> {
        let demo = Registry::demo().model.selector();
        for model in restorable.iter().copied().filter(|model| *model != demo) {
            self.see(&[model]).await;
            match self.pick(model) {
                Ok(selection) => return Some(selection),
                Err(error) => {
                    let remark =
                        format!("the session's model {model} cannot be used ({error}); using another model");
                    self.warnings.push(remark);
                }
            }
        }
        None
    }

    /// With the key that was given for the provider, if one was.
    fn pick(&self, selector: &str) -> Result<Selection, SelectError> {
        let find = |api_key| {
            self.registry.select(Wanted { pattern: Some(selector), provider: None, api_key }, &self.lookup())
        };
        let found = find(None);
        let provider = match &found {
            Ok(selection) => &selection.model.provider,
            Err(SelectError::MissingKey { provider, .. }) => provider,
            Err(_) => return found,
        };
        match self.sources.options.given_key.as_ref().filter(|(given, _)| given == provider) {
            Some((_, key)) => find(Some(key.reveal())),
            None => found,
        }
    }

    /// `--models`: what was asked for must be there.
    async fn first_of(&mut self, entries: &[String]) -> Result<Selection, ChoiceError> {
        let scope = self.scope(entries).await?;
        for entry in &scope.unmatched {
            self.warnings.push(format!("--models: \"{entry}\" matches no available model"));
        }
        let api_key = self.sources.options.api_key.as_deref();
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
    async fn scope(&mut self, entries: &[String]) -> Result<omp_llm::registry::Scope, ChoiceError> {
        let mut patterns = Vec::new();
        for entry in entries {
            if let RoleTarget::Pattern(pattern) = self.resolve(entry)? {
                patterns.push(pattern);
            }
        }
        self.see(&patterns.iter().map(String::as_str).collect::<Vec<_>>()).await;
        Ok(self.registry.scope(patterns.iter().map(String::as_str), &self.lookup()))
    }

    /// The model the user likes best: the first of `enabledModels` that can be used, else the default role's.
    async fn preferred(&mut self) -> Result<Option<Selection>, ChoiceError> {
        let enabled = self.sources.settings.enabled_models();
        if !enabled.is_empty() {
            let scope = self.scope(&enabled).await?;
            let usable = scope.models.iter().find_map(|model| {
                let selection = self.pick(&model.selector).ok()?;
                Some(Selection { thinking: model.thinking, ..selection })
            });
            if usable.is_none() {
                let list = enabled.join(", ");
                self.warnings
                    .push(format!("enabledModels: none of {list} is available; using another model"));
            }
            return Ok(usable);
        }
        let Some(selector) = model_of_role(self.sources.settings, "default") else { return Ok(None) };
        let RoleTarget::Pattern(pattern) = self.resolve(selector)? else { return Ok(None) };
        self.see(&[&pattern]).await;
        match self.pick(&pattern) {
            Ok(selection) => Ok(Some(selection)),
            Err(error) => {
                self.warnings.push(format!(
                    "modelRoles.default: {selector} cannot be used ({error}); using another model"
                ));
                Ok(None)
            }
        }
    }

    /// A pattern, or no wish at all. Before the answer is no, those are asked who may know better.
    async fn named(&mut self, pattern: Option<&str>) -> Result<Selection, ChoiceError> {
        let options = self.sources.options;
        let (provider, api_key) = (options.provider.as_deref(), options.api_key.as_deref());
        let wanted = Wanted { pattern, provider, api_key };
        let names: Vec<&str> = pattern.into_iter().chain(provider).collect();
        self.see(&names).await;
        let mut result = self.registry.select(wanted, &self.lookup());
        if let Err(SelectError::NothingAvailable { .. } | SelectError::Unknown { .. }) = &result {
            self.lists.ask_again(&names, self.registry, &self.asker).await;
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

    fn refuse(&self, source: SelectError) -> ChoiceError {
        let lists = self.lists.asked_problems();
        ChoiceError::Unavailable {
            source,
            models_file: self.sources.options.file(self.sources.directories),
            lists,
        }
    }
}
