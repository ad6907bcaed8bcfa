//! What a session is built from.

use std::path::PathBuf;
use std::sync::Arc;

use omp_agent::{Clock, Fallbacks, Tool};
use omp_config::Directories;
use omp_config::settings::Settings;
use omp_import::Source;
use omp_llm::Secret;
use omp_replay::Deck;
use omp_session::IfHeld;
use omp_tools::{PtyView, Questioner};
use omp_types::CacheRetention;

use crate::effort::Effort;
use crate::environment::Environment;
use crate::guard::Asker;
use crate::modes::Ui;
use crate::prompt::PromptOptions;

/// What a session is built from. Everything left at its default is discovered.
pub struct SessionOptions {
    pub cwd: PathBuf,
    pub directories: Directories,
    /// Directories that the session works in besides its own.
    pub roots: Vec<PathBuf>,
    pub environment: Arc<dyn Environment>,
    /// `None` reads the user's and the project's files.
    pub settings: Option<Settings>,
    /// Where models are described; `None` is the user's own file. May be YAML, or JSON with comments.
    pub models_file: Option<PathBuf>,
    pub model: Option<String>,
    /// Selectors of the models to work with; the first that can be used begins.
    pub models: Option<Vec<String>>,
    pub provider: Option<String>,
    /// A model profile for this session; `None` asks the settings.
    pub preset: Option<String>,
    pub api_key: Option<String>,
    /// A key for this session that belongs to one provider, whichever model is chosen.
    pub given_key: Option<(String, Secret)>,
    pub thinking: Option<Effort>,
    pub prompt: PromptOptions,
    pub tools: ToolFilter,
    /// Tools that the embedding program brings, offered behind the built-in ones. [`Tool::origin`] says whether a
    /// model may have to search for them.
    pub own_tools: Vec<Arc<dyn Tool>>,
    pub skills: SkillChoice,
    pub rules: RuleChoice,
    pub service_tier: Option<String>,
    pub provider_session_id: Option<String>,
    pub prompt_cache_key: Option<String>,
    /// How long providers should keep the prompt, whatever the models' descriptions say.
    pub cache_retention: Option<CacheRetention>,
    /// Models that take over when the chosen one fails; `None` asks the settings.
    pub fallbacks: Option<Fallbacks>,
    /// Who is asked about calls that need approval; without anybody they do not run.
    pub asker: Option<Arc<dyn Asker>>,
    /// Where a person sees commands on a terminal; without it no command gets one.
    pub terminal_view: Option<Arc<dyn PtyView>>,
    /// Whether commands may get a terminal at all.
    pub ptys: Ptys,
    /// Who answers the model's questions; without anybody it has no tool to ask with.
    pub questioner: Option<Arc<dyn Questioner>>,
    /// Who reviews plans; without anybody none is approved.
    pub ui: Option<Arc<dyn Ui>>,
    /// Time and chance; `None` is the machine's own.
    pub clock: Option<Arc<dyn Clock>>,
    pub persistence: Persistence,
    /// What to do when another process has the session open.
    pub if_held: IfHeld,
    /// One directory for the sessions of all projects.
    pub session_dir: Option<PathBuf>,
    /// Identifies the terminal, so that `--continue` finds what was done in it.
    pub terminal: Option<String>,
    /// Records the session, or plays one that was recorded.
    pub deck: Option<Deck>,
    /// Columns and rows of the terminal, where there is one.
    pub terminal_size: Option<(u16, u16)>,
    /// A binary that is the embedded shell when its first argument is `__shell`, for machines without bash.
    pub embedded_shell: Option<PathBuf>,
}

impl SessionOptions {
    /// A session that decides nothing by itself.
    pub fn new(cwd: PathBuf, directories: Directories, environment: Arc<dyn Environment>) -> Self {
        Self {
            cwd,
            directories,
            roots: Vec::new(),
            environment,
            settings: None,
            models_file: None,
            model: None,
            models: None,
            provider: None,
            preset: None,
            api_key: None,
            given_key: None,
            thinking: None,
            prompt: PromptOptions::default(),
            tools: ToolFilter::All,
            own_tools: Vec::new(),
            skills: SkillChoice::All,
            rules: RuleChoice::All,
            service_tier: None,
            provider_session_id: None,
            prompt_cache_key: None,
            cache_retention: None,
            fallbacks: None,
            asker: None,
            terminal_view: None,
            ptys: Ptys::Allowed,
            questioner: None,
            ui: None,
            clock: None,
            persistence: Persistence::New,
            if_held: IfHeld::Refuse,
            session_dir: None,
            terminal: None,
            deck: None,
            terminal_size: None,
            embedded_shell: None,
        }
    }

    /// Where models are described.
    pub(crate) fn models_file(&self) -> PathBuf {
        self.models_file.clone().unwrap_or_else(|| self.directories.models_file())
    }
}

/// Where the conversation begins and whether it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Persistence {
    /// A new session, saved with its first answer.
    #[default]
    New,
    /// A new session that names another one as its parent.
    NewFrom(PathBuf),
    /// Nothing is written.
    Off,
    /// The last session of this terminal or project, or a new one.
    Continue,
    /// An id, the beginning of one, or a path.
    Resume(String),
    /// A session file whose directory is gone; it is moved to this project.
    Move(PathBuf),
    /// A copy of that session, in this project.
    Fork(String),
    /// The most recent conversation that another program had in this directory.
    Import(Source),
}

/// Which built-in tools the model gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolFilter {
    #[default]
    All,
    None,
    /// Names in lower case; unknown ones become warnings.
    Only(Vec<String>),
}

/// Whether commands may run on a pseudo-terminal. `PI_NO_PTY=1` forbids it too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ptys {
    #[default]
    Allowed,
    Never,
}

/// Which skills are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SkillChoice {
    #[default]
    All,
    None,
    /// Globs over names.
    Only(Vec<String>),
}

/// Whether rules are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleChoice {
    #[default]
    All,
    None,
}
