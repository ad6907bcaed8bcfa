//! What the terminal sends: bytes become keys, pastes, mouse events and replies to questions.
//!
//! The [`Decoder`] is fed whatever a read returned, however it was split, and is told the time; it never waits. Sequences
//! it does not know are swallowed whole, so that no half of one is ever typed into an editor.

mod decoder;
mod encode;
mod event;
mod keys;
mod reply;
mod sequence;
#[cfg(test)]
mod tests;

pub use decoder::Decoder;
pub use encode::{CursorKeys, encode};
pub use event::{Button, Code, Event, Key, KeyEventKind, Modifiers, Motion, Mouse};
pub use reply::{Appearance, Mode, Reply};
