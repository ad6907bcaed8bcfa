//! A session: one conversation, its model, its tools.
//!
//! [`Session`] is a facade over parts, each in a file of its own: [`places`] (where it works), [`live_config`] (the model and
//! the settings of the moment), [`preferences`] (how it came to its model), [`processes`] (what ends with it), [`setup`]
//! (what the loop reads before every call). [`open`] puts them together: [`builder`] makes the parts, [`surroundings`] looks
//! around. [`host`] is one session after another in one program. The other files are what a person does with a session.

pub(crate) mod accounts;
pub(crate) mod builder;
pub(crate) mod context_window;
pub(crate) mod conversation;
pub(crate) mod drop_and_move;
pub(crate) mod host;
pub(crate) mod inspect;
pub(crate) mod live_config;
pub(crate) mod live_settings;
pub(crate) mod model_switch;
pub(crate) mod open;
pub(crate) mod options;
pub(crate) mod places;
pub(crate) mod preferences;
pub(crate) mod processes;
pub(crate) mod prompt_cache;
pub(crate) mod recorder;
pub(crate) mod reload;
pub(crate) mod restored_choices;
pub(crate) mod rewind;
pub(crate) mod roots;
pub(crate) mod setup;
pub(crate) mod surroundings;
pub(crate) mod user_command;
pub(crate) mod viewer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use omp_agent::{Agent, AgentError, Control, Outcome, Prompt};
use omp_config::discovery::Discovery;
use omp_config::settings::Settings;
use omp_extend::Commands;
use omp_guard::secrets::Secrets;
use omp_llm::Api;
use omp_modes::SessionModes;
use omp_replay::Deck;
use omp_session::Header;
use omp_session::SharedWriter;
use omp_tools::TodoList;
use omp_types::{UserBlock, UserContent};
use tokio_util::sync::CancellationToken;

use crate::compaction::Compactor;
use crate::guard::Guard;
use crate::prompt::PromptReport;
use crate::prompt::bundled_commands;
use crate::prompt::expand::expand;
use crate::prompt::knowledge;
use crate::prompt::sources::PromptSources;
use crate::request::model_pool::{ImagePolicy, ModelPool};
use crate::saved::prompt_history::PromptNotes;
use crate::session::live_config::LiveConfig;
use crate::session::places::SessionPlaces;
use crate::session::preferences::ModelPreferences;
use crate::session::processes::Processes;
use crate::session::setup::SessionSetup;
use crate::side_tasks::titles::Titling;

/// A conversation ready to be prompted: a facade over the parts that it is made of.
pub struct Session {
    pub(crate) agent: Agent,
    /// Keeps the conversation.
    pub(crate) record: SharedWriter,
    pub(crate) places: SessionPlaces,
    /// The model and the settings of the moment.
    pub(crate) live: Arc<LiveConfig>,
    /// The models that can be used.
    pub(crate) models: Arc<ModelPool>,
    /// How it came to its model.
    pub(crate) preferences: ModelPreferences,
    /// Prompt, tools and standing rules, as the loop reads them.
    pub(crate) setup: Arc<SessionSetup>,
    /// What the prompt was made from.
    pub(crate) sources: PromptSources,
    /// What the tools share.
    pub(crate) tools: Arc<omp_tools::Context>,
    pub(crate) todos: Arc<TodoList>,
    /// What has to end with the session.
    pub(crate) processes: Processes,
    pub(crate) modes: Arc<SessionModes>,
    /// Asks before calls that need approval.
    pub(crate) guard: Arc<Guard>,
    /// What is masked in everything that is shown and kept.
    pub(crate) masks: Option<Arc<Secrets>>,
    /// Keeps the conversation within the model's window.
    pub(crate) compactor: Arc<Compactor>,
    pub(crate) titles: Titling,
    /// Keeps what is typed; nothing of a session that is not saved.
    pub(crate) notes: Option<PromptNotes>,
    /// What is to be said about files that were mentioned and left out.
    pub(crate) mention_remarks: Mutex<Vec<String>>,
    pub(crate) deck: Option<Deck>,
    pub(crate) warnings: Vec<String>,
}

impl Session {
    /// What the model is told before the conversation, and where its bytes go.
    pub fn prompt_report(&self) -> &PromptReport {
        &self.sources.report
    }

    /// The settings in force.
    pub fn settings(&self) -> Arc<Settings> {
        self.live.settings()
    }

    pub(crate) fn model(&self) -> Arc<omp_llm::Model> {
        self.live.model()
    }

    pub(crate) fn replace_model(&self, model: Arc<omp_llm::Model>) {
        self.turned("the model");
        self.live.set_model(model);
    }

    pub(crate) fn replace_settings(&self, settings: Settings) {
        self.turned("a setting");
        self.models.pipeline.imaging.set(&settings);
        self.live.set_settings(settings);
    }

    pub(crate) fn discovery(&self) -> Arc<Discovery> {
        self.sources.discovery()
    }

    /// Commands of the user and the project, behind `/<name>`.
    pub fn commands(&self) -> Commands {
        knowledge::commands(&self.discovery(), &self.settings())
    }

    /// The first line of the session: who, when, where.
    pub fn header(&self) -> Header {
        self.record.lock().header().clone()
    }

    /// The session's file, once there is one.
    pub fn file(&self) -> Option<PathBuf> {
        let writer = self.record.lock();
        writer.path().filter(|_| writer.is_saved()).map(Path::to_path_buf)
    }

