//! What syntax trees say about a text: which lines are one construct, which of them tell what a file holds, and where a
//! pattern of code occurs.
//!
//! Everything here is a pure function on text. Nothing knows of files or agents, nothing is parsed before it is asked
//! for, and a question that takes too long or goes too deep has no answer instead of no end: see [`Bounds`].

mod block;
mod grammars;
pub mod highlight;
mod language;
mod markdown;
mod names;
pub mod outline;
pub mod pattern;
mod tree;

pub use block::block;
pub use language::{Family, Language};
pub use tree::{Bounds, MAX_BYTES, parses};
