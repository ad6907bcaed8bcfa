//! What a turn took.

use std::sync::Arc;
use std::time::Duration;

use omp_types::Message;

use crate::grouped;
use crate::look::duration;

/// A turn that was shorter says it by itself.
const WORTH_SAYING: Duration = Duration::from_secs(3);

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnding {
    /// By itself.
    Done,
    /// Somebody stopped it.
    Stopped,
}

impl TurnEnding {
    /// The ending of a turn that was interrupted, or not.
    pub fn of(interrupted: bool) -> Self {
        if interrupted { Self::Stopped } else { Self::Done }
    }
}

/// Time, tokens and cost of a turn in one line; nothing about a short one.
pub fn turn_summary(took: Duration, messages: &[Arc<Message>], ending: TurnEnding) -> Option<String> {
    if took < WORTH_SAYING {
        return None;
    }
    let (mut input, mut cached, mut output, mut cost) = (0, 0, 0, 0.0);
    for usage in messages.iter().filter_map(|message| message.as_assistant()).map(|answer| &answer.usage) {
        input += usage.input + usage.cache_read + usage.cache_write;
        cached += usage.cache_read;
        output += usage.output;
        cost += usage.cost.total;
    }
    let time = duration(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    let end = match ending {
        TurnEnding::Done => "Done in",
        TurnEnding::Stopped => "Stopped after",
    };
    let mut parts = vec![format!("{end} {time}")];
    let cached = if cached > 0 { format!(" ({} cached)", grouped(cached)) } else { String::new() };
    if input + output > 0 {
        parts.push(format!("{} tokens in{cached}, {} out", grouped(input), grouped(output)));
    }
    if cost > 0.0 {
        parts.push(format!("${cost:.4}"));
    }
    Some(parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use omp_types::{AssistantMessage, StopReason, Usage};

    use super::*;

    fn answer(input: u64, cache_read: u64, output: u64, cost: f64) -> Arc<Message> {
        let mut usage = Usage { input, cache_read, output, ..Usage::default() };
        usage.cost.total = cost;
        Arc::new(Message::Assistant(AssistantMessage {
            content: Vec::new(),
            api: String::new(),
            provider: String::new(),
            model: String::new(),
            response_id: None,
            usage,
            stop_reason: StopReason::Stop,
            error_message: None,
            timestamp: 0,
        }))
    }

    #[test]
    fn the_answers_of_a_turn_add_up() {
        let said = |seconds, messages: &[Arc<Message>], interrupted| {
            turn_summary(Duration::from_secs(seconds), messages, TurnEnding::of(interrupted))
        };
        let messages = [answer(3_000, 0, 100, 0.01), answer(200, 2_900, 20, 0.0023)];
        let expected = "Done in 1m 05s · 6,100 tokens in (2,900 cached), 120 out · $0.0123";
        assert_eq!(said(65, &messages, false).as_deref(), Some(expected));
        assert_eq!(said(12, &[], true).as_deref(), Some("Stopped after 12.0s"));
        assert_eq!(said(7_260, &[], false).as_deref(), Some("Done in 2h 01m"));
        assert_eq!(said(2, &messages, false), None, "a short turn says it by itself");
    }
}
