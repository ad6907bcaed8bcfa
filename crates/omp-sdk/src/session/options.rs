//! What a session is built from.

use std::path::PathBuf;
use std::sync::Arc;

use omp_agent::{Clock, Fallbacks, Tool};
use omp_auth::Environment;
use omp_config::Directories;
use omp_config::settings::Settings;
use omp_import::Source;
use omp_models::ModelOptions;
use omp_modes::Ui;
use omp_replay::Deck;
use omp_session::IfHeld;
use omp_tools::{PtyView, Questioner};
use omp_types::CacheRetention;

use crate::extensions::{Began, ExtensionChoice};
use crate::guard::Asker;
use crate::prompt::PromptOptions;

/// What a session is built from. Everything left at its default is discovered.
pub struct SessionOptions {
    /// Where the session works.
    pub cwd: PathBuf,
    /// Where the files of the user are.
    pub directories: Directories,
    /// Directories that the session works in besides its own.
    pub roots: Vec<PathBuf>,
    /// Variables and credentials.
    pub environment: Arc<dyn Environment>,
    /// `None` reads the user's and the project's files.
    pub settings: Option<Settings>,
    /// Which model answers, and with which key.
    pub model: ModelOptions,
    /// What providers are told about the session.
    pub provider: ProviderOptions,
    /// Models that take over when the chosen one fails; `None` asks the settings.
    pub fallbacks: Option<Fallbacks>,
    /// What the model is told before the conversation.
    pub prompt: PromptOptions,
    /// Which built-in tools the model gets.
    pub tools: ToolFilter,
    /// Tools that the embedding program brings, offered behind the built-in ones. [`Tool::origin`] says whether a
    /// model may have to search for them.
    pub own_tools: Vec<Arc<dyn Tool>>,
    /// Which skills are used.
    pub skills: SkillChoice,
    /// Whether rules are used.
    pub rules: RuleChoice,
    /// Who answers when the session asks.
    pub people: People,
    /// The terminal that the session runs in, where there is one.
    pub terminal: TerminalOptions,
    /// Time and chance; `None` is the machine's own.
    pub clock: Option<Arc<dyn Clock>>,
    /// Where the conversation begins, and whether it is kept.
    pub persistence: Persistence,
    /// What to do when another process has the session open.
    pub if_held: IfHeld,
    /// One directory for the sessions of all projects.
    pub session_dir: Option<PathBuf>,
    /// Records the session, or plays one that was recorded.
    pub deck: Option<Deck>,
    /// A binary that is the embedded shell when its first argument is `__shell`, for machines without bash.
    pub embedded_shell: Option<PathBuf>,
    /// Another session of the program ends for this one.
    pub replaces: bool,
    /// Which extensions are loaded.
    pub extensions: ExtensionChoice,
    /// How the session comes about.
    pub began: Began,
}

/// What providers are told about a session, beside its requests.
#[derive(Clone, Debug, Default)]
pub struct ProviderOptions {
    /// The tier that requests ask for; `None` asks the settings.
    pub service_tier: Option<String>,
    /// The name that the provider knows the conversation by; `None` is the session's own id.
    pub session_id: Option<String>,
    /// A key under which the provider caches prompts.
    pub prompt_cache_key: Option<String>,
    /// How long providers should keep the prompt, whatever the models' descriptions say.
    pub cache_retention: Option<CacheRetention>,
}

/// Who answers when the session asks. Without anybody nothing is approved and nothing is asked.
#[derive(Clone, Default)]
pub struct People {
    /// Who is asked about calls that need approval; without anybody they do not run.
    pub asker: Option<Arc<dyn Asker>>,
    /// Who answers the model's questions; without anybody it has no tool to ask with.
    pub questioner: Option<Arc<dyn Questioner>>,
    /// Who reviews plans; without anybody none is approved.
    pub ui: Option<Arc<dyn Ui>>,
}

/// The terminal that a session runs in.
#[derive(Clone, Default)]
pub struct TerminalOptions {
    /// Where a person sees commands on a terminal; without it no command gets one.
    pub view: Option<Arc<dyn PtyView>>,
    /// Whether commands may get a terminal at all.
    pub ptys: Ptys,
    /// Identifies the terminal, so that `--continue` finds what was done in it.
    pub id: Option<String>,
    /// Columns and rows.
    pub size: Option<(u16, u16)>,
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
            model: ModelOptions::default(),
            provider: ProviderOptions::default(),
            fallbacks: None,
            prompt: PromptOptions::default(),
            tools: ToolFilter::All,
            own_tools: Vec::new(),
            skills: SkillChoice::All,
            rules: RuleChoice::All,
            people: People::default(),
            terminal: TerminalOptions::default(),
            clock: None,
            persistence: Persistence::New,
            if_held: IfHeld::Refuse,
            session_dir: None,
            deck: None,
            embedded_shell: None,
            replaces: false,
            extensions: ExtensionChoice::default(),
            began: Began::default(),
        }
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
    /// All of them.
    #[default]
    All,
    /// None of them.
    None,
    /// Names in lower case; unknown ones become warnings.
    Only(Vec<String>),
}

/// Whether commands may run on a pseudo-terminal. `PI_NO_PTY=1` forbids it too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ptys {
    /// Where somebody can see it.
    #[default]
    Allowed,
    /// Not at all.
    Never,
}

/// Which skills are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SkillChoice {
    /// All of them.
    #[default]
    All,
    /// None of them.
    None,
    /// Globs over names.
    Only(Vec<String>),
}

/// Whether rules are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleChoice {
    /// All of them.
    #[default]
    All,
    /// None of them.
    None,
}
