//! What the tools of one session share.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use omp_agent::ToolError;
use omp_history::History;
use omp_jobs::Jobs;
use omp_patch::Fuzzy;
use omp_shell::session::{ShellSpec, Shells};
use omp_shell::{Ci, Environment, Limits, Scope, SecretNames};
use omp_web::Web;
use omp_workspace::milestones::Milestones;
use omp_workspace::path::Base;
use omp_workspace::scans::Scans;
use tokio::sync::OnceCell;

use crate::bash::{Interception, Minimizer, PtyView, SetInShell};
use crate::borders::Borders;
use crate::conflicts::Conflicts;
use crate::edit::EditMode;
use crate::inspect_image::Vision;
use crate::job::JobSettings;
use crate::lsp::LanguageServers;
use crate::modes::Modes;
use crate::pending::Pending;
use crate::resources::{InternalUrl, Resources};
use crate::sandbox::Sandbox;
use crate::shown::Shown;
use crate::spills::{NoSpills, Spills};
use crate::ssh::SshHosts;
use crate::todo::TodoList;
use crate::wording::Wording;

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
    /// Owns every process that a tool starts; they end with the session.
    pub scope: Arc<Scope>,
    /// The shells that commands run in. Another conversation gets fresh ones after [`Shells::close`].
    pub shells: Arc<Shells>,
    /// What commands see, before the tool adds its own: usually `Environment::inherited().without(…)`.
    pub environment: Environment,
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
    /// The texts that edits refer to.
    pub(crate) shown: Shown,
    /// Where lines of large files begin.
    pub(crate) milestones: Milestones,
    /// Changes that were shown and wait for a decision.
    pub pending: Pending,
    /// What files were before a tool changes them; `None` if nothing is kept.
    pub history: Option<Arc<History>>,
    /// Merge conflicts that were shown.
    pub(crate) conflicts: Conflicts,
    /// What runs in the background; without it nothing does.
    pub jobs: Option<Arc<Jobs>>,
    /// Machines that commands can be run on.
    pub ssh: Option<Arc<SshHosts>>,
    /// Language servers; without them nothing is formatted or checked.
    pub lsp: Option<Arc<LanguageServers>>,
    /// Where a person sees the terminals of commands; without it no command gets one.
    pub terminal: Option<Arc<dyn PtyView>>,
    /// What commands are confined to.
    pub sandbox: Arc<Sandbox>,
    /// The shell that commands run in, once the first of them has asked for it; without a sandbox.
    pub(crate) shell: OnceCell<Arc<ShellSpec>>,
    /// Where the last command left its shell.
    pub(crate) directory: Mutex<Option<PathBuf>>,
    /// What commands have set in it.
    pub(crate) set_in_shell: SetInShell,
    /// The agent whose tools these are, as jobs name their owner.
    pub agent: String,
    /// Checkpoints, questions, plans and goals.
    pub modes: Arc<Modes>,
    /// Chooses the models that look at pictures; known when the session has its models.
    pub vision: OnceLock<Arc<dyn Vision>>,
}

impl Context {
    /// A context with the system's clock, the default settings, no internal URLs and nothing kept.
    pub fn new(cwd: PathBuf, home: Option<PathBuf>, scope: Arc<Scope>, environment: Environment) -> Self {
        let own: Vec<PathBuf> = home.iter().map(|home| home.join(".omp")).collect();
        let borders = Borders::new(std::slice::from_ref(&cwd), home.as_deref(), &own);
        Self {
            cwd,
            home,
            borders,
            is_trusted: Arc::new(|| false),
            scope,
            shells: Arc::default(),
            environment,
            now: SystemTime::now,
            settings: Settings::default(),
            resources: Resources::default(),
            web: None,
            scans: Arc::default(),
            spills: Arc::new(NoSpills),
            todos: Arc::default(),
            shown: Shown::default(),
            milestones: Milestones::default(),
            pending: Pending::default(),
            history: None,
            conflicts: Conflicts::default(),
            jobs: None,
            terminal: None,
            sandbox: Arc::new(Sandbox::off()),
            shell: OnceCell::new(),
            directory: Mutex::default(),
            set_in_shell: SetInShell::default(),
            ssh: None,
            lsp: None,
            agent: MAIN_AGENT.to_owned(),
            modes: Arc::default(),
            vision: OnceLock::new(),
        }
    }

