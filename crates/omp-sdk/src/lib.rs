//! Builds a [`Session`] from what the user has: the one place where models, tools and the loop meet.
//!
//! Programs that embed omp use this crate; the command line is one of them. Provide what you want to decide
//! yourself, leave out what should be discovered.

mod adapt;
mod environment;
mod error;
mod models;
mod options;
mod prompt;
mod record;
mod session;
mod store;

pub use environment::{Environment, ProcessEnvironment};
pub use error::SessionError;
pub use models::{ModelRow, list_models};
pub use omp_agent::{AgentError, Chain, Control, Fallbacks, Listener, Outcome, Prompt};
pub use omp_config::{Directories, DirectoryError};
pub use omp_llm::registry::Availability;
pub use omp_session::{Header as SessionHeader, terminal_id};
pub use omp_tools::NAMES as TOOL_NAMES;
pub use options::{Persistence, SessionOptions, ToolFilter};
pub use prompt::PromptOptions;
pub use session::Session;
pub use store::{SessionRow, SessionScope, list_sessions};
