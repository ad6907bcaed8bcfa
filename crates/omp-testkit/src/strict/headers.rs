//! Header rules.

use super::{Check, Refusal};
use crate::server::{RecordedRequest, Rules, Wire};

/// The key a request carries, wherever its wire allows it.
fn key(request: &RecordedRequest) -> Option<&str> {
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    match request.wire {
        Wire::AnthropicMessages => request.header("x-api-key").or(bearer),
        Wire::OpenAiCompletions | Wire::OpenAiResponses => bearer,
    }
    .map(str::trim)
    .filter(|key| !key.is_empty())
}

/// With `expect_key`, any other key is a 401, which a test may be about.
pub(super) fn expected_key(request: &RecordedRequest, rules: &Rules) -> Result<(), Refusal> {
    match &rules.expect_key {
        Some(expected) if key(request) != Some(expected) => {
            let message = format!("Incorrect API key provided: {}", key(request).unwrap_or("(none)"));
            Err(Refusal { status: 401, message, is_violation: false })
        }
        _ => Ok(()),
    }
}

pub(super) fn key_present(request: &RecordedRequest, rules: &Rules) -> Result<(), Refusal> {
    if rules.keyless || key(request).is_some() {
        return Ok(());
    }
    let wanted = match request.wire {
        Wire::AnthropicMessages => "x-api-key header or authorization: Bearer header is required",
        Wire::OpenAiCompletions | Wire::OpenAiResponses => {
            "You didn't provide an API key: an authorization: Bearer header is required"
        }
    };
    Err(Refusal::new(401, wanted))
}

pub(super) fn content_type(request: &RecordedRequest) -> Check {
    let given = request.header("content-type").unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        Ok(())
    } else {
        Err(format!("content-type must be application/json, not {given:?}"))
    }
}

pub(super) fn anthropic_version(request: &RecordedRequest) -> Check {
    match request.header("anthropic-version") {
        Some("2023-06-01") => Ok(()),
        Some(other) => Err(format!("anthropic-version: {other:?} is not a valid version; use 2023-06-01")),
        None => Err("anthropic-version: header is required".into()),
    }
}
