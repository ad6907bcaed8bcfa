//! The parts of a session, each made when its turn comes.

use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use omp_agent::AgentConfig;
use omp_auth::{Environment, EnvironmentLookup, client_options};
use omp_config::settings::{Settings, SettingsError, keys};
use omp_guard::secrets::Outbound;
use omp_jobs::Jobs;
use omp_llm::registry::{Registry, SelectError};
use omp_llm::{Api, Client, ClientOptions, Secret};
use omp_models::{
    CacheLedger, ChoiceError, Effort, EffortClassifier, ModelSources, activate_profile, bind_roles,
    choose_model, load_registry_at, model_of_role,
};
use omp_replay::Deck;
use omp_session::Context;
use omp_session::SharedWriter;
use omp_tools::{ClearDelay, SshHosts, Storage, TodoList};
use omp_types::{ParallelTools, RequestOptions, ThinkingLevel};

use crate::clock::SystemClock;
use crate::configure;
use crate::error::SessionError;
use crate::extensions::SessionExtensions;
use crate::guard::Guard;
use crate::guard::trust::ProjectTrust;
use crate::prompt::knowledge::load_settings;
use crate::replay;
use crate::request::Pipeline;
use crate::request::imaging::Imaging;
use crate::request::model_pool::ModelPool;
use crate::request::overrides::RequestOverrides;
use crate::request::remedy::Remedies;
use crate::request::side_requests::SideRequests;
use crate::saved::prompt_history::PromptNotes;
use crate::secrets::known::{self, SessionSecrets};
use crate::session::options::{Persistence, SessionOptions};
use crate::tools::jobs;

/// A session that is being put together.
pub(crate) struct SessionBuilder {
    pub(crate) options: SessionOptions,
    pub(crate) settings: Settings,
    pub(crate) todos: Arc<TodoList>,
    pub(crate) jobs: Option<Arc<Jobs>>,
    /// Machines that commands can be run on; known when the session has looked around.
    pub(crate) ssh: Option<Arc<SshHosts>>,
    /// How the model describes edits; known when the model is.
    pub(crate) edit_mode: omp_tools::EditMode,
    /// How much the model is told about the tools.
    pub(crate) wording: omp_tools::Wording,
    pub(crate) warnings: Vec<String>,
    /// Modules of the user and the project, once they are loaded.
    pub(crate) extensions: SessionExtensions,
    /// What the project is trusted with; one for all parts, so that its files are hashed once.
    trust: OnceLock<ProjectTrust>,
}

/// The model and what it was chosen from.
pub(crate) struct ChosenModel {
    pub(crate) client: Client,
    pub(crate) registry: Registry,
    pub(crate) model: Arc<omp_llm::Model>,
    /// From the selector.
    pub(crate) thinking: Option<ThinkingLevel>,
}

impl SessionBuilder {
    pub(crate) fn new(mut options: SessionOptions) -> Result<Self, SettingsError> {
        let settings = match options.settings.take() {
            Some(settings) => settings,
            None => {
                let environment = options.environment.as_ref();
                load_settings(&options.directories, &options.cwd, environment, &[], serde_json::Map::new())?
            }
        };
        let warnings = settings.warnings().to_vec();
        let todos = Arc::default();
        let jobs = jobs::list(&settings);
        let edit_mode = omp_tools::EditMode::default();
        let wording = omp_tools::Wording::default();
        let mut builder = Self {
            options,
            settings,
            todos,
            jobs,
            ssh: None,
            edit_mode,
            wording,
            warnings,
            extensions: SessionExtensions::default(),
            trust: OnceLock::new(),
        };
        builder.insert_deck();
        Ok(builder)
    }

    /// What the project is trusted with.
    pub(crate) fn trust(&self) -> ProjectTrust {
        self.trust.get_or_init(|| ProjectTrust::new(&self.options, &self.settings)).clone()
    }

    /// Who keeps what is typed; nobody if nothing is to be kept.
    pub(crate) fn notes(&self, session_id: &str) -> Option<PromptNotes> {
        let SessionOptions { persistence, directories, cwd, .. } = &self.options;
        (*persistence != Persistence::Off)
            .then(|| PromptNotes::new(directories.clone(), cwd.clone(), session_id.to_owned()))
    }

