//! The calls that failed last, and whether they still do.

use std::collections::HashMap;

use omp_types::{AssistantMessage, ToolCall, ToolResultMessage, UserBlock};
use serde::{Deserialize, Serialize};

use crate::plan::Piece;
use crate::serialize::{Detail, shortened, written};

/// Failures that are kept, the newest.
const MOST: usize = 3;
/// Characters of what a tool said.
const LONGEST: usize = 600;
/// How much of a call is written out.
const CALL: Detail = Detail { result: 0, argument: 160, call: 200, thought: 0 };

/// A call that failed, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct FailedCall {
    pub call: String,
    pub text: String,
}

/// As session files have it; earlier versions had one text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Call { call: String, text: String },
}

impl From<Stored> for FailedCall {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Call { call, text } => Self { call, text },
            Stored::Text(text) => {
                let (call, text) = text.split_once(": ").unwrap_or(("", &text));
                Self { call: call.to_owned(), text: text.to_owned() }
            }
        }
    }
}

impl FailedCall {
    pub(crate) fn line(&self) -> String {
        format!("{}: {}", self.call, self.text)
    }
}

/// The last failures: those of before and those among the messages that go. The same call that went well since, also in
/// what is kept, is no failure any more.
pub(crate) fn last<'a>(
    before: Vec<FailedCall>,
    dropped: impl Iterator<Item = &'a Piece>,
    kept: impl Iterator<Item = &'a Piece>,
) -> Vec<FailedCall> {
    let mut failed = before;
    let mut calls: HashMap<&str, String> = HashMap::new();
    let pieces = dropped.map(|piece| (piece, true)).chain(kept.map(|piece| (piece, false)));
    for (piece, goes) in pieces {
        let made = piece.message.as_assistant().into_iter().flat_map(AssistantMessage::tool_calls);
        calls.extend(made.map(|call: &ToolCall| (call.id.as_str(), written(call, CALL))));
        let Some(result) = piece.message.as_tool_result() else { continue };
        let call = calls.get(result.tool_call_id.as_str()).cloned();
        let call = call.unwrap_or_else(|| result.tool_name.clone());
        failed.retain(|failure| failure.call != call);
        if result.is_error && goes {
            failed.push(FailedCall { call, text: said(result) });
        }
    }
    failed.drain(..failed.len().saturating_sub(MOST));
    failed
}

fn said(result: &ToolResultMessage) -> String {
    let text = result.content.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n");
    shortened(text.trim(), LONGEST)
}
