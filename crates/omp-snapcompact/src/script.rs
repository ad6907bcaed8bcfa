//! A conversation as text with two inks: what people and the model said, and what tools said.

use std::collections::HashSet;

use omp_types::{AssistantBlock, Message, ToolCall, UserBlock, UserContent};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::font::spell;

/// Characters of a result.
const RESULT: usize = 2_000;
/// Characters of one argument of a call.
const ARGUMENT: usize = 500;
/// Characters of a whole call.
const CALL: usize = 2_000;
/// The part of a shortened text that is its beginning.
const HEAD_SHARE: f64 = 0.6;

/// A piece of text in one ink.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub text: String,
    /// A tool said it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dim: bool,
}

impl Span {
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), dim: false }
    }

    pub fn dim(text: impl Into<String>) -> Self {
        Self { text: text.into(), dim: true }
    }
}

/// Text to print.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    pub spans: Vec<Span>,
}

/// A character as it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) character: char,
    pub(crate) dim: bool,
}

impl Script {
    /// Writes a conversation out: a tag before each part says whose it is. Calls that came to nothing are left out with their
    /// results; long results and arguments lose their middle.
    pub fn of<'a>(messages: impl Iterator<Item = &'a Message> + Clone) -> Self {
        let useless: HashSet<&str> = messages
            .clone()
            .filter_map(Message::as_tool_result)
            .filter(|result| result.is_useless())
            .map(|result| result.tool_call_id.as_str())
            .collect();
        let mut script = Self::default();
        messages.for_each(|message| script.message(message, &useless));
        script
    }

    /// Adds a part of the conversation; nothing where there are no words.
    pub fn say(&mut self, tag: &str, text: &str) {
        self.part(tag, text, Span::plain);
    }

    fn part(&mut self, tag: &str, text: &str, span: impl FnOnce(String) -> Span) {
        let text = collapse(text);
        if !text.is_empty() {
            let gap = if self.spans.is_empty() { "" } else { " " };
            self.spans.push(Span::plain(format!("{gap}[{tag}] ")));
            self.spans.push(span(text));
        }
    }

    /// Adds what another script says.
    pub fn append(&mut self, mut other: Self) {
        if !self.spans.is_empty() && !other.spans.is_empty() {
            self.spans.push(Span::plain(" "));
        }
        self.spans.append(&mut other.spans);
    }

    fn message(&mut self, message: &Message, useless: &HashSet<&str>) {
        match message {
            Message::User(user) => self.say("user", &content(&user.content)),
            Message::Custom(custom) => self.say("note", &content(&custom.content)),
            Message::ToolResult(result) => {
                if !useless.contains(result.tool_call_id.as_str()) {
                    let tag = if result.is_error { "error" } else { "result" };
                    let text = shortened(&collapse(&blocks(&result.content)), RESULT);
                    self.part(tag, &text, Span::dim);
                }
            }
            Message::Assistant(answer) => {
                for block in &answer.content {
                    match block {
                        AssistantBlock::Text(text) => self.say("assistant", &text.text),
                        AssistantBlock::ToolCall(call) if !useless.contains(call.id.as_str()) => {
                            self.say("call", &written(call));
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    /// The letters as they are printed.
    pub(crate) fn letters(&self) -> Vec<Letter> {
        let mut letters = Vec::new();
        for span in &self.spans {
            for character in span.text.chars() {
                spell(character, &mut |character| letters.push(Letter { character, dim: span.dim }));
            }
        }
        letters
    }

    /// Characters of the text.
    pub(crate) fn characters(&self) -> usize {
        self.spans.iter().map(|span| span.text.chars().count()).sum()
    }

    /// What follows the first `skip` characters, where each counts as long as `length` says.
    pub(crate) fn after(&self, skip: usize, length: impl Fn(char) -> usize) -> Self {
        let mut left = skip;
        let mut spans = Vec::new();
        for span in &self.spans {
            let mut start = 0;
            for character in span.text.chars() {
                if left == 0 {
                    break;
                }
                left = left.saturating_sub(length(character));
                start += character.len_utf8();
            }
            let text = span.text.get(start..).unwrap_or_default();
            if !text.is_empty() {
                spans.push(Span { text: text.to_owned(), dim: span.dim });
            }
        }
        Self { spans }
    }

    /// Keeps the first characters.
    pub(crate) fn truncate(&mut self, most: usize) {
        let mut left = most;
        for span in &mut self.spans {
            let end = span.text.char_indices().nth(left).map_or(span.text.len(), |(at, _)| at);
            left -= span.text.get(..end).map_or(0, |text| text.chars().count());
            span.text.truncate(end);
        }
        self.spans.retain(|span| !span.text.is_empty());
    }

    /// The text without its inks.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

fn content(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(list) => blocks(list),
    }
}

fn blocks(list: &[UserBlock]) -> String {
    list.iter().map(|block| block.as_text().unwrap_or("(a picture)")).collect::<Vec<_>>().join(" ")
}

fn written(call: &ToolCall) -> String {
    let argument = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        format!("{name}={}", shortened(&collapse(&text), ARGUMENT))
    };
    let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
    shortened(&format!("{}({})", call.name, arguments.join(", ")), CALL)
}

/// Characters that one character becomes in print.
pub(crate) fn printed_length(character: char) -> usize {
    let mut length = 0;
    spell(character, &mut |_| length += 1);
    length
}

/// A text with single spaces only.
pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// A text of at most so many characters, its middle left out and counted.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let all = text.chars().count();
    if all <= most {
        return text.to_owned();
    }
    let head = (most as f64 * HEAD_SHARE) as usize;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(all - (most - head)).collect();
    format!("{start} [...{} characters left out...] {end}", all - most)
}