    pub(crate) async fn choose_model(&mut self, context: &Context) -> Result<ChosenModel, SessionError> {
        let file = self.options.model.file(&self.options.directories);
        let mut registry =
            load_registry_at(&file, &self.options.directories, &self.settings, &mut self.warnings);
        self.warnings.extend(self.extensions.register_providers(&mut registry));
        self.give_roles(&registry)?;
        let (options, settings) = (&self.options, &self.settings);
        let google = Some(omp_auth::google_credentials(Arc::clone(&options.environment)));
        let hosts = omp_auth::cloud_hosts(&options.environment, &mut self.warnings);
        let client = Client::new(ClientOptions {
            google,
            hosts,
            tool_format: configure::tool_format(settings),
            sockets: self.taped_sockets(omp_auth::socket_options(settings, options.environment.as_ref())),
            tape: options.deck.as_ref().map(Deck::tape),
            interceptor: self.extensions.interceptor(),
            ..client_options(options.environment.as_ref())
        })?;
        let selection = match &options.deck {
            Some(Deck::Play(player)) => replay::selected(&registry, player.world()).map_err(|source| {
                SessionError::from(ChoiceError::Unavailable {
                    source,
                    models_file: file.clone(),
                    lists: Vec::new(),
                })
            }),
            _ => {
                let sources = ModelSources {
                    options: &options.model,
                    directories: &options.directories,
                    environment: &options.environment,
                    settings,
                };
                let restorable = context.restorable_models();
                let chosen =
                    choose_model(&client, &mut registry, sources, &restorable, &mut self.warnings).await;
                chosen.map_err(SessionError::from)
            }
        };
        let selection = selection.map_err(|error| login_refused(error, options.environment.as_ref()))?;
        self.warnings.extend(selection.warnings);
        self.warnings.extend(options.environment.vault().and_then(|vault| vault.problem()));
        let mut model = selection.model;
        configure::image_policy(settings).apply(&mut model);
        let environment = options.environment.as_ref();
        self.edit_mode = configure::edit_mode(settings, environment, &model.selector(), &mut self.warnings)?;
        self.wording = omp_tools::Wording::for_window(model.context_window);
        Ok(ChosenModel { client, registry, model: Arc::new(model), thinking: selection.thinking })
    }

    /// The roles of a profile, then those of the models' file. A profile that was asked for must be usable; one that
    /// the settings name is left out with a word about it.
    pub(crate) fn give_roles(&mut self, registry: &Registry) -> Result<(), SessionError> {
        let lookup = EnvironmentLookup(self.options.environment.as_ref());
        let saved = self.settings.get(keys::MODEL_PROFILE_DEFAULT).map(str::to_owned);
        if let Some(name) = &self.options.model.profile {
            let default = activate_profile(name, &mut self.settings, registry, &lookup)?;
            if self.options.model.selector.is_none()
                && self.options.model.provider.is_none()
                && self.options.model.scope.is_none()
            {
                self.options.model.selector = default;
            }
        } else if let Some(name) = saved.filter(|name| !name.is_empty())
            && let Err(error) = activate_profile(&name, &mut self.settings, registry, &lookup)
        {
            self.warnings.push(format!("modelProfile.default: {error}; continuing without the profile"));
        }
        Ok(bind_roles(&mut self.settings, registry, &mut self.warnings)?)
    }

    /// The list of tasks, as the conversation left it.
    pub(crate) fn todo_list(&self, context: &Context) -> Arc<TodoList> {
        let storage = match self.options.persistence {
            Persistence::Off => Storage::Memory,
            _ => Storage::Session,
        };
        let delay = ClearDelay::from_seconds(self.settings.get(keys::TASKS_TODO_CLEAR_DELAY));
        let todos = TodoList::new(storage, delay, SystemTime::now);
        if let Some(phases) = &context.todos {
            todos.restore(phases);
        }
        Arc::new(todos)
    }

    /// What no model may see.
    pub(crate) fn secrets(&mut self, session: &str, registry: &Registry) -> SessionSecrets {
        let stored =
            known::stored(registry, self.options.environment.as_ref(), self.options.model.api_key.as_deref());
        known::load(&self.options, &self.settings, stored, session, &mut self.warnings)
    }

    pub(crate) fn guard(&mut self, models: &ModelPool, modes: Arc<omp_tools::Modes>) -> Guard {
        let asker = self.options.people.asker.take();
        let secrets = models.pipeline.secrets.as_ref().map(|outbound| Arc::clone(outbound.secrets()));
        let mut guard = Guard::new(&self.settings, asker, secrets, self.trust(), modes);
        guard.played = matches!(self.options.deck, Some(Deck::Play(_)));
        guard
    }

    /// What the session may switch to.
    pub(crate) fn model_pool(
        &self,
        client: Client,
        registry: Registry,
        model: &omp_llm::Model,
        secrets: Option<Arc<Outbound>>,
        record: Option<SharedWriter>,
    ) -> Arc<ModelPool> {
        let given =
            self.options.model.api_key.as_deref().map(|key| (model.provider.clone(), Secret::new(key)));
        let given = given.or_else(|| self.options.model.given_key.clone());
        let environment = Arc::clone(&self.options.environment);
        let images = configure::image_policy(&self.settings);
        let tier = self.options.provider.service_tier.clone();
        let tier = tier.unwrap_or_else(|| self.settings.get(keys::SERVICE_TIER).to_owned());
        let overrides = Arc::new(RequestOverrides::new(tier));
        let clock = self.options.clock.clone().unwrap_or_else(|| Arc::new(SystemClock));
        let ledger = Arc::new(CacheLedger::new(Arc::clone(&clock)));
        let side_requests = Arc::new(SideRequests::new(clock, record));
        let imaging = Arc::new(Imaging::new(&self.settings));
        let remedies = Arc::new(Remedies {
            environment: Arc::clone(&environment),
            models_file: self.options.model.file(&self.options.directories),
            home: self.options.directories.home.clone(),
        });
        let extensions = self.extensions.set.clone();
        let pipeline =
            Pipeline { client, secrets, overrides, ledger, side_requests, imaging, remedies, extensions };
        Arc::new(ModelPool { registry, environment, given, images, pipeline })
    }

