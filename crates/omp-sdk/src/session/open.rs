//! From options to a session, step by step.

use std::sync::{Arc, Mutex};

use omp_agent::{
    Agent, AgentConfig, AgentError, Conduct, Gate, Listener, Models, Parts, Setup, Todos, Upkeep, definitions,
};
use omp_guard::secrets::Secrets;
use omp_hooks::Runner;
use omp_mcp_session::SessionMcp;
use omp_models::Effort;
use omp_modes::SessionModes;
use omp_resources::SessionFolder;
use omp_session::{Artifacts, Context, SessionWriter, SharedWriter};
use omp_shell::Scope;
use omp_types::ThinkingLevel;

use crate::compaction::{Compactor, CompactorParts};
use crate::configure;
use crate::error::SessionError;
use crate::guard::Guard;
use crate::guard::loop_guard::LoopGuard;
use crate::guard::sandbox;
use crate::hooks::{self, HookParts, Occasion, SessionHooks};
use crate::mcp::SessionLink;
use crate::modes;
use crate::prompt::PromptReport;
use crate::prompt::sources::PromptSources;
use crate::replay;
use crate::request::model_pool::ModelPool;
use crate::saved::prompt_history::PromptNotes;
use crate::saved::store::{leave_breadcrumb, open_session};
use crate::secrets::known::SessionSecrets;
use crate::secrets::masking;
use crate::session::Session;
use crate::session::builder::{ChosenModel, SessionBuilder};
use crate::session::live_config::LiveConfig;
use crate::session::options::SessionOptions;
use crate::session::paths::SessionPaths;
use crate::session::preferences::ModelPreferences;
use crate::session::processes::Processes;
use crate::session::recorder::Recorder;
use crate::session::restored_choices;
use crate::session::setup::SessionSetup;
use crate::session::surroundings::Surroundings;
use crate::side_tasks::titles::Titling;
use crate::side_tasks::vision;
use crate::tools::file_history;
use crate::tools::jobs;
use crate::tools::language_servers;
use crate::tools::lost_jobs;

/// The conversation, its model and what is around it: everything that the parts are made from.
struct Groundwork {
    record: SharedWriter,
    folder: SessionFolder,
    notes: Option<PromptNotes>,
    chosen: ChosenModel,
    effort: Effort,
    surroundings: Surroundings,
}

/// The parts of a session that know each other.
struct Assembly {
    record: SharedWriter,
    notes: Option<PromptNotes>,
    artifacts: Arc<Artifacts>,
    scope: Arc<Scope>,
    live: Arc<LiveConfig>,
    models: Arc<ModelPool>,
    modes: Arc<SessionModes>,
    setup: Arc<SessionSetup>,
    guard: Arc<Guard>,
    compactor: Arc<Compactor>,
    sources: PromptSources,
    tools: Arc<omp_tools::Context>,
    masks: Option<Arc<Secrets>>,
    mcp: Arc<SessionMcp>,
    /// The model has a list of tasks.
    offers_todo: bool,
}

impl Session {
    /// Chooses the model, builds prompt and tools. Touches the network only to look for local servers, and only
    /// when nothing else can serve.
    pub async fn open(options: SessionOptions, listener: Box<dyn Listener>) -> Result<Self, SessionError> {
        let mut builder = SessionBuilder::new(options)?;
        builder.load_extensions().await;
        let (context, writer) = open_session(&builder.options, &mut builder.warnings)?;
        let chosen = builder.choose_model(&context).await?;
        let (ground, config) = builder.prepare(chosen, &context, writer);
        let Groundwork { record, chosen, effort, surroundings, .. } = &ground;
        let listener = builder.start_deck(chosen, surroundings, *effort, &context, record, listener);
        let effort = ground.effort;
        let assembly = builder.assemble(ground, config.intent_tracing, context.kept);
        let hooks = assembly.hooks(&mut builder).await;
        let agent = Agent::new(assembly.loop_parts(&builder, listener, &hooks), config);
        assembly.connect(&builder, &agent, &hooks);
        let preferences = builder.preferences(effort, &assembly);
        let beginning = modes::Beginning::of(&context, &builder.options.persistence);
        let mode = context.mode.clone();
        let occasion = Occasion::of(&context, builder.options.replaces);
        load(&agent, context).await?;
        let mut session = assembly.into_session(builder, agent, preferences, hooks);
        let warnings = session.mode_changes().begin(mode.as_ref(), beginning).await;
        session.warnings.extend(warnings);
        session.hooks.begin(session.control(), occasion);
        let problems = session.mcp.begin().await;
        session.warnings.extend(problems);
        Ok(session)
    }
}

