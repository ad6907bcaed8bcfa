//! Recordings of sessions: what providers sent, what tools were given and gave back, the clock, and what the loop made
//! of it. A recording is played back without network and without tools; where the program decides otherwise than it did,
//! that is said.
//!
//! - [`Recorder`] writes a recording while a session runs; [`Player`] plays one.
//! - [`Deck`] is either of them, as a session is given it: it stands before the network ([`Deck::tape`]), the tools
//!   ([`Deck::tools`]), the clock ([`Deck::clock`]) and whoever listens ([`Deck::listener`]).
//! - [`line`]: the format, JSON lines with a version. What is secret is replaced before it is written.

mod clock;
mod compare;
mod deck;
mod events;
pub mod line;
mod play;
mod read;
mod record;
mod sound;
mod tool;
mod write;

pub use compare::{Divergence, Part};
pub use deck::Deck;
pub use play::{Input, Player, Report};
pub use read::ReplayError;
pub use record::Recorder;
