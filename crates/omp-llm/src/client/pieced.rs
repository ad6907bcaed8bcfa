//! An answer that does not come over a wire: whoever has it hands it over in pieces, and it becomes the same events, within
//! the same bounds, as any other.

use std::collections::HashMap;

use omp_types::{Failure, StopReason, StreamEvent, Usage};
use serde_json::Value;

use super::now_ms;
use crate::answer::Answer;
use crate::failure::{aborted, classify_text, fatal};
use crate::model::Model;

/// Why an answer that ends without a word about it is not one.
const CUT_OFF: &str = "the answer ended before it was complete";

/// An answer in the making.
pub struct PiecedAnswer {
    answer: Answer,
    /// Blocks by the numbers that the pieces give them.
    blocks: HashMap<u64, usize>,
    over: bool,
}

impl PiecedAnswer {
    /// The beginning of an answer of that model.
    pub fn new(model: &Model) -> Self {
        let mut answer = Answer::new(model, HashMap::new(), now_ms());
        answer.start();
        Self { answer, blocks: HashMap::new(), over: false }
    }

    /// Adds a piece: `text`, `thinking` (with a `delta`), `signature`, `call`, `done` or `error`. What it is not is left out.
    pub fn push(&mut self, piece: &Value) {
        if self.over {
            return;
        }
        let text = |name: &str| piece[name].as_str().unwrap_or_default();
        let number = piece["index"].as_u64().unwrap_or_default();
        match text("type") {
            "text" => {
                let block = *self.blocks.entry(number).or_insert_with(|| self.answer.open_text());
                self.answer.push_text(block, text("delta"));
            }
            "thinking" => {
                let block = *self.blocks.entry(number).or_insert_with(|| self.answer.open_thinking());
                self.answer.push_text(block, text("delta"));
            }
            "signature" => {
                if let Some(block) = self.blocks.get(&number) {
                    self.answer.sign_thinking(*block, text("signature"));
                }
            }
            "call" => {
                let block = self.answer.open_call(text("id"), text("name"));
                self.answer.push_arguments(block, &piece["arguments"].to_string());
                self.answer.close(block);
            }
            "done" => self.done(piece),
            "error" if piece["aborted"] == true => self.fail(aborted()),
            "error" => self.fail_with(text("message")),
            _ => {}
        }
        if let Some(failure) = self.answer.exceeded() {
            self.fail(failure);
        }
    }

    fn done(&mut self, piece: &Value) {
        let usage: Usage = serde_json::from_value(piece["usage"].clone()).unwrap_or_default();
        self.answer.set_usage(usage);
        let reason = serde_json::from_value(piece["reason"].clone()).unwrap_or(StopReason::Stop);
        match reason {
            StopReason::Error => self.fail(fatal(CUT_OFF)),
            StopReason::Aborted => self.fail(aborted()),
            reason => {
                self.answer.finish(reason);
                self.over = true;
            }
        }
    }

    /// The answer broke off.
    pub fn fail(&mut self, failure: Failure) {
        if !std::mem::replace(&mut self.over, true) {
            self.answer.fail(failure);
        }
    }

    /// It broke off for a reason that is told in words.
    pub fn fail_with(&mut self, reason: &str) {
        let reason = if reason.is_empty() { CUT_OFF } else { reason };
        self.fail(Failure { kind: classify_text(reason), ..fatal(reason) });
    }

    /// Somebody stopped it.
    pub fn abort(&mut self) {
        self.fail(aborted());
    }

    /// What it became since the last time.
    pub fn take_events(&mut self) -> Vec<StreamEvent> {
        self.answer.take_events()
    }

    /// Nothing follows.
    pub fn is_over(&self) -> bool {
        self.over
    }
}
