//! Commands that the program itself answers: `/name arguments`.
//!
//! - [`BUILTINS`]: all of them, in one table.
//! - [`call`]: the command that a line calls; [`meaning`]: what a line means when skills, files and templates have a say.
//! - [`answer`]: does what a command asks for and says what came of it, the same in a terminal and over a protocol.
//!
//! Nothing here draws. What only a screen can do is left to whoever has one: [`Answer::Screen`].

mod call;
mod table;

pub use call::{Builtin, Call, Place, call, named};
pub use table::BUILTINS;
