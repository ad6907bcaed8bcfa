//! Results of tools that are not worth their room any more. They stay in their places, with a few words in them.

use std::collections::HashMap;
use std::sync::Arc;

use omp_types::{Message, ToolCall, ToolResultMessage, UserBlock};
use serde_json::Value;

use crate::measure::mark_blanked;

/// What a result that said nothing becomes.
pub const USELESS: &str = "[Uneventful result elided]";
/// What an old read becomes.
const SUPERSEDED: &str = "[Superseded by a newer read of this file]";
/// How a result that was only long begins.
const TRUNCATED: &str = "[Output truncated - ";

/// Tokens of the newest results that are not touched.
const PROTECTED_TOKENS: u64 = 40_000;
/// Less is not worth a broken prompt cache.
const LEAST_SAVED: u64 = 20_000;
/// Smaller results are not worth a notice.
const SMALLEST: u64 = 50;
/// So much may follow a result that is blanked after a turn: all of it is sent again.
const MOST_AFTER: u64 = 8_000;

/// What must stay as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protect {
    /// The plan that the session works by: its URL or path.
    pub plan: Option<String>,
}

impl Protect {
    fn covers(&self, call: &ToolCall) -> bool {
        let path = call.arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        let is_plan =
            || self.plan.as_deref().is_some_and(|plan| path == plan || path.starts_with(&format!("{plan}:")));
        match call.name.as_str() {
            "skill" => true,
            "read" => path.starts_with("skill://") || is_plan(),
            _ => false,
        }
    }
}

/// Which results a pass after a turn looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Reads of files that were read again.
    pub superseded: bool,
    /// Results that said nothing.
    pub useless: bool,
    /// The provider has forgotten the conversation anyway.
    pub cache_is_cold: bool,
}

/// A result that is to be blanked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blank {
    /// Where the message is.
    pub index: usize,
    /// The call it answers.
    pub call: String,
    /// What stands in it from now on.
    pub text: String,
    /// Tokens that are saved.
    pub saved: u64,
}

impl Blank {
    /// The result with the new text. What it showed to people stays. Where `messages` were counted by a provider, the
    /// result says by how much that count is too high from now on.
    pub fn apply(&self, result: &ToolResultMessage, messages: &[Arc<Message>]) -> Message {
        let content = vec![UserBlock::text(self.text.clone())];
        let mut blanked = ToolResultMessage { content, ..result.clone() };
        mark_blanked(&mut blanked, messages, self.saved);
        Message::ToolResult(blanked)
    }
}

/// Results that a turn has made worthless. Only near the end, where blanking them costs little of the prompt cache,
/// unless the cache is cold anyway.
pub fn stale(messages: &[Arc<Message>], wanted: Stale, protect: &Protect) -> Vec<Blank> {
    let calls = Calls::of(messages);
    let results =
        messages.iter().enumerate().filter_map(|(index, message)| Some((index, message.as_tool_result()?)));
    let mut found: Vec<Blank> =
        results.filter_map(|(index, result)| calls.worthless(index, result, wanted, protect)).collect();
    if !found.is_empty() && !wanted.cache_is_cold {
        let end = end_of(messages, MOST_AFTER);
        found.retain(|blank| blank.index >= end);
    }
    found
}

/// Where the end of a conversation begins that has no more than so many tokens, but for the message at the border.
fn end_of(messages: &[Arc<Message>], tokens: u64) -> usize {
    let mut after = 0;
    let inside = messages.iter().rev().take_while(|message| {
        let is_inside = after <= tokens;
        after += omp_tokens::message(message);
        is_inside
    });
    messages.len() - inside.count()
}

/// Old output that goes before a conversation is summarized: all but the newest, if that saves enough.
pub fn prune(messages: &[Arc<Message>], wanted: Stale, protect: &Protect) -> Vec<Blank> {
    let calls = Calls::of(messages);
    let mut newest = 0;
    let mut found = Vec::new();
    for (index, message) in messages.iter().enumerate().rev() {
        let Some(result) = message.as_tool_result() else { continue };
        if let Some(blank) = calls.worthless(index, result, wanted, protect) {
            found.push(blank);
            continue;
        }
        let tokens = omp_tokens::message(message);
        newest += tokens;
        let kept = newest <= PROTECTED_TOKENS || tokens < SMALLEST || !calls.is_seen(index);
        if kept || calls.is_exempt(index, result, protect) {
            continue;
        }
        let text = format!("{TRUNCATED}{tokens} tokens]");
        found.push(blank(index, result, text, tokens));
    }
    found.reverse();
    let saved: u64 = found.iter().map(|blank| blank.saved).sum();
    if saved >= LEAST_SAVED { found } else { Vec::new() }
}

