//! DeepSeek V3.1.

use std::fmt::Write as _;

use super::{Dialect, RawPrompt, RawThinking, RawTurn};
use crate::json_form::spaced;

const BEGIN: &str = "<\u{ff5c}begin\u{2581}of\u{2581}sentence\u{ff5c}>";
pub(super) const END: &str = "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>";
pub(super) const USER: &str = "<\u{ff5c}User\u{ff5c}>";
pub(super) const ASSISTANT: &str = "<\u{ff5c}Assistant\u{ff5c}>";

pub(super) fn write(prompt: &RawPrompt<'_>) -> String {
    let mut out = opening(prompt, include_str!("../../prompts/raw-deepseek-tools.md"));
    let mut answers_results = false;
    for turn in prompt.turns {
        match turn {
            RawTurn::User(text) => {
                let _ = write!(out, "{USER}{text}");
            }
            RawTurn::Assistant(answer) => {
                // After results the answer continues where it was.
                if !answers_results {
                    let _ = write!(out, "{ASSISTANT}</think>");
                }
                let text = answer.text.split_once("</think>").map_or(answer.text.as_str(), |(_, text)| text);
                let _ = write!(out, "{text}{}{END}", Dialect::DeepSeek.calls(&answer.calls));
            }
            RawTurn::Results(results) => out.push_str(&Dialect::DeepSeek.results(results)),
        }
        answers_results = matches!(turn, RawTurn::Results(_));
    }
    if matches!(prompt.turns.last(), Some(RawTurn::User(_))) {
        // Calls are made without thinking.
        let thinks = prompt.thinking != RawThinking::Off && prompt.tools.is_empty();
        let _ = write!(out, "{ASSISTANT}{}", if thinks { "<think>" } else { "</think>" });
    }
    out
}

/// What stands before the first turn; `guide` says how tools are called.
pub(super) fn opening(prompt: &RawPrompt<'_>, guide: &str) -> String {
    let mut out = format!("{BEGIN}{}", prompt.joined_system());
    if !prompt.tools.is_empty() {
        out.push_str(if prompt.system.is_empty() { "" } else { "\n\n" });
        out.push_str(&tools(prompt, guide));
    }
    out
}

fn tools(prompt: &RawPrompt<'_>, guide: &str) -> String {
    let mut list = String::new();
    for tool in prompt.tools {
        let (name, description, parameters) = (&tool.name, &tool.description, spaced(&tool.parameters));
        let _ = write!(list, "\n### {name}\nDescription: {description}\n\nParameters: {parameters}\n");
    }
    guide.replace("{{tools}}", &list)
}