/// The conversation so far, and what became of work in the background.
async fn load(agent: &Agent, context: Context) -> Result<(), AgentError> {
    if let Some(note) = lost_jobs::note(&context.messages) {
        agent.control().next_prompt(note);
    }
    match context.messages.is_empty() {
        true => Ok(()),
        false => agent.load(context.messages).await,
    }
}

impl SessionBuilder {
    /// Looks around, and lets the conversation know what was chosen for it.
    fn prepare(
        &mut self,
        chosen: ChosenModel,
        context: &Context,
        mut writer: SessionWriter,
    ) -> (Groundwork, AgentConfig) {
        self.todos = self.todo_list(context);
        let folder = SessionFolder::of(&writer);
        let surroundings = self.look_around(&chosen, &folder);
        let effort = self.effort(&chosen, context);
        restored_choices::note_choice(&mut writer, context, &chosen.model, effort);
        restored_choices::service_tier(&mut self.options.provider.service_tier, &mut writer, context);
        let id = writer.header().id.clone();
        let config = self.agent_config(&chosen.model, effort, &id);
        let notes = self.notes(&id);
        leave_breadcrumb(&self.options, &mut writer);
        let record = SharedWriter::new(writer);
        file_history::follow(surroundings.context.history.as_ref(), &record);
        surroundings.searchable.begin(record.clone(), context.selected_tools.as_deref());
        (Groundwork { record, folder, notes, chosen, effort, surroundings }, config)
    }

    /// Makes the parts. `stale`: so many of the first messages are of an earlier conversation.
    fn assemble(&mut self, ground: Groundwork, intent_tracing: bool, stale: usize) -> Assembly {
        let Groundwork { record, folder, notes, chosen, effort, surroundings } = ground;
        let ChosenModel { client, registry, model, .. } = chosen;
        let offered = definitions(&surroundings.tools, intent_tracing);
        let report = replay::report(&self.options, PromptReport::new(&surroundings.prompt, &offered));
        let offers_todo = surroundings.tools.iter().any(|tool| tool.definition().name == "todo");
        let modes = modes::of_session(&self.options, &surroundings.context, &record);
        let setup = Arc::new(SessionSetup {
            modes: Arc::clone(&modes),
            system: replay::system(&self.options, || surroundings.prompt.blocks()),
            chosen: Mutex::default(),
            run_system: Mutex::default(),
            tools: Mutex::new(surroundings.tools),
            searchable: surroundings.searchable,
            sticky: replay::sticky(&self.options, || surroundings.knowledge.get().sticky.clone()),
            keywords: configure::keywords(&self.settings),
            effort,
            highest: model.clamp_level(ThinkingLevel::Max),
        });
        let SessionSecrets { outbound, masks } = self.secrets(&record.lock().header().id, &registry);
        self.extensions.hide(outbound.as_ref());
        let models = self.model_pool(client, registry, &model, outbound, Some(record.clone()));
        let guard = Arc::new(self.guard(&models, Arc::clone(&modes.shared)));
        let live = LiveConfig::new(model, self.settings.clone());
        vision::attach(&surroundings.context, &models, &live);
        let compactor = Compactor::new(
            self,
            CompactorParts {
                record: record.clone(),
                live: Arc::clone(&live),
                models: Arc::clone(&models),
                modes: Arc::clone(&modes),
                artifacts: Arc::clone(&folder.artifacts),
                system: Arc::clone(&setup.system),
                beside: report.tokens as u64,
                stale,
            },
        );
        Assembly {
            record,
            notes,
            artifacts: folder.artifacts,
            scope: surroundings.scope,
            live,
            models,
            modes,
            setup,
            guard,
            compactor,
            sources: PromptSources::new(surroundings.knowledge, surroundings.discovery, report),
            tools: surroundings.context,
            masks,
            mcp: surroundings.mcp,
            offers_todo,
        }
    }

    /// What the user and the settings said about the model.
    fn preferences(&mut self, effort: Effort, assembly: &Assembly) -> ModelPreferences {
        ModelPreferences {
            first: assembly.live.model().selector(),
            named: self.options.model.names_model(),
            scope: self.options.model.scope.take().unwrap_or_default(),
            effort,
            usual_effort: self.usual_effort(),
            classifier: self.classifier(effort, &assembly.models),
        }
    }
}

