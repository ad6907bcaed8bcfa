//! The plain-text shadow of harmony's routing headers in the answers of models that are served with it.
//!
//! Such a model now and then writes its next header as ordinary content, without the brackets, and continues with
//! spam. The marker `to=functions.NAME` alone proves nothing, people write about it; something else must come with
//! it. What follows the marker is never worth keeping.

use memchr::memmem;
use omp_types::{AssistantBlock, AssistantMessage, LineTool, ToolCall};
use serde_json::Value;

use super::markdown;

/// Where contamination begins, and what gave it away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The block of the message it is in.
    pub block: usize,
    pub surface: Surface,
    pub signals: Vec<Signal>,
    /// Bytes of the surface that are clean.
    pub clean: usize,
    /// Bytes that are not.
    pub removed: usize,
    /// The text that holds it is a line language: what stands on the lines before can be saved.
    pub cuttable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surface {
    Text,
    Thinking,
    /// The arguments of a call of this tool.
    Arguments(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A control token with its brackets.
    ControlToken,
    /// The name of a channel or role directly before the marker.
    ChannelWord,
    /// A word the tokenizer knows and the model hardly does.
    GlitchWord,
    /// Letters of another script in surroundings that are ASCII.
    ForeignScript,
    /// A second marker behind the body of the first.
    Cascade,
    /// Output that no tool gave.
    FakeOutput,
}

impl Signal {
    pub fn name(self) -> &'static str {
        match self {
            Self::ControlToken => "control-token",
            Self::ChannelWord => "channel-word",
            Self::GlitchWord => "glitch-word",
            Self::ForeignScript => "foreign-script",
            Self::Cascade => "cascade",
            Self::FakeOutput => "fake-output",
        }
    }
}

const MARKER: &str = "to=functions.";
const CHANNEL_WORDS: [&str; 4] = ["analysis", "assistant", "commentary", "user"];
const GLITCH_WORDS: [&str; 4] = ["Japgolly", "Jsii", "changedFiles", "RTLU"];
pub(crate) const CONTROL_TOKENS: [&str; 7] =
    ["<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|call|>", "<|return|>", "<|end|>"];

/// How far from a marker something counts as near, in bytes.
const NEAR: usize = 48;

/// Looks through a finished answer; the first leak counts. `lines` are the tools whose input can be cut.
pub fn find_leak(message: &AssistantMessage, lines: &[LineTool]) -> Option<Leak> {
    message.content.iter().enumerate().find_map(|(index, content)| {
        let found = match content {
            AssistantBlock::Text(block) => in_words(&block.text, Surface::Text),
            AssistantBlock::Thinking(block) => in_words(&block.thinking, Surface::Thinking),
            AssistantBlock::ToolCall(call) => in_call(call, lines),
            AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => None,
        };
        found.map(|leak| Leak { block: index, ..leak })
    })
}

/// The text that holds a leak.
pub fn contaminated<'m>(
    message: &'m AssistantMessage,
    leak: &Leak,
    lines: &'m [LineTool],
) -> Option<&'m str> {
    match message.content.get(leak.block)? {
        AssistantBlock::Text(block) => Some(&block.text),
        AssistantBlock::Thinking(block) => Some(&block.thinking),
        AssistantBlock::ToolCall(call) => match line_text(call, lines) {
            Some((_, text)) if leak.cuttable => Some(text),
            _ => {
                let whole = |text: &&str| text.len() == leak.clean + leak.removed;
                call.invalid_arguments.as_deref().or_else(|| strings(call).into_iter().find(whole))
            }
        },
        AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => None,
    }
}

fn leak_in(text: &str, surface: Surface, clean: usize, signals: Vec<Signal>) -> Leak {
    Leak { block: 0, surface, signals, clean, removed: text.len() - clean, cuttable: false }
}

/// What stands in Markdown code is quoted.
fn in_words(text: &str, surface: Surface) -> Option<Leak> {
    if !has_marker(text) && !text.contains("<|") {
        return None;
    }
    let prose = markdown::without_code(text);
    let token = CONTROL_TOKENS.iter().filter_map(|token| prose.find(token)).min();
    let header = headers(&prose).next();
    let (clean, signals) = match (token, header) {
        (Some(token), Some((start, signals))) if start < token => (start, signals),
        (Some(token), _) => (token, vec![Signal::ControlToken]),
        (None, header) => header?,
    };
    Some(leak_in(text, surface, clean, signals))
}

