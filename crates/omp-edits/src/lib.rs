//! Edits as models write them, and what they come to. Everything here is a pure function on text.
//!
//! - [`hashline`] is the patch language of the `edit` tool: lines by number, in a text that the model was shown.
//! - [`patch`] is every edit that names the text it changes: replacements, hunks of a diff, whole patches in an envelope.
//!
//! The two share no code: one must find out whether a line is still the one that was meant, the other where a text is.

pub mod hashline;
pub mod patch;
