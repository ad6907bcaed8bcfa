//! Issues and pull requests, read through the GitHub CLI and kept for a while.
//!
//! - [`Address`] is what a URL such as `pr://owner/repo/7/diff` means.
//! - [`Github`] reads it: from the cache if it can, else by running `gh`, which knows who the user is.
//! - `show` turns what `gh` says into Markdown; `diff` takes a unified diff apart.
//!
//! Knows nothing of agents, tools and terminals. Processes are started in the scope that is handed in.

mod address;
mod cache;
mod diff;
mod fingerprint;
mod gh;
mod reader;
mod show;

pub use address::{Address, AddressError, DiffPart, Filters, Item, ItemKind, Repository, Target};
pub use cache::CacheOptions;
pub use gh::{Gh, GhError};
pub use reader::{Github, Text};
