//! MCP servers of a session: which ones there are ([`definitions`], [`file`]), their tools in the session's list ([`tool`],
//! [`registry`]), what they may ask of the session ([`host`]), their resources and prompts, and what is kept of them
//! ([`kept`]). What they need of the session is behind two traits ([`link`]).
//!
//! Nobody waits for a server. What a server offered last time is offered from the start; a call connects it. Servers that were
//! never seen are connected in the background, and their tools join the session's list when they are known.

mod consent;
mod controls;
pub mod definitions;
mod file;
mod host;
mod kept;
mod link;
mod output;
mod prompt_values;
mod prompts;
mod registry;
mod resources;
mod session;
mod tool;

pub use omp_mcp::{
    CallOptions, Callback, CallbackWanted, Consent, Content, LoginError, ServerEvent, ServerState,
    ServerStatus, Tool as ServerTool, ToolResult, form,
};

pub use consent::PersonConsent;
pub use controls::{McpServerRow, McpServers, ReloadedServers};
pub use definitions::{ConfiguredServer, ConfiguredServers, ServerUsage};
pub use file::{McpFileError, add_server, mcp_file, remove_server, switch_server};
pub use host::conversation;
pub use link::{ServerProject, ServerSession, WantedTools};
pub use output::plain;
pub use prompt_values::PromptOffer;
pub use prompts::McpPromptCommand;
pub use registry::is_named;
pub use resources::McpScheme;
pub use session::{SessionMcp, SessionMcpOptions};