    /// Are files shown with the anchors of the edit tool?
    pub(crate) fn shows_anchors(&self) -> bool {
        self.settings.read_hash_lines
            && self.settings.edit_active
            && self.settings.edit_mode == EditMode::Hashline
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
                Err(ToolError::new(format!("'{url}' can only be read, not changed.")))
            }
            _ => self.file(typed),
        }
    }

    pub(crate) fn base(&self) -> Base<'_> {
        Base { cwd: &self.cwd, home: self.home.as_deref() }
    }
}

/// The user's settings, as far as tools obey them. The setting's name stands beside each field.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `read.defaultLimit`: lines of a read without an end.
    pub read_default_limit: u64,
    /// `readLineNumbers`: text with line numbers.
    pub read_line_numbers: bool,
    /// `readHashLines`: text with the anchors of the edit tool, wherever that tool is active.
    pub read_hash_lines: bool,
    /// `read.summarize.enabled`: show long programs as an outline.
    pub read_summarize: bool,
    /// `read.summarize.prose`: long texts for people, too.
    pub read_summarize_prose: bool,
    /// `PI_MAX_AST_FILES`: most files that one structural edit changes.
    pub ast_max_files: usize,
    /// How much the model is told about the tools.
    pub wording: Wording,
    /// The model has the edit tool.
    pub edit_active: bool,
    /// How the model describes an edit: `edit.mode`, or what the model's own variant says.
    pub edit_mode: EditMode,
    /// `edit.fuzzyMatch` and `edit.fuzzyThreshold`: accept text that is nearly that of the file.
    pub edit_fuzzy: Fuzzy,
    /// `edit.streamingAbort`: stop the model as soon as an edit cannot match.
    pub edit_streaming_abort: bool,
    /// `edit.blockAutoGenerated`: leave generated files alone.
    pub edit_block_generated: bool,
    /// `edit.enforceSeenLines`: refuse edits of lines that were never displayed.
    pub edit_enforce_seen_lines: bool,
    /// `search.contextBefore` and `search.contextAfter`: lines shown around a match.
    pub search_before: usize,
    pub search_after: usize,
    /// `shellPath`: the shell for commands, if it is not the system's bash. `embedded` is the one below.
    pub shell: Option<PathBuf>,
    /// Our own binary, if it can be the embedded shell: see `omp_shell::session::Engine`.
    pub embedded_shell: Option<PathBuf>,
    /// `bash.stripTrailingHeadTail`: drop a trailing limit of the output from commands.
    pub bash_strip_limits: bool,
    /// `bashInterceptor.*`: refuse commands for which the model has a better tool.
    pub interception: Interception,
    /// `shellMinimizer.*`: shorten the output of verbose programs.
    pub minimizer: Minimizer,
    /// The names of the tools that the model has.
    pub tools: Vec<String>,
    /// `PI_SHELL_PREFIX`: stands before every command.
    pub shell_prefix: Option<String>,
    /// `PI_BASH_NO_LOGIN`.
    pub login: Login,
    /// `PI_BASH_NO_CI`.
    pub ci: Ci,
    /// `async.*` and `bash.autoBackground.*`.
    pub jobs: JobSettings,
    /// `tools.maxTimeout`: seconds no command may exceed; 0 for no limit beyond the tool's own.
    pub max_timeout: u64,
    /// `images.autoResize`: scale pictures to what models accept.
    pub resize_images: bool,
    /// `images.blockImages`: never send pictures to a provider.
    pub block_images: bool,
    /// `tools.artifactSpillThreshold`, `tools.artifactHeadBytes`, `tools.artifactTailBytes`,
    /// `tools.artifactTailLines`, `tools.outputMaxColumns`.
    pub output: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            read_default_limit: 300,
            read_line_numbers: false,
            read_hash_lines: true,
            read_summarize: true,
            read_summarize_prose: false,
            ast_max_files: 1_000,
            wording: Wording::Full,
            edit_active: false,
            edit_mode: EditMode::Hashline,
            edit_fuzzy: Fuzzy::From(0.95),
            edit_streaming_abort: false,
            edit_block_generated: true,
            edit_enforce_seen_lines: false,
            search_before: 1,
            search_after: 3,
            shell: None,
            embedded_shell: None,
            bash_strip_limits: true,
            interception: Interception::Off,
            minimizer: Minimizer::default(),
            tools: Vec::new(),
            shell_prefix: None,
            login: Login::Off,
            ci: Ci::Announced,
            jobs: JobSettings::default(),
            max_timeout: 0,
            resize_images: true,
            block_images: false,
            output: Limits::default(),
        }
    }
}

/// Whether commands see what the user's login shell sets up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    Off,
    /// All but the variables named here.
    Without(SecretNames),
}
