//! The plain interface: a conversation as lines of text, one after the other.
//!
//! Nothing is drawn twice, nothing moves, there are no boxes and no colours: what a screen reader reads aloud, a simple
//! terminal shows and a log keeps is the same. Choices are numbered and answered by number or name.
//!
//! [`Person`] is the way from a session to the loop and back, [`Speech`] says what happens in a session, and [`run`] is the
//! loop.

mod commands;
mod lines;
mod person;
mod questions;
mod run;
mod speech;

pub use person::{Person, Words};
pub use run::{End, Start, run};
pub use speech::Speech;
