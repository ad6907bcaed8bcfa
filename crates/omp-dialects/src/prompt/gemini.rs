//! Gemma 3: two roles, and what the system says stands before the user's first words.

use std::fmt::Write as _;

use super::{Dialect, RawPrompt, RawTurn};
use crate::catalogue::instructions;

const END: &str = "<end_of_turn>\n";

pub(super) fn write(prompt: &RawPrompt<'_>) -> String {
    let mut preamble: Vec<String> = prompt.system.to_vec();
    if !prompt.tools.is_empty() {
        preamble.push(instructions(Dialect::Gemini, prompt.tools));
    }
    let mut out = "<bos>".to_owned();
    for turn in prompt.turns {
        match turn {
            RawTurn::User(text) => {
                preamble.push(text.clone());
                let words = std::mem::take(&mut preamble).join("\n\n");
                let _ = write!(out, "<start_of_turn>user\n{words}{END}");
            }
            RawTurn::Assistant(answer) => {
                let calls = Dialect::Gemini.calls(&answer.calls);
                let between = if answer.text.is_empty() || calls.is_empty() { "" } else { "\n" };
                let _ = write!(out, "<start_of_turn>model\n{}{between}{calls}{END}", answer.text);
            }
            RawTurn::Results(results) => {
                let _ = write!(out, "<start_of_turn>user\n{}{END}", Dialect::Gemini.results(results));
            }
        }
    }
    out.push_str("<start_of_turn>model\n");
    out
}