    /// Where the session works.
    pub fn cwd(&self) -> PathBuf {
        self.places.cwd.clone()
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.places.kept
    }

    /// The provider of the model that was chosen last.
    pub(crate) fn provider(&self) -> String {
        self.model().provider.clone()
    }

    /// Things the user should know, collected while the session was built.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The model that was chosen last, as `provider/id`. One that only helps out has no say here.
    pub fn model_selector(&self) -> String {
        self.model().selector()
    }

    /// Does the built-in tour answer, which knows nothing but its own story?
    pub fn is_demo(&self) -> bool {
        self.model().api == Api::Demo
    }

    /// Did the session end up with the built-in tour because nothing else was there?
    pub fn fell_back_to_demo(&self) -> bool {
        self.is_demo() && !self.preferences.named
    }

    /// Where the user describes providers and models.
    pub fn models_file(&self) -> &Path {
        &self.places.models_file
    }

    /// What stops, steers and queues while the session runs.
    pub fn control(&self) -> Control {
        self.agent.control()
    }

    /// Hears what the user typed, without what was attached to it, before it is said: files it mentions go with it, and
    /// it is kept in the history of prompts. A session that is not saved keeps nothing.
    pub fn note_typed(&self, text: &str) {
        self.send_mentioned(text);
        self.tools.modes.named.hear(text);
        if let Some(notes) = &self.notes {
            notes.add(text);
        }
    }

    /// Runs one prompt until everything has settled. A prompt that begins with `/` and names a skill, a command or a
    /// template is expanded first.
    pub async fn prompt(&self, prompt: Prompt, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        let prompt = match &self.deck {
            // What was said then was expanded then.
            Some(deck @ Deck::Play(_)) => deck.prompt(prompt),
            Some(deck) => deck.prompt(self.expand(prompt, &cancel).await?),
            None => self.expand(prompt, &cancel).await?,
        };
        let cancel = self.taped(cancel);
        let left_out = self.left_out(&prompt.content);
        self.notices_again(left_out.as_deref()).await?;
        let mentioned = std::mem::take(&mut *self.mention_remarks());
        for remark in left_out.into_iter().chain(mentioned) {
            self.agent.notice(remark).await?;
        }
        if let Some(level) = self.preferences.rate(&prompt.content.text(), &cancel).await {
            self.agent.set_thinking(self.model().clamp_level(level)).await?;
        }
        self.send_results_along();
        self.before_run().await;
        let outcome = self.agent.prompt(prompt, cancel).await?;
        self.after_run(&outcome).await;
        Ok(outcome)
    }

    /// What a person should know about pictures that the model will not get.
    fn left_out(&self, content: &UserContent) -> Option<String> {
        let UserContent::Blocks(blocks) = content else { return None };
        let model = self.model();
        let pictures = blocks.iter().filter(|block| matches!(block, UserBlock::Image(_))).count();
        if pictures == 0 || model.accepts_images() {
            return None;
        }
        let reason = match self.models.images {
            ImagePolicy::Blocked => "images.blockImages is set".to_owned(),
            ImagePolicy::Allowed => format!("{} does not accept images", model.selector()),
        };
        let left = if pictures == 1 { "the picture is" } else { "the pictures are" };
        Some(format!("{reason}; {left} left out of the request."))
    }

    async fn expand(&self, prompt: Prompt, cancel: &CancellationToken) -> Result<Prompt, AgentError> {
        if let UserContent::Text(typed) = &prompt.content
            && let Some(text) = bundled_commands::green(typed, &self.discovery().places().cwd, cancel).await
        {
            return Ok(Prompt::text(text));
        }
        let settings = self.settings();
        let expansion = expand(prompt, &self.sources.knowledge.get().skills, &settings, || self.commands());
        for message in expansion.warnings {
            self.agent.notice(message).await?;
        }
        Ok(expansion.prompt)
    }

    /// Stops what runs, ends every process the session started and makes sure that the conversation is on disk. What
    /// could not be saved is said. Prompts are refused from now on.
    pub async fn close(&self) -> Vec<String> {
        self.agent.retire().await;
        if let Some(history) = &self.tools.history {
            history.close().await;
        }
        let ended = self.end_jobs();
        self.models.pipeline.client.close().await;
        self.processes.disconnect().await;
        if let Some(lsp) = &self.tools.lsp {
            lsp.servers.close().await;
        }
        self.processes.scope.end().await;
        if self.record.lock().is_saved() {
            let (directories, selector) = (self.places.directories.clone(), self.model_selector());
            // A memory of habits is not worth an error.
            let _ = tokio::task::spawn_blocking(move || omp_models::note_used_model(&directories, &selector))
                .await;
        }
        let unkept = match &self.notes {
            Some(notes) => notes.close().await,
            None => None,
        };
        let unrecorded = self.end_recording().await;
        let models = Arc::clone(&self.models);
        // What was asked on the side is no part of the conversation, and not worth an error.
        let _ = tokio::task::spawn_blocking(move || models.pipeline.side_requests.save()).await;
        let refused = self.tools.lsp.as_ref().and_then(|lsp| lsp.servers.refusal());
        let refused = refused.map(|reason| format!("Language servers and checkers did not run: {reason}."));
        let problems = self.record.release().into_iter().chain(unkept).chain(ended).chain(unrecorded);
        problems.chain(refused).collect()
    }
}
