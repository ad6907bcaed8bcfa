//! `omp/demo`: a guided tour without a model.
//!
//! It drives the real loop and the real tools by fixed rules, so that a newcomer without a key sees what the
//! program does: look around, read, propose, and on request write a small file and run it. It says plainly what
//! it is. The next step is a function of the conversation alone.

mod script;

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream;
use indexmap::IndexMap;
use omp_types::{Cost, ModelRequest, StopReason};
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use crate::client::{BatchStream, now_ms};
use crate::failure::aborted;
use crate::model::{Api, Compat, Facts, Input, Model, ThinkingMode, Transport};
use crate::shaping::Shaping;
use script::{Step, next_step};

/// The model entry; it needs no key and no network.
pub fn model() -> Model {
    Model {
        provider: "omp".to_owned(),
        id: "demo".to_owned(),
        name: "Built-in demo (no model)".to_owned(),
        api: Api::Demo,
        base_url: String::new(),
        headers: IndexMap::new(),
        key: None,
        bearer: false,
        reasoning: false,
        thinking: ThinkingMode::Standard,
        levels: Vec::new(),
        input: vec![Input::Text],
        cost: Cost::default(),
        context_window: 128_000,
        max_tokens: 16_384,
        compat: Compat::detect(Api::Demo, "", "demo"),
        facts: Facts::default(),
        transport: Transport::default(),
        shaping: Shaping::default(),
    }
}

pub(crate) fn stream(model: &Arc<Model>, request: &ModelRequest, cancel: &CancellationToken) -> BatchStream {
    let mut answer = Answer::new(model, HashMap::new(), now_ms());
    if cancel.is_cancelled() {
        answer.fail(aborted());
    } else {
        play(next_step(request), &mut answer);
    }
    let batch = answer.take_events();
    Box::pin(stream::iter([batch]))
}

fn play(step: Step, answer: &mut Answer) {
    if !step.text.is_empty() {
        let block = answer.open_text();
        for word in step.text.split_inclusive(' ') {
            answer.push_text(block, word);
        }
        answer.close(block);
    }
    if let Some((tool, arguments)) = step.call {
        let block = answer.open_call(&format!("demo_{}", step.number), tool);
        answer.push_arguments(block, &arguments.to_string());
        answer.close(block);
    }
    answer.finish(StopReason::Stop);
}
