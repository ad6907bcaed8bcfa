//! From options to a session, step by step.

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

use omp_agent::{Agent, Conduct, Gate, Listener, Models, Parts, Setup, Todos, Upkeep, definitions};
use omp_types::ThinkingLevel;

use crate::compaction::Compactor;
use crate::configure;
use crate::error::SessionError;
use crate::guard::loop_guard::LoopGuard;
use crate::guard::sandbox;
use crate::modes;
use crate::prompt::PromptReport;
use crate::replay;
use crate::saved::store::{leave_breadcrumb, open_session};
use crate::secrets::known::SessionSecrets;
use crate::secrets::masking;
use crate::session::builder::SessionBuilder;
use crate::session::options::{Persistence, SessionOptions};
use crate::session::recorder::Recorder;
use crate::session::restored_choices;
use crate::session::setup::SessionSetup;
use crate::session::{Now, Session};
use crate::side_tasks::titles::Titling;
use crate::side_tasks::vision;
use crate::tools::file_history;
use crate::tools::jobs;
use crate::tools::language_servers;
use crate::tools::lost_jobs;
use omp_resources::SessionFolder;
use omp_session::SharedWriter;

impl Session {
    /// Chooses the model, builds prompt and tools. Touches the network only to look for local servers, and only
    /// when nothing else can serve.
    pub async fn open(options: SessionOptions, listener: Box<dyn Listener>) -> Result<Self, SessionError> {
        let mut opening = SessionBuilder::new(options)?;
        let (context, mut writer) = open_session(&opening.options, &mut opening.warnings)?;
        let chosen = opening.choose_model(&context).await?;
        opening.todos = opening.todo_list(&context);
        let folder = SessionFolder::of(&writer);
        let surroundings = opening.look_around(&chosen, &folder);
        let effort = opening.effort(&chosen, &context);
        let usual_effort = opening.usual_effort();
        restored_choices::note_choice(&mut writer, &context, &chosen.model, effort);
        restored_choices::service_tier(&mut opening.options.provider.service_tier, &mut writer, &context);
        let config = opening.agent_config(&chosen.model, effort, &writer.header().id);
        let notes = opening.notes(&writer.header().id);
        leave_breadcrumb(&opening.options, &mut writer);
        let record = SharedWriter::new(writer);
        file_history::follow(surroundings.context.history.as_ref(), &record);
        if let Some(shelf) = &surroundings.shelf {
            shelf.begin(record.clone(), context.selected_tools.as_deref());
        }

        let listener = opening.start_deck(
            &chosen,
            &surroundings,
            effort,
            &context,
            &record.lock().header().id,
            listener,
        );
        let report =
            PromptReport::new(&surroundings.prompt, &definitions(&surroundings.tools, config.intent_tracing));
        let report = replay::report(&opening.options, report);
        let offers_todo = surroundings.tools.iter().any(|tool| tool.definition().name == "todo");
        let modes = modes::of_session(&opening.options, &surroundings.context, &record);
        let setup = Arc::new(SessionSetup {
            modes: Arc::clone(&modes),
            system: replay::system(&opening.options, || surroundings.prompt.blocks()),
            tools: Mutex::new(surroundings.tools),
            shelf: surroundings.shelf,
            sticky: replay::sticky(&opening.options, || surroundings.knowledge.get().sticky.clone()),
            keywords: configure::keywords(&opening.settings),
            effort,
            highest: chosen.model.clamp_level(ThinkingLevel::Max),
        });
        let SessionSecrets { outbound, masks } =
            opening.secrets(&record.lock().header().id, &chosen.registry);
        let models =
            opening.model_pool(chosen.client, chosen.registry, &chosen.model, outbound, Some(record.clone()));
        let classifier = opening.classifier(effort, &models);
        let guard = Arc::new(opening.guard(&models, Arc::clone(&modes.shared)));
        let now = Now { model: Arc::clone(&chosen.model), settings: Arc::new(opening.settings.clone()) };
        let now = Arc::new(Mutex::new(now));
        vision::attach(&surroundings.context, &models, &now);
        let compactor = Arc::new(Compactor {
            record: record.clone(),
            now: Arc::clone(&now),
            models: Arc::clone(&models),
            modes: Arc::clone(&modes),
            todos: Arc::clone(&opening.todos),
            jobs: opening.jobs.clone(),
            artifacts: Arc::clone(&folder.artifacts),
            deck: opening.options.deck.clone(),
            directories: opening.options.directories.clone(),
            session_dir: opening.options.session_dir.clone(),
            stale: AtomicUsize::new(context.kept),
            beside: report.tokens as u64,
            system: Arc::clone(&setup.system),
            learned: Mutex::default(),
            hands_off: AtomicBool::new(false),
            handoff_due: AtomicBool::new(false),
        });
        let parts = Parts {
            model: models.serve_conversation(Arc::clone(&chosen.model)),
            models: Arc::clone(&models) as Arc<dyn Models>,
            setup: Arc::clone(&setup) as Arc<dyn Setup>,
            gate: masking::gate(
                file_history::gate(Arc::clone(&guard) as Arc<dyn Gate>, &surroundings.context),
                masks.as_ref(),
            ),
            clock: Arc::clone(&modes.clock),
            listener: masking::listener(
                Box::new(Recorder { record: record.clone(), modes: Arc::clone(&modes), inner: listener }),
                masks.as_ref(),
                folder.artifacts.directory(),
            ),
            todos: offers_todo.then(|| Arc::clone(&opening.todos) as Arc<dyn Todos>),
            conduct: Arc::new(LoopGuard::new(Arc::clone(&modes) as Arc<dyn Conduct>)),
            upkeep: replay::upkeep(&opening.options, Arc::clone(&compactor) as Arc<dyn Upkeep>),
        };
        let agent = Agent::new(parts, config);
        guard.attach(agent.control());
        sandbox::connect(&guard, &surroundings.context);
        if let Some(jobs) = &opening.jobs {
            jobs::connect(jobs, agent.control());
        }
        language_servers::connect(&surroundings.context, agent.control());
        let beginning = modes::Beginning::of(&context, &opening.options.persistence);
        if let Some(note) = lost_jobs::note(&context.messages) {
            agent.control().next_prompt(note);
        }
        if !context.messages.is_empty() {
            agent.load(context.messages).await?;
        }
        let mut session = Self {
            agent,
            modes,
            setup,
            titles: Titling::default(),
            deck: opening.options.deck.clone(),
            changed: AtomicBool::new(false),
            guard,
            scope: surroundings.scope,
            record,
            chosen: opening.names_model(),
            first_model: chosen.model.selector(),
            now,
            compactor,
            models,
            effort,
            usual_effort,
            knowledge: surroundings.knowledge,
            discovery: Mutex::new(Arc::new(surroundings.discovery)),
            report,
            classifier,
            models_file: opening.options.model.file(&opening.options.directories),
            notes,
            todos: opening.todos,
            ssh: Mutex::new(opening.ssh),
            filter: opening.options.tools,
            kept: opening.options.persistence != Persistence::Off,
            cwd: opening.options.cwd,
            roots: Mutex::new(opening.options.roots),
            mention_remarks: Mutex::default(),
            session_dir: opening.options.session_dir,
            limits: opening.options.model.scope.unwrap_or_default(),
            jobs: opening.jobs,
            tools: surroundings.context,
            directories: opening.options.directories,
            masks,
            warnings: opening.warnings,
        };
        let warnings = session.begin_mode(context.mode.as_ref(), beginning).await;
        session.warnings.extend(warnings);
        Ok(session)
    }
}
