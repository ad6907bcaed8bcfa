//! Builds a [`Session`] from what the user has: the one place where models, tools and the loop meet.
//!
//! Programs that embed omp use this crate; the command line is one of them. Provide what you want to decide
//! yourself, leave out what should be discovered.

#![warn(missing_docs)]

mod clock;
mod compaction;
mod configure;
mod environment;
mod error;
pub mod extensions;
mod guard;
pub mod hooks;
pub mod marketplaces;
pub mod mcp;
mod modes;
pub mod plugins;
mod project_kind;
mod prompt;
mod replay;
mod request;
mod saved;
mod secrets;
mod session;
mod side_tasks;
mod tools;

pub use compaction::{BranchSummaryError, CompactError, Compacted, HandoffError, ShakeReport};
pub use environment::{LayeredEnvironment, ProcessEnvironment};
pub use error::SessionError;
pub use guard::file_borders::reading_borders;
pub use guard::permissions::{Explanation, Permission, Permissions};
pub use guard::sandbox::{NO_SANDBOX, RungStatus};
pub use guard::trust::{ProjectTrust, TrustRow, TrustedProject, local_time, trusted_projects};
pub use guard::{ApprovalRequest, Asker, Reply};
pub use modes::{Driver, ModeError};
pub use omp_agent::UpkeepError;
pub use omp_agent::{
    AgentError, Backlog, Chain, Clock, Control, Fallbacks, Listener, Outcome, Prompt, PromptForm,
};
pub use omp_agent::{Invocation, McpOrigin, Tool, ToolError, ToolOrigin};
pub use omp_auth as auth;
pub use omp_auth::{
    CredentialError, Environment, Freshness, LoginKind, LoginRow, SignIn, SignInError, SignedIn, Verdict,
    client, credential, list_logins, verify_key,
};
pub use omp_auth::{
    PastQuota, QuotaAnswer, QuotaError, QuotaHistoryError, QuotaReport, QuotaWindow, Quotas,
    past_quotas_text, quotas_text, redact_accounts,
};
pub use omp_compaction::Shake;
pub use omp_config::TrustError;
pub use omp_config::discovery::{Level, PluginRegistry, PluginState, SourceRow, Sources};
pub use omp_config::settings;
pub use omp_config::{Directories, DirectoryError, Profile, alias, expand_home, xdg};
pub use omp_export::dump::Form as DumpForm;
pub use omp_export::share::Shared;
pub use omp_export::{Color as PageColor, Palette as PagePalette, Theme as PageTheme};
pub use omp_extend::{CommandRow, CommandSource, Commands};
pub use omp_guard::approval::Mode as ApprovalMode;
pub use omp_guard::question::Question;
pub use omp_guard::rules::Scope;
pub use omp_guard::trust::{Agreement, Want, WantKind};
pub use omp_history::{
    Action as FileAction, Change as FileChange, Others as OtherChanges, Plan as FilePlan,
    Restored as RestoredFiles,
};
pub use omp_import::Source as ImportSource;
pub use omp_jobs::{Snapshot as JobSnapshot, Status as JobStatus};
pub use omp_llm::Secret;
pub use omp_llm::registry::{Availability, CanonicalModel, ScopedModel};
pub use omp_models::{
    BenchFigures, BenchPlan, BenchRow, BenchRun, CacheAtStake, CacheMiss, CacheReport, CanonicalRow,
    CauseTotal, ChoiceError, ContextPart, ContextUse, CostRow, Effort, ListState, ListStatus, MissCause,
    ModelListing, ModelOptions, ModelRow, ProfileError, ProfileRow, ProviderAdded, ProviderPreset, RoleCycle,
    Survey, ThinkingRow, add_provider, has_provider, list_models, list_profiles, load_registry,
    registry_loader, role_names, survey_models,
};
pub use omp_modes::{LoopLimit, LoopUsage, PlanChoice, PlanReview, PlanState, PlanVerdict, Ui, parse_budget};
pub use omp_replay::line::{FrameRow as ScreenRow, Screen as ScreenEntry};
pub use omp_replay::{Deck, Divergence, Player, Recorder, Report as ReplayReport, comes_again};
pub use omp_session::{self as sessions, Header as SessionHeader, IfHeld, Origin, terminal_id};
pub use omp_ssh as ssh;
pub use omp_stats as stats;
pub use omp_tools::{AskAnswer, AskOption, AskQuestion, Dialog, Ended, Questioner};
pub use omp_tools::{Borders, SandboxStatus};
pub use omp_tools::{Phase, Status as TaskStatus, Task, from_markdown, to_markdown};
pub use omp_tools::{PtyView, UserCommand};
pub use omp_types::TOOL_NAMES;
pub use project_kind::ProjectKind;
pub use prompt::attach::{Attached, read_attachments};
pub use prompt::discovered::{DiscoveredItem, DiscoveredState};
pub use prompt::input::keyword_spans;
pub use prompt::knowledge::{list_sources, load_settings};
pub use prompt::{PromptOptions, PromptReport, SectionSize, ToolSize};
pub use replay::{Answers as PlaybackAnswers, Playback, PlaybackError, incomplete, record, replay};
pub use saved::import::ImportFailure;
pub use saved::prompt_history::{HistoryQuery, TypedPrompt, typed_prompts};
pub use saved::session_list::SessionList;
pub use saved::share::ShareError;
pub use saved::statistics::{DashboardError, UsageStatistics, tool_reports};
pub use saved::store::find_session;
pub use saved::{FoundEntry, NewBranch, SavedError, SavedSessions, SessionRow, SessionScope};
pub use secrets::masking::Masking;
pub use session::Session;
pub use session::conversation_tree::Moved;
pub use session::host::{Arrival, Host, Outfit, SwitchError};
pub use session::live_settings::{SettingEffect, setting_effect};
pub use session::model_switch::Direction;
pub use session::models::ModelChoice;
pub use session::options::{
    People, Persistence, ProviderOptions, Ptys, RuleChoice, SessionOptions, SkillChoice, TerminalOptions,
    ToolFilter,
};
pub use session::parts::{
    BackgroundJobs, ContextWindow, ConversationTree, FileHistory, GoalMode, McpServers, PlanMode,
    ProjectLanguageServers, PromptCache, PromptInput, SessionAccounts, SessionConfiguration, SessionModels,
    SideTasks, TaskList, Transcript, UserShell, Workspace,
};
pub use session::reload::Reloaded;
pub use session::rewind::{RewindError, RewindPoint, RewindWhat, Rewound};
pub use session::roots::{RootError, workspace_root};
pub use session::statistics::Statistics;
pub use session::user_command::Audience;
pub use side_tasks::bench::bench;
pub use side_tasks::consult::{Consultant, Consultation, Consulted};
pub use side_tasks::side_question::AsideError;
pub use tools::gated::GatedTools;
pub use tools::language_servers::{LanguageServer, ServerState};
pub use tools::ssh_hosts::{ssh_hosts, ssh_hosts_file};
pub use tools::workbench::Workbench;
