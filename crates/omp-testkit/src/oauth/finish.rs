//! What some providers want after the tokens: a token of half an hour, or a project.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::grants::Reply;
use super::ledger::Ledger;
use crate::server::HttpRequest;

/// What Google's Code Assist does about a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projects {
    /// The account has one.
    #[default]
    Has,
    /// The account is given one, which takes a moment.
    Gives,
    /// The account must bring its own.
    Wants,
}

/// The routes of this page; `None` for others.
pub(super) fn respond(request: &HttpRequest, ledger: &mut Ledger) -> Option<Reply> {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/userinfo") => Some(user(request, ledger)),
        ("GET", "/session-token") => Some(session_token(request, ledger)),
        ("POST", "/v1internal:loadCodeAssist") => Some(load(request, ledger)),
        ("POST", "/v1internal:onboardUser") => Some(onboard(request, ledger)),
        ("GET", "/v1internal/operations/onboard-1") => Some(operation(request, ledger)),
        _ => None,
    }
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> &'a str {
    let found = request.headers.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str()).unwrap_or_default()
}

/// Refused, and remembered: the client is wrong.
fn broken(ledger: &mut Ledger, words: &str) -> Reply {
    ledger.violations.push(words.to_owned());
    (400, json!({"message": words}))
}

/// Does the request come with the last access token, after this word?
fn is_let_in(request: &HttpRequest, ledger: &Ledger, word: &str) -> bool {
    let given = header(request, "authorization").strip_prefix(word).map(str::trim_start);
    given.is_some() && given == ledger.last_access.as_deref()
}

fn user(request: &HttpRequest, ledger: &Ledger) -> Reply {
    match is_let_in(request, ledger, "Bearer") {
        true => (200, json!({"login": "octocat", "email": ""})),
        false => (401, json!({"message": "Bad credentials"})),
    }
}

/// GitHub wants to know which editor asks, and takes the account's token in a scheme of its own.
fn session_token(request: &HttpRequest, ledger: &mut Ledger) -> Reply {
    ledger.session_tokens += 1;
    if header(request, "editor-version").is_empty() {
        return broken(ledger, "session token: no editor-version");
    }
    if ledger.session_refusal.is_some() || !is_let_in(request, ledger, "token ") {
        let words = ledger.session_refusal.clone().unwrap_or_else(|| "Bad credentials".to_owned());
        return (401, json!({"message": words}));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let token = ledger.mint("session");
    let expires_at = now + ledger.options.lifetime_seconds;
    (200, json!({"token": token, "expires_at": expires_at, "refresh_in": 1500}))
}

/// The body, if the request is let in and says which program asks.
fn body(request: &HttpRequest, ledger: &mut Ledger) -> Result<Value, Reply> {
    if !is_let_in(request, ledger, "Bearer") {
        return Err((401, json!({"error": {"code": 401, "message": "Not authenticated"}})));
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    match body["metadata"]["ideType"].is_string() {
        true => Ok(body),
        false => Err(broken(ledger, "code assist: metadata.ideType is missing")),
    }
}

fn load(request: &HttpRequest, ledger: &mut Ledger) -> Reply {
    let body = match body(request, ledger) {
        Ok(body) => body,
        Err(reply) => return reply,
    };
    let tiers = |id: &str| json!({"allowedTiers": [{"id": "other"}, {"id": id, "isDefault": true}]});
    match ledger.options.projects {
        Projects::Has => {
            (200, json!({"currentTier": {"id": "free-tier"}, "cloudaicompanionProject": "managed-1"}))
        }
        Projects::Gives => (200, tiers("free-tier")),
        Projects::Wants if body["cloudaicompanionProject"].is_string() => {
            (200, json!({"currentTier": {"id": "standard-tier"}}))
        }
        Projects::Wants => (200, tiers("standard-tier")),
    }
}

fn onboard(request: &HttpRequest, ledger: &mut Ledger) -> Reply {
    match body(request, ledger) {
        Ok(body) if body["tierId"] == "free-tier" && body.get("cloudaicompanionProject").is_none() => {
            (200, json!({"name": "operations/onboard-1", "done": false}))
        }
        Ok(_) => broken(ledger, "code assist: the free tier brings its own project"),
        Err(reply) => reply,
    }
}

fn operation(request: &HttpRequest, ledger: &Ledger) -> Reply {
    match is_let_in(request, ledger, "Bearer") {
        true => (200, json!({"done": true, "response": {"cloudaicompanionProject": {"id": "given-1"}}})),
        false => (401, json!({"error": {"code": 401, "message": "Not authenticated"}})),
    }
}
