//! Header rules.

use super::{Check, Checker, Refusal, aws_signature};
use crate::server::{RecordedRequest, Rules, Wire, is_granted};

/// The key a request carries, wherever its wire allows it.
fn key(request: &RecordedRequest) -> Option<&str> {
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    match request.wire {
        Wire::AnthropicMessages => request.header("x-api-key").or(bearer),
        Wire::GoogleGenerativeAi | Wire::GoogleVertex => request.header("x-goog-api-key").or(bearer),
        Wire::AzureOpenAiResponses => request.header("api-key").or(bearer),
        Wire::OpenAiCompletions
        | Wire::OpenAiResponses
        | Wire::OpenAiCodexResponses
        | Wire::BedrockConverseStream
        | Wire::GoogleGeminiCli
        | Wire::OllamaChat => bearer,
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
    if rules.keyless || key(request).is_some() || aws_signature::is_signed(request) {
        return Ok(());
    }
    let wanted = match request.wire {
        Wire::GoogleGenerativeAi | Wire::GoogleVertex => {
            "Method doesn't allow unregistered callers: an x-goog-api-key or authorization: Bearer header is required"
        }
        Wire::AnthropicMessages => "x-api-key header or authorization: Bearer header is required",
        Wire::AzureOpenAiResponses => {
            "Access denied due to missing subscription key: an api-key header is required"
        }
        Wire::OpenAiCompletions
        | Wire::OpenAiResponses
        | Wire::OpenAiCodexResponses
        | Wire::BedrockConverseStream
        | Wire::GoogleGeminiCli
        | Wire::OllamaChat => "You didn't provide an API key: an authorization: Bearer header is required",
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

/// One credential, not two; and Vertex takes as a bearer only a token that was given out here.
pub(super) fn google_key(request: &RecordedRequest, checker: &Checker<'_>) -> Result<(), Refusal> {
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    if bearer.is_some() && request.header("x-goog-api-key").is_some() {
        return Err(Refusal::new(400, "x-goog-api-key and authorization exclude each other"));
    }
    let known = |token: &str| is_granted(token, checker.mint) || checker.rules.expect_key.is_some();
    match bearer {
        Some(token) if request.wire == Wire::GoogleVertex && !known(token) => {
            let message = "Request had invalid authentication credentials. Expected OAuth 2 access token.";
            Err(Refusal::new(401, message))
        }
        _ => Ok(()),
    }
}
