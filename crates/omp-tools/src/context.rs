//! What the tools of one session share.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use omp_agent::ToolError;
use omp_history::History;
use omp_jobs::Jobs;
use omp_shell::{Environment, Scope};
use omp_web::Web;
use omp_workspace::path::Base;
use omp_workspace::scans::Scans;

use crate::borders::Borders;
use crate::commands::Commands;
use crate::edit::EditMode;
use crate::inspect_image::Vision;
use crate::lsp::LanguageServers;
use crate::modes::Modes;
use crate::pending::Pending;
use crate::resources::{InternalUrl, Resources};
use crate::seen_files::SeenFiles;
use crate::settings::Settings;
use crate::spills::{NoSpills, Spills};
use crate::ssh::SshHosts;
use crate::todo::TodoList;

/// The agent that a person talks to.
pub const MAIN_AGENT: &str = "Main";

/// The surroundings of a tool call.
pub struct Context {
    /// The session's working directory, absolute.
    pub cwd: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// Where files may be written without a question, and which are never read.
    pub borders: Borders,
    /// Does the user trust what the project runs?
    pub is_trusted: Arc<dyn Fn() -> bool + Send + Sync>,
    /// What runs commands, and what confines them.
    pub commands: Commands,
    /// The clock, for ages in listings.
    pub now: fn() -> SystemTime,
    pub settings: Settings,
    /// Internal URLs.
    pub resources: Resources,
    /// Pages of the web (`fetch.enabled`); without it none are read.
    pub web: Option<Arc<Web>>,
    /// Lists of files for completions. Every change by a tool is told to it.
    pub scans: Arc<Scans>,
    /// Whole outputs of which only a part is shown.
    pub spills: Arc<dyn Spills>,
    /// The list of tasks.
    pub todos: Arc<TodoList>,
    /// What the model was shown of files.
    pub(crate) seen: SeenFiles,
    /// Changes that were shown and wait for a decision.
    pub pending: Pending,
    /// What files were before a tool changes them; `None` if nothing is kept.
    pub history: Option<Arc<History>>,
    /// What runs in the background; without it nothing does.
    pub jobs: Option<Arc<Jobs>>,
    /// Machines that commands can be run on.
    pub ssh: Option<Arc<SshHosts>>,
    /// Language servers; without them nothing is formatted or checked.
    pub lsp: Option<Arc<LanguageServers>>,
    /// The agent whose tools these are, as jobs name their owner.
    pub agent: String,
    /// Checkpoints, questions, plans and goals.
    pub modes: Arc<Modes>,
    /// Chooses the models that look at pictures; known when the session has its models.
    pub vision: OnceLock<Arc<dyn Vision>>,
}

impl Context {
    /// A context in an empty directory, which lives as long as the first value.
    #[cfg(test)]
    pub(crate) fn in_temporary_directory() -> (tempfile::TempDir, Self) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cwd = directory.path().canonicalize().expect("it exists");
        let context = Self::new(cwd, None, Arc::new(Scope::new()), Environment::default());
        (directory, context)
    }

    /// A context with the system's clock, the default settings, no internal URLs and nothing kept.
    pub fn new(cwd: PathBuf, home: Option<PathBuf>, scope: Arc<Scope>, environment: Environment) -> Self {
        let own: Vec<PathBuf> = home.iter().map(|home| home.join(".omp")).collect();
        let borders = Borders::new(std::slice::from_ref(&cwd), home.as_deref(), &own);
        Self {
            cwd,
            home,
            borders,
            is_trusted: Arc::new(|| false),
            commands: Commands::new(scope, environment),
            now: SystemTime::now,
            settings: Settings::default(),
            resources: Resources::default(),
            web: None,
            scans: Arc::default(),
            spills: Arc::new(NoSpills),
            todos: Arc::default(),
            seen: SeenFiles::default(),
            pending: Pending::default(),
            history: None,
            jobs: None,
            ssh: None,
            lsp: None,
            agent: MAIN_AGENT.to_owned(),
            modes: Arc::default(),
            vision: OnceLock::new(),
        }
    }

    /// Are files shown with the anchors of the edit tool?
    pub(crate) fn shows_anchors(&self) -> bool {
        let Settings { read, edit, .. } = &self.settings;
        read.hash_lines && edit.active && edit.mode == EditMode::Hashline
    }

    /// The file that a typed path means, also behind an internal URL. May wait for the disk.
    pub(crate) fn file(&self, typed: &str) -> Result<PathBuf, ToolError> {
        match InternalUrl::parse(typed) {
            Some(url) => self.resources.locate(&url).map_err(ToolError::new),
            None => self.base().resolve(typed).map_err(|error| ToolError::new(error.to_string())),
        }
    }

    /// The file that a typed path means, for a tool that changes it. What can only be read is refused.
    pub(crate) fn file_to_change(&self, typed: &str) -> Result<PathBuf, ToolError> {
        match InternalUrl::parse(typed) {
            Some(url) if self.resources.serves(&url) && !self.resources.creates_files(&url) => {
                Err(ToolError::new(format!("'{url}' is read-only.")))
            }
            _ => self.file(typed),
        }
    }

    pub(crate) fn base(&self) -> Base<'_> {
        Base { cwd: &self.cwd, home: self.home.as_deref() }
    }
}
