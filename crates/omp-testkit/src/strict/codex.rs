//! The Responses API of ChatGPT accounts: an account in a header, instructions, and nothing it does not know.

use super::{Check, Checker, fields, responses};
use crate::server::RecordedRequest;

/// Fields of the public API that this one refuses.
const REFUSED: [&str; 9] = [
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "previous_response_id",
    "prompt_cache_retention",
    "temperature",
    "top_logprobs",
    "top_p",
    "user",
];

pub(super) fn check(request: &RecordedRequest, checker: &Checker<'_>) -> Check {
    let body = &request.body;
    if let Some(field) = REFUSED.iter().find(|field| body.get(**field).is_some()) {
        return Err(format!("Unsupported parameter: {field}"));
    }
    fields::required(body, &["instructions", "store"])?;
    if body["store"] != false {
        return Err("Store must be set to false".into());
    }
    if body["instructions"].as_str().is_none_or(|text| text.trim().is_empty()) {
        return Err("Instructions are required".into());
    }
    for header in ["chatgpt-account-id", "originator"] {
        if request.header(header).is_none_or(str::is_empty) {
            return Err(format!("{header}: header is required"));
        }
    }
    let beta =
        if request.method == "POST" { "responses=experimental" } else { "responses_websockets=2026-02-06" };
    match request.header("openai-beta") {
        Some(given) if given == beta => {}
        other => return Err(format!("openai-beta: must be '{beta}', not {other:?}")),
    }
    responses::check(body, checker)
}
