//! Conversations on disk.
//!
//! A session is one JSONL file: a header line, then one entry a line. Entries name their parent, so the file is a
//! log and the conversation a tree; going back moves a pointer and the next append grows a new branch. Nothing
//! that was written is edited. The file is private to the user (mode 0600, directories 0700).
//!
//! | part | what it does |
//! |---|---|
//! | [`Sessions`] | finds directories and files: create, resume, list, resolve, continue, fork, branch, move, delete |
//! | [`SessionWriter`] | grows one conversation and saves it as it grows |
//! | [`Opened`], [`Archive`] | a session to continue, of any length, and a look back into it |
//! | [`Loaded`] | a whole file in memory: header, entries, tree |
//! | [`Context`] | what a model is told of a conversation, and the state in force at its end |
//! | [`Tree`], [`search`] | finding a place in a conversation and going there |
//! | [`BlobStore`], [`Artifacts`], [`AgentOutputs`] | images, full outputs of tools, words of sub-agents |
//! | [`fsck`], [`Sessions::recover`], [`Sessions::gc_plan`] | checking, repairing, making room |
//! | [`PromptHistory`] | what was typed, in all sessions |
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
//!
//! When the disk refuses, the conversation continues in memory, the problem is told once, and everything is saved as
//! soon as that is possible. A file of a later format is only read. Two processes on one session know of each other
//! by a lock file, and each grows its own branch unless one takes the session over.
//!
//! # What lies beside a session file?
//!
//! | name | what it is |
//! |---|---|
//! | `<name>/` | artifacts, outputs of sub-agents, requests beside the conversation |
//! | `<name>.jsonl.index` | where the entries of a long session are; made again when it is missing or does not fit |
//! | `<name>.jsonl.lock` | which process has the session open; gone when it is closed |
//! | `<name>.jsonl.unreadable` | a file that was no session, put aside by earlier versions of this program |

mod archive;
mod artifacts;
mod blobs;
mod branch;
mod breadcrumb;
mod change;
mod context;
mod delete;
mod entry;
mod envelope;
mod file;
mod foreign;
mod fork;
mod fsck;
mod gc;
mod header;
mod history;
mod id;
mod index;
mod layout;
mod legacy;
mod lines;
mod list;
mod listing;
mod load;
mod lock;
mod message;
mod migrate;
mod open;
mod outputs;
mod persist;
mod rank;
mod raw;
mod recover;
mod rehydrate;
mod relocate;
mod rename;
mod resolve;
mod retried_answers;
mod rewrite;
mod save;
mod search;
mod sessions;
mod shared;
mod side_requests;
mod slice;
mod sys;
mod time;
mod title;
mod title_slot;
mod tree;
mod usage;
mod writer;

pub use archive::{Archive, Recent, Way};
pub use artifacts::{
    ArtifactError, Artifacts, FILE_HISTORY, NewArtifact, artifacts_directory, find_artifact,
};
pub use blobs::{BlobHash, BlobStore};
pub use branch::{BranchError, Branched};
pub use breadcrumb::{Breadcrumb, terminal_id};
pub use change::Naming;
pub use context::{Context, PLAN_APPROVED, TEMPORARY_ROLE, since_reset};
pub use retried_answers::is_repeated;
// All of them, so that a new kind is a change of its own file.
pub use entry::*;
pub use fork::{Copied, ForkError};
pub use fsck::{Checkup, Damage, Finding, fsck};
pub use gc::{Garbage, GcItem, GcPlan, GcPolicy, GcReport};
pub use header::{Header, TitleSource, VERSION};
pub use history::{HistoryError, Prompt, PromptHistory};
pub use layout::SessionsRoot;
pub use list::{MOST_LISTED, MessagesText, NO_MESSAGES, SessionInfo, Status};
pub use load::{LoadError, Loaded, load, read_entries};
pub use lock::Holder;
pub use open::{IfHeld, OpenError, Opened};
pub use outputs::{AgentOutputs, OutputError, find_output};
pub use rank::rank_sessions;
pub use recover::Recovery;
pub use relocate::MoveError;
pub use resolve::{Continue, Origin, ResolveError, Resolved};
pub use rewrite::CopyError;
pub use save::{SaveError, SyncPolicy};
pub use search::{Hit, search};
pub use sessions::{NewSession, Sessions};
pub use shared::SharedWriter;
pub use side_requests::{append_side_requests, side_requests};
pub use slice::header_of;
pub use title::humanize_title;
pub use tree::{Navigation, Tree, TreeFilter, TreeNode, TreeRow};
pub use usage::{Amount, Usage};
pub use writer::{NoSuchEntry, SessionWriter};
