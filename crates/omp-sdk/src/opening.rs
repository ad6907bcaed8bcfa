//! The parts of a session, each made when its turn comes.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use omp_agent::{AgentConfig, Tool};
use omp_config::discovery::{Discovery, SurveyLimits, survey};
use omp_config::settings::{Settings, SettingsError, keys};
use omp_guard::secrets::Outbound;
use omp_jobs::Jobs;
use omp_llm::registry::{Registry, SelectError};
use omp_llm::{Api, Client, ClientOptions, Secret};
use omp_replay::Deck;
use omp_session::Context;
use omp_shell::{Environment as ChildEnvironment, Scope, SecretNames};
use omp_tools::{ClearDelay, Scans, SshHosts, Storage, TodoList};
use omp_types::{ParallelTools, RequestOptions, ThinkingLevel};

use crate::adapt::SystemClock;
use crate::artifacts;
use crate::configure;
use crate::dials::Dials;
use crate::effort::{Classifier, Effort};
use crate::environment::{Environment, EnvironmentLookup, apply_shell_switches, client_options, scan_limits};
use crate::error::SessionError;
use crate::google;
use crate::guard::Guard;
use crate::hidden;
use crate::history::Notes;
use crate::hosts;
use crate::imaging::Imaging;
use crate::jobs;
use crate::knowledge::{self, Knowledge, Known, load_settings};
use crate::ledger::Ledger;
use crate::machines;
use crate::models::{load_registry_at, select};
use crate::modes;
use crate::options::{Persistence, SessionOptions, ToolFilter};
use crate::others::OtherModels;
use crate::profiles;
use crate::prompt::{self, Ingredients, Personality, Place, SystemPrompt};
use crate::replay;
use crate::resources::{Kept, Obsidian, github, resources};
use crate::shell;
use crate::toolbox::{self, ToolShelf, Toolbox};
use crate::transport;
use crate::web;

/// A session that is being put together.
pub(crate) struct Opening {
    pub(crate) options: SessionOptions,
    pub(crate) settings: Settings,
    pub(crate) todos: Arc<TodoList>,
    pub(crate) jobs: Option<Arc<Jobs>>,
    /// Machines that commands can be run on; known when the session has looked around.
    pub(crate) ssh: Option<Arc<SshHosts>>,
    /// How the model describes edits; known when the model is.
    pub(crate) edit_mode: omp_tools::EditMode,
    pub(crate) warnings: Vec<String>,
}

/// The model and what it was chosen from.
pub(crate) struct Chosen {
    pub(crate) client: Client,
    pub(crate) registry: Registry,
    pub(crate) model: Arc<omp_llm::Model>,
    /// From the selector.
    pub(crate) thinking: Option<ThinkingLevel>,
}

/// What the session finds where it works.
pub(crate) struct Surroundings {
    pub(crate) discovery: Discovery,
    pub(crate) knowledge: Arc<Known>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// What the tools share.
    /// Tools that the model has to search for.
    pub(crate) shelf: Option<Arc<ToolShelf>>,
    pub(crate) context: Arc<omp_tools::Context>,
    pub(crate) prompt: SystemPrompt,
}

