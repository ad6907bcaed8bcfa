//! Answers into which a model wrote its own message format.

use omp_types::{AssistantMessage, CustomMessage, FailureKind, Message, StopReason, UserContent};
use serde_json::json;

use crate::answer::Attempt;
use crate::run::Run;

const CUT: &str = include_str!("../prompts/call-cut.md").trim_ascii();

/// How often one question is asked again.
pub(crate) const MAX_RETRIES: u32 = 2;
/// How many calls of one prompt are cut before such answers are thrown away.
const MAX_CUTS: u32 = 2;

/// Calls of one prompt that were cut.
#[derive(Default)]
pub(crate) struct Cuts {
    count: u32,
    /// What the model has to be told.
    pub(crate) note: Option<Message>,
}

impl Run<'_> {
    /// A contaminated answer whose last call was cut is carried out as far as it goes; nothing is kept of any other.
    pub(crate) fn salvage(&mut self, attempt: Attempt) -> Attempt {
        let (mut message, failure) = match attempt {
            Attempt::Failed(message, failure) if failure.kind == FailureKind::Contaminated => {
                (message, failure)
            }
            other => return other,
        };
        let tool = message.tool_calls().last().map(|call| call.name.clone());
        let Some(tool) = tool.filter(|_| self.cuts.count < MAX_CUTS) else {
            message.content.clear();
            return Attempt::Failed(message, failure);
        };
        self.cuts.count += 1;
        self.cuts.note = Some(Message::Custom(CustomMessage {
            custom_type: "call-cut".to_owned(),
            content: UserContent::Text(CUT.replace("{{tool}}", &tool)),
            display: false,
            details: Some(json!({"action": "cut", "record": failure.message})),
            timestamp: self.fixed.clock.now_ms(),
        }));
        let stop_reason = StopReason::ToolUse;
        Attempt::Complete(AssistantMessage { stop_reason, error_message: None, ..message })
    }
}

/// The sentence that ends the last try.
pub(crate) fn given_up(record: &str, leaks: u32) -> String {
    let times = if leaks == 1 { "once".to_owned() } else { format!("{leaks} times in a row") };
    format!("{record}. This happened {times}; ask again, or choose another model.")
}
