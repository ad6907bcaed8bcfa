//! A conversation for people outside the program.
//!
//! | part | what it makes |
//! |---|---|
//! | [`html`] | one self-contained page: the tree, messages, tool calls, diffs, images, costs, sub-agents |
//! | [`dump`] | the conversation as text, compact or complete |
//! | [`share`] | a snapshot that only the holder of the link can open |
//!
//! All of them read a [`SessionView`], which is a session file or a conversation in memory. A file is read line by
//! line, so memory grows with the number of entries and the longest of them, never with the size of the file.
//!
//! What is in a session is not trusted: it holds answers of models, web pages and output of commands. Markup leaves
//! this crate through one type that takes constants as they are and escapes everything else, and the page forbids
//! itself every request and every script but its own.
//!
//! The crate starts no process and opens no connection; uploading runs through [`share::Host`], which is handed in.

mod code;
mod diff;
pub mod dump;
mod images;
mod line;
mod markdown;
mod markup;
mod number;
mod outline;
mod page;
pub mod share;
mod target;
mod view;

pub use page::{Color, HtmlError, PageOptions, Palette, Theme, html};
pub use target::{TargetError, target};
pub use view::{SessionView, ViewError};
