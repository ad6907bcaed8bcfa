//! Builds a [`Session`] from what the user has: the one place where models, tools and the loop meet.
//!
//! Programs that embed omp use this crate; the command line is one of them. Provide what you want to decide
//! yourself, leave out what should be discovered.

mod account;
mod adapt;
mod artifacts;
mod aws;
mod bundled;
mod configure;
mod desk;
mod dials;
mod effort;
mod environment;
mod error;
mod expand;
mod export;
mod google;
mod guard;
mod hidden;
mod history;
mod host;
mod hosts;
mod import;
mod jobs;
mod knowledge;
mod list_cache;
mod listing;
mod lists;
mod logins;
mod machines;
mod models;
mod models_file;
mod modes;
mod open;
mod opening;
mod options;
mod others;
mod presets;
mod profiles;
mod prompt;
mod recent;
mod record;
mod resources;
mod restore;
mod roles;
mod saved;
mod session;
mod setup;
mod share;
mod shell;
mod store;
mod switch;
mod tls;
mod toolbox;
mod transport;
mod user_command;
mod verify;
mod web;

pub use desk::ModelChoice;
pub use effort::Effort;
pub use environment::{Environment, LayeredEnvironment, ProcessEnvironment};
pub use error::SessionError;
pub use guard::{ApprovalRequest, Asker, Reply};
pub use history::{HistoryQuery, TypedPrompt, typed_prompts};
pub use host::{Arrival, Host, Moved, Outfit, SwitchError};
pub use import::ImportFailure;
pub use knowledge::{list_sources, load_settings};
pub use listing::{
    CanonicalRow, CostRow, ModelListing, ModelRow, Survey, ThinkingRow, list_models, survey_models,
};
pub use lists::{ListState, ListStatus};
pub use logins::{CredentialError, Freshness, LoginKind, LoginRow, client, credential, list_logins};
pub use machines::{ssh_hosts, ssh_hosts_file};
pub use modes::{
    Driver, LoopLimit, LoopUsage, ModeError, PlanChoice, PlanReview, PlanState, PlanVerdict, Ui, parse_budget,
};
pub use omp_agent::{AgentError, Chain, Clock, Control, Fallbacks, Listener, Outcome, Prompt};
pub use omp_agent::{Invocation, McpOrigin, Tool, ToolError, ToolOrigin};
pub use omp_auth as auth;
pub use omp_config::discovery::{Level, SourceRow, Sources};
pub use omp_config::settings;
pub use omp_config::{Directories, DirectoryError, Profile, alias, xdg};
pub use omp_export::dump::Form as DumpForm;
pub use omp_export::{Color as PageColor, Palette as PagePalette, Theme as PageTheme};
pub use omp_extend::{CommandRow, CommandSource, Commands};
pub use omp_guard::question::Question;
pub use omp_import::Source as ImportSource;
pub use omp_jobs::{Snapshot as JobSnapshot, Status as JobStatus};
pub use omp_llm::Secret;
pub use omp_llm::registry::Availability;
pub use omp_session::{self as sessions, Header as SessionHeader, IfHeld, Origin, terminal_id};
pub use omp_ssh as ssh;
pub use omp_tools::NAMES as TOOL_NAMES;
pub use omp_tools::{AskAnswer, AskOption, AskQuestion, Dialog, Ended, Questioner};
pub use omp_tools::{PtyView, UserCommand};
pub use options::{Persistence, Ptys, RuleChoice, SessionOptions, SkillChoice, ToolFilter};
pub use presets::{ProviderAdded, ProviderPreset, add_provider};
pub use profiles::{ProfileError, ProfileRow, list_profiles};
pub use prompt::{PromptOptions, PromptReport, SectionSize, ToolSize};
pub use roles::{RoleCycle, role_names};
pub use saved::{FoundEntry, NewBranch, SavedError, SavedSessions, SessionRow, SessionScope};
pub use session::Session;
pub use share::ShareError;
pub use store::find_session;
pub use verify::{Verdict, verify_key};
