//! The Responses API behind a ChatGPT account: `POST <base>/codex/responses`, or a WebSocket at the same address.
//!
//! It takes the same items as the public API, insists on instructions, stores nothing and refuses limits and sampling
//! parameters. Over a WebSocket the body is one message and every event another.

use std::collections::HashMap;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use omp_types::{Failure, ModelRequest};
use serde_json::{Map, Value};

use crate::failure;
use crate::model::{Model, Secret};
use crate::wire::responses::{self, Limits, Variant};
use crate::wire::{Policy, WireRequest, join};

/// Names the account; the token holds it.
pub(super) const ACCOUNT_HEADER: &str = "chatgpt-account-id";
/// For a request without a system prompt: the API refuses one without instructions.
const INSTRUCTIONS: &str = include_str!("prompts/instructions.md");

pub(super) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    let variant = Variant { model: model.wire_id(), limits: Limits::Withheld };
    let (mut body, names) = responses::body(model, request, policy, &variant);
    with_instructions(&mut body);
    WireRequest {
        url: address(&model.base_url),
        headers: headers(model, request),
        body: body.to_string(),
        names,
    }
}

fn headers(model: &Model, request: &ModelRequest) -> Vec<(&'static str, String)> {
    let mut headers =
        vec![("openai-beta", "responses=experimental".to_owned()), ("originator", "omp".to_owned())];
    if let Some(account) = model.key.as_ref().and_then(account_id) {
        headers.push((ACCOUNT_HEADER, account));
    }
    if let Some(session) = &request.options.session_id {
        headers.push(("session_id", session.clone()));
    }
    headers
}

/// A request for the conversation in a shorter form.
pub(super) fn compaction(model: &Model, request: &ModelRequest) -> WireRequest {
    let variant = Variant { model: model.wire_id(), limits: Limits::Withheld };
    let mut body = responses::compaction(model, request, &variant);
    with_instructions(&mut body);
    let url = format!("{}{}", address(&model.base_url), responses::COMPACT);
    WireRequest { url, headers: headers(model, request), body: body.to_string(), names: HashMap::new() }
}

/// The API refuses a request without instructions.
fn with_instructions(body: &mut Value) {
    if let Some(members) = body.as_object_mut().filter(|members| !members.contains_key("instructions")) {
        insert_before_input(members, "instructions", INSTRUCTIONS.trim_end().into());
    }
}

/// The value of `openai-beta` that opens a WebSocket.
pub(crate) const SOCKET_BETA: &str = "responses_websockets=2026-02-06";

/// A request's body as the message that asks for the same over a WebSocket, where streaming goes without saying.
pub(crate) fn message(body: &str) -> String {
    let mut message = Map::new();
    message.insert("type".to_owned(), "response.create".into());
    if let Ok(Value::Object(body)) = serde_json::from_str(body) {
        message.extend(body.into_iter().filter(|(name, _)| name != "stream"));
    }
    Value::Object(message).to_string()
}

/// The failure that a message is about, if it is about one. It says the status that a POST would have had.
pub(crate) fn refusal(message: &str) -> Option<Failure> {
    if !message.contains("\"error\"") {
        return None;
    }
    let message: Value = serde_json::from_str(message).ok()?;
    let status = message["status"].as_u64().or_else(|| message["status_code"].as_u64());
    let status =
        status.filter(|_| message["type"] == "error").and_then(|status| u16::try_from(status).ok())?;
    let body = message.to_string();
    Some(refine(failure::from_status(status, "", &body, None), &body))
}

/// The conversation stays last, so that consecutive requests share their prefix.
fn insert_before_input(members: &mut Map<String, Value>, name: &str, value: Value) {
    let input = members.shift_remove("input");
    members.insert(name.to_owned(), value);
    if let Some(input) = input {
        members.insert("input".to_owned(), input);
    }
}

/// Users write the base with more or less of the path.
fn address(base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    let base = base.strip_suffix("/responses").unwrap_or(base);
    let base = base.strip_suffix("/codex").unwrap_or(base);
    join(base, "/codex/responses")
}

/// The body of a refusal says when the plan's limit ends; there is no header for it.
pub(super) fn refine(mut failure: Failure, body: &str) -> Failure {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let seconds = body["error"]["resets_in_seconds"].as_u64().filter(|_| failure.retry_after_ms.is_none());
    if let Some(wait) = seconds.map(|seconds| seconds.saturating_mul(1000)) {
        failure.retry_after_ms = Some(wait);
        failure.message.push_str(&format!(" (retry after {wait} ms)"));
    }
    failure
}

/// The account of an access token, from its claims. `None` for anything that is not such a token.
fn account_id(token: &Secret) -> Option<String> {
    let claims = token.reveal().split('.').nth(1)?;
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    let account = claims["https://api.openai.com/auth"]["chatgpt_account_id"].as_str()?;
    (!account.is_empty()).then(|| account.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_completed() {
        let full = "https://chatgpt.com/backend-api/codex/responses";
        for base in ["", "/", "/codex", "/codex/", "/codex/responses"] {
            assert_eq!(address(&format!("https://chatgpt.com/backend-api{base}")), full, "{base}");
        }
    }

    #[test]
    fn the_account_is_read_from_the_token() {
        let claims = r#"{"https://api.openai.com/auth":{"chatgpt_account_id":"acc-1"}}"#;
        let token = |claims: &str| Secret::new(format!("h.{}.s", BASE64_URL_SAFE_NO_PAD.encode(claims)));
        assert_eq!(account_id(&token(claims)).as_deref(), Some("acc-1"));
        for other in ["{}", "[]", "no json", r#"{"https://api.openai.com/auth":{"chatgpt_account_id":""}}"#] {
            assert_eq!(account_id(&token(other)), None, "{other}");
        }
        for other in ["sk-plain", "a.b", "a.%%.c", ""] {
            assert_eq!(account_id(&Secret::new(other)), None, "{other}");
        }
    }
}
