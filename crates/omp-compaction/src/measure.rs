//! How long a conversation is.

use std::sync::Arc;

use omp_tokens::Billing;
use omp_types::{AssistantMessage, Message, StopReason, ToolResultMessage};
use serde_json::{Value, json};

/// The field of a result's details that says what blanking it saved.
const BLANKED: &str = "blanked";

/// The size of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Tokens that the model would read now.
    pub tokens: u64,
    /// What the provider counted last.
    pub reported: Option<u64>,
}

/// What a request is measured with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scale {
    /// Counts of so many of the first messages are of another conversation, from before it was made shorter.
    pub stale: usize,
    /// How the carrier of the requests counts images.
    pub billing: Billing,
    /// Tokens of the system prompt and the tools, where no provider has counted them.
    pub beside: u64,
}

/// Measures a conversation: what the provider counted with its last good answer, less what was blanked since, and an
/// estimate of what came since.
pub fn measure(messages: &[Arc<Message>], scale: Scale) -> Measured {
    match newest_count(messages, scale.stale) {
        Some((at, answer, tokens)) => {
            let (before, after) = messages.split_at(at + 1);
            let blanked: u64 = before.iter().map(|message| blanked_after(message, answer)).sum();
            Measured {
                tokens: tokens.saturating_sub(blanked) + estimate(after, scale.billing),
                reported: Some(tokens),
            }
        }
        None => Measured { tokens: scale.beside + estimate(messages, scale.billing), reported: None },
    }
}

/// What the provider counted against what we estimate for the same messages; 1 where nothing was counted.
pub fn count_ratio(messages: &[Arc<Message>], scale: Scale) -> f64 {
    newest_count(messages, scale.stale).map_or(1.0, |(at, _, tokens)| {
        tokens as f64 / estimate(&messages[..=at], scale.billing).max(1) as f64
    })
}

/// What the provider counted beyond the messages: the system prompt and the tools, and what our estimates are wrong by.
pub fn counted_beside(messages: &[Arc<Message>], scale: Scale) -> Option<u64> {
    let (at, _, tokens) = newest_count(messages, scale.stale)?;
    Some(tokens.saturating_sub(estimate(&messages[..=at], scale.billing)))
}

fn estimate(messages: &[Arc<Message>], billing: Billing) -> u64 {
    messages.iter().map(|message| omp_tokens::message_for(billing, message)).sum()
}

/// The newest answer that was counted, and where it is.
fn newest_count(messages: &[Arc<Message>], stale: usize) -> Option<(usize, &AssistantMessage, u64)> {
    messages.iter().enumerate().skip(stale).rev().find_map(|(at, message)| {
        let answer = message.as_assistant()?;
        Some((at, answer, counted(answer)?))
    })
}

/// What an answer says about the size of the conversation that ends with it.
fn counted(answer: &AssistantMessage) -> Option<u64> {
    let usage = &answer.usage;
    let tokens = usage.input + usage.cache_read + usage.cache_write + usage.output;
    let good = !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
    (good && tokens > 0).then_some(tokens)
}

/// The answer that the provider counted last is no longer right once a result before it was blanked. This is what tells
/// so: when the answer was given, and what the blank saved.
pub(crate) fn mark_blanked(result: &mut ToolResultMessage, messages: &[Arc<Message>], saved: u64) {
    let Some((_, answer, _)) = newest_count(messages, 0).filter(|(_, answer, _)| answer.timestamp > 0) else {
        return;
    };
    let mark = json!({ "after": answer.timestamp, "tokens": saved });
    match &mut result.details {
        None => result.details = Some(json!({ BLANKED: mark })),
        Some(Value::Object(details)) => drop(details.insert(BLANKED.to_owned(), mark)),
        // Details that cannot hold it are worth more than an exact size.
        Some(_) => {}
    }
}

/// What blanking a result saved, if that was after the answer.
fn blanked_after(message: &Message, answer: &AssistantMessage) -> u64 {
    let details = message.as_tool_result().and_then(|result| result.details.as_ref());
    let number = |name: &str| details?.get(BLANKED)?.get(name)?.as_u64();
    match (number("after"), number("tokens")) {
        (Some(after), Some(tokens)) if answer.timestamp <= after => tokens,
        _ => 0,
    }
}
