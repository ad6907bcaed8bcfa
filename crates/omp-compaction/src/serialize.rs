//! A conversation as text, for the model that sums it up.

use std::collections::{HashMap, HashSet};

use omp_types::{AssistantBlock, Message, ToolCall, UserBlock, UserContent};
use serde_json::Value;

use crate::plan::Piece;

/// How much of tools is written out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Characters of a result.
    pub result: usize,
    /// Characters of one argument of a call.
    pub argument: usize,
    /// Characters of a whole call.
    pub call: usize,
    /// Characters of a thought.
    pub thought: usize,
}

impl Default for Detail {
    fn default() -> Self {
        Self { result: 2_000, argument: 500, call: 2_000, thought: 1_000 }
    }
}

impl Detail {
    /// Everything, for a text that is kept rather than read at once.
    pub const WHOLE: Self =
        Self { result: usize::MAX, argument: usize::MAX, call: usize::MAX, thought: usize::MAX };

    /// Steps from much to little.
    pub(crate) const STEPS: [Self; 3] = [
        Self { result: 2_000, argument: 500, call: 2_000, thought: 1_000 },
        Self { result: 500, argument: 160, call: 600, thought: 200 },
        Self { result: 120, argument: 60, call: 200, thought: 0 },
    ];
}

/// Part of a text that is kept from its beginning when the middle goes.
const HEAD_SHARE: f64 = 0.6;

/// Writes messages one below the other. Calls that came to nothing are left out with their results.
pub fn serialize(pieces: &[Piece], detail: Detail) -> String {
    let useless = useless(pieces);
    let mut parts = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        one(&piece.message, detail, |block| useless.contains(&(index, block)), &mut parts);
    }
    parts.join("\n\n")
}

/// Where calls that came to nothing stand, and their results: message and block. An id counts from its call to the
/// result, because some models give every first call of an answer the same one.
fn useless(pieces: &[Piece]) -> HashSet<(usize, usize)> {
    let mut calls = HashMap::new();
    let mut found = HashSet::new();
    for (index, piece) in pieces.iter().enumerate() {
        match &*piece.message {
            Message::Assistant(answer) => {
                for (block, content) in answer.content.iter().enumerate() {
                    if let AssistantBlock::ToolCall(call) = content {
                        calls.insert(call.id.as_str(), (index, block));
                    }
                }
            }
            Message::ToolResult(result) if result.is_useless() => {
                found.insert((index, 0));
                found.extend(calls.remove(result.tool_call_id.as_str()));
            }
            _ => {}
        }
    }
    found
}

/// The same, within so many tokens: with less and less detail, and in the end without the middle.
pub(crate) fn fitting(pieces: &[Piece], tokens: u64) -> String {
    let mut text = String::new();
    for detail in Detail::STEPS {
        text = serialize(pieces, detail);
        if omp_tokens::estimate(&text) <= tokens {
            return text;
        }
    }
    within(&text, tokens)
}

/// A text within so many tokens; its middle goes.
pub fn within(text: &str, tokens: u64) -> String {
    let mut room = text.chars().count();
    let mut text = text.to_owned();
    loop {
        let counted = omp_tokens::estimate(&text);
        if counted <= tokens {
            return text;
        }
        let share = tokens as f64 / counted as f64;
        // A little less than the share, so that few rounds are needed.
        room = ((room as f64 * share * 0.95) as usize).min(room.saturating_sub(1));
        if room < 32 {
            return String::new();
        }
        text = shortened(&text, room);
    }
}

fn one(message: &Message, detail: Detail, is_useless: impl Fn(usize) -> bool, parts: &mut Vec<String>) {
    match message {
        Message::User(user) => parts.push(format!("[User]: {}", content(&user.content))),
        Message::Custom(custom) => {
            parts.push(format!("[Note: {}]: {}", custom.custom_type, content(&custom.content)));
        }
        Message::ToolResult(result) => {
            if is_useless(0) {
                return;
            }
            let kind = if result.is_error { "Error" } else { "Result" };
            let text = shortened(&blocks(&result.content), detail.result);
            parts.push(format!("[{kind} of {}]: {text}", result.tool_name));
        }
        Message::Assistant(answer) => {
            for (index, block) in answer.content.iter().enumerate() {
                match block {
                    AssistantBlock::Text(text) if !text.text.trim().is_empty() => {
                        parts.push(format!("[Assistant]: {}", text.text));
                    }
                    AssistantBlock::Thinking(thought) if detail.thought > 0 => {
                        let text = shortened(thought.thinking.trim(), detail.thought);
                        if !text.is_empty() {
                            parts.push(format!("[Assistant thinks]: {text}"));
                        }
                    }
                    AssistantBlock::ToolCall(call) if !is_useless(index) => {
                        parts.push(format!("[Call]: {}", written(call, detail)));
                    }
                    _ => {}
                }
            }
        }
    }
}

pub(crate) fn written(call: &ToolCall, detail: Detail) -> String {
    let argument = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        format!("{name}={}", shortened(&text, detail.argument))
    };
    let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
    shortened(&format!("{}({})", call.name, arguments.join(", ")), detail.call)
}

fn content(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(list) => blocks(list),
    }
}

fn blocks(list: &[UserBlock]) -> String {
    let text = |block: &UserBlock| block.as_text().unwrap_or("(an image)").to_owned();
    list.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// A text of at most so many characters, its middle left out and counted.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    // No text has more characters than bytes.
    if text.len() <= most {
        return text.to_owned();
    }
    let all = text.chars().count();
    if all <= most {
        return text.to_owned();
    }
    let head = (most as f64 * HEAD_SHARE) as usize;
    let tail = most - head;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(all - tail).collect();
    format!("{start}\n[… {} characters omitted …]\n{end}", all - most)
}
