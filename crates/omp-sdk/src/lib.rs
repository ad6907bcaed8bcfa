//! Builds a [`Session`] from what the user has: the one place where models, tools and the loop meet.
//!
//! Programs that embed omp use this crate; the command line is one of them. Provide what you want to decide
//! yourself, leave out what should be discovered.

mod account;
mod adapt;
mod aws;
mod bundled;
mod configure;
mod effort;
mod environment;
mod error;
mod expand;
mod google;
mod hosts;
mod knowledge;
mod listing;
mod logins;
mod models;
mod open;
mod options;
mod prompt;
mod record;
mod roles;
mod session;
mod setup;
mod store;

pub use effort::Effort;
pub use environment::{Environment, LayeredEnvironment, ProcessEnvironment};
pub use error::SessionError;
pub use knowledge::{list_sources, load_settings};
pub use listing::{CanonicalRow, CostRow, ModelListing, ModelRow, ThinkingRow, list_models};
pub use logins::{CredentialError, Freshness, LoginKind, LoginRow, client, credential, list_logins};
pub use omp_agent::{AgentError, Chain, Control, Fallbacks, Listener, Outcome, Prompt};
pub use omp_auth as auth;
pub use omp_config::discovery::{Level, SourceRow, Sources};
pub use omp_config::settings;
pub use omp_config::{Directories, DirectoryError, Profile, alias, xdg};
pub use omp_extend::{CommandRow, CommandSource, Commands};
pub use omp_llm::registry::Availability;
pub use omp_session::{Header as SessionHeader, terminal_id};
pub use omp_tools::NAMES as TOOL_NAMES;
pub use options::{Persistence, RuleChoice, SessionOptions, SkillChoice, ToolFilter};
pub use prompt::{PromptOptions, PromptReport, SectionSize, ToolSize};
pub use roles::RoleCycle;
pub use session::Session;
pub use store::{SessionRow, SessionScope, list_sessions};
