//! A session: one conversation, its model, its tools.
//!
//! [`Session`] is a facade: it opens, prompts and closes, and hands out its parts by name ([`parts`]), each with its methods
//! in a file of its own. What it owns is in [`paths`] (where it works), [`live_config`] (the model and the settings in force),
//! [`preferences`] (how its model was chosen), [`processes`] (what ends with it) and [`setup`] (what the loop reads before
//! every call). [`open`] puts them together: [`builder`] makes them, [`surroundings`] discovers what is around. [`host`] is one
//! session after another in one program.

pub(crate) mod accounts;
pub(crate) mod builder;
pub(crate) mod context_window;
pub(crate) mod conversation_tree;
pub(crate) mod desktop;
pub(crate) mod drop_and_move;
pub(crate) mod host;
pub(crate) mod live_config;
pub(crate) mod live_settings;
pub(crate) mod model_switch;
pub(crate) mod models;
pub(crate) mod open;
pub(crate) mod options;
pub(crate) mod parts;
pub(crate) mod paths;
pub(crate) mod preferences;
pub(crate) mod processes;
pub(crate) mod prompt_cache;
pub(crate) mod recorder;
pub(crate) mod reload;
pub(crate) mod restored_choices;
pub(crate) mod rewind;
pub(crate) mod roots;
pub(crate) mod setup;
pub(crate) mod statistics;
pub(crate) mod surroundings;
pub(crate) mod tell_model;
pub(crate) mod user_command;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use omp_agent::{Agent, AgentError, Control, Outcome, Prompt};
use omp_auth::Environment;
use omp_config::Directories;
use omp_config::discovery::Discovery;
use omp_config::settings::Settings;
use omp_guard::secrets::Secrets;
use omp_modes::SessionModes;
use omp_replay::Deck;
use omp_session::Header;
use omp_session::SharedWriter;
use omp_session::{CopyError, TitleSource};
use omp_tools::TodoList;
use omp_tools::{DiscoverableTool, Shelf};
use omp_types::{Message, TOOL_NAMES};
use omp_types::{UserBlock, UserContent};
use tokio_util::sync::CancellationToken;

use crate::compaction::Compactor;
use crate::extensions::{Asked, SessionExtensions};
use crate::guard::Guard;
use crate::hooks::{ListedHook, SessionHooks};
use crate::prompt::PromptReport;
use crate::prompt::bundled_commands;
use crate::prompt::expand::{expand, typed, with_text};
use crate::prompt::sources::PromptSources;
use crate::request::model_pool::{ImagePolicy, ModelPool};
use crate::saved::prompt_history::PromptNotes;
use crate::session::live_config::LiveConfig;
use crate::session::paths::SessionPaths;
use crate::session::preferences::ModelPreferences;
use crate::session::processes::Processes;
use crate::session::setup::SessionSetup;
use crate::side_tasks::titles::Titling;
use omp_mcp_session::SessionMcp;

/// A conversation ready to be prompted: a facade over the parts that it is made of.
pub struct Session {
    pub(crate) agent: Agent,
    /// Keeps the conversation.
    pub(crate) record: SharedWriter,
    pub(crate) places: SessionPaths,
    /// The model and the current settings.
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
    pub(crate) mcp: Arc<SessionMcp>,
    /// Programs of the user that are asked before calls and told after them.
    pub(crate) hooks: Arc<SessionHooks>,
    pub(crate) extensions: SessionExtensions,
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

    /// Things the user should know, collected while the session was built.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The model that was chosen last, as `provider/id`. One that only helps out has no say here.
    pub fn model_selector(&self) -> String {
        self.model().selector()
    }

    /// What stops, steers and queues while the session runs.
    pub fn control(&self) -> Control {
        self.agent.control()
    }

    /// Runs one prompt until everything has settled. A prompt that begins with `/` and names a skill, a command or a
    /// template is expanded first.
    pub async fn prompt(&self, prompt: Prompt, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        let Asked::Send(prompt) = self.extensions_hear(prompt).await? else {
            self.pass_on_hook_notices().await?;
            return Ok(Outcome::handled());
        };
        let asked = self.hooks.submit(&prompt).await;
        self.pass_on_hook_notices().await?;
        asked?;
        let prompt = match &self.deck {
            // What was said then was expanded then.
            Some(deck @ Deck::Play(_)) => deck.prompt(prompt),
            Some(deck) => deck.prompt(self.expand(prompt, &cancel).await?),
            None => self.expand(prompt, &cancel).await?,
        };
        if let Some(notice) = self.mcp().notice_changes().await {
            self.agent.notice(notice).await?;
        }
        let cancel = self.taped(cancel);
        let left_out = self.left_out(&prompt.content);
        self.notices_again(left_out.as_deref()).await?;
        let mentioned = std::mem::take(&mut *self.input().mention_remarks());
        for remark in left_out.into_iter().chain(mentioned) {
            self.agent.notice(remark).await?;
        }
        if let Some(level) = self.preferences.rate(&prompt.content.text(), &cancel).await {
            self.agent.set_thinking(self.model().clamp_level(level)).await?;
        }
        self.jobs().send_results_along();
        self.mode_changes().before_run().await;
        self.extensions_before_run(&prompt).await?;
        let outcome = self.agent.prompt(prompt, cancel).await?;
        self.mode_changes().after_run(&outcome).await;
        self.extensions_settle(outcome.interrupted).await;
        self.pass_on_hook_notices().await?;
        self.hooks.idle();
        Ok(outcome)
    }

