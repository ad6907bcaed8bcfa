//! How many tokens a text, a message or an image will be for a model.
//!
//! A real tokenizer costs many megabytes of tables that are unpacked at the first use. This crate keeps only
//! which byte strings are tokens (`vocabulary`), as fingerprints that are read where the program was loaded:
//! nothing is unpacked, nothing is allocated. A text is cut into words as the tokenizer would (`pieces`), a word that is
//! a token counts one, any other is covered by the longest tokens from its start (`count`). The example
//! `accuracy` prints the error and the speed against a real tokenizer.

mod count;
mod image;
mod message;
mod pieces;
mod vocabulary;

pub use image::{Billing, high_resolution, image_size};
pub use message::{call, message, message_for, messages, tool};
pub use vocabulary::Family;

/// Tokens of `text` for a model of the usual family.
pub fn estimate(text: &str) -> u64 {
    estimate_for(Family::O200k, text)
}

/// Tokens of `text` for a model of `family`.
pub fn estimate_for(family: Family, text: &str) -> u64 {
    count::count(family, text)
}
