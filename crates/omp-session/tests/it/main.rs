//! The session store as its users see it: files on disk, written and read through the public interface.

mod context;
mod fork;
mod format;
mod kill;
mod list;
mod load;
mod property;
mod relocate;
mod resolve;
mod support;
mod writer;