/// Arguments are data and may hold anything. What cannot be data: whatever stands behind a complete value, a header
/// with spam around it in a line language, and such a header in the last line of a text.
fn in_call(call: &ToolCall, lines: &[LineTool]) -> Option<Leak> {
    let surface = || Surface::Arguments(call.name.clone());
    if let Some(raw) = &call.invalid_arguments {
        return behind_a_value(raw, surface());
    }
    if let Some((_, text)) = line_text(call, lines) {
        let (clean, signals) = spam(text).next()?;
        let leak = leak_in(text, surface(), line_start(text, clean), signals);
        return Some(Leak { cuttable: true, ..leak });
    }
    strings(call).into_iter().filter(|text| has_marker(text)).find_map(|text| {
        let prose = markdown::without_code(text);
        let (clean, signals) = spam(&prose).find(|(start, _)| !text[*start..].trim_end().contains('\n'))?;
        Some(leak_in(text, surface(), clean, signals))
    })
}

fn behind_a_value(raw: &str, surface: Surface) -> Option<Leak> {
    let mut values = serde_json::Deserializer::from_str(raw).into_iter::<Value>();
    values.next()?.ok()?;
    let end = values.byte_offset();
    let (start, signals) = headers(&raw[end..]).next()?;
    Some(leak_in(raw, surface, end + start, signals))
}

/// The parameter of a call that is in a line language, and its text.
pub fn line_text<'c>(call: &'c ToolCall, lines: &'c [LineTool]) -> Option<(&'c str, &'c str)> {
    let tool = lines.iter().find(|tool| tool.name == call.name)?;
    let text = call.arguments.get(&tool.parameter)?.as_str()?;
    text.trim_start().starts_with(&tool.header).then_some((&tool.parameter, text))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// All texts among the arguments of a call.
fn strings(call: &ToolCall) -> Vec<&str> {
    let mut open: Vec<&Value> = call.arguments.values().collect();
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => found.push(text.as_str()),
            Value::Array(values) => open.extend(values),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    found
}

fn has_marker(text: &str) -> bool {
    memmem::find(text.as_bytes(), MARKER.as_bytes()).is_some()
}

/// Headers that nobody writes on purpose: a glitch word beside them, or two other signs.
fn spam(text: &str) -> impl Iterator<Item = (usize, Vec<Signal>)> + '_ {
    headers(text).filter(|(_, signals)| signals.len() > 1 || signals.contains(&Signal::GlitchWord))
}

/// Markers that something else comes with: where they begin and what that is.
fn headers(text: &str) -> impl Iterator<Item = (usize, Vec<Signal>)> + '_ {
    memmem::find_iter(text.as_bytes(), MARKER).filter_map(|at| {
        let (before, behind) = (&text[..at], &text[at + MARKER.len()..]);
        behind.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(())?;
        let word = channel_word(before);
        let near = &before[floor(before, before.len().saturating_sub(NEAR))..];
        let mut signals = Vec::new();
        let mut note = |holds: bool, signal| signals.extend(holds.then_some(signal));
        note(word.is_some(), Signal::ChannelWord);
        note(GLITCH_WORDS.iter().any(|glitch| near.contains(glitch)), Signal::GlitchWord);
        note(is_foreign(text, at), Signal::ForeignScript);
        let body = behind.find(" code").map(|start| &behind[start..]);
        note(body.is_some_and(|body| body.contains(MARKER)), Signal::Cascade);
        note(body.is_some_and(|body| body.contains("code_output") || has_cell(body)), Signal::FakeOutput);
        (!signals.is_empty()).then(|| (word.unwrap_or(at), signals))
    })
}

/// Where the channel's name begins that stands directly before a marker.
fn channel_word(before: &str) -> Option<usize> {
    let trimmed = before.trim_end();
    let is_adjacent = before.len() - trimmed.len() <= 2;
    let word = CHANNEL_WORDS.iter().find(|word| trimmed.ends_with(*word)).filter(|_| is_adjacent)?;
    let start = trimmed.len() - word.len();
    let joined = trimmed[..start].chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric());
    (!joined).then_some(start)
}

/// Two letters or more of another script near the marker, while most of the text is ASCII.
fn is_foreign(text: &str, at: usize) -> bool {
    let from = floor(text, at.saturating_sub(NEAR));
    let to = floor(text, (at + MARKER.len() + NEAR).min(text.len()));
    let foreign = text[from..to].chars().filter(|c| c.is_alphabetic() && *c > '\u{24f}').count();
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let all = text.chars().count();
    foreign >= 2 && ascii * 2 > all
}

/// `Cell N:` on its own.
fn has_cell(text: &str) -> bool {
    text.match_indices("Cell ").any(|(at, found)| {
        let rest = &text[at + found.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with(':')
    })
}

/// The next character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
