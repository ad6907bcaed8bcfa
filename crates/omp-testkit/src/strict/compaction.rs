//! `/responses/compact`: a conversation and nothing about how to answer it.

use super::{Check, Checker, fields, responses_items, responses_reasoning};
use crate::server::{RecordedRequest, Wire};

/// Everything that the endpoint knows. It does not stream and offers no tools.
const FIELDS: &[&str] =
    &["input", "instructions", "model", "previous_response_id", "prompt_cache_key", "prompt_cache_retention"];
/// What accounts may send.
const ACCOUNT_FIELDS: &[&str] = &["input", "instructions", "model"];

pub(super) fn check(request: &RecordedRequest, checker: &Checker<'_>) -> Check {
    let body = &request.body;
    if request.header("accept").is_none_or(|accepted| !accepted.contains("application/json")) {
        return Err("accept: the answer is application/json".into());
    }
    if request.wire == Wire::OpenAiCodexResponses {
        fields::known_top_level(body, ACCOUNT_FIELDS, checker.rules)?;
        fields::required(body, &["instructions"])?;
        for header in ["chatgpt-account-id", "originator"] {
            if request.header(header).is_none_or(str::is_empty) {
                return Err(format!("{header}: header is required"));
            }
        }
    }
    fields::known_top_level(body, FIELDS, checker.rules)?;
    fields::required(body, &["model", "input"])?;
    fields::model(body)?;
    responses_items::check(body)?;
    responses_reasoning::check_stateless(body, checker)
}
