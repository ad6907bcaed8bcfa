//! How long a conversation is.

use std::sync::Arc;

use omp_tokens::Billing;
use omp_types::{AssistantMessage, Message, StopReason};

/// The size of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Tokens that the model would read now.
    pub tokens: u64,
    /// What the provider counted against what we estimate for the same messages; 1 where nothing was counted.
    pub ratio: f64,
    /// What the provider counted last.
    pub reported: Option<u64>,
}

/// Measures a conversation: what the provider counted with its last good answer, and an estimate of what came since.
/// Counts of the first `stale` messages are of another conversation, from before it was made shorter.
pub fn measure(messages: &[Arc<Message>], stale: usize) -> Measured {
    measure_for(messages, stale, Billing::default())
}

/// The same, with images as the carrier of the requests counts them.
pub fn measure_for(messages: &[Arc<Message>], stale: usize, billing: Billing) -> Measured {
    let counted = messages.iter().enumerate().skip(stale).rev().find_map(|(at, message)| {
        let tokens = message.as_assistant().and_then(counted)?;
        Some((at, tokens))
    });
    let estimate = |messages: &[Arc<Message>]| -> u64 {
        messages.iter().map(|message| omp_tokens::message_for(billing, message)).sum()
    };
    match counted {
        Some((at, tokens)) => {
            let (before, after) = messages.split_at(at + 1);
            let estimated = estimate(before).max(1);
            Measured {
                tokens: tokens + estimate(after),
                ratio: tokens as f64 / estimated as f64,
                reported: Some(tokens),
            }
        }
        None => Measured { tokens: estimate(messages), ratio: 1.0, reported: None },
    }
}

/// What an answer says about the size of the conversation that ends with it.
fn counted(answer: &AssistantMessage) -> Option<u64> {
    let usage = &answer.usage;
    let tokens = usage.input + usage.cache_read + usage.cache_write + usage.output;
    let good = !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
    (good && tokens > 0).then_some(tokens)
}
