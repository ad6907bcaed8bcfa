//! Files: what they are, what is in them, and how to replace them without harm.
//!
//! - [`path`] turns what a model or a person typed into a path, and a path into what they read.
//! - [`open`] opens regular files only, and never waits for anything else.
//! - [`sniff`] tells by the first bytes what kind of file it is.
//! - [`text`] reads a window of lines of a file of any size and encoding.
//! - [`document`] replaces lines of a text file and keeps every other byte.
//! - [`write`] replaces a file atomically; with a [`turn`], those who change the same file do so one after the other.
//! - [`held`] directories stay the same ones, whatever is put into the place of their names.
//! - [`tree`] lists a directory, [`walk`] goes through all below one, [`grep`] finds lines.
//! - [`scans`] remembers for a moment what a walk found, [`finder`] ranks it for completion while typing.
//! - [`repository`] tells what git would run because a repository says so.
//! - [`mount`] tells whether a path is on this machine.
//! - [`image`] loads a picture in a form that models accept.
//!
//! Nothing here knows about agents, tools or the user's home.

pub mod conflicts;
pub mod document;
pub mod finder;
pub mod footprint;
pub mod grep;
pub mod held;
pub mod image;
pub mod milestones;
pub mod mount;
pub mod open;
pub mod path;
pub mod repository;
pub mod scans;
pub mod sniff;
mod sys;
pub mod text;
pub mod tree;
pub mod turn;
pub mod walk;
mod window;
pub mod write;
