//! Commands that the program itself answers: `/name arguments`.
//!
//! - [`BUILTINS`]: all of them, in one table, each with its [`Handler`].
//! - [`interpret`]: what a submitted line means, in every interface. What is no built-in command goes to the session as a
//!   prompt, where skills, Markdown commands and templates are expanded; [`listed`] names all of them with their sources.
//! - [`unknown`]: what is said about a command that nobody knows.
//! - [`answer`]: does what a command asks for and says what came of it, the same in a terminal and over a protocol.
//!
//! Nothing here draws. What only a screen can do is left to the caller that has one: [`Answer::Screen`].

mod answer;
mod builtin;
mod handler;
mod listing;
mod parse;
mod table;
mod text;
mod tips;
mod topics;
mod unknown;

pub use answer::{Answer, Columns};
pub use builtin::Builtin;
pub use handler::{CommandContext, Handler, ScreenCommand, TextCall, TextHandler, answer};
pub use listing::{Listed, ListedFor, listed};
pub use parse::{Call, Submission, call, interpret, named, reserved_names};
pub use table::BUILTINS;
pub use text::changelog::{changelog, changelog_of};
pub use text::extensions::extensions_report;
pub use text::mcp::{self, McpAction, McpDraft};
pub use text::packages;
pub use text::plugins::{self, MarketplaceAction, PluginOutcome};
pub use text::rewinding::report as file_report;
pub use text::todo::changed_tasks;
pub use tips::tip;
pub use topics::{OWN_TOPIC, topic_of};
pub use unknown::{as_prompt, unknown};
