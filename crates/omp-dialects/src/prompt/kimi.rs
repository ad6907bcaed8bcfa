//! Kimi K2.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Dialect, RawPrompt, RawTurn};
use crate::catalogue::tool_object;

const END: &str = "<|im_end|>";

pub(super) fn write(prompt: &RawPrompt<'_>) -> String {
    let mut out = String::new();
    if !prompt.tools.is_empty() {
        let tools: Vec<Value> = prompt.tools.iter().map(tool_object).collect();
        let _ = write!(out, "<|im_system|>tool_declare<|im_middle|>{}{END}", Value::Array(tools));
    }
    let system = match prompt.joined_system() {
        empty if empty.is_empty() => include_str!("../../prompts/raw-kimi-system.md").trim_end().to_owned(),
        system => system,
    };
    let _ = write!(out, "<|im_system|>system<|im_middle|>{system}{END}");
    for turn in prompt.turns {
        match turn {
            RawTurn::User(text) => {
                let _ = write!(out, "<|im_user|>user<|im_middle|>{text}{END}");
            }
            RawTurn::Assistant(answer) => {
                let calls = Dialect::Kimi.calls(&answer.calls);
                let _ = write!(out, "<|im_assistant|>assistant<|im_middle|>{}{calls}{END}", answer.text);
            }
            RawTurn::Results(results) => out.push_str(&Dialect::Kimi.results(results)),
        }
    }
    out.push_str("<|im_assistant|>assistant<|im_middle|>");
    out
}
