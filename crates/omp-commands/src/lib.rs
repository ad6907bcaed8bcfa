//! Commands that the program itself answers: `/name arguments`.
//!
//! - [`BUILTINS`]: all of them, in one table.
//! - [`call`]: the command that a line calls. What is none goes to the session as a prompt, where skills, Markdown commands
//!   and templates are expanded; [`listed`] names all of them with their sources.
//! - [`answer`]: does what a command asks for and says what came of it, the same in a terminal and over a protocol.
//!
//! Nothing here draws. What only a screen can do is left to whoever has one: [`Answer::Screen`].

mod answer;
mod call;
mod listing;
mod run;
mod table;
mod text;

pub use answer::{Answer, Columns};
pub use call::{Builtin, Call, Place, call, named};
pub use listing::{Listed, listed};
pub use run::{Desk, answer};
pub use table::BUILTINS;
pub use text::changelog::{changelog, changelog_of};
pub use text::rewinding::report as file_report;
pub use text::todo::changed_tasks;