impl Opening {
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
        let mut opening = Self { options, settings, todos, jobs, ssh: None, edit_mode, warnings };
        opening.insert_deck();
        Ok(opening)
    }

    /// Who keeps what is typed; nobody if nothing is to be kept.
    pub(crate) fn notes(&self, session_id: &str) -> Option<Notes> {
        let SessionOptions { persistence, directories, cwd, .. } = &self.options;
        (*persistence != Persistence::Off)
            .then(|| Notes::new(directories.clone(), cwd.clone(), session_id.to_owned()))
    }

    pub(crate) fn names_model(&self) -> bool {
        self.options.model.is_some() || self.options.provider.is_some()
    }

    pub(crate) async fn choose_model(&mut self, context: &Context) -> Result<Chosen, SessionError> {
        let file = self.options.models_file();
        let mut registry =
            load_registry_at(&file, &self.options.directories, &self.settings, &mut self.warnings);
        self.give_roles(&registry)?;
        let (options, settings) = (&self.options, &self.settings);
        let google = Some(google::credentials(Arc::clone(&options.environment)));
        let hosts = hosts::load(&options.environment, &mut self.warnings);
        let client = Client::new(ClientOptions {
            google,
            hosts,
            tool_format: configure::tool_format(settings),
            sockets: self.taped_sockets(transport::sockets(settings, options.environment.as_ref())),
            tape: options.deck.as_ref().map(Deck::tape),
            ..client_options(options.environment.as_ref())
        })?;
        let selection = match &options.deck {
            Some(Deck::Play(player)) => replay::selected(&registry, player.world()).map_err(|source| {
                SessionError::Model { source, models_file: file.clone(), lists: Vec::new() }
            }),
            _ => select(&client, &mut registry, options, settings, context, &mut self.warnings).await,
        };
        let selection = selection.map_err(|error| login_refused(error, options.environment.as_ref()))?;
        self.warnings.extend(selection.warnings);
        self.warnings.extend(options.environment.vault().and_then(|vault| vault.problem()));
        let mut model = selection.model;
        configure::pictures(settings).apply(&mut model);
        let environment = options.environment.as_ref();
        self.edit_mode = configure::edit_mode(settings, environment, &model.selector(), &mut self.warnings)?;
        Ok(Chosen { client, registry, model: Arc::new(model), thinking: selection.thinking })
    }

    /// The roles of a profile, then those of the models' file. A profile that was asked for must be usable; one that
    /// the settings name is left out with a word about it.
    pub(crate) fn give_roles(&mut self, registry: &Registry) -> Result<(), SessionError> {
        let lookup = EnvironmentLookup(self.options.environment.as_ref());
        let saved = self.settings.get(keys::MODEL_PROFILE_DEFAULT).map(str::to_owned);
        if let Some(name) = &self.options.preset {
            let default = profiles::activate(name, &mut self.settings, registry, &lookup)?;
            if self.options.model.is_none()
                && self.options.provider.is_none()
                && self.options.models.is_none()
            {
                self.options.model = default;
            }
        } else if let Some(name) = saved.filter(|name| !name.is_empty())
            && let Err(error) = profiles::activate(&name, &mut self.settings, registry, &lookup)
        {
            self.warnings.push(format!("modelProfile.default: {error}; going on without the profile."));
        }
        profiles::bind(&mut self.settings, registry, &mut self.warnings)
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
    pub(crate) fn secrets(&mut self, session: &str) -> Option<Arc<Outbound>> {
        hidden::load(&self.options, &self.settings, session, &mut self.warnings)
    }

    pub(crate) fn guard(&mut self, models: &OtherModels, modes: Arc<omp_tools::Modes>) -> Guard {
        let asker = self.options.asker.take();
        let secrets = models.secrets.as_ref().map(|outbound| Arc::clone(outbound.secrets()));
        let (directories, cwd) = (self.options.directories.clone(), self.options.cwd.clone());
        Guard::new(&self.settings, asker, secrets, (directories, cwd), modes)
    }

    /// What the session may switch to.
    pub(crate) fn other_models(
        &self,
        client: Client,
        registry: Registry,
        model: &omp_llm::Model,
        secrets: Option<Arc<Outbound>>,
    ) -> Arc<OtherModels> {
        let given = self.options.api_key.as_deref().map(|key| (model.provider.clone(), Secret::new(key)));
        let given = given.or_else(|| self.options.given_key.clone());
        let environment = Arc::clone(&self.options.environment);
        let pictures = configure::pictures(&self.settings);
        let tier = self.options.service_tier.clone();
        let tier = tier.unwrap_or_else(|| self.settings.get(keys::SERVICE_TIER).to_owned());
        let dials = Arc::new(Dials::new(tier));
        let clock = self.options.clock.clone().unwrap_or_else(|| Arc::new(SystemClock));
        let ledger = Arc::new(Ledger::new(clock));
        let imaging = Arc::new(Imaging::new(&self.settings));
        Arc::new(OtherModels {
            client,
            registry,
            environment,
            given,
            pictures,
            secrets,
            dials,
            ledger,
            imaging,
        })
    }

    pub(crate) fn look_around(&mut self, chosen: &Chosen, kept: &Kept) -> Surroundings {
        let discovery = knowledge::discovery(&self.options.directories, &self.options.cwd, &self.settings);
        let known = Arc::new(Known::new(Knowledge::load(&discovery, &self.settings, &self.options)));
        let knowledge = known.get();
        self.warnings.extend_from_slice(&knowledge.warnings);
        let scope = Arc::new(Scope::new());
        let secrets = SecretNames::default().and(chosen.registry.key_variables());
        let environment = ChildEnvironment::inherited().without(&secrets);
        self.ssh = machines::of_session(&discovery, &self.options, &scope, &environment, &mut self.warnings);
        let (mut tools, context) = self.build_tools(&known, &scope, &secrets, kept, &chosen.client);
        toolbox::add(&mut tools, std::mem::take(&mut self.options.own_tools), &mut self.warnings);
        if let Some(deck) = &self.options.deck {
            tools = deck.tools(tools);
        }
        let Toolbox { offered: tools, shelf } = Toolbox::arrange(&self.settings, &self.options.tools, tools);
        let repository = discovery.places().repository.as_deref();
        let prompt = self.system_prompt(&knowledge, repository, &tools, &chosen.model);
        Surroundings { discovery, knowledge: known, scope, tools, shelf, context, prompt }
    }

    /// What was asked for now, what the selector says, what the session had, the setting. A model that cannot think
    /// is not asked to.
    pub(crate) fn effort(&self, chosen: &Chosen, context: &Context) -> Effort {
        let restored = || context.thinking_level.as_deref().and_then(Effort::from_word);
        let asked = self.options.thinking.or(chosen.thinking.map(Effort::Fixed)).or_else(restored);
        let setting = || Effort::from_word(self.settings.get(keys::DEFAULT_THINKING_LEVEL));
        match chosen.model.reasoning {
            true => asked.or_else(setting).unwrap_or(Effort::Fixed(ThinkingLevel::High)),
            false => asked.unwrap_or(Effort::Fixed(ThinkingLevel::Off)),
        }
    }

    /// How hard a model thinks about which nothing else is said.
    pub(crate) fn usual_effort(&self) -> Effort {
        let setting = || Effort::from_word(self.settings.get(keys::DEFAULT_THINKING_LEVEL));
        self.options.thinking.or_else(setting).unwrap_or(Effort::Fixed(ThinkingLevel::High))
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
                session_id: options.provider_session_id.take().or_else(|| session_key(model, session)),
                prompt_cache_key: options.prompt_cache_key.take(),
                cache_retention: options.cache_retention,
                ..RequestOptions::default()
            },
            fallbacks,
            // The tour has no reasons to give.
            intent_tracing: config.intent_tracing && model.api != Api::Demo,
            ..config
        }
    }

    /// Who rates prompts, when the effort is left to us.
    pub(crate) fn classifier(&self, effort: Effort, models: &OtherModels) -> Option<Classifier> {
        if effort != Effort::Auto {
            return None;
        }
        let smol = configure::role(&self.settings, "smol").and_then(|selector| models.select(selector).ok());
        Some(Classifier { model: smol.map(|selection| models.serve(Arc::new(selection.model))) })
    }

    pub(crate) fn system_prompt(
        &self,
        knowledge: &Knowledge,
        repository: Option<&Path>,
        tools: &[Arc<dyn Tool>],
        model: &omp_llm::Model,
    ) -> SystemPrompt {
        let (options, settings) = (&self.options, &self.settings);
        if options.prompt.silence {
            return SystemPrompt::default();
        }
        let custom = options.prompt.system.as_deref().or(knowledge.system.as_deref());
        let append = options.prompt.append.as_deref().or(knowledge.append.as_deref());
        let names: Vec<&str> = tools.iter().map(|tool| tool.definition().name.as_str()).collect();
        let own: Vec<&str> = custom.into_iter().chain(append).collect();
        let selector = settings.get(keys::INCLUDE_MODEL_IN_PROMPT).then(|| model.selector());
        let survey = survey(&options.cwd, repository, &SurveyLimits::default());
        let today = jiff::Zoned::now().strftime("%Y-%m-%d").to_string();
        let context = knowledge.context.iter().map(|file| (file.path.as_path(), file.content.as_str()));
        SystemPrompt::build(Ingredients {
            custom,
            append,
            personality: Personality::from_word(settings.get(keys::PERSONALITY)),
            tools: &names,
            knowledge: knowledge.sections(&own, names.contains(&"read")),
            place: Place {
                cwd: &options.cwd,
                roots: &options.roots,
                today: &today,
                model: selector.as_deref(),
                context: context.collect(),
                subdirectories: &survey.agents_files,
                tree: prompt::tree(&survey),
            },
        })
    }

    pub(crate) fn build_tools(
        &mut self,
        knowledge: &Arc<Known>,
        scope: &Arc<Scope>,
        secrets: &SecretNames,
        kept: &Kept,
        client: &Client,
    ) -> (Vec<Arc<dyn Tool>>, Arc<omp_tools::Context>) {
        let environment = ChildEnvironment::inherited().without(secrets);
        let (cwd, home) = (self.options.cwd.clone(), self.options.directories.home.clone());
        let mut context = omp_tools::Context::new(cwd, Some(home.clone()), Arc::clone(scope), environment);
        context.settings = configure::tools(&self.settings, &home);
        context.todos = Arc::clone(&self.todos);
        context.jobs = self.jobs.clone();
        context.terminal = shell::terminal(&self.options);
        context.settings.edit_mode = self.edit_mode;
        context.settings.edit_active = match &self.options.tools {
            ToolFilter::All => true,
            ToolFilter::None => false,
            ToolFilter::Only(names) => names.iter().any(|name| name == "edit"),
        };
        shell::configure(&self.settings, &self.options, &mut context.settings);
        apply_shell_switches(self.options.environment.as_ref(), secrets, &mut context.settings);
        context.scans =
            Arc::new(Scans::new(scan_limits(self.options.environment.as_ref()), Box::new(Instant::now)));
        context.spills = Arc::new(artifacts::Shelf(Arc::clone(&kept.artifacts)));
        let github = github(&self.settings, &self.options, scope, &context.environment);
        let obsidian = self.settings.get(keys::VAULT_ENABLED).then(|| {
            let (environment, cwd) = (context.environment.clone(), context.cwd.clone());
            Arc::new(Obsidian { scope: Arc::clone(scope), environment, cwd })
        });
        context.resources = resources(knowledge, kept, &github, obsidian);
        context.web = web::pages(&self.settings, client);
        context.ssh = self.ssh.clone();
        context.modes = modes::for_tools(&self.options, &self.settings);
        let context = Arc::new(context);
        let mut all = omp_tools::builtin(Arc::clone(&context));
        all.extend(omp_tools::ssh(Arc::clone(&context)));
        all.retain(|tool| modes::is_offered(&self.options, &self.settings, &tool.definition().name));
        let tools = match &self.options.tools {
            ToolFilter::All => all,
            ToolFilter::None => Vec::new(),
            ToolFilter::Only(names) => {
                self.warnings.extend(names.iter().filter_map(|name| missing_tool(name, &all)));
                let wanted = |name: &str| {
                    let chosen = omp_tools::companion_of(name).unwrap_or(name);
                    names.iter().any(|name| name == chosen)
                };
                all.into_iter().filter(|tool| wanted(&tool.definition().name)).collect()
            }
        };
        (tools, context)
    }
}

/// A key that is missing because a login was refused is a login to be made again.
pub(crate) fn login_refused(error: SessionError, environment: &dyn Environment) -> SessionError {
    let SessionError::Model { source: SelectError::MissingKey { provider, .. }, .. } = &error else {
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

/// Why a tool that was asked for is not there.
pub(crate) fn missing_tool(name: &str, all: &[Arc<dyn Tool>]) -> Option<String> {
    let chosen = omp_tools::companion_of(name).is_none();
    if chosen && all.iter().any(|tool| tool.definition().name == name) {
        return None;
    }
    Some(match omp_tools::NAMES.contains(&name) {
        true if name == "ssh" => {
            "--tools: ssh needs a host; add one with `omp ssh add <name> --host <address>`.".to_owned()
        }
        true if name == "ask" => {
            "--tools: ask needs somebody who answers; there is nobody in this session.".to_owned()
        }
        true => format!("--tools: {name} is switched off in the settings ({name}.enabled)."),
        false => {
            format!("--tools: there is no tool \"{name}\"; known tools are {}.", omp_tools::NAMES.join(", "))
        }
    })
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
