//! Conversations on disk.
//!
//! A session is one JSONL file: a header line, then one entry a line. Entries name their parent, so the file is a
//! log and the conversation a tree; going back moves a pointer and the next append grows a new branch. Nothing
//! that was written is edited. The file is private to the user (mode 0600, directories 0700).
//!
//! | part | what it does |
//! |---|---|
//! | [`Sessions`] | finds directories and files: create, open, list, resolve, continue, fork, move |
//! | [`SessionWriter`] | grows one conversation and saves it as it grows |
//! | [`Loaded`] | a file as it was read: header, entries, tree |
//! | [`Context`] | what a model is told of a loaded conversation, and the state in force at its end |
//!
//! What a version does not know, it keeps: files are changed only by appending lines, or by a rewrite that copies
//! every line it has no reason to touch. The crate knows nothing of models, tools, terminals or the environment;
//! all paths are handed in.
//!
//! # How safe is a saved entry?
//!
//! An entry goes to the kernel in one `write` before `append` returns, so it survives the death of the program in
//! any way. [`SessionWriter::flush`] forces it to the disk, so that it survives the loss of power; call it when a
//! run ends, before switching or forking, and on the way out. A line that was cut off by a crash or a full disk is
//! skipped when loading and closed with a newline before the next append.

mod breadcrumb;
mod context;
mod entry;
mod file;
mod fork;
mod header;
mod id;
mod layout;
mod list;
mod load;
mod message;
mod migrate;
mod relocate;
mod resolve;
mod rewrite;
mod sessions;
mod slice;
mod time;
mod writer;

pub use breadcrumb::{Breadcrumb, terminal_id};
pub use context::Context;
pub use entry::{
    Attribution, BranchSummary, Compaction, Custom, CustomMessageEntry, Entry, EntryKind, Label,
    McpToolSelection, MessageEntry, ModeChange, ModelChange, ServiceTierChange, SessionInit,
    ThinkingLevelChange, TtsrInjection,
};
pub use fork::ForkError;
pub use header::{Header, TitleSource, VERSION};
pub use layout::SessionsRoot;
pub use list::{NO_MESSAGES, SessionInfo, Status};
pub use load::{LoadError, Loaded, load};
pub use relocate::MoveError;
pub use resolve::{Continue, Origin, ResolveError, Resolved};
pub use rewrite::CopyError;
pub use sessions::{NewSession, OpenError, Sessions};
pub use writer::{NoSuchEntry, SaveError, SessionWriter};
