//! Tools spoken in band: calls written as text, in the syntax of a model family.
//!
//! Models and servers without working tool calls get the tool catalogue in the system prompt and answer in their
//! own markup. A scanner reads the streamed answer and lifts the calls out of it. Every scanner keeps three
//! promises: its output does not depend on where the stream was cut into chunks, markup never shows as text, and
//! a call that was not closed is never run.

mod anthropic_xml;

pub use anthropic_xml::XmlScanner;

use serde_json::{Map, Value};

/// What a scanner found in the answer, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Words for the user. Neighbouring pieces of text are one text.
    Text(String),
    /// A complete call.
    Call { name: String, arguments: Map<String, Value> },
    /// A call that was not closed; it must not run. The name is as far as it was known.
    Truncated { name: String },
    /// The model began to write the result of its own call. What follows is invented and was discarded; the
    /// generation should be stopped.
    FabricatedResult,
}
