//! What a key means in the state the program is in: pure functions, so that every case can be looked at.

mod enter;
mod escape;
mod press;

pub use enter::{Enter, EnterState, Kept, Queue, SendKey, enter};
pub use escape::{DoubleEscape, Escape, EscapeState, clear_key, escape, exit_key, ClearKey, ExitKey};
pub use press::{DoubleLeft, LeftState, LeftTarget, Presses, WINDOW};
