//! Harmony, as gpt-oss reads it.

use std::fmt::Write as _;

use super::typescript;
use super::{Dialect, RawAnswer, RawPrompt, RawThinking, RawTurn};

pub(super) fn write(prompt: &RawPrompt<'_>) -> String {
    let mut out = format!("<|start|>system<|message|>{}<|end|>", system(prompt));
    let developer = developer(prompt);
    if !developer.is_empty() {
        let _ = write!(out, "<|start|>developer<|message|>{developer}<|end|>");
    }
    let last_final = prompt.turns.iter().rposition(is_final);
    for (at, turn) in prompt.turns.iter().enumerate() {
        match turn {
            RawTurn::User(text) => {
                let _ = write!(out, "<|start|>user<|message|>{text}<|end|>");
            }
            RawTurn::Assistant(answer) => {
                // What was thought on the way to an answer that was given is over.
                let keeps_thought = last_final.is_none_or(|last| at > last) && !answer.calls.is_empty();
                out.push_str(&assistant(answer, keeps_thought.then_some(answer.thinking.as_str())));
            }
            RawTurn::Results(results) => out.push_str(&Dialect::Harmony.results(results)),
        }
    }
    out.push_str("<|start|>assistant");
    out
}

fn is_final(turn: &RawTurn) -> bool {
    matches!(turn, RawTurn::Assistant(answer) if answer.calls.is_empty())
}

fn assistant(answer: &RawAnswer, thought: Option<&str>) -> String {
    let mut out = String::new();
    if let Some(thought) = thought.filter(|thought| !thought.is_empty()) {
        out.push_str(&Dialect::Harmony.write_thought(thought));
    }
    if !answer.text.is_empty() {
        let channel = if answer.calls.is_empty() { "final" } else { "commentary" };
        let _ = write!(out, "<|start|>assistant<|channel|>{channel}<|message|>{}<|end|>", answer.text);
    }
    out.push_str(&Dialect::Harmony.calls(&answer.calls));
    out
}

fn system(prompt: &RawPrompt<'_>) -> String {
    let effort = match prompt.thinking {
        RawThinking::Off | RawThinking::Low => "low",
        RawThinking::Medium => "medium",
        RawThinking::High => "high",
    };
    let date = prompt.date.map(|date| format!("Current date: {date}\n")).unwrap_or_default();
    let text = include_str!("../../prompts/raw-harmony-system.md").trim_end();
    let mut out = text.replace("{{date}}\n", &date).replace("{{effort}}", effort);
    if !prompt.tools.is_empty() {
        out.push_str("\nCalls to these tools must go to the commentary channel: 'functions'.");
    }
    out
}

fn developer(prompt: &RawPrompt<'_>) -> String {
    let mut sections = Vec::new();
    if !prompt.system.is_empty() {
        sections.push(format!("# Instructions\n\n{}", prompt.joined_system()));
    }
    if !prompt.tools.is_empty() {
        let functions: Vec<String> = prompt.tools.iter().map(typescript::function).collect();
        sections.push(format!(
            "# Tools\n\n## functions\n\nnamespace functions {{\n\n{}\n\n}} // namespace functions",
            functions.join("\n\n")
        ));
    }
    sections.join("\n\n")
}
