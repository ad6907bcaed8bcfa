//! Keys: which chord means which action, by default and by the user's wish.
//!
//! [`table`] is the one list of actions, with names, default chords and descriptions. [`Bindings`] are those of a user:
//! the table, changed by the files that [`load`] finds. What an action does is for others to know.

mod action;
mod bindings;
mod chord;
mod conflict;
mod describe;
mod file;
mod load;
mod migrate;
pub mod table;
#[cfg(test)]
mod tests;

pub use action::{Action, Context, Platform};
pub use bindings::{Added, Bindings, KeyEntry, Refused, Source};
pub use chord::{Chord, InvalidChord};
pub use conflict::Conflict;
pub use describe::{Described, describe};
pub use file::UserKeys;
pub use load::{Loaded, load};
