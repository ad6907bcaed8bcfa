//! The plain interface: a conversation as lines of text, one after the other.
//!
//! Nothing is drawn twice, nothing moves, there are no boxes and no colours: what a screen reader reads aloud, a simple
//! terminal shows and a log keeps is the same. Choices are numbered and answered by number or name.
//!
//! [`SessionChannel`] is the way from a session to the loop and back, [`Speech`] says what happens in a session, and [`run`] is the
//! loop.

mod commands;
mod extensions;
mod lines;
mod questions;
mod run;
mod session_channel;
mod speech;

pub use extensions::ExtensionPort;
pub use run::{End, Start, run};
pub use session_channel::{SessionChannel, SessionMessages};
pub use speech::Speech;
