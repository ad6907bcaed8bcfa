//! A session: one conversation, its model, its tools.

pub(crate) mod accounts;
pub(crate) mod builder;
pub(crate) mod context_window;
pub(crate) mod conversation;
pub(crate) mod drop_and_move;
pub(crate) mod host;
pub(crate) mod inspect;
pub(crate) mod live_settings;
pub(crate) mod model_switch;
pub(crate) mod open;
pub(crate) mod options;
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
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use omp_agent::{Agent, AgentError, Control, Outcome, Prompt};
use omp_config::Directories;
use omp_config::discovery::Discovery;
use omp_config::settings::Settings;
use omp_extend::Commands;
use omp_guard::secrets::Secrets;
use omp_jobs::Jobs;
use omp_llm::Api;
use omp_replay::Deck;
use omp_session::Header;
use omp_shell::Scope;
use omp_tools::{SshHosts, TodoList};
use omp_types::{UserBlock, UserContent};
use tokio_util::sync::CancellationToken;

use crate::compaction::Compactor;
use crate::guard::Guard;
use crate::prompt::PromptReport;
use crate::prompt::bundled_commands;
use crate::prompt::expand::expand;
use crate::prompt::knowledge::{self, CurrentKnowledge};
use crate::request::model_pool::{ImagePolicy, ModelPool};
use crate::saved::prompt_history::PromptNotes;
use crate::session::options::ToolFilter;
use crate::session::setup::SessionSetup;
use crate::side_tasks::titles::Titling;
use omp_models::{Effort, EffortClassifier};
use omp_modes::SessionModes;
use omp_session::SharedWriter;

/// A conversation ready to be prompted.
pub struct Session {
    pub(crate) agent: Agent,
    pub(crate) modes: Arc<SessionModes>,
    /// Keeps the conversation within the model's window.
    pub(crate) compactor: Arc<Compactor>,
    pub(crate) titles: Titling,
    pub(crate) deck: Option<Deck>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) record: SharedWriter,
    pub(crate) now: Arc<Mutex<Now>>,
    /// Settings were changed since the last run.
    pub(crate) changed: AtomicBool,
    /// Asks before calls that need a word.
    pub(crate) guard: Arc<Guard>,
    /// The model the session was opened with.
    pub(crate) first_model: String,
    pub(crate) models: Arc<ModelPool>,
    pub(crate) effort: Effort,
    /// The same without what the model's selector says.
    pub(crate) usual_effort: Effort,
    /// The user named a model or a provider.
    pub(crate) chosen: bool,
    pub(crate) directories: Directories,
    pub(crate) knowledge: Arc<CurrentKnowledge>,
    pub(crate) discovery: Mutex<Arc<Discovery>>,
    pub(crate) report: PromptReport,
    /// Rates prompts when the effort is left to us.
    pub(crate) classifier: Option<EffortClassifier>,
    pub(crate) models_file: PathBuf,
    /// What is masked in everything that is shown and kept.
    pub(crate) masks: Option<Arc<Secrets>>,
    pub(crate) warnings: Vec<String>,
    /// Keeps what is typed; nothing of a session that is not saved.
    pub(crate) notes: Option<PromptNotes>,
    pub(crate) todos: Arc<TodoList>,
    /// Machines that commands can be run on.
    pub(crate) ssh: Mutex<Option<Arc<SshHosts>>>,
    /// The tools that were asked for.
    pub(crate) filter: ToolFilter,
    pub(crate) setup: Arc<SessionSetup>,
    /// The conversation is saved, or will be.
    pub(crate) kept: bool,
    pub(crate) cwd: PathBuf,
    /// Directories that the session works in besides its own.
    pub(crate) roots: Mutex<Vec<PathBuf>>,
    /// What is to be said about files that were mentioned and left out.
    pub(crate) mention_remarks: Mutex<Vec<String>>,
    pub(crate) session_dir: Option<PathBuf>,
    /// The entries of `--models`.
    pub(crate) limits: Vec<String>,
    /// What runs in the background, where anything may.
    pub(crate) jobs: Option<Arc<Jobs>>,
    /// What the tools share.
    pub(crate) tools: Arc<omp_tools::Context>,
}

/// What a switch of the model changes.
pub(crate) struct Now {
    pub(crate) model: Arc<omp_llm::Model>,
    pub(crate) settings: Arc<Settings>,
}

impl Session {
    /// What the model is told before the conversation, and where its bytes go.
    pub fn prompt_report(&self) -> &PromptReport {
        &self.report
    }

    /// The settings in force.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.now.lock().unwrap_or_else(PoisonError::into_inner).settings)
    }

    pub(crate) fn model(&self) -> Arc<omp_llm::Model> {
        Arc::clone(&self.now.lock().unwrap_or_else(PoisonError::into_inner).model)
    }

    pub(crate) fn replace_model(&self, model: Arc<omp_llm::Model>) {
        self.turned("the model");
        self.now.lock().unwrap_or_else(PoisonError::into_inner).model = model;
    }

    pub(crate) fn replace_settings(&self, settings: Settings) {
        self.turned("a setting");
        self.models.pipeline.imaging.set(&settings);
        self.now.lock().unwrap_or_else(PoisonError::into_inner).settings = Arc::new(settings);
    }

    pub(crate) fn discovery(&self) -> Arc<Discovery> {
        Arc::clone(&self.discovery.lock().unwrap_or_else(PoisonError::into_inner))
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
        self.cwd.clone()
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.kept
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
        self.is_demo() && !self.chosen
    }

    /// Where the user describes providers and models.
    pub fn models_file(&self) -> &Path {
        &self.models_file
    }

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
        if let Some(classifier) = &self.classifier {
            let level = classifier.rate(&prompt.content.text(), &cancel).await;
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
        let expansion = expand(prompt, &self.knowledge.get().skills, &settings, || self.commands());
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
        let ssh = self.ssh.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(ssh) = ssh {
            ssh.connections.close().await;
        }
        if let Some(lsp) = &self.tools.lsp {
            lsp.servers.close().await;
        }
        self.scope.end().await;
        if self.record.lock().is_saved() {
            let (directories, selector) = (self.directories.clone(), self.model_selector());
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
