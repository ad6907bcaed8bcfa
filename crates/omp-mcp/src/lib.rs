//! Servers of the Model Context Protocol.
//!
//! - [`definition`] is what a server is, from all the ways in which agents write it down.
//! - `transport` carries messages: processes, streamable HTTP, the event stream of 2024.
//! - `connection` speaks to one server, in whichever revision of the protocol it understands.
//! - [`manager`] keeps servers: connects them when asked, restarts them, gives up on them, parks them.
//! - [`auth`] logs in to servers that want it.
//! - [`content`], [`items`] and [`name`] are what servers give, as plain data; [`form`] is a tool as people call it.
//!
//! The protocol itself is the official SDK's (`rmcp`). Added to it are: processes in an [`omp_shell::Scope`], the older
//! event stream, limits for everything that is read, patience with servers that break the rules, checks of structured
//! results, and everything that makes many servers bearable.
//!
//! Nothing here knows of agents or terminals. What a server says is a stranger's text: it is bounded here and made harmless
//! by whoever shows it. Nothing is connected before somebody asks for it.

pub mod auth;
mod connection;
pub mod content;
pub mod definition;
mod error;
pub mod form;
#[doc(hidden)]
pub mod fuzzing;
mod handler;
pub mod host;
pub mod items;
mod limits;
mod log;
pub mod manager;
pub mod name;
mod schema;
pub mod server;
mod surroundings;
mod transport;

pub use auth::{Callback, CallbackWanted, Consent, LoginError, MemoryTokens, TokenStore};
pub use connection::{CallOptions, PartialArgument, PromptTurn, ServerInfo};
pub use content::{Content, ResourceBody, ResourceData, ToolResult};
pub use definition::{DefinitionError, Endpoint, Revision, ServerDefinition, parse};
pub use error::{CallError, ConnectError};
pub use handler::{Progress, ProgressSink};
pub use host::{Elicitation, ElicitationAnswer, Host};
pub use items::{Offer, Prompt, Resource, ResourceTemplate, Tool};
pub use log::Log;
pub use manager::{ServerEvent, ServerState, ServerStatus, Servers};
pub use name::tool_name;
pub use surroundings::Surroundings;
pub use transport::Connector;
