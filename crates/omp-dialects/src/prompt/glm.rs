//! GLM-4.5 and 4.6.

use std::fmt::Write as _;

use super::{Dialect, RawPrompt, RawThinking, RawTurn};
use crate::catalogue::tool_object;
use crate::json_form::spaced;

pub(super) fn write(prompt: &RawPrompt<'_>) -> String {
    let mut out = "[gMASK]<sop>".to_owned();
    if !prompt.tools.is_empty() {
        let tools: Vec<String> = prompt.tools.iter().map(|tool| spaced(&tool_object(tool))).collect();
        let text = include_str!("../../prompts/raw-glm-tools.md").trim_end();
        let _ = write!(out, "<|system|>\n{}", text.replace("{{tools}}", &tools.join("\n")));
    }
    for system in prompt.system {
        let _ = write!(out, "<|system|>\n{system}");
    }
    let is_silent = prompt.thinking == RawThinking::Off;
    for (at, turn) in prompt.turns.iter().enumerate() {
        match turn {
            RawTurn::User(text) => {
                let switch = if is_silent && !text.ends_with("/nothink") { "/nothink" } else { "" };
                let _ = write!(out, "<|user|>\n{text}{switch}");
            }
            RawTurn::Assistant(answer) => {
                // What was thought before the user spoke last is over.
                let thought = if at > prompt.last_user() { answer.thinking.as_str() } else { "" };
                let _ = write!(out, "<|assistant|>\n<think>{thought}</think>");
                for part in [answer.text.as_str(), &Dialect::Glm.calls(&answer.calls)] {
                    if !part.is_empty() {
                        let _ = write!(out, "\n{part}");
                    }
                }
            }
            RawTurn::Results(results) => {
                let _ = write!(out, "<|observation|>\n{}", Dialect::Glm.results(results));
            }
        }
    }
    out.push_str(if is_silent { "<|assistant|>\n<think></think>" } else { "<|assistant|>" });
    out
}
