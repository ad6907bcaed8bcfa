//! Command hooks: programs of the user that omp asks before it does something, and tells afterwards.
//!
//! - [`definition`] reads hooks from the files that describe them: Claude Code's `hooks` object, and our own scripts in
//!   `hooks/pre` and `hooks/post`.
//! - [`matcher`] decides which calls a hook is about, [`vocabulary`] says a call in the words of the program a hook was
//!   written for.
//! - [`runner`] runs one, [`decision`] reads what it said.
//! - [`session`] has the hooks of one session: who is asked when. [`gate`] and [`conduct`] put them in front of the loop.
//!
//! A hook that guards calls fails closed: one that cannot be started, hangs, crashes or prints half a decision blocks the
//! call. Who may define hooks is not decided here, and neither is what becomes of their words on a screen.

pub mod conduct;
pub mod decision;
pub mod definition;
mod event;
pub mod gate;
mod matcher;
mod runner;
mod session;
mod vocabulary;

pub use definition::{CommandHook, HookProgram, HookSource, Parsed, Phase, parse, script};
pub use event::HookEvent;
pub use runner::Runner;
pub use session::{Facts, Hooks, ListedHook, Trusts};
