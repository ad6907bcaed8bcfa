//! DeepSeek before V3.1: V3-0324 and R1-0528.
//!
//! Calls name a type and fence their arguments, results stand in one block, and the assistant's marker belongs to the
//! user's turn.

use std::fmt::Write as _;

use super::deepseek::{ASSISTANT, END, USER, opening};
use super::{RawCall, RawPrompt, RawResult, RawTurn};
use crate::json_form::spaced;

const CALLS_BEGIN: &str = "<\u{ff5c}tool\u{2581}calls\u{2581}begin\u{ff5c}>";
const CALLS_END: &str = "<\u{ff5c}tool\u{2581}calls\u{2581}end\u{ff5c}>";
const CALL_BEGIN: &str = "<\u{ff5c}tool\u{2581}call\u{2581}begin\u{ff5c}>";
const CALL_END: &str = "<\u{ff5c}tool\u{2581}call\u{2581}end\u{ff5c}>";
const SEPARATOR: &str = "<\u{ff5c}tool\u{2581}sep\u{ff5c}>";
const OUTPUTS_BEGIN: &str = "<\u{ff5c}tool\u{2581}outputs\u{2581}begin\u{ff5c}>";
const OUTPUTS_END: &str = "<\u{ff5c}tool\u{2581}outputs\u{2581}end\u{ff5c}>";
const OUTPUT_BEGIN: &str = "<\u{ff5c}tool\u{2581}output\u{2581}begin\u{ff5c}>";
const OUTPUT_END: &str = "<\u{ff5c}tool\u{2581}output\u{2581}end\u{ff5c}>";

pub(super) fn write(prompt: &RawPrompt<'_>) -> String {
    let mut out = opening(prompt, include_str!("../../prompts/raw-deepseek-legacy-tools.md"));
    for turn in prompt.turns {
        let _ = match turn {
            RawTurn::User(text) => write!(out, "{USER}{text}{ASSISTANT}"),
            RawTurn::Assistant(answer) => {
                let text = answer.text.split_once("</think>").map_or(answer.text.as_str(), |(_, text)| text);
                write!(out, "{text}{}{END}", calls(&answer.calls))
            }
            RawTurn::Results(given) => write!(out, "{OUTPUTS_BEGIN}{}{OUTPUTS_END}", results(given)),
        };
    }
    out
}

fn calls(calls: &[RawCall]) -> String {
    if calls.is_empty() {
        return String::new();
    }
    let written = calls.iter().map(|call| {
        let arguments = call.arguments.as_str().map_or_else(|| spaced(&call.arguments), str::to_owned);
        format!("{CALL_BEGIN}function{SEPARATOR}{}\n```json\n{arguments}\n```{CALL_END}", call.name)
    });
    format!("{CALLS_BEGIN}{}{CALLS_END}", written.collect::<Vec<_>>().join("\n"))
}

fn results(results: &[RawResult]) -> String {
    let written = results.iter().map(|result| format!("{OUTPUT_BEGIN}{}{OUTPUT_END}", result.text));
    written.collect::<Vec<_>>().join("\n")
}