impl Assembly {
    /// What the loop is handed. What it says goes through the masks to the recorder.
    fn loop_parts(
        &self,
        builder: &SessionBuilder,
        listener: Box<dyn Listener>,
        hooks: &SessionHooks,
    ) -> Parts {
        let modes = Arc::clone(&self.modes);
        let listener = builder.extensions.listener(listener);
        let recorder = Box::new(Recorder { record: self.record.clone(), modes, inner: listener });
        let gate = file_history::gate(Arc::clone(&self.guard) as Arc<dyn Gate>, &self.tools);
        let gate = omp_hooks::gate::gate(gate, &hooks.hooks, builder.options.cwd.clone());
        let gate = builder.extensions.gate(gate);
        let conduct = omp_hooks::conduct::conduct(Arc::clone(&self.modes) as Arc<dyn Conduct>, &hooks.hooks);
        let conduct = builder.extensions.conduct(conduct);
        Parts {
            model: self.models.serve_conversation(self.live.model()),
            models: Arc::clone(&self.models) as Arc<dyn Models>,
            setup: Arc::clone(&self.setup) as Arc<dyn Setup>,
            gate: masking::gate(gate, self.masks.as_ref()),
            clock: Arc::clone(&self.modes.clock),
            listener: masking::listener(recorder, self.masks.as_ref(), self.artifacts.directory()),
            todos: self.offers_todo.then(|| Arc::clone(&builder.todos) as Arc<dyn Todos>),
            conduct: Arc::new(LoopGuard::new(conduct)),
            upkeep: replay::upkeep(&builder.options, Arc::clone(&self.compactor) as Arc<dyn Upkeep>),
        }
    }

    /// Lets the parts reach the loop that was made with them.
    fn connect(&self, builder: &SessionBuilder, agent: &Agent, hooks: &Arc<SessionHooks>) {
        self.guard.attach(agent.control());
        self.guard.attach_hooks(Arc::clone(hooks));
        self.compactor.attach_hooks(Arc::clone(hooks));
        if let Some(extensions) = &builder.extensions.set {
            self.guard.attach_extensions(Arc::clone(extensions));
            self.compactor.attach_extensions(Arc::clone(extensions));
        }
        sandbox::connect(&self.guard, &self.tools);
        if let Some(jobs) = &builder.jobs {
            jobs::connect(jobs, agent.control());
        }
        language_servers::connect(&self.tools, agent.control());
        let link = SessionLink {
            setup: Arc::downgrade(&self.setup),
            modes: Arc::downgrade(&self.modes),
            control: agent.control(),
            models: Arc::downgrade(&self.models),
            live: Arc::downgrade(&self.live),
            guard: Arc::downgrade(&self.guard),
            project: builder.options.cwd.clone(),
            extensions: builder.extensions.set.clone(),
        };
        self.mcp.attach(Arc::new(link), Arc::clone(&self.tools.spills));
    }

    /// The hooks of the user and of the project.
    async fn hooks(&self, builder: &mut SessionBuilder) -> Arc<SessionHooks> {
        let commands = &self.tools.commands;
        let (scope, environment) = (Arc::clone(&commands.scope), commands.environment.clone());
        let parts = HookParts {
            runner: Runner { scope, environment, cwd: builder.options.cwd.clone() },
            record: self.record.clone(),
            guard: Arc::clone(&self.guard),
            modes: Arc::clone(&self.modes),
        };
        hooks::of_session(builder, &self.sources.discovery(), parts).await
    }

    fn into_session(
        self,
        builder: SessionBuilder,
        agent: Agent,
        preferences: ModelPreferences,
        hooks: Arc<SessionHooks>,
    ) -> Session {
        let places = SessionPaths::of(&builder.options);
        let filter = builder.options.tools;
        let own_gate = file_history::gate(Arc::clone(&self.guard) as Arc<dyn Gate>, &self.tools);
        let own_gate = masking::gate(own_gate, self.masks.as_ref());
        Session {
            agent,
            record: self.record,
            places,
            live: self.live,
            models: self.models,
            preferences,
            setup: self.setup,
            sources: self.sources,
            tools: self.tools,
            todos: builder.todos,
            processes: Processes::new(self.scope, builder.jobs, builder.ssh, filter),
            modes: self.modes,
            guard: self.guard,
            masks: self.masks,
            compactor: self.compactor,
            titles: Titling::default(),
            notes: self.notes,
            mention_remarks: Mutex::default(),
            deck: builder.options.deck,
            mcp: self.mcp,
            hooks,
            extensions: builder.extensions.of_session(
                own_gate,
                builder.options.extensions,
                builder.options.began,
            ),
            warnings: builder.warnings,
        }
    }
}
