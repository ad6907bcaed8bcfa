//! The history of files: what they were before each prompt, and the way back.
//!
//! # What is captured
//!
//! A checkpoint belongs to a prompt. It is taken before the first call of that prompt that may change something, so a
//! prompt that only reads costs nothing. It has two parts:
//!
//! - **Tracked files.** In a git repository git is asked what differs from the last commit, files it does not know yet
//!   included. The content of those is copied; everything else is as in the commit, and is read from there when it is
//!   needed. Git is asked right before the first change, not earlier: what a person changes while the model thinks is
//!   theirs. It is asked to change nothing: no lock, no index, no object, no reference of the user's repository is written.
//! - **Declared files.** What a tool is about to change is copied before its first change, also where there is no git. So is
//!   what a command is known to delete or overwrite, ignored by git or not, unless it is too much.
//!
//! A second, cheaper look when the prompt has settled notes what became of the files, without copies. Two looks side by
//! side tell apart what happened while the model worked and what happened outside: what a person, an editor or another
//! session changed is never overwritten without a word. Where the second look is missing, because the program was killed or
//! the disk was full, everything that differs may be somebody else's. What is changed while a prompt works cannot be told
//! from what its commands do.
//!
//! A restore saves what it overwrites, reads the copy back and forces it to the disk before each file; a file for which
//! that fails stays as it is.
//!
//! # What is not protected
//!
//! Files that git ignores (but for those that a command is known to delete), files on other machines, files above the size
//! limit, special files, what commands change outside of a repository without saying so, and repositories for which git takes too long. All of these are named. Commits, branches and
//! the index are left alone: a restored file is a changed file for git.
//!
//! # How it is kept
//!
//! Contents are kept compressed under the SHA-256 of their bytes, once each. What is known of each moment is a line of a
//! journal that only grows; a last line that a crash cut off is passed over, and a damaged line in the middle ends what is
//! known, because every line builds on those before it. When there is too much, the oldest checkpoints go
//! first, and the journal is replaced in one step.
//!
//! One process writes a journal. A session that is taken over by another process keeps nothing from then on; what another
//! run wrote to it is read before anything is added.
//!
//! # Copies of a session
//!
//! A copy gets a store of its own, see [`copy()`]: the checkpoints of the prompts that it has, with their contents. What
//! happened in prompts that it has not is somebody else's.
//!
//! - [`History`]: everything a session needs of it.
//! - [`Plan`]: what a restore would do, to be shown before it is done.

mod apply;
mod blobs;
mod checkpoint;
mod commits;
mod copying;
mod current_files;
mod deletions;
mod error;
mod file_state;
mod forgetting;
mod git;
mod git_queries;
mod history;
mod ignored;
mod journal;
mod limits;
mod link_targets;
mod notices;
mod options;
mod plan;
mod restoring;
mod rewind_preview;
mod timeline;
mod world;

pub use copying::{Copied, copy};
pub use error::HistoryError;
pub use history::History;
pub use limits::Limits;
pub use options::Options;
pub use plan::{Action, Change, Plan, Unprotected, Why};
pub use restoring::{Others, Restored};
