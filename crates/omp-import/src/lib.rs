//! Conversations of other programs as sessions of this one.
//!
//! | part | what it does |
//! |---|---|
//! | [`discover`] | lists the conversations a program keeps below a home directory, by the heads of their files |
//! | [`import`] | turns one file into entries and hands them to a [`Sink`], in order |
//! | [`save`] | imports a file as a new session of its project |
//!
//! The formats are known from public descriptions and change without notice, so nothing is taken for granted: a record
//! that is not understood becomes a `custom` entry that names the program and holds the record, and the [`Report`]
//! counts what was understood, kept and left out. The files of the other program are only read.
//!
//! What is made of a conversation can be continued with any model: every tool call is followed by its result (by one
//! that says so, if there was none), the branches of the source are branches here, and what a provider signed is kept
//! for that provider. The last entry is a `custom` one named [`MARK`] that says where the session comes from.
//!
//! A file is read twice, line by line. Between the passes only the places of calls, results and ids are remembered,
//! about a hundred bytes a record; the text of the conversation is never held as a whole. A line of more than 32 MiB
//! is left out and reported.

mod claude;
mod codex;
mod discover;
mod emit;
mod error;
mod facts;
mod images;
mod import;
mod json;
mod lines;
mod pairs;
mod pi;
mod report;
mod save;
mod sink;
mod source;
mod thread;
mod time;

pub use discover::{FoundConversation, MOST_FILES, discover, discover_in};
pub use emit::MARK;
pub use error::ImportError;
pub use facts::Facts;
pub use import::{Imported, import};
pub use report::Report;
pub use save::{Saved, save};
pub use sink::{JsonlSink, Sink};
pub use source::Source;
