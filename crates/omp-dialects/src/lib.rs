//! Tools spoken in band: calls written as text, in the syntax of a model family. Pure functions on text.
//!
//! Models and servers without working tool calls get the tool catalogue in the system prompt and answer in their
//! own markup. A scanner reads the streamed answer and lifts the calls out of it. Every scanner keeps three
//! promises: its output does not depend on where the stream was cut into chunks, markup never shows as text, and
//! a call that was not closed is never run.

mod catalogue;
mod fit;
mod gemma;
mod gemma_value;
mod glm;
mod harmony;
mod hermes;
mod json_form;
mod json_text;
mod leak;
mod markdown;
mod markers;
mod output;
mod pairs;
mod prompt;
mod prose;
mod python;
mod python_literal;
mod python_source;
mod python_write;
mod reserved;
mod scanner;
mod sections;
mod select;
mod source;
mod thought;
mod write;
mod written_form;
mod xml;
mod xml_tag;

pub use catalogue::instructions;
pub use leak::{Leak, Signal, Surface, contaminated, find_leak, line_text};
pub use prompt::{RawAnswer, RawCall, RawGeneration, RawPrompt, RawResult, RawThinking, RawTurn};
pub use reserved::{inert, is_harmony_served};
pub use scanner::Scanner;
pub use select::{Dialect, ToolFormat};
pub use write::{Outcome, WrittenCall, WrittenResult};
pub use written_form::{Written, calls as written_calls, may_become as may_become_written_calls};

/// What a scanner found in the answer, in order. Neighbouring pieces of one kind are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words for the user.
    Text(String),
    Thinking(String),
    /// A call whose arguments follow. The id is there where the dialect has one.
    CallStart {
        name: String,
        id: Option<String>,
    },
    /// More of the open call's arguments, as JSON text.
    Arguments(String),
    /// The open call is complete.
    CallEnd,
    /// The open call was not closed and must not run. Without an open call: there was one whose name never came.
    Truncated,
    /// The model began to write the result of its own call. What follows is invented and was discarded; the
    /// generation should be stopped.
    FabricatedResult,
    /// The model said that its turn is over. What follows was discarded.
    Stop,
}