    /// Programs that are asked before calls and told after them, as they may run now.
    pub async fn hooks(&self) -> Vec<ListedHook> {
        self.hooks.hooks.list().await
    }

    async fn pass_on_hook_notices(&self) -> Result<(), AgentError> {
        for notice in self.hooks.take_notices().into_iter().chain(self.extensions.take_notices()) {
            self.agent.notice(notice).await?;
        }
        Ok(())
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
        let left = if pictures == 1 { "the image was" } else { "the images were" };
        Some(format!("{reason}; {left} not sent"))
    }

    async fn expand(&self, prompt: Prompt, cancel: &CancellationToken) -> Result<Prompt, AgentError> {
        if let UserContent::Text(typed) = &prompt.content
            && let Some(text) = bundled_commands::green(typed, &self.discovery().places().cwd, cancel).await
        {
            return Ok(Prompt::text(text));
        }
        if let Some(text) = typed(&prompt.content)
            && let Some(expanded) = self.mcp.expand(text, cancel).await
        {
            return match expanded {
                Ok(text) => Ok(Prompt { content: with_text(prompt.content, text), form: prompt.form }),
                Err(reason) => Err(AgentError::Refused(reason)),
            };
        }
        let settings = self.settings();
        let expansion =
            expand(prompt, &self.sources.knowledge.get().skills, &settings, || self.input().commands());
        for message in expansion.warnings {
            self.agent.notice(message).await?;
        }
        Ok(expansion.prompt)
    }

    /// Stops what runs and waits until it has ended. Messages that were queued are dropped.
    pub(crate) async fn rest(&self) {
        let control = self.control();
        control.abort();
        self.agent.messages().await;
        control.drop_queued();
    }

    pub(crate) fn store(&self) -> omp_session::Sessions {
        self.places.store()
    }

    /// Stops what runs, ends every process the session started and makes sure that the conversation is on disk. What
    /// could not be saved is said. Prompts are refused from now on.
    pub async fn close(&self) -> Vec<String> {
        self.agent.retire().await;
        self.hooks.end(None).await;
        if let Some(history) = &self.tools.history {
            history.close().await;
        }
        let ended = self.jobs().end();
        self.models.pipeline.client.close().await;
        self.processes.disconnect().await;
        self.mcp.close().await;
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
        let refused = refused.map(|reason| format!("Language servers and checkers did not run: {reason}"));
        let unheard = self.hooks.take_notices().into_iter().chain(self.extensions.take_notices());
        self.extensions.keep(&self.record);
        let problems = self.record.release().into_iter().chain(unkept).chain(ended).chain(unrecorded);
        problems.chain(refused).chain(unheard).collect()
    }

    /// The conversation as the model knows it. Waits for a run to end.
    pub async fn conversation(&self) -> Vec<Arc<Message>> {
        self.agent.messages().await
    }

    /// Repeats the last failed or aborted turn.
    pub async fn retry(&self, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        if let Some(deck) = &self.deck {
            deck.retry();
        }
        let cancel = self.taped(cancel);
        self.mode_changes().before_run().await;
        let outcome = self.agent.retry(cancel).await?;
        self.mode_changes().after_run(&outcome).await;
        Ok(outcome)
    }

    /// Tells the listeners something outside the conversation. Waits for a run to end.
    pub async fn tell(&self, message: String) {
        // A session that has ended has nobody to tell.
        let _ = self.agent.notice(message).await;
    }

    /// The next turn must call this tool.
    pub async fn force_tool(&self, name: &str) -> Result<(), AgentError> {
        self.agent.force_tool(name).await
    }

    /// Names the session.
    pub fn rename(&self, title: &str) -> Result<(), CopyError> {
        self.record.lock().set_title(title, TitleSource::User).map(|_| ())
    }

    /// The user's directories.
    pub fn directories(&self) -> &Directories {
        &self.places.directories
    }

    /// The one directory for sessions, if it was given.
    pub fn session_dir(&self) -> Option<&Path> {
        self.places.session_dir.as_deref()
    }

    /// The variables that the session sees.
    pub fn environment(&self) -> &dyn Environment {
        self.models.environment.as_ref()
    }

    /// All tools by name, and whether the model has them at the moment.
    pub fn all_tools(&self) -> Vec<(String, bool)> {
        let offered: Vec<String> =
            self.setup.offered().iter().map(|tool| tool.definition().name.clone()).collect();
        let mut names: Vec<String> = TOOL_NAMES.iter().map(|name| (*name).to_owned()).collect();
        let hidden = self.setup.searchable.tools().unwrap_or_default();
        let hidden = hidden.into_iter().map(|DiscoverableTool { name, .. }| name);
        for name in offered.iter().cloned().chain(hidden) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.into_iter().map(|name| (name.clone(), offered.contains(&name))).collect()
    }
}
