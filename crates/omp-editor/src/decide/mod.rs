//! What a key means in the state the program is in: pure functions, so that every case can be looked at.

mod enter;
mod escape;
mod press;

pub use enter::{Enter, EnterState, Queue, SendKey, StillBusy, enter};
pub use escape::{
    ClearKey, ClearPresses, ClearState, DoubleEscape, Escape, EscapeState, ExitKey, clear_key, escape,
    exit_key,
};
pub use press::{DoubleLeft, LeftState, LeftTarget, Presses, WINDOW};
