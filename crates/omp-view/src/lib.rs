//! What a conversation looks like: Markdown, differences, tools, messages and the status line as rows of styled text.
//!
//! Everything is data in, rows out ([`omp_tui::text::Line`]): no terminal, no files, no clock. Colours come from the
//! tokens of the theme alone, foreign text enters rows through the constructors that show control characters instead of
//! obeying them, and every view bounds the rows and the work it makes.

pub mod approval;
pub mod bang;
mod cache;
pub mod code;
pub mod diff;
pub mod gallery;
mod look;
pub mod markdown;
pub mod message;
pub mod preview;
pub mod select;
pub mod status;
#[cfg(test)]
mod testing;
pub mod todo;
pub mod tool;
pub mod working;

pub use cache::Cached;
pub use look::{Addresses, Look, grouped};
