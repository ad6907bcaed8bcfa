//! Builds a [`Session`] from what the user has: the one place where models, tools and the loop meet.
//!
//! Programs that embed omp use this crate; the command line is one of them. Provide what you want to decide
//! yourself, leave out what should be discovered.

mod adapt;
mod environment;
mod prompt;
mod record;
mod session;

pub use environment::{Environment, ProcessEnvironment};
pub use omp_agent::{AgentError, Chain, Control, Fallbacks, Listener, Outcome, Prompt};
pub use omp_config::{Directories, DirectoryError};
pub use omp_llm::registry::Availability;
pub use omp_session::{Header as SessionHeader, terminal_id};
pub use omp_tools::NAMES as TOOL_NAMES;
pub use prompt::PromptOptions;
pub use session::{
    ModelRow, Persistence, Session, SessionError, SessionOptions, SessionRow, SessionScope, ToolFilter,
    list_models, list_sessions,
};
