//! What a session is built from.

use std::path::PathBuf;
use std::sync::Arc;

use omp_agent::Fallbacks;
use omp_config::Directories;
use omp_types::ThinkingLevel;

use crate::environment::Environment;
use crate::prompt::PromptOptions;

/// What a session is built from. Everything left at its default is discovered.
pub struct SessionOptions {
    pub cwd: PathBuf,
    pub directories: Directories,
    pub environment: Arc<dyn Environment>,
    pub model: Option<String>,
    pub provider: Option<String>,
    pub api_key: Option<String>,
    pub thinking: Option<ThinkingLevel>,
    pub prompt: PromptOptions,
    pub tools: ToolFilter,
    pub service_tier: Option<String>,
    pub provider_session_id: Option<String>,
    pub prompt_cache_key: Option<String>,
    /// Models that take over when the chosen one fails.
    pub fallbacks: Fallbacks,
    pub persistence: Persistence,
    /// One directory for the sessions of all projects.
    pub session_dir: Option<PathBuf>,
    /// Identifies the terminal, so that `--continue` finds what was done in it.
    pub terminal: Option<String>,
}

/// Where the conversation begins and whether it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Persistence {
    /// A new session, saved with its first answer.
    #[default]
    New,
    /// Nothing is written.
    Off,
    /// The last session of this terminal or project, or a new one.
    Continue,
    /// An id, the beginning of one, or a path.
    Resume(String),
    /// A copy of that session, in this project.
    Fork(String),
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
