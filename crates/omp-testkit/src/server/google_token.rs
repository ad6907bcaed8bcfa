//! Google's token servers: the one that trades statements and refresh tokens, and the one inside every machine.

use super::http::HttpRequest;
use super::mint::Mint;
use serde_json::{Value, json};

/// What became of a request for a token.
pub(crate) struct Granted {
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// The rule the request broke, if any.
    pub(crate) violation: Option<String>,
}

pub(crate) const PREFIX: &str = "ya29.";

/// `count` makes every token a different one.
pub(crate) fn grant(request: &HttpRequest, mint: &Mint, count: usize) -> Granted {
    if request.path.contains("/denied/") {
        let body = json!({"error": "invalid_grant", "error_description": "Invalid JWT Signature."});
        return Granted { status: 400, body, violation: None };
    }
    let problem = if request.method == "GET" { machine_problem(request) } else { form_problem(request) };
    if let Some(problem) = problem {
        let body = json!({"error": "invalid_request", "error_description": problem});
        return Granted { status: 400, body, violation: Some(format!("google token: {problem}")) };
    }
    let token = format!("{PREFIX}{}", mint.redacted(count, 0));
    let body = json!({"access_token": token, "expires_in": 3600, "token_type": "Bearer"});
    Granted { status: 200, body, violation: None }
}

/// Did this server give out the token?
pub(crate) fn is_granted(token: &str, mint: &Mint) -> bool {
    token.strip_prefix(PREFIX).is_some_and(|rest| mint.is_redacted(rest))
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> &'a str {
    let found = request.headers.iter().rev().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str()).unwrap_or_default()
}

fn machine_problem(request: &HttpRequest) -> Option<String> {
    let flavour = header(request, "metadata-flavor");
    (flavour != "Google").then(|| "Missing required header: Metadata-Flavor".to_owned())
}

fn form_problem(request: &HttpRequest) -> Option<String> {
    if header(request, "content-type") != "application/x-www-form-urlencoded" {
        return Some("content-type must be application/x-www-form-urlencoded".to_owned());
    }
    let text = String::from_utf8_lossy(&request.body);
    let fields: Vec<(&str, &str)> = text.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let expected: &[&str] = match fields.first() {
        Some(("grant_type", "refresh_token")) => {
            &["grant_type", "client_id", "client_secret", "refresh_token"]
        }
        Some(("grant_type", "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer")) => {
            &["grant_type", "assertion"]
        }
        other => return Some(format!("unsupported grant type: {other:?}")),
    };
    if names != expected || fields.iter().any(|(_, value)| value.is_empty()) {
        return Some(format!("the fields must be {expected:?}, each with a value, not {names:?}"));
    }
    let statement = fields.iter().find(|(name, _)| *name == "assertion").map(|(_, value)| *value);
    let parts = statement.map_or(3, |statement| statement.split('.').filter(|part| !part.is_empty()).count());
    (parts != 3).then(|| "assertion: a JWT has three parts".to_owned())
}
