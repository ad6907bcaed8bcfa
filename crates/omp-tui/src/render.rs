//! From rows to bytes: what to write so that the terminal shows a frame and its history gains exactly the rows that
//! became final.
//!
//! [`Renderer::paint`] is given the frame and the size of the screen and answers with bytes that are to be written at
//! once. It remembers what it painted, never asks the terminal anything, and has no branch on the kind of terminal in
//! its ordinary path.

mod audit;
mod cursor;
mod diff;
mod frame;
mod grouping;
mod output;
mod paint;
mod resize;
mod shift;

pub use frame::{Cover, Gesture, Intent, Painted, Position, Profile, Rows, Size, View};
pub use paint::Renderer;
