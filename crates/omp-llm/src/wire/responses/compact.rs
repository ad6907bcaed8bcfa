//! The same conversation in a shorter form: `POST <base>/responses/compact`, answered with items that only the model that
//! made them can read.

use std::collections::HashMap;

use omp_types::{ModelRequest, Usage};
use serde_json::{Map, Value};

use super::encode::{IDS, Limits, Variant};
use super::{decode, items};
use crate::history;
use crate::model::Model;
use crate::wire::{Toolbox, WireRequest, join, joined_system};

/// Where requests for this form go, beside those for answers.
pub(in crate::wire) const PATH: &str = "/compact";

pub(in crate::wire) fn encode(model: &Model, request: &ModelRequest) -> WireRequest {
    let variant = Variant { model: model.wire_id(), limits: Limits::Sent };
    WireRequest {
        url: join(&model.base_url, &format!("/responses{PATH}")),
        headers: Vec::new(),
        body: compaction(model, request, &variant).to_string(),
        names: HashMap::new(),
    }
}

/// The body. It says nothing about how to answer, for nothing is answered; the conversation stays last.
pub(in crate::wire) fn compaction(model: &Model, request: &ModelRequest, variant: &Variant<'_>) -> Value {
    let options = &request.options;
    let turns = history::prepare_past(&request.messages, model, IDS, options.identity_from);
    let toolbox = Toolbox::new(request, &turns);
    let mut body = Map::new();
    body.insert("model".into(), variant.model.into());
    if let Some(key) = options.prompt_cache_key.as_ref().filter(|_| variant.limits == Limits::Sent) {
        body.insert("prompt_cache_key".into(), key.clone().into());
    }
    if let Some(system) = joined_system(request) {
        body.insert("instructions".into(), system.into());
    }
    body.insert("input".into(), items::encode(&turns, model, &toolbox.names).into());
    Value::Object(body)
}

/// The items of an answer and what it took; `None` if there is nothing in it that stands for a conversation.
pub(crate) fn compacted(body: &str) -> Option<(Vec<Value>, Usage)> {
    let mut body: Value = serde_json::from_str(body).ok()?;
    let usage = decode::usage(&body["usage"]);
    let Value::Array(items) = body["output"].take() else { return None };
    let sealed = |item: &Value| item["encrypted_content"].as_str().is_some_and(|sealed| !sealed.is_empty());
    items.iter().any(sealed).then_some((items, usage))
}
