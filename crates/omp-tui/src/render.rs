//! From rows to bytes: what to write so that the terminal shows a frame and its history gains exactly the rows that
//! became final.
//!
//! [`Renderer::paint`] is given the frame and the size of the screen and answers with bytes that are to be written at
//! once. It remembers what it painted, never asks the terminal anything, and has no branch on the kind of terminal in
//! its ordinary path.
//!
//! # New sizes
//!
//! Nothing is painted while sizes keep coming ([`crate::schedule::Scheduler::resized`]). What is promised then:
//!
//! - Outside multiplexers everything is erased and rewritten, history included: each row is there once, at the new width,
//!   whatever the terminal did with its rows meanwhile. xterm wraps nothing again; Alacritty, kitty and VTE do.
//! - tmux and zellij keep their history, wrap it again themselves, and move rows between it and the screen. Which ones follows
//!   from the row of the cursor ([`Renderer::wants_cursor`], `reflow`): rows that came back return to history, final rows that
//!   went there are not written again, and where a line was cut in two its rest continues in the next row. What was not final, and
//!   the rows below the conversation, may have been pushed into history by the terminal itself; those copies stay. A row of a
//!   table that is cut in two is repeated whole.
//! - A terminal that does not say where its cursor is is assumed to do what most do (`resize`). Rows may be repeated then.

mod audit;
mod cursor;
mod diff;
mod frame;
mod grouping;
mod output;
mod paint;
mod reflow;
mod resize;
mod shift;

pub use frame::{Cover, Gesture, Intent, Painted, Part, Position, Profile, Rows, Size, View};
pub use paint::Renderer;
