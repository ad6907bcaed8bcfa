//! The editor through its public face.

mod completion;
mod content;
mod decisions;
mod editing;
mod history;
mod keys;
mod paste;
mod properties;
mod support;
mod vi;
mod view;