    /// What was asked for now, what the selector says, what the session had, the setting. A model that cannot think
    /// is not asked to.
    pub(crate) fn effort(&self, chosen: &ChosenModel, context: &Context) -> Effort {
        let restored = || context.thinking_level.as_deref().and_then(Effort::from_word);
        let asked = self.options.model.thinking.or(chosen.thinking.map(Effort::Fixed)).or_else(restored);
        let setting = || Effort::from_word(self.settings.get(keys::DEFAULT_THINKING_LEVEL));
        match chosen.model.reasoning {
            true => asked.or_else(setting).unwrap_or(Effort::Fixed(ThinkingLevel::High)),
            false => asked.unwrap_or(Effort::Fixed(ThinkingLevel::Off)),
        }
    }

    /// How hard a model thinks about which nothing else is said.
    pub(crate) fn usual_effort(&self) -> Effort {
        let setting = || Effort::from_word(self.settings.get(keys::DEFAULT_THINKING_LEVEL));
        self.options.model.thinking.or_else(setting).unwrap_or(Effort::Fixed(ThinkingLevel::High))
    }

    pub(crate) fn agent_config(
        &mut self,
        model: &omp_llm::Model,
        effort: Effort,
        session: &str,
    ) -> AgentConfig {
        let (options, settings) = (&mut self.options, &self.settings);
        let (fallbacks, warnings) = match options.fallbacks.take() {
            Some(fallbacks) => (fallbacks, Vec::new()),
            None => configure::fallbacks(settings, &model.selector()),
        };
        self.warnings.extend(warnings);
        let config = configure::agent(settings);
        AgentConfig {
            request: RequestOptions {
                thinking: effort.start(),
                sampling: configure::sampling(settings),
                thinking_budgets: configure::thinking_budgets(settings),
                parallel_tools: ParallelTools::Allowed,
                session_id: options.provider.session_id.take().or_else(|| session_key(model, session)),
                prompt_cache_key: options.provider.prompt_cache_key.take(),
                cache_retention: options.provider.cache_retention,
                ..RequestOptions::default()
            },
            fallbacks,
            // The tour has no reasons to give.
            intent_tracing: config.intent_tracing && model.api != Api::Demo,
            ..config
        }
    }

    /// Who rates prompts, when the effort is left to us.
    pub(crate) fn classifier(&self, effort: Effort, models: &ModelPool) -> Option<EffortClassifier> {
        if effort != Effort::Auto {
            return None;
        }
        let smol = model_of_role(&self.settings, "smol").and_then(|selector| models.select(selector).ok());
        Some(EffortClassifier { model: smol.map(|selection| models.serve(Arc::new(selection.model))) })
    }
}

/// A key that is missing because a login was refused is a login to be made again.
pub(crate) fn login_refused(error: SessionError, environment: &dyn Environment) -> SessionError {
    let SessionError::Model(ChoiceError::Unavailable {
        source: SelectError::MissingKey { provider, .. },
        ..
    }) = &error
    else {
        return error;
    };
    match environment.vault().and_then(|vault| vault.refusal(provider)) {
        Some(refusal) => refusal.into(),
        None => error,
    }
}

/// The tier to ask this provider for. Two words of the vocabulary are no tiers: they limit `priority` to one maker.
pub(crate) fn service_tier(word: String, provider: &str) -> Option<String> {
    match word.as_str() {
        "none" => None,
        "openai-only" => (provider == "openai").then(|| "priority".to_owned()),
        "claude-only" => (provider == "anthropic").then(|| "priority".to_owned()),
        _ => Some(word),
    }
}

/// Some providers route and cache by session; the others would only be confused by an unknown field.
pub(crate) fn session_key(model: &omp_llm::Model, id: &str) -> Option<String> {
    let known = matches!(model.api, Api::OpenAiResponses | Api::OpenAiCodexResponses);
    (known && model.key.is_some()).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::service_tier;

    #[test]
    fn limits_are_not_sent_as_tiers() {
        let tier = |word: &str, provider: &str| service_tier(word.to_owned(), provider);
        assert_eq!(tier("flex", "anyone").as_deref(), Some("flex"));
        assert_eq!(tier("openai-only", "openai").as_deref(), Some("priority"));
        assert_eq!(tier("openai-only", "mine"), None);
        assert_eq!(tier("claude-only", "openai"), None);
        assert_eq!(tier("claude-only", "anthropic").as_deref(), Some("priority"));
        assert_eq!(tier("none", "openai"), None);
    }
}
