//! A session: one conversation, its model, its tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_agent::{Agent, AgentError, Control, Outcome, Prompt};
use omp_config::discovery::Discovery;
use omp_config::settings::Settings;
use omp_extend::Commands;
use omp_llm::Api;
use omp_session::Header;
use omp_shell::Scope;
use omp_types::UserContent;
use tokio_util::sync::CancellationToken;

use crate::bundled;
use crate::effort::Classifier;
use crate::expand::expand;
use crate::knowledge::{self, Knowledge};
use crate::prompt::PromptReport;
use crate::record::Record;

/// A conversation ready to be prompted.
pub struct Session {
    pub(crate) agent: Agent,
    pub(crate) scope: Arc<Scope>,
    pub(crate) record: Record,
    pub(crate) model: Arc<omp_llm::Model>,
    /// The user named a model or a provider.
    pub(crate) chosen: bool,
    pub(crate) settings: Settings,
    pub(crate) knowledge: Arc<Knowledge>,
    pub(crate) discovery: Discovery,
    pub(crate) report: PromptReport,
    /// Rates prompts when the effort is left to us.
    pub(crate) classifier: Option<Classifier>,
    pub(crate) models_file: PathBuf,
    pub(crate) warnings: Vec<String>,
}

impl Session {
    /// What the model is told before the conversation, and where its bytes go.
    pub fn prompt_report(&self) -> &PromptReport {
        &self.report
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Commands of the user and the project, behind `/<name>`.
    pub fn commands(&self) -> Commands {
        knowledge::commands(&self.discovery, &self.settings)
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

    /// Things the user should know, collected while the session was built.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn model_selector(&self) -> String {
        self.model.selector()
    }

    /// Did the session end up with the built-in tour because nothing else was there?
    pub fn fell_back_to_demo(&self) -> bool {
        self.model.api == Api::Demo && !self.chosen
    }

    /// Where the user describes providers and models.
    pub fn models_file(&self) -> &Path {
        &self.models_file
    }

    pub fn control(&self) -> Control {
        self.agent.control()
    }

    /// Runs one prompt until everything has settled. A prompt that begins with `/` and names a skill, a command or a
    /// template is expanded first.
    pub async fn prompt(&self, prompt: Prompt, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        let prompt = self.expand(prompt, &cancel).await?;
        if let Some(classifier) = &self.classifier {
            let level = classifier.rate(&prompt.content.text(), &cancel).await;
            self.agent.set_thinking(self.model.clamp_level(level)).await?;
        }
        self.agent.prompt(prompt, cancel).await
    }

    async fn expand(&self, prompt: Prompt, cancel: &CancellationToken) -> Result<Prompt, AgentError> {
        if let UserContent::Text(typed) = &prompt.content
            && let Some(text) = bundled::green(typed, &self.discovery.places().cwd, cancel).await
        {
            return Ok(Prompt::text(text));
        }
        let expansion = expand(prompt, &self.knowledge.skills, &self.settings, || self.commands());
        for message in expansion.warnings {
            self.agent.notice(message).await?;
        }
        Ok(expansion.prompt)
    }

    /// Ends every process the session started and makes sure that the conversation is on disk. What could not be
    /// saved is said.
    pub async fn close(self) -> Option<String> {
        self.scope.end().await;
        let mut writer = self.record.lock();
        writer.flush();
        writer.take_report()
    }
}
