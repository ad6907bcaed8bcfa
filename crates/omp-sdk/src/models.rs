//! Which model a session uses.

use omp_config::settings::Settings;
use omp_llm::Client;
use omp_llm::registry::{Registry, SelectError, Selection, Wanted};
use omp_session::Context;
use tokio_util::sync::CancellationToken;

use crate::configure;
use crate::environment::EnvironmentLookup;
use crate::error::SessionError;
use crate::lists::{Asker, Lists};
pub(crate) use crate::models_file::{load_registry, load_registry_at};
use crate::options::SessionOptions;
use crate::roles::{self, Asked};

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
    let lists = Lists::load(registry, &options.directories, options.environment.as_ref());
    let asker = Asker { client, environment: &options.environment, cancel: CancellationToken::new() };
    let mut choice = Choice { asker, lists, registry, options, settings, warnings };
    let selection = choice.make(context).await;
    let Choice { asker, lists, registry, warnings, .. } = choice;
    warnings.extend(lists.asked_problems());
    lists.refresh_behind(registry, &asker);
    selection
}

/// What a choice is made from, and where its remarks go.
struct Choice<'a> {
    asker: Asker<'a>,
    lists: Lists,
    registry: &'a mut Registry,
    options: &'a SessionOptions,
    settings: &'a Settings,
    warnings: &'a mut Vec<String>,
}

impl<'a> Choice<'a> {
    async fn make(&mut self, context: &Context) -> Result<Selection, SessionError> {
        let options = self.options;
        let chosen = options.model.is_some() || options.provider.is_some();
        if options.api_key.is_some() && !chosen && options.models.is_none() {
            return Err(SessionError::KeyWithoutModel);
        }
        if chosen {
            return self.asked_for().await;
        }
        if let Some(selection) = self.restored(context).await {
            return Ok(selection);
        }
        if let Some(entries) = &options.models {
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
                let selection = match self.preferred().await? {
                    Some(selection) => selection,
                    None => self.named(None).await?,
                };
                Ok(Selection { thinking: level.or(selection.thinking), ..selection })
            }
            Some(Asked::Initial(_)) | None => self.named(None).await,
        }
    }

    /// The first of the models the session had that can be used now. Who started with the tour and has a model now
    /// wants the model.
    async fn restored(&mut self, context: &Context) -> Option<Selection> {
        let demo = Registry::demo().model.selector();
        for model in context.restorable_models().into_iter().filter(|model| *model != demo) {
            self.see(&[model]).await;
            match self.pick(model) {
                Ok(selection) => return Some(selection),
                Err(error) => {
                    let remark =
                        format!("the session's model {model} cannot be used ({error}); using another.");
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
        match self.options.given_key.as_ref().filter(|(given, _)| given == provider) {
            Some((_, key)) => find(Some(key.reveal())),
            None => found,
        }
    }

    /// `--models`: what was asked for must be there.
    async fn first_of(&mut self, entries: &[String]) -> Result<Selection, SessionError> {
        let scope = self.scope(entries).await?;
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
    async fn scope(&mut self, entries: &[String]) -> Result<omp_llm::registry::Scope, SessionError> {
        let mut patterns = Vec::new();
        for entry in entries {
            if let Asked::Pattern(pattern) = self.resolve(entry)? {
                patterns.push(pattern);
            }
        }
        self.see(&patterns.iter().map(String::as_str).collect::<Vec<_>>()).await;
        Ok(self.registry.scope(patterns.iter().map(String::as_str), &self.lookup()))
    }

    /// The model the user likes best: the first of `enabledModels` that can be used, else the default role's.
    async fn preferred(&mut self) -> Result<Option<Selection>, SessionError> {
        let enabled = self.settings.enabled_models();
        if !enabled.is_empty() {
            let scope = self.scope(&enabled).await?;
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
        self.see(&[&pattern]).await;
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

    /// A pattern, or no wish at all. Before the answer is no, those are asked who may know better.
    async fn named(&mut self, pattern: Option<&str>) -> Result<Selection, SessionError> {
        let options = self.options;
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

    fn refuse(&self, source: SelectError) -> SessionError {
        let lists = self.lists.asked_problems();
        SessionError::Model { source, models_file: self.options.models_file(), lists }
    }
}
