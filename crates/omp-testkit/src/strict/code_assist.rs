//! Cloud Code Assist: Google's rules for what is inside, and an envelope that says for whom and about which model.

use super::{Check, Checker, fields, google};
use crate::server::RecordedRequest;

const ENVELOPE: [&str; 5] = ["model", "project", "request", "userAgent", "user_prompt_id"];

pub(super) fn check(request: &RecordedRequest, checker: &Checker<'_>) -> Check {
    let envelope = &request.envelope;
    fields::known_top_level(envelope, &ENVELOPE, checker.rules)?;
    fields::required(envelope, &["model", "project"])?;
    for field in ["model", "project"] {
        let text = envelope[field].as_str().unwrap_or_default();
        if text.is_empty() || text.contains(['/', ' ']) {
            return Err(format!("{field}: {:?} is not a name", envelope[field]));
        }
    }
    if request.header("x-goog-api-key").is_some() {
        return Err(
            "x-goog-api-key: API keys are not supported by this API. Expected OAuth2 access token".into()
        );
    }
    let token = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    if token.is_some_and(|token| token.contains(['{', '"', ' '])) {
        return Err("authorization: Request had invalid authentication credentials".into());
    }
    if !request.body.is_object() {
        return Err("request: must be an object".into());
    }
    google::check(request, checker)
}