/// Output that goes so that a conversation fits into so many tokens, the oldest first: for one that has to fit at once.
pub fn squeeze(messages: &[Arc<Message>], tokens: u64, protect: &Protect) -> Vec<Blank> {
    let calls = Calls::of(messages);
    let mut left: u64 = messages.iter().map(|message| omp_tokens::message(message)).sum();
    let mut found = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if left <= tokens {
            break;
        }
        let Some(result) = message.as_tool_result() else { continue };
        let size = omp_tokens::message(message);
        if size < SMALLEST || calls.is_exempt(index, result, protect) {
            continue;
        }
        let blank = blank(index, result, format!("{TRUNCATED}{size} tokens]"), size);
        left = left.saturating_sub(blank.saved);
        found.push(blank);
    }
    found
}

/// The calls of a conversation, and which of its reads came again.
struct Calls<'a> {
    /// The call that each result answers, by the place of the result. Some servers give the same id again and again: the
    /// last call before a result is meant.
    answered_by: HashMap<usize, &'a ToolCall>,
    /// The last read of each file as a whole, and of each part of one.
    last_read: HashMap<&'a str, usize>,
    /// Where the last answer is: the model has not read what comes after it.
    answered: usize,
}

impl<'a> Calls<'a> {
    fn of(messages: &'a [Arc<Message>]) -> Self {
        let mut by_id: HashMap<&str, &ToolCall> = HashMap::new();
        let (mut answered_by, mut last_read) = (HashMap::new(), HashMap::new());
        for (index, message) in messages.iter().enumerate() {
            if let Some(answer) = message.as_assistant() {
                by_id.extend(answer.tool_calls().map(|call| (call.id.as_str(), call)));
            }
            let Some(result) = message.as_tool_result() else { continue };
            let Some(call) = by_id.get(result.tool_call_id.as_str()).copied() else { continue };
            answered_by.insert(index, call);
            if let Some(path) = read_path(call).filter(|_| !result.is_error) {
                last_read.insert(path, index);
            }
        }
        let answered = messages.iter().rposition(|message| message.as_assistant().is_some());
        Self { answered_by, last_read, answered: answered.unwrap_or(0) }
    }

    /// Has the model read the message?
    fn is_seen(&self, index: usize) -> bool {
        index < self.answered
    }

    fn is_exempt(&self, index: usize, result: &ToolResultMessage, protect: &Protect) -> bool {
        is_blank(result) || self.answered_by.get(&index).is_none_or(|call| protect.covers(call))
    }

    /// The blank for a result that says nothing, or nothing new.
    fn worthless(
        &self,
        index: usize,
        result: &ToolResultMessage,
        wanted: Stale,
        protect: &Protect,
    ) -> Option<Blank> {
        if self.is_exempt(index, result, protect) {
            return None;
        }
        if wanted.superseded && self.is_superseded(index, result) {
            let tokens = omp_tokens::message(&Message::ToolResult(result.clone()));
            return Some(blank(index, result, SUPERSEDED.to_owned(), tokens));
        }
        if wanted.useless && result.is_useless() && self.is_seen(index) {
            let tokens = size(result);
            return (tokens > omp_tokens::estimate(USELESS))
                .then(|| blank(index, result, USELESS.to_owned(), tokens));
        }
        None
    }

    /// Was the same file, or the same part of it, read again later?
    fn is_superseded(&self, index: usize, result: &ToolResultMessage) -> bool {
        let call = self.answered_by.get(&index);
        let Some(path) = call.and_then(|call| read_path(call)).filter(|_| !result.is_error) else {
            return false;
        };
        let whole = path.split_once(':').map(|(file, _)| file);
        let newer = |path: &str| self.last_read.get(path).is_some_and(|last| *last > index);
        newer(path) || whole.is_some_and(newer)
    }
}

fn read_path(call: &ToolCall) -> Option<&str> {
    let path = call.arguments.get("path").and_then(Value::as_str)?;
    (call.name == "read" && !path.contains("://")).then_some(path)
}

fn blank(index: usize, result: &ToolResultMessage, text: String, tokens: u64) -> Blank {
    let saved = tokens.saturating_sub(omp_tokens::estimate(&text));
    Blank { index, call: result.tool_call_id.clone(), text, saved }
}

fn size(result: &ToolResultMessage) -> u64 {
    result.content.iter().filter_map(UserBlock::as_text).map(omp_tokens::estimate).sum()
}

/// Was the result blanked before?
fn is_blank(result: &ToolResultMessage) -> bool {
    let [UserBlock::Text(text)] = result.content.as_slice() else { return false };
    let text = text.text.as_str();
    text == USELESS || text == SUPERSEDED || (text.starts_with(TRUNCATED) && text.ends_with(" tokens]"))
}
