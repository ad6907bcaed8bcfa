//! Recordings of sessions: what providers sent, what tools were given and gave back, the clock, and what the loop made
//! of it. A recording is played back without network and without tools; where the program decides otherwise than it did,
//! that is said.
//!
//! - [`Recorder`] writes a recording while a session runs; [`Player`] plays one.
//! - [`Deck`] is either of them, as a session is given it: it stands before the network ([`Deck::tape`]), the tools
//!   ([`Deck::tools`]), the clock ([`Deck::clock`]) and whoever listens ([`Deck::listener`]).
//! - A screen is recorded with [`Recorder::screen`] and played with [`Player::next_screen`]; while it leads, the session
//!   waits for it at the borders of its turns.
//! - [`line`]: the format, JSON lines with a version. What is secret is replaced before it is written.

mod call_order;
mod clock;
mod compare;
mod deck;
mod events;
mod gate;
pub mod line;
mod network;
mod play;
mod playback;
mod read;
mod record;
mod request_matching;
mod screen;
mod tool;
mod turn_boundaries;
mod write;

pub use compare::{DivergedPart, Divergence};
pub use deck::Deck;
pub use events::comes_again;
pub use play::{Input, Player, Report};
pub use read::ReplayError;
pub use record::Recorder;
