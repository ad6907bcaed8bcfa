//! The session store as its users see it: files on disk, written and read through the public interface.

mod artifacts;
mod context;
mod crowd;
mod durable;
mod fork;
mod format;
mod kept_files;
mod kill;
mod later;
mod list;
mod load;
mod long;
mod persist;
mod property;
mod relocate;
mod repair;
mod resolve;
mod room;
mod support;
mod tree;
mod writer;
